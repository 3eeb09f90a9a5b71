package uci

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// busy is a position with castling, pins and captures.
const busy = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// What an engine may take; beyond it there is a warning, and beyond ten times that a failure.
const (
	promptly  = 100 * time.Millisecond // to answer stop or isready
	ofTheTime = 50 * time.Millisecond  // beyond movetime
	ofNodes   = 1.5                    // searched to asked
)

// steps lists the checks. fastchess -compliance has those of the handshake, and the forms of go with a clock.
func (k *checker) steps(c CheckConfig) []step {
	list := []step{
		{"handshake", "uci", (*checker).handshake},
		{"handshake", "isready", func(k *checker) (string, error) { return since(k.ready()) }},
		{"handshake", "options announced", (*checker).announced},
		{"handshake", "options set", (*checker).setOptions},
		{"handshake", "ucinewgame", func(k *checker) (string, error) {
			return since(k.ask("ucinewgame\nisready", "readyok", k.command.StartTimeout, nil))
		}},
		{"handshake", "unknown commands", func(k *checker) (string, error) {
			return since(k.ask("xyzzy\n\nstop\nisready", "readyok", k.command.StartTimeout, nil))
		}},
	}
	for _, limit := range []string{"wtime 100", "btime 100", "wtime 100 winc 100 btime 100 binc 100",
		"btime 100 binc 100 wtime 100 winc 100", "wtime 1000 btime 1000 movestogo 5", "depth 3", "nodes 1000",
		"movetime 50"} {
		list = append(list, step{"go", limit, func(k *checker) (string, error) { return k.goes(limit) }})
	}
	list = append(list,
		step{"go", "searchmoves", (*checker).searchMoves},
		step{"go", "infinite, stop", (*checker).stops},
		step{"go", "ponder, ponderhit", (*checker).ponders},
		step{"go", "isready in a search", (*checker).readyInSearch},
		step{"go", "mate in 1", func(k *checker) (string, error) { return k.mates("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1) }},
		step{"go", "mate in 2", func(k *checker) (string, error) { return k.mates("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2) }},
		step{"limits", "nodes", (*checker).nodesKept},
		step{"limits", "depth", (*checker).depthKept},
		step{"limits", "movetime", (*checker).moveTimeKept},
	)
	for _, clock := range c.Clocks {
		list = append(list, step{"limits", "clock " + clock.Name, func(k *checker) (string, error) { return k.plays(clock) }})
		if c.Load {
			list = append(list, step{"limits", "clock " + clock.Name + ", busy cores", func(k *checker) (string, error) {
				defer spin()()
				return k.plays(clock)
			}})
		}
	}
	list = append(list, step{"limits", "memory", (*checker).memory},
		step{"limits", "same search twice", (*checker).repeats})
	for _, p := range positions {
		list = append(list, step{"positions", p.name, func(k *checker) (string, error) { return k.position(p.setup) }})
	}
	return append(list, step{"positions", "Chess960", (*checker).chess960},
		step{"end", "quit", func(k *checker) (string, error) { return k.quits("quit", false) }},
		step{"end", "quit in a search", func(k *checker) (string, error) { return k.quits("go infinite\nquit", false) }},
		step{"end", "closed input", func(k *checker) (string, error) { return k.quits("isready", true) }},
		step{"end", "closed input in a search", func(k *checker) (string, error) { return k.quits("go infinite", true) }})
}

// positions are set up and searched.
var positions = []struct{ name, setup string }{
	{"bare kings", "8/8/4k3/8/8/3K4/8/8 w - - 0 1"},
	{"checkmate", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"},
	{"stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},
	{"99 plies without progress", "4k3/8/8/8/8/8/3R4/4K3 w - - 99 80"},
	{"100 plies without progress", "4k3/8/8/8/8/8/3R4/4K3 w - - 100 80"},
	{"threefold repetition", "startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 2)},
	{"600 plies", "startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 150)},
	{"218 legal moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"},
	{"promotion", "8/P6k/8/8/8/8/8/K7 w - - 0 1"},
	{"en passant", "startpos moves e2e4 a7a6 e4e5 d7d5"},
	{"castling", busy + " moves e1g1 e8c8"},
}

func since(took time.Duration, err error) (string, error) {
	return fmt.Sprintf("after %v", took.Round(time.Millisecond)), err
}

func (k *checker) handshake() (string, error) {
	took, err := k.ask("uci", "uciok", k.command.StartTimeout, func(line []byte) {
		switch word, rest := nextWord(line); string(word) {
		case "id":
			word, rest = nextWord(rest)
			if text := clean(string(bytes.TrimSpace(rest)), 200); string(word) == "name" {
				k.report.Name = text
			} else if string(word) == "author" {
				k.report.Author = text
			}
		case "option":
			if o, ok := parseOption(rest); ok && len(k.options) < maxOptions {
				k.options = append(k.options, o)
			}
		}
	})
	switch {
	case err != nil:
		k.silent = neverAnswers
		return "", err
	case k.report.Name == "" || k.report.Author == "":
		return "", errors.New("no id name or no id author before uciok")
	}
	return fmt.Sprintf("uciok after %v", took.Round(time.Millisecond)), nil
}

// announced looks for options that contradict themselves.
func (k *checker) announced() (string, error) {
	var wrong []string
	seen := map[string]bool{}
	for i := range k.options {
		o := &k.options[i]
		name := strings.ToLower(o.Name)
		if seen[name] {
			wrong = append(wrong, o.Name+" comes twice")
		}
		seen[name] = true
		switch _, want := o.normalize(o.preset); {
		case !slices.Contains([]string{"check", "spin", "combo", "button", "string"}, o.kind):
			wrong = append(wrong, fmt.Sprintf("%s has the type %q", o.Name, o.kind))
		case o.kind == "spin" && (o.low == nil || o.high == nil):
			wrong = append(wrong, o.Name+" lacks min or max")
		case o.kind == "combo" && len(o.vars) == 0:
			wrong = append(wrong, o.Name+" has no var")
		case want != "":
			wrong = append(wrong, fmt.Sprintf("%s: the default %q is not %s", o.Name, o.preset, want))
		}
	}
	if len(wrong) > 0 {
		return "", errors.New(strings.Join(wrong, "; "))
	}
	return fmt.Sprintf("%d options", len(k.options)), nil
}

// setOptions sets each option to its ends and back, and sees whether the engine is ready each time.
func (k *checker) setOptions() (string, error) {
	c := &Client{}
	n := 0
	for i := range k.options {
		o := &k.options[i]
		values := []string{o.preset}
		switch {
		case o.kind == "button":
			continue
		case o.kind == "check":
			values = []string{"true", "false", o.preset}
		case o.kind == "combo":
			values = append(slices.Clone(o.vars), o.preset)
		case o.kind == "spin" && o.low != nil && o.high != nil:
			high := *o.high
			if most, scarce := map[string]int64{"hash": 64, "threads": 2}[strings.ToLower(o.Name)]; scarce {
				high = min(high, most)
			}
			values = []string{strconv.FormatInt(*o.low, 10), strconv.FormatInt(high, 10), o.preset}
		}
		for _, v := range values {
			n++
			text := string(c.appendOption(nil, o, v)) + "isready"
			if _, err := k.ask(text, "readyok", k.command.StartTimeout, nil); err != nil {
				return "", fmt.Errorf("%s = %s: %w", o.Name, cmp.Or(v, "(empty)"), err)
			}
		}
	}
	_, err := k.search("startpos", "depth 1")
	return fmt.Sprintf("%d values", n), err
}

// goes searches with a limit.
func (k *checker) goes(limit string) (string, error) {
	s, err := k.search(busy, limit)
	switch {
	case err != nil:
		return "", err
	case s.infos == 0:
		return "", errors.New("no info line before bestmove")
	case !s.scored:
		return "", errors.New("no info line with a score")
	}
	return fmt.Sprintf("bestmove after %v, depth %d", s.took.Round(time.Millisecond), s.last.Depth), nil
}

func (k *checker) searchMoves() (string, error) {
	s, err := k.search(busy, "depth 3 searchmoves a2a3 h1g1")
	if err == nil && s.word != "a2a3" && s.word != "h1g1" {
		err = doubt("it ignores searchmoves: bestmove " + clip(s.word))
	}
	return "bestmove is one of them", err
}

// late judges times; the worst counts.
func late(times []time.Duration, most time.Duration) (string, error) {
	slices.Sort(times)
	n := len(times)
	text := fmt.Sprintf("median %v, 99 %% %v, worst %v of %d", times[n/2].Round(100*time.Microsecond),
		times[(99*n-1)/100].Round(100*time.Microsecond), times[n-1].Round(100*time.Microsecond), n)
	switch worst := times[n-1]; {
	case worst > 10*most:
		return "", tooLate(text)
	case worst > most:
		return "", doubt(text)
	}
	return text, nil
}

// waits begins a search that must not end by itself, and waits a little.
func (k *checker) waits(limit string, wait time.Duration) (*heard, error) {
	s, err := k.begin(busy)
	if err == nil {
		err = k.say("go " + limit)
	}
	if err != nil {
		return nil, err
	}
	early, err := k.listen("bestmove", wait, s.hear)
	if err == nil && early {
		err = fmt.Errorf("bestmove before it was asked for, after go %s", limit)
	}
	return s, err
}

func (k *checker) stops() (string, error) {
	var times []time.Duration
	for range 40 {
		s, err := k.waits("infinite", time.Duration(rand.IntN(40))*time.Millisecond)
		if err != nil {
			return "", err
		}
		took, err := k.ask("stop", "bestmove", k.within, s.hear)
		if err = cmp.Or(err, s.check()); err != nil {
			return "", err
		}
		times = append(times, took)
	}
	return late(times, promptly)
}

func (k *checker) ponders() (string, error) {
	if k.option("Ponder") == nil {
		return "", lack("it has no option Ponder")
	}
	var worst time.Duration
	for range 5 {
		s, err := k.waits("ponder wtime 500 btime 500", 20*time.Millisecond)
		if err != nil {
			return "", err
		}
		took, err := k.ask("ponderhit", "bestmove", k.within, s.hear)
		if err = cmp.Or(err, s.check()); err != nil {
			return "", err
		}
		worst = max(worst, took)
		if s, err = k.waits("ponder wtime 500 btime 500", 20*time.Millisecond); err != nil {
			return "", err
		}
		if _, err := k.ask("stop", "bestmove", k.within, s.hear); err != nil {
			return "", err
		}
	}
	if worst > 500*time.Millisecond {
		return "", tooLate(fmt.Sprintf("bestmove %v after ponderhit, with 500 ms on the clock", worst.Round(time.Millisecond)))
	}
	return fmt.Sprintf("bestmove at most %v after ponderhit, with 500 ms on the clock", worst.Round(time.Millisecond)), nil
}

func (k *checker) readyInSearch() (string, error) {
	if _, err := k.waits("infinite", 20*time.Millisecond); err != nil {
		return "", err
	}
	took, err := k.ready()
	if err != nil {
		return "", err
	}
	if _, err := k.ask("stop", "bestmove", k.within, nil); err != nil {
		return "", err
	}
	return late([]time.Duration{took}, promptly)
}

// mates searches a mate. Its variation must end with it.
func (k *checker) mates(setup string, moves int) (string, error) {
	s, err := k.search(setup, fmt.Sprintf("depth %d", 2*moves+4))
	if err != nil {
		return "", err
	}
	score := engine.MateScore - engine.Score(2*moves-1)
	p := s.position
	for _, m := range s.last.PV {
		p.Make(m)
	}
	switch mated := p.InCheck() && p.CountLegal() == 0; {
	case s.last.Score != score:
		return "", doubt(fmt.Sprintf("it does not say score mate %d at depth %d", moves, 2*moves+4))
	case len(s.last.PV) > 0 && (!mated || len(s.last.PV) != 2*moves-1):
		return "", doubt(fmt.Sprintf("the variation of score mate %d has %d plies and does not end with the mate", moves,
			len(s.last.PV)))
	}
	return fmt.Sprintf("score mate %d", moves), nil
}

func (k *checker) nodesKept() (string, error) {
	var text []string
	worst := 0.0
	for _, n := range []uint64{100, 10000, 50000} {
		s, err := k.search(busy, fmt.Sprintf("nodes %d", n))
		if err != nil {
			return "", err
		}
		if s.nodes == 0 {
			return "", doubt("it reports no nodes")
		}
		if n > 100 { // it may finish its first iteration
			worst = max(worst, float64(s.nodes)/float64(n))
		}
		text = append(text, fmt.Sprintf("%d of %d", s.nodes, n))
	}
	all := "searched " + strings.Join(text, ", ")
	switch {
	case worst > 10*ofNodes:
		return "", errors.New(all)
	case worst > ofNodes:
		return "", doubt(all)
	}
	return all, nil
}

func (k *checker) depthKept() (string, error) {
	s, err := k.search(busy, "depth 4")
	if err == nil && s.last.Depth > 4 {
		err = doubt(fmt.Sprintf("it searches to depth %d of 4", s.last.Depth))
	}
	return "4 of 4", err
}

func (k *checker) moveTimeKept() (string, error) {
	var over []time.Duration
	for range 8 {
		s, err := k.search(busy, "movetime 100")
		if err != nil {
			return "", err
		}
		over = append(over, s.took-100*time.Millisecond)
	}
	text, err := late(over, ofTheTime)
	return "beyond 100 ms: " + text, err
}

// plays plays a game against itself by a clock.
func (k *checker) plays(c CheckClock) (string, error) {
	if _, err := k.ask("ucinewgame\nisready", "readyok", k.command.StartTimeout, nil); err != nil {
		return "", err
	}
	k.within += c.Base
	defer func() { k.within -= c.Base }()
	left := [2]time.Duration{c.Base, c.Base}
	least, moves := c.Base, ""
	game := board.NewGame(board.StartPosition())
	plies := 0
	for ; plies < 200 && game.Position().CountLegal() > 0 && game.Position().Halfmove() < 100; plies++ {
		side := game.Position().SideToMove()
		limit := fmt.Sprintf("wtime %d btime %d winc %d binc %[3]d", left[0].Milliseconds(), left[1].Milliseconds(),
			c.Increment.Milliseconds(), c.Increment.Milliseconds())
		if c.Moves > 0 {
			limit += fmt.Sprintf(" movestogo %d", c.Moves-plies/2%c.Moves)
		}
		setup := "startpos"
		if moves != "" {
			setup += " moves" + moves
		}
		s, err := k.search(setup, limit)
		if err != nil {
			return "", err
		}
		if left[side] -= s.took; left[side] < 0 {
			return "", tooLate(fmt.Sprintf("it oversteps its time by %v at move %d", -left[side].Round(100*time.Microsecond),
				plies/2+1))
		}
		least = min(least, left[side])
		if left[side] += c.Increment; c.Moves > 0 && (plies/2+1)%c.Moves == 0 {
			left[side] += c.Base
		}
		m, _ := game.Position().ParseUCI(strings.ToLower(s.word)) // checked
		moves += " " + strings.ToLower(s.word)
		game.Push(m)
	}
	return fmt.Sprintf("%d plies, at least %v left", plies, least.Round(time.Millisecond)), nil
}

// memory reads what the program has in memory, on Linux.
func (k *checker) memory() (string, error) {
	o := k.option("Hash")
	if o == nil {
		return "", lack("it has no option Hash")
	}
	if _, err := k.ask("setoption name Hash value 16\nisready", "readyok", k.command.StartTimeout, nil); err != nil {
		return "", err
	}
	if _, err := k.search(busy, "movetime 200"); err != nil {
		return "", err
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", k.process.pid))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return "", lack("this system does not say")
	}
	pages, _ := strconv.Atoi(fields[1])
	text := fmt.Sprintf("%d MB resident with Hash 16", pages*os.Getpagesize()>>20)
	if pages*os.Getpagesize()>>20 > 1024 {
		return "", doubt(text)
	}
	return text, nil
}

// repeats searches the same twice, after other work.
func (k *checker) repeats() (string, error) {
	if o := k.option("Threads"); o != nil {
		if err := k.say("setoption name Threads value 1"); err != nil {
			return "", err
		}
	}
	var said [2]string
	for i := range said {
		if _, err := k.ask("ucinewgame\nisready", "readyok", k.command.StartTimeout, nil); err != nil {
			return "", err
		}
		s, err := k.search(busy, "nodes 20000")
		if err != nil {
			return "", err
		}
		said[i] = fmt.Sprintf("%s, depth %d, score %d, %d nodes", s.word, s.last.Depth, s.last.Score, s.nodes)
		if _, err := k.search("startpos", "nodes 20000"); err != nil {
			return "", err
		}
	}
	if said[0] != said[1] {
		return "", doubt("after ucinewgame the same nodes give " + said[1] + "; before, " + said[0])
	}
	return said[0], nil
}

// position searches a position. Without a legal move the answer must name none.
func (k *checker) position(setup string) (string, error) {
	s, err := k.search(setup, "depth 4")
	if err == nil && s.position.CountLegal() == 0 &&
		!slices.Contains([]string{"", "(none)", "none", "0000", "null"}, strings.ToLower(s.word)) {
		return "", doubt("bestmove " + clip(s.word) + " where there is no legal move")
	}
	if err != nil {
		return "", err
	}
	return "bestmove " + cmp.Or(clip(s.word), "without a move"), nil
}

func (k *checker) chess960() (string, error) {
	if k.option("UCI_Chess960") == nil {
		return "", lack("it has no option UCI_Chess960")
	}
	if err := k.say("setoption name UCI_Chess960 value true"); err != nil {
		return "", err
	}
	var words []string
	for _, setup := range []string{"4k3/8/8/8/8/8/8/1RK4R w HB - 0 1", "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1 moves c1b1",
		"r1k1r3/8/8/8/8/8/8/1RK4R b HBea - 0 1 moves c8a8"} {
		s, err := k.search(setup, "depth 4")
		if err != nil {
			return "", err
		}
		words = append(words, s.word)
	}
	return "bestmove " + strings.Join(words, ", "), k.say("setoption name UCI_Chess960 value false")
}

// quits ends the engine after commands, by quit or by closing its input.
func (k *checker) quits(commands string, closed bool) (string, error) {
	if err := k.say("position startpos\n" + commands); err != nil {
		return "", err
	}
	if closed {
		if _, err := k.listen("\x00", 50*time.Millisecond, nil); err != nil {
			return "", err
		}
		k.process.stdin.Close()
	}
	return k.ends(3 * time.Second)
}
