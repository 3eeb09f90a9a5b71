package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic/draughts"
	"github.com/assay-chess/assay/engine/historic/losalamos"
	"github.com/assay-chess/assay/engine/historic/machack"
	"github.com/assay-chess/assay/engine/historic/prinz"
	"github.com/assay-chess/assay/engine/roster"
)

func newTimesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "times",
		Short: "Do the work that the papers give times for, and compare",
		Long: `Do the work that the papers give times for, on one thread, and show the times beside
each other. Times are the processor's; of several measurements the fastest counts. Chess
programs move in three middlegame positions from the papers, Strachey's and the one of
Los Alamos in the positions of their printed games.`,
		Example: "  assay historic times",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := historicTimes(cmd.Context(), newProgress(cmd.ErrOrStderr(), "times"))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			return printTimes(cmd.OutOrStdout(), rows)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array; times in seconds")
	return c
}

// timing is one line of the table; times are in seconds.
type timing struct {
	Program string  `json:"program"`
	Work    string  `json:"work"`
	Text    string  `json:"then_text"` // as the paper says it
	Then    float64 `json:"then"`
	Now     float64 `json:"now"`
}

// workload is something that a paper gives a time for. do works once and returns for how
// many pieces of work that was.
type workload struct {
	timing
	do func(ctx context.Context) (pieces int, err error)
}

// timesPositions are from the printed games of Mac Hack (its first move out of book) and
// Turing, and from the figures of Newell, Shaw and Simon.
var timesPositions = []string{
	"r3k1nr/1pp2ppp/p1p5/4b3/4P2q/2P2Q2/PP3PPP/RNB2RK1 w kq - 1 10",
	"r2qk2r/pp3ppp/2pp1n2/1B1Pp2b/Pb2P2P/2N2P2/1PPB1P2/R2QK2R w KQkq - 0 11",
	"rnbqkbnr/ppp2ppp/3p4/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 3",
}

func workloads() []workload {
	return []workload{
		{timing{Program: "prinz", Work: "the first problem", Text: "15 minutes", Then: 900}, func(context.Context) (int, error) {
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
		}},
		{timing{Program: "draughts", Work: "a move, three stages", Text: "1 to 2 minutes", Then: 90}, func(context.Context) (int, error) {
			turns, _, err := considerDraughts(draughts.Strategy1())
			return turns, err
		}},
		{timing{Program: "draughts", Work: "a move considered", Text: "1/10 second", Then: 0.1}, func(context.Context) (int, error) {
			_, moves, err := considerDraughts(draughts.Strategy2())
			return moves, err
		}},
		{timing{Program: "losalamos", Work: "a move, 6x6, two of each side", Text: "12 minutes", Then: 720}, chooseLosAlamos},
		{timing{Program: "shannon-a", Work: "a position in the tree", Text: "1 microsecond (very optimistic)", Then: 1e-6},
			searchNodes("shannon-a:moves=1")},
		{timing{Program: "bernstein-1957", Work: "a move", Text: "8 minutes", Then: 480}, searchMoves("bernstein-1957")},
		{timing{Program: "nss-1958", Work: "a move", Text: "1 to 10 hours (estimate)", Then: 3600}, searchMoves("nss-1958")},
		{timing{Program: "machack-1967", Work: "a move, tournament widths", Text: "72 seconds", Then: 72},
			searchMoves("machack-1967:book=false")},
		{timing{Program: "machack-1967", Work: "a plausible move generation", Text: "80 milliseconds", Then: 0.08}, generateMacHack},
	}
}

// Each piece of work is measured timesRepeats times, each time over timesEnough at least.
const (
	timesRepeats = 3
	timesEnough  = 100 * time.Millisecond
)

func historicTimes(ctx context.Context, p *progress) ([]timing, error) {
	all := workloads()
	var rows []timing
	for i, w := range all {
		p.update(int64(i), int64(len(all)), w.Program)
		for range timesRepeats {
			t, err := w.measure(ctx)
			if err != nil {
				return nil, err
			}
			if w.Now == 0 || t < w.Now {
				w.Now = t
			}
		}
		rows = append(rows, w.timing)
	}
	p.finish(fmt.Sprintf("%d pieces of work", len(rows)))
	return rows, nil
}

// measure returns the time for one piece of work, in seconds.
func (w *workload) measure(ctx context.Context) (float64, error) {
	done := 0
	begin := spentTime()
	for done == 0 || spentTime()-begin < timesEnough {
		pieces, err := w.do(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		done += pieces
	}
	return (spentTime() - begin).Seconds() / float64(done), nil
}

// spentTime is the process's time on processors, which other programs do not change, or
// where the system does not say it the time of day.
func spentTime() time.Duration {
	if own, _, _ := processorTime(); own > 0 {
		return own
	}
	return time.Duration(time.Now().UnixNano())
}

// considerDraughts chooses in the machine's turns of the printed game.
func considerDraughts(s draughts.Strategy) (turns, moves int, err error) {
	p, chance := draughts.Start(), rand.New(rand.NewPCG(1, 0))
	for _, text := range draughts.PrintedGame() {
		if !p.White {
			c, _ := s.Choose(&p, chance)
			turns++
			moves += c.Moves
		}
		m, err := p.Parse(text)
		if err != nil {
			return 0, 0, err
		}
		p.Make(m)
	}
	return turns, moves, nil
}

// chooseLosAlamos chooses in every fourth of MANIAC's turns of its public game.
func chooseLosAlamos(ctx context.Context) (turns int, err error) {
	p := losalamos.Start()
	for i, text := range losalamos.PublicGame() {
		if i%8 == 0 {
			losalamos.Choose(&p, losalamos.Depth, func() bool { return ctx.Err() != nil })
			turns++
		}
		m, err := p.Parse(text)
		if err != nil {
			return 0, err
		}
		p.Make(m)
	}
	return turns, nil
}

// searchEach searches the positions by a player's own limits and adds up what count
// returns.
func searchEach(ctx context.Context, spec string, count func(engine.Player, engine.Result) int) (n int, err error) {
	player, err := roster.Open(spec)
	if err != nil {
		return 0, err
	}
	defer player.Close() // it holds memory alone
	for _, fen := range timesPositions {
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

func searchMoves(spec string) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		return searchEach(ctx, spec, func(engine.Player, engine.Result) int { return 1 })
	}
}

func searchNodes(spec string) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		return searchEach(ctx, spec, func(_ engine.Player, r engine.Result) int { return int(r.Nodes) })
	}
}

func generateMacHack(ctx context.Context) (int, error) {
	return searchEach(ctx, "machack-1967:book=false", func(p engine.Player, _ engine.Result) int {
		if m, ok := p.(*machack.Player); ok {
			return m.Stats().Generations
		}
		return 0
	})
}

func printTimes(w io.Writer, rows []timing) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "program\twork\tthen\tnow\ttimes as fast")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Program, r.Work, r.Text, shortTime(r.Now), thousands(r.Then/r.Now))
	}
	return t.Flush()
}

// shortTime writes seconds in the unit that suits them.
func shortTime(s float64) string {
	switch {
	case s < 1e-6:
		return fmt.Sprintf("%.0f ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g s", s)
}

// thousands writes a number to two significant digits, with commas.
func thousands(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.1f", x)
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	digits := fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
