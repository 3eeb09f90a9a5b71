package uci

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
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

// steps lists the checks. fastchess -compliance has the handshake, and the forms of go with a clock.
func steps(c CheckConfig) []step {
	list := []step{
		{"handshake", "uci", (*checker).handshake},
		{"handshake", "isready", func(k *checker) string { return k.syncs("isready", "readyok") }},
		{"handshake", "options announced", (*checker).announced},
		{"handshake", "options set", (*checker).setOptions},
		{"handshake", "ucinewgame", (*checker).newGame},
		{"handshake", "unknown commands", func(k *checker) string { return k.syncs("xyzzy\n\nstop\nisready", "readyok") }},
	}
	for _, limit := range []string{"wtime 100", "btime 100", "wtime 100 winc 100 btime 100 binc 100",
		"btime 100 binc 100 wtime 100 winc 100", "wtime 1000 btime 1000 movestogo 5", "depth 3", "nodes 1000",
		"movetime 50"} {
		list = append(list, step{"go", limit, func(k *checker) string { return k.goes(limit) }})
	}
	list = append(list,
		step{"go", "searchmoves", (*checker).searchMoves},
		step{"go", "infinite, stop", (*checker).stops},
		step{"go", "ponder, ponderhit", (*checker).ponders},
		step{"go", "isready in a search", (*checker).readyInSearch},
		step{"go", "mate in 1", func(k *checker) string { return k.mates("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1) }},
		step{"go", "mate in 2", func(k *checker) string { return k.mates("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2) }},
		step{"limits", "nodes", (*checker).nodesKept},
		step{"limits", "depth", (*checker).depthKept},
		step{"limits", "movetime", (*checker).moveTimeKept},
	)
	for _, clock := range c.Clocks {
		list = append(list, step{"limits", "clock " + clock.Name, func(k *checker) string { return k.plays(clock) }})
		if c.Load {
			list = append(list, step{"limits", "clock " + clock.Name + ", busy cores", func(k *checker) string {
				defer spin()()
				return k.plays(clock)
			}})
		}
	}
	list = append(list, step{"limits", "memory", (*checker).memory},
		step{"limits", "same search twice", (*checker).repeats})
	list = append(list, step{"positions", "same search from a FEN", (*checker).sameFromFEN})
	for _, p := range positions {
		list = append(list, step{"positions", p.name, func(k *checker) string { return k.position(p.setup) }})
	}
	return append(list, step{"positions", "Chess960", (*checker).chess960},
		step{"end", "quit", func(k *checker) string { return k.quits("quit", false) }},
		step{"end", "quit in a search", func(k *checker) string { return k.quits("go infinite\nquit", false) }},
		step{"end", "closed input", func(k *checker) string { return k.quits("isready", true) }},
		step{"end", "closed input in a search", func(k *checker) string { return k.quits("go infinite", true) }})
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

func (k *checker) handshake() string {
	k.silent += neverAnswers // unless it passes
	took := k.ask("uci", "uciok", k.command.StartTimeout, func(line []byte) {
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
	k.silent = 0
	k.configure()
	if k.report.Name == "" || k.report.Author == "" {
		fail("no id name or no id author before uciok")
	}
	return fmt.Sprintf("uciok after %v", took.Round(time.Millisecond))
}

// announced looks for options that contradict themselves.
func (k *checker) announced() string {
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
		fail("%s", strings.Join(wrong, "; "))
	}
	return fmt.Sprintf("%d options", len(k.options))
}

// setOptions sets each option to its ends and back, and sees whether the engine is ready each time.
func (k *checker) setOptions() string {
	n := 0
	for i := range k.options {
		o := &k.options[i]
		var values []string
		switch {
		case o.kind == "button":
			continue
		case o.kind == "check":
			values = []string{"true", "false"}
		case o.kind == "combo":
			values = o.vars
		case o.kind == "spin" && o.low != nil && o.high != nil:
			high := *o.high
			if most, scarce := map[string]int64{"hash": 64, "threads": 2}[strings.ToLower(o.Name)]; scarce {
				high = min(high, most)
			}
			values = []string{strconv.FormatInt(*o.low, 10), strconv.FormatInt(high, 10)}
		}
		for _, v := range append(slices.Clone(values), o.preset) {
			n++
			set := step{try: func(k *checker) string {
				return k.syncs(string(new(Client).appendOption(nil, o, v))+"isready", "readyok")
			}}
			if f := k.try(set); f.verdict != checkPassed {
				fail("%s = %s: %s", o.Name, cmp.Or(v, "(empty)"), f.text)
			}
		}
	}
	k.configure()
	k.search("startpos", "depth 1")
	return fmt.Sprintf("%d values", n)
}

func (k *checker) newGame() string { return k.syncs("ucinewgame\nisready", "readyok") }

// goes searches with a limit.
func (k *checker) goes(limit string) string {
	s := k.search(busy, limit)
	switch {
	case s.infos == 0:
		fail("no info line before bestmove")
	case !s.scored:
		fail("no info line with a score")
	}
	return fmt.Sprintf("bestmove after %v, depth %d", s.took.Round(time.Millisecond), s.last.Depth)
}

func (k *checker) searchMoves() string {
	if s := k.search(busy, "depth 3 searchmoves a2a3 h1g1"); s.word != "a2a3" && s.word != "h1g1" {
		warn("it ignores searchmoves: bestmove %s", clip(s.word))
	}
	return "bestmove is one of them"
}

// late judges times; the worst counts.
func late(times []time.Duration, most time.Duration) string {
	slices.Sort(times)
	n := len(times)
	text := fmt.Sprintf("median %v, 99 %% %v, worst %v of %d", times[n/2].Round(100*time.Microsecond),
		times[(99*n-1)/100].Round(100*time.Microsecond), times[n-1].Round(100*time.Microsecond), n)
	switch worst := times[n-1]; {
	case worst > 10*most:
		tooLate(text)
	case worst > most:
		warn("%s", text)
	}
	return text
}

func (k *checker) stops() string {
	var times []time.Duration
	for range 40 {
		s := k.waits("infinite", time.Duration(rand.IntN(40))*time.Millisecond)
		k.ends(s, "stop")
		times = append(times, s.took)
	}
	return late(times, promptly)
}

func (k *checker) ponders() string {
	k.needs("Ponder")
	const ponder, wait, clock = "ponder wtime 500 btime 500", 20 * time.Millisecond, 500 * time.Millisecond
	var worst time.Duration
	for range 5 {
		s := k.waits(ponder, wait)
		k.ends(s, "ponderhit")
		worst = max(worst, s.took)
		k.ask("stop", "bestmove", k.within, k.waits(ponder, wait).hear)
	}
	text := fmt.Sprintf("%v after ponderhit, with 500 ms on the clock", worst.Round(time.Millisecond))
	if worst > clock {
		tooLate("bestmove " + text)
	}
	return "bestmove at most " + text
}

func (k *checker) readyInSearch() string {
	k.waits("infinite", 20*time.Millisecond)
	took := k.ask("isready", "readyok", k.command.StartTimeout, nil)
	k.ask("stop", "bestmove", k.within, nil)
	return late([]time.Duration{took}, promptly)
}

// mates searches a mate. Its variation must end with it.
func (k *checker) mates(setup string, moves int) string {
	plies, depth := 2*moves-1, 2*moves+4
	s := k.search(setup, fmt.Sprintf("depth %d", depth))
	p := s.position
	for _, m := range s.last.PV {
		p.Make(m)
	}
	switch n := len(s.last.PV); {
	case s.last.Score != engine.MateScore-engine.Score(plies):
		warn("it does not say score mate %d at depth %d", moves, depth)
	case n > 0 && (n != plies || !p.InCheck() || p.CountLegal() > 0):
		warn("the variation of score mate %d has %d plies and does not end with the mate", moves, n)
	}
	return fmt.Sprintf("score mate %d", moves)
}

func (k *checker) nodesKept() string {
	var text []string
	most := 0.0
	for _, n := range []uint64{100, 10000, 50000} {
		s := k.search(busy, fmt.Sprintf("nodes %d", n))
		if s.nodes == 0 {
			warn("it reports no nodes")
		}
		if n > 100 { // it may finish its first iteration
			most = max(most, float64(s.nodes)/float64(n))
		}
		text = append(text, fmt.Sprintf("%d of %d", s.nodes, n))
	}
	all := "searched " + strings.Join(text, ", ")
	switch {
	case most > 10*ofNodes:
		fail("%s", all)
	case most > ofNodes:
		warn("%s", all)
	case most < 1./10:
		warn("%s: it does not seem to know \"go nodes\"", all)
	}
	return all
}

func (k *checker) depthKept() string {
	if s := k.search(busy, "depth 4"); s.last.Depth > 4 {
		warn("it searches to depth %d of 4", s.last.Depth)
	}
	return "4 of 4"
}

func (k *checker) moveTimeKept() string {
	var over []time.Duration
	for range 8 {
		over = append(over, k.search(busy, "movetime 100").took-100*time.Millisecond)
	}
	return "beyond 100 ms: " + late(over, ofTheTime)
}

// plays plays a game against itself by a clock.
func (k *checker) plays(c CheckClock) string {
	k.newGame()
	within := k.within
	defer func() { k.within = within }()
	left := [2]time.Duration{c.Base, c.Base}
	least, setup := c.Base, "startpos"
	game := board.NewGame(board.StartPosition())
	plies := 0
	for ; plies < 200 && game.Position().CountLegal() > 0 && game.Position().Halfmove() < 100; plies++ {
		side := game.Position().SideToMove()
		limit := fmt.Sprintf("wtime %d btime %d winc %d binc %[3]d", left[0].Milliseconds(), left[1].Milliseconds(),
			c.Increment.Milliseconds())
		if c.Moves > 0 {
			limit += fmt.Sprintf(" movestogo %d", c.Moves-plies/2%c.Moves)
		}
		k.within = within + left[side]
		s := k.search(setup, limit)
		if left[side] -= s.took; left[side] < 0 {
			tooLate(fmt.Sprintf("it oversteps its time by %v at move %d", -left[side].Round(100*time.Microsecond), plies/2+1))
		}
		least = min(least, left[side])
		if left[side] += c.Increment; c.Moves > 0 && (plies/2+1)%c.Moves == 0 {
			left[side] += c.Base
		}
		if plies == 0 {
			setup += " moves"
		}
		move := strings.ToLower(s.word)
		setup += " " + move
		m, _ := game.Position().ParseUCI(move) // checked
		game.Push(m)
	}
	return fmt.Sprintf("%d plies, at least %v left", plies, least.Round(time.Millisecond))
}

// spin keeps every core busy until it is stopped.
func spin() (stop func()) {
	var stopped atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for !stopped.Load() {
			}
		}()
	}
	return func() { stopped.Store(true) }
}

// memory reads what the program has in memory, on Linux.
func (k *checker) memory() string {
	k.needs("Hash")
	k.syncs("setoption name Hash value 16\nisready", "readyok")
	k.search(busy, "movetime 200")
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", k.process.pid))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		skip("this system does not say")
	}
	pages, _ := strconv.Atoi(fields[1])
	size := pages * os.Getpagesize() >> 20
	text := fmt.Sprintf("%d MB resident with Hash 16", size)
	if size > 1024 {
		warn("%s", text)
	}
	return text
}

// alone searches with one thread in a new game, and says what it found.
func (k *checker) alone(setup, limit string) (*heard, string) {
	if (&Client{options: k.options}).findOption("Threads") != nil {
		k.say("setoption name Threads value 1")
	}
	k.newGame()
	s := k.search(setup, limit)
	return s, fmt.Sprintf("%s, depth %d, score %d, %d nodes", s.word, s.last.Depth, s.last.Score, s.nodes)
}

// repeats searches the same twice, after other work.
func (k *checker) repeats() string {
	var said [2]string
	for i := range said {
		_, said[i] = k.alone(busy, "nodes 20000")
		k.search("startpos", "nodes 20000")
	}
	if said[0] != said[1] {
		warn("after ucinewgame the same nodes give %s; before, %s", said[1], said[0])
	}
	return said[0]
}

// openings are three main lines. They have many captures and pawn moves.
var openings = []string{
	"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 f7f6 d2d4 e5d4 f3d4 c6c5 d4b3 d8d1 f1d1",
	"d2d4 g8f6 c2c4 g7g6 b1c3 d7d5 c4d5 f6d5 e2e4 d5c3 b2c3 f8g7 g1f3 c7c5 a1b1 e8g8 f1e2 c5d4 c3d4 d8a5 c1d2 a5a2",
	"e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 f8e7 d1f3 d8c7 e1c1 b8d7 g2g4 b7b5 g5f6 d7f6 g4g5",
}

// sameFromFEN searches positions of games from their FENs and after all moves. A Client sends the FEN after the last
// capture or pawn move; an engine whose keys or values depend on the way to a position then searches another one.
func (k *checker) sameFromFEN() string {
	searched, differ, apart := 0, 0, 0
	for _, line := range openings {
		moves := strings.Fields(line)
		game, err := parsePosition(append([]string{"startpos", "moves"}, moves...))
		if err != nil {
			panic(err)
		}
		p := game.Start()
		for i, m := range game.Moves() {
			if p.Make(m); p.Halfmove() > 0 || i < 6 {
				continue
			}
			setup := "startpos moves " + strings.Join(moves[:i+1], " ")
			after, found := k.alone(setup, "depth 6")
			from, other := k.alone(p.FEN(), "depth 6")
			if _, again := k.alone(setup, "depth 6"); again != found {
				skip("it does not search the same twice")
			}
			if searched++; other != found {
				differ++
				gap := int(from.last.Score) - int(after.last.Score)
				apart += max(gap, -gap)
			}
		}
	}
	if 10*differ > searched { // one may be by a repetition of the root, whose key has another square for en passant
		warn("from its FEN %d of %d positions are searched otherwise than after the game's moves, and the scores are %d "+
			"centipawns apart on average; play it with history=full", differ, searched, apart/differ)
	}
	return fmt.Sprintf("%d of %d positions", searched-differ, searched)
}

// position searches a position. Without a legal move the answer must name none.
func (k *checker) position(setup string) string {
	s := k.search(setup, "depth 4")
	if s.position.CountLegal() == 0 &&
		!slices.Contains([]string{"", "(none)", "none", "0000", "null"}, strings.ToLower(s.word)) {
		warn("bestmove %s where there is no legal move", clip(s.word))
	}
	return "bestmove " + cmp.Or(clip(s.word), "without a move")
}

func (k *checker) chess960() string {
	k.needs("UCI_Chess960")
	k.say("setoption name UCI_Chess960 value true")
	var words []string
	for _, setup := range []string{"4k3/8/8/8/8/8/8/1RK4R w HB - 0 1", "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1 moves c1b1",
		"r1k1r3/8/8/8/8/8/8/1RK4R b HBea - 0 1 moves c8a8"} {
		words = append(words, k.search(setup, "depth 4").word)
	}
	k.say("setoption name UCI_Chess960 value false")
	return "bestmove " + strings.Join(words, ", ")
}

// quits has the program end after commands, by quit or by closing its input.
func (k *checker) quits(commands string, closed bool) string {
	within := min(3*time.Second, k.within)
	k.say("position startpos\n" + commands)
	if closed {
		if err := k.process.listen(k.ctx, "\x00", 50*time.Millisecond, nil); !errors.Is(err, os.ErrDeadlineExceeded) {
			fail("%v", err)
		}
		k.process.stdin.Close()
	}
	started := time.Now()
	err := k.process.listen(k.ctx, "\x00", within, nil)
	took := time.Since(started).Round(time.Millisecond)
	exit := k.end()
	switch {
	case !errors.Is(err, io.EOF):
		fail("it still runs after %v", within)
	case exit.state != nil && !exit.state.Success():
		warn("%s%s", exit.how(), exit.lastWords())
	}
	return fmt.Sprintf("ended after %v", took)
}
