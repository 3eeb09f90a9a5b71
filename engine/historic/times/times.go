// Package times repeats the work that the papers give a time for, and measures how long
// it takes today: Prinz's problem, a move of Strachey's program, a move of MANIAC, and so
// on. "assay historic times" prints the table.
//
// It is not a benchmark of this project; those are Go benchmarks beside each program.
//
// No promise of stability. Start reading at Tasks.
package times

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic/draughts"
	"github.com/assay-chess/assay/engine/historic/losalamos"
	"github.com/assay-chess/assay/engine/historic/prinz"
	"github.com/assay-chess/assay/engine/internal/historic/machack"
	"github.com/assay-chess/assay/engine/roster"
)

// Time compares the time of a paper with that of today, both in seconds for one unit of
// the work.
type Time struct {
	Program string  `json:"program"`
	Work    string  `json:"work"`
	Text    string  `json:"then_text"` // as the paper says it
	Then    float64 `json:"then"`
	Now     float64 `json:"now"`
}

// Task is work that a paper gives a time for.
type Task struct {
	Time // Now is not set yet

	// do works once, and returns how many units of work that was.
	do func(ctx context.Context) (units int, err error)
}

// Tasks returns all tasks.
func Tasks() []Task {
	return []Task{
		{Time{Program: "prinz", Work: "the first problem", Text: "15 minutes", Then: 900}, solveProblem},
		{Time{Program: "draughts", Work: "a move, three stages", Text: "1 to 2 minutes", Then: 90},
			func(context.Context) (int, error) {
				turns, _, err := replayDraughts(draughts.Strategy1())
				return turns, err
			}},
		{Time{Program: "draughts", Work: "a move considered", Text: "1/10 second", Then: 0.1},
			func(context.Context) (int, error) {
				_, moves, err := replayDraughts(draughts.Strategy2())
				return moves, err
			}},
		{Time{Program: "losalamos", Work: "a move, 6x6, two of each side", Text: "12 minutes", Then: 720}, replayLosAlamos},
		{Time{Program: "shannon-a", Work: "a position in the tree", Text: "1 microsecond (very optimistic)", Then: 1e-6},
			searchNodes(engine.Spec{Name: "shannon-a", Options: []engine.Option{{Name: "moves", Value: "1"}}})},
		{Time{Program: "bernstein-1957", Work: "a move", Text: "8 minutes", Then: 480},
			searchMoves(engine.Spec{Name: "bernstein-1957"})},
		{Time{Program: "nss-1958", Work: "a move", Text: "1 to 10 hours (estimate)", Then: 3600},
			searchMoves(engine.Spec{Name: "nss-1958"})},
		{Time{Program: "machack-1967", Work: "a move, tournament widths", Text: "72 seconds", Then: 72},
			searchMoves(macHack)},
		{Time{Program: "machack-1967", Work: "a plausible move generation", Text: "80 milliseconds", Then: 0.08},
			generateMacHack},
	}
}

// Each task is measured repeats times, for at least minTime each. The fastest counts.
const (
	repeats = 3
	minTime = 100 * time.Millisecond
)

// Measure does a task and returns its times. The clock is best the processor time of the
// process, which other programs do not disturb.
func (t *Task) Measure(ctx context.Context, clock func() time.Duration) (Time, error) {
	result := t.Time
	for range repeats {
		done, start := 0, clock()
		for done == 0 || clock()-start < minTime {
			units, err := t.do(ctx)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return result, err
			}
			done += units
		}
		if now := (clock() - start).Seconds() / float64(done); result.Now == 0 || now < result.Now {
			result.Now = now
		}
	}
	return result, nil
}

func solveProblem(context.Context) (int, error) {
	b, err := board.ParseFEN(prinz.Problem)
	if err != nil {
		return 0, err
	}
	p, err := prinz.New(&b)
	if err != nil {
		return 0, err
	}
	prinz.Solve(p, nil)
	return 1, nil
}

// replayDraughts chooses in all of the machine's turns of the printed game.
func replayDraughts(s draughts.Strategy) (turns, moves int, err error) {
	all, err := draughts.Replay(s, rand.New(rand.NewPCG(1, 0)))
	for i := range all {
		moves += all[i].Choice.Moves
	}
	return len(all), moves, err
}

// replayLosAlamos chooses in every fourth of MANIAC's turns of its public game.
func replayLosAlamos(ctx context.Context) (turns int, err error) {
	all, _, err := losalamos.Replay(ctx, losalamos.Depth, 4)
	return len(all), err
}

// positions are from the printed games of Mac Hack (its first move out of book) and
// Turing, and from the figures of Newell, Shaw and Simon.
var positions = []string{
	"r3k1nr/1pp2ppp/p1p5/4b3/4P2q/2P2Q2/PP3PPP/RNB2RK1 w kq - 1 10",
	"r2qk2r/pp3ppp/2pp1n2/1B1Pp2b/Pb2P2P/2N2P2/1PPB1P2/R2QK2R w KQkq - 0 11",
	"rnbqkbnr/ppp2ppp/3p4/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 3",
}

// search lets a player search the positions to its own depth and adds up what count
// returns.
func search(ctx context.Context, spec engine.Spec, count func(engine.Player, engine.Result) int) (n int, err error) {
	player, err := roster.Open(spec)
	if err != nil {
		return 0, err
	}
	defer player.Close() // only frees memory
	for _, fen := range positions {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return 0, err
		}
		r, err := player.Search(ctx, board.NewGame(p), engine.Limits{})
		if err != nil {
			return 0, err
		}
		n += count(player, r)
	}
	return n, nil
}

func searchMoves(spec engine.Spec) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		return search(ctx, spec, func(engine.Player, engine.Result) int { return 1 })
	}
}

func searchNodes(spec engine.Spec) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		return search(ctx, spec, func(_ engine.Player, r engine.Result) int { return int(r.Nodes) })
	}
}

// macHack is Mac Hack without its book.
var macHack = engine.Spec{Name: "machack-1967", Options: []engine.Option{{Name: "book", Value: "false"}}}

func generateMacHack(ctx context.Context) (int, error) {
	return search(ctx, macHack, func(p engine.Player, _ engine.Result) int {
		if m, ok := p.(*machack.Player); ok {
			return m.Stats().Generations
		}
		return 0
	})
}
