package uci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// running is a search in its own goroutine.
type running struct {
	cancel context.CancelFunc
	done   chan struct{} // closed after bestmove has been written
	limits engine.Limits
	ends   bool          // by its limits, whatever it finds
	hit    chan struct{} // closed by ponderhit
	game   *board.Game
	// dropped makes the search end without bestmove, because it is about to restart.
	dropped atomic.Bool
	// answering is set before bestmove is written: a GUI that has read bestmove may send
	// the next command before done is closed.
	answering atomic.Bool
}

func (r *running) active() bool {
	if r == nil {
		return false
	}
	if r.answering.Load() {
		<-r.done
		return false
	}
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// search executes "go".
func (s *Server) search(ctx context.Context, args []string) {
	if s.game == nil {
		s.remark("no position to search: the last position was refused")
		s.say("bestmove 0000")
		return
	}
	lim, remarks := parseGo(args, s.game.Position())
	for _, r := range remarks {
		s.remark("ignored %s", r)
	}
	lim.MultiPV = s.multiPV
	s.launch(ctx, s.game.Clone(), lim)
}

// launch starts a search. Only the search may use the game from now on.
func (s *Server) launch(ctx context.Context, game *board.Game, lim engine.Limits) {
	ctx, cancel := context.WithCancel(ctx)
	r := &running{cancel: cancel, done: make(chan struct{}), limits: lim, hit: make(chan struct{}), game: game,
		ends: ends(&lim, game.Position().SideToMove())}
	lim.PonderHit = r.hit
	s.running = r
	format := formatter{position: *game.Position(), chess960: s.chess960}
	go func() {
		defer close(r.done)
		defer cancel()
		lim.Info = func(info engine.Info) { s.say("%s", format.info(info)) }
		result, err := s.Player.Search(ctx, game, lim)
		switch { // UCI allows bestmove only after stop or ponderhit, even if the player has answered
		case lim.Infinite:
			<-ctx.Done()
		case lim.Ponder:
			select {
			case <-r.hit:
			case <-ctx.Done():
			}
		}
		if r.dropped.Load() {
			return
		}
		if err != nil {
			s.remark("search: %v", err)
		}
		r.answering.Store(true)
		s.say("%s", format.bestMove(result))
	}()
}

// stop ends the search, if one is running, and waits for its bestmove.
func (s *Server) stop() {
	if s.running != nil {
		s.running.cancel()
		<-s.running.done
		s.running = nil
	}
}

// finish waits for a search that ends by itself, and stops any other. A search for a mate
// alone may find none.
func (s *Server) finish() {
	if r := s.running; r.active() && !r.limits.Infinite && !r.limits.Ponder && r.ends {
		<-r.done
	}
	s.stop()
}

// ponderHit executes "ponderhit": the search continues, and its time counts. A player
// that is no engine.Ponderer is stopped and searches the position again.
func (s *Server) ponderHit(ctx context.Context) {
	r := s.running
	if !r.active() || !r.limits.Ponder {
		s.remark("ignored ponderhit: the engine is not pondering")
		return
	}
	r.limits.Ponder = false
	if p, ok := engine.As[engine.Ponderer](s.Player); ok && p.Ponders() {
		close(r.hit)
		return
	}
	r.dropped.Store(true)
	s.stop()
	s.launch(ctx, r.game, r.limits)
}

// formatter formats the output of a search of one position.
type formatter struct {
	position board.Position
	chess960 bool
}

func (f *formatter) info(i engine.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info depth %d seldepth %d multipv %d", i.Depth, max(i.SelDepth, i.Depth), max(i.MultiPV, 1))
	if i.Score.Known() {
		b.WriteString(" score " + score(i.Score))
	}
	switch {
	case i.Bound < 0:
		b.WriteString(" upperbound")
	case i.Bound > 0:
		b.WriteString(" lowerbound")
	}
	ms := i.Time.Milliseconds()
	nps := uint64(float64(i.Nodes) / max(i.Time.Seconds(), 1e-6))
	fmt.Fprintf(&b, " nodes %d nps %d hashfull %d time %d", i.Nodes, nps, i.HashFull, ms)
	if pv := f.line(i.PV); len(pv) > 0 {
		b.WriteString(" pv " + strings.Join(pv, " "))
	}
	return b.String()
}

// score formats a score as UCI does: centipawns, or moves to mate.
func score(v engine.Score) string {
	switch {
	case v > engine.MaxScore:
		return fmt.Sprintf("mate %d", (engine.MateScore-v+1)/2)
	case v < -engine.MaxScore:
		return fmt.Sprintf("mate %d", -(engine.MateScore+v)/2)
	}
	return fmt.Sprintf("cp %d", v)
}

// bestMove returns the bestmove line, with the expected reply for pondering.
func (f *formatter) bestMove(r engine.Result) string {
	if r.Move == board.NullMove {
		return "bestmove 0000"
	}
	if line := f.line(r.PV); len(line) > 1 && r.PV[0] == r.Move {
		return "bestmove " + line[0] + " ponder " + line[1]
	}
	return "bestmove " + moveText(&f.position, f.chess960, r.Move)
}

// line returns the moves of a variation, up to the first that is not legal.
func (f *formatter) line(pv []board.Move) []string {
	p := f.position
	words := make([]string, 0, len(pv))
	for _, m := range pv {
		if !p.IsLegal(m) {
			break
		}
		words = append(words, moveText(&p, f.chess960, m))
		p.Make(m)
	}
	return words
}

// setOption executes "setoption name NAME [value VALUE]". Both may contain spaces.
func (s *Server) setOption(args []string) {
	if !s.idle("setoption") {
		return
	}
	if len(args) < 2 || args[0] != "name" {
		s.remark("ignored setoption: want setoption name NAME value VALUE")
		return
	}
	end := len(args)
	value := ""
	if i := slices.Index(args, "value"); i > 0 {
		end = i
		value = strings.Join(args[i+1:], " ")
	}
	name := strings.Join(args[1:end], " ")
	if err := s.applyOption(name, value); err != nil {
		s.remark("ignored setoption: %v", err)
	}
}

func (s *Server) applyOption(name, value string) (err error) {
	switch strings.ToLower(name) {
	case "ponder": // nothing to store: the GUI decides when to ponder
		_, err = strconv.ParseBool(value)
	case "uci_chess960":
		var on bool
		if on, err = strconv.ParseBool(value); err == nil {
			s.chess960 = on
		}
	case "multipv":
		n, convErr := strconv.Atoi(value)
		if convErr != nil || n < 1 || n > board.MaxMoves {
			return fmt.Errorf("MultiPV: %q is not a number from 1 to %d", clip(value), board.MaxMoves)
		}
		s.multiPV = n
	default:
		return s.Player.SetOption(name, value)
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not true or false", name, clip(value))
	}
	return nil
}

// position executes "position startpos|fen FEN [moves MOVE...]".
func (s *Server) position(args []string) {
	game, err := parsePosition(args)
	if err != nil {
		s.remark("refused position: %v", err)
	}
	s.game = game
}

// parsePosition returns the game that the arguments of "position" describe.
func parsePosition(args []string) (*board.Game, error) {
	if len(args) == 0 {
		return nil, errors.New("want position startpos|fen FEN moves MOVE MOVE")
	}
	setup, moves := args, []string(nil)
	if i := slices.Index(args, "moves"); i >= 0 {
		setup, moves = args[:i], args[i+1:]
	}
	var game *board.Game
	switch {
	case len(setup) == 1 && setup[0] == "startpos":
		game = board.NewGame(board.StartPosition())
	case len(setup) > 1 && setup[0] == "fen":
		p, err := board.ParseFEN(strings.Join(setup[1:], " "))
		if err != nil {
			return nil, err
		}
		game = board.NewGame(p)
	default:
		return nil, fmt.Errorf("%q is not startpos or fen FEN", clip(strings.Join(setup, " ")))
	}
	for i, word := range moves {
		m, err := game.Position().ParseUCI(word)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		game.Push(m)
	}
	return game, nil
}

// maxRemarks bounds the number of remarks on one command.
const maxRemarks = 10

// parseGo returns the limits that the arguments of "go" set, and a remark on each
// argument that it ignores.
func parseGo(args []string, p *board.Position) (lim engine.Limits, remarks []string) {
	remark := func(format string, a ...any) {
		switch {
		case len(remarks) < maxRemarks:
			remarks = append(remarks, fmt.Sprintf(format, a...))
		case len(remarks) == maxRemarks:
			remarks = append(remarks, "and more")
		}
	}
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch word {
		case "infinite":
			lim.Infinite = true
			continue
		case "ponder":
			lim.Ponder = true
			continue
		case "searchmoves":
			for i+1 < len(args) && !goWords[args[i+1]] {
				i++
				m, err := p.ParseUCI(args[i])
				if err != nil {
					remark("searchmoves: %v", err)
					continue
				}
				if !slices.Contains(lim.SearchMoves, m) {
					lim.SearchMoves = append(lim.SearchMoves, m)
				}
			}
			continue
		}
		if !goWords[word] {
			remark("go: %q is unknown", clip(word))
			continue
		}
		if i+1 >= len(args) {
			remark("go: %s needs a number", word)
			continue
		}
		i++
		n, err := strconv.ParseInt(args[i], 10, 64)
		if err != nil {
			remark("go: %s: %q is not a number", word, clip(args[i]))
			continue
		}
		if !setLimit(&lim, word, n) {
			remark("go: %s: %d is not a limit", word, n)
		}
	}
	if us := p.SideToMove() & 1; lim.Clock[us] == 0 { // one clock alone is for both
		lim.Clock[us] = lim.Clock[us^1]
	}
	lim.Infinite = lim.Infinite || lim.Mate == 0 && !ends(&lim, p.SideToMove())
	return lim, remarks
}

// ends reports whether a limit ends a search by the side whatever it finds.
func ends(lim *engine.Limits, side board.Color) bool {
	return lim.Depth > 0 || lim.Nodes > 0 || lim.MoveTime > 0 || lim.Clock[side&1] > 0
}

// goWords are the words that "go" takes.
var goWords = map[string]bool{
	"searchmoves": true, "ponder": true, "wtime": true, "btime": true, "winc": true, "binc": true, "movestogo": true,
	"depth": true, "nodes": true, "mate": true, "movetime": true, "infinite": true,
}

// setLimit sets the limit named by the word. It returns false if the number is out of
// range. A clock that has run out, which GUIs do send, counts as one millisecond.
func setLimit(lim *engine.Limits, word string, n int64) bool {
	ms := time.Duration(max(1, min(n, int64(365*24*time.Hour/time.Millisecond)))) * time.Millisecond
	switch word {
	case "wtime":
		lim.Clock[board.White] = ms
		return true
	case "btime":
		lim.Clock[board.Black] = ms
		return true
	case "movetime":
		lim.MoveTime = ms
		return true
	}
	if n <= 0 {
		return n == 0 && (word == "winc" || word == "binc" || word == "movestogo")
	}
	count := int(min(n, 1<<30))
	switch word {
	case "winc":
		lim.Increment[board.White] = ms
	case "binc":
		lim.Increment[board.Black] = ms
	case "movestogo":
		lim.MovesToGo = count
	case "depth":
		lim.Depth = count
	case "mate":
		lim.Mate = count
	case "nodes":
		lim.Nodes, lim.HardNodes = uint64(n), true
	}
	return true
}
