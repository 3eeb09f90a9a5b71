package historic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/spf13/cobra"
)

func newSEE() *cobra.Command {
	c := &cobra.Command{
		Use:   "see FEN SQUARE",
		Short: "Evaluate an exchange by two procedures of a lecture and the engine",
		Long: `Evaluate the captures on one square (static exchange evaluation) as a lecture on chess
programs by Tsan-sheng Hsu prints it, and as the lecture means it. The opponent of the
piece on the square captures first, with either side to move; both sides capture with the least
valuable piece. "printed" goes on until one side has no attacker left, and neither may
stop; with "minimax" either may stop before any capture. Values are in pawns (1, 3, 3, 5,
9) from the view of the side that captures first. Both ignore pins and pieces behind
others.

"engine" is the evaluation of the modern engine for the first capture: either side may
stop after it, and pieces behind others take part. It is missing if that capture is not
legal.`,
		Example: `  assay historic see "3qk3/8/4p3/3n4/4P3/2N5/8/4K3 w - - 0 1" d5`,
		Args:    cobra.RangeArgs(2, 7), // a FEN without quotes has up to six fields
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			sq, ok := board.ParseSquare(args[last])
			if !ok {
				return ui.Usagef("%q is not a square: the last argument is one of a1 to h8", args[last])
			}
			p, err := positionArgs(args[:last])
			if err != nil {
				return err
			}
			x, err := historic.NewExchange(&p, sq)
			if err != nil {
				return err
			}
			r := exchangeOf(&p, x)
			return ui.Show(cmd, r, r.print)
		},
	}
	ui.JSON(c)
	return c
}

// exchangeReport is the output of see --json. Values are in pawns.
type exchangeReport struct {
	Square   string          `json:"square"`
	Piece    string          `json:"piece"` // on the square
	Side     string          `json:"side"`  // captures first
	Captures []captureReport `json:"captures"`
	Printed  int             `json:"printed"`
	Minimax  int             `json:"minimax"`
	Engine   *float64        `json:"engine"` // null if the first capture is not legal
}

// captureReport is one capture, with what the side that captured first has won after it.
type captureReport struct {
	Move    string `json:"move"`
	Takes   string `json:"takes"`
	Printed int    `json:"printed"`
	Minimax *int   `json:"minimax"` // null if it is not made
}

func exchangeOf(p *board.Position, x *historic.Exchange) *exchangeReport {
	on := p.PieceAt(x.Square)
	r := &exchangeReport{Square: x.Square.String(), Piece: fmt.Sprintf("%v %v", on.Color(), on.Type()),
		Side: x.Side.String(), Printed: x.Printed, Minimax: x.Minimax}
	for i, c := range x.Captures {
		row := captureReport{Move: fmt.Sprintf("%v %v x %v", c.Piece.Type(), c.From, x.Square), Takes: c.Takes.String(),
			Printed: c.Balance}
		if i < x.Worth {
			row.Minimax = &c.Balance
		}
		r.Captures = append(r.Captures, row)
	}
	turn := *p
	if turn.SideToMove() != x.Side && !turn.InCheck() {
		turn.MakeNull()
	}
	for _, m := range turn.LegalCaptures(nil) { // promotions to a queen come first
		if m.From() == x.Captures[0].From && m.To() == x.Square {
			pawns := float64(turn.SEE(m)) / 100
			r.Engine = &pawns
			break
		}
	}
	return r
}

func (r *exchangeReport) print(w io.Writer) error {
	fmt.Fprintf(w, "%s captures the %s on %s; values in pawns for %s\n", r.Side, r.Piece, r.Square, r.Side)
	t := ui.Table{Head: []string{"capture", "takes", ">printed", ">minimax"}}
	for i, c := range r.Captures {
		minimax := ""
		switch {
		case c.Minimax != nil:
			minimax = fmt.Sprintf("%+d", *c.Minimax)
		case i == 0 || r.Captures[i-1].Minimax != nil:
			minimax = "stops"
		}
		t.Add("%s\t%s\t%+d\t%s", c.Move, c.Takes, c.Printed, minimax)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	engine := "-"
	if r.Engine != nil {
		engine = fmt.Sprintf("%+.0f", *r.Engine)
	}
	_, err := fmt.Fprintf(w, "printed %+d, minimax %+d, engine %s\n", r.Printed, r.Minimax, engine)
	return err
}

func newReplay() *cobra.Command {
	names := strings.Join(printedNames(), "|")
	c := &cobra.Command{
		Use:   "replay " + names,
		Short: "Replay the printed games with the program's own moves and reasons",
		Long: `Replay the games that the papers print, move by move: the printed move, the move that the
reconstructed program plays in the same position, its reason, and how often the two agree. Where
they differ, a second line gives the reason against the printed move.

turing, machack and nss play chess; strachey plays draughts, losalamos chess on six squares by six;
its game is public, not printed. The four games of machack take about a minute of processor time.

Settings follow the name after colons: those of the players turing-1951, machack-1967 and
nss-1958; strategy=1 or 2, stages= and king= (in eighths of a man) for strachey; depth= in
plies for losalamos.`,
		Example: `  assay historic replay turing
  assay historic replay machack:plies=3
  assay historic replay strachey:strategy=1 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := openPrinted(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			turns, note := cmd.OutOrStdout(), ""
			if ui.WantsJSON(cmd) {
				turns = io.Discard
			}
			r, err := replayAll(cmd.Context(), turns, p)
			if err != nil {
				return err
			}
			if p.Note != "" {
				note = p.Note + "\n"
			}
			return ui.Show(cmd, r, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "the same move in %d of %d turns\n%ssource: %s\n", r.Same, r.Turns, note, p.Source)
				return err
			})
		},
	}
	ui.JSON(c)
	return c
}

// replayReport is the output of replay --json.
type replayReport struct {
	Program string         `json:"program"`
	Source  string         `json:"source"`
	Note    string         `json:"note,omitempty"`
	Games   []replayedGame `json:"games"`
	Same    int            `json:"same"`
	Turns   int            `json:"turns"`
}

// replayAll replays the program's games, and prints each turn as soon as the program has chosen.
func replayAll(ctx context.Context, w io.Writer, p *printedProgram) (*replayReport, error) {
	r := &replayReport{Program: p.Name, Source: p.Source, Note: p.Note}
	for i, title := range p.Titles {
		fmt.Fprintf(w, "%s\n%3s  %-*s  %-*s  %-4s  %s\n", title, "", p.Width, "printed", p.Width, "program", "same", "reason")
		g, err := p.Replay(ctx, i, func(t replayedTurn) { printTurn(w, p.Width, &t) })
		if err != nil {
			return nil, err
		}
		r.Games = append(r.Games, g)
		r.Same, r.Turns = r.Same+g.Same, r.Turns+len(g.Turns)
		if len(p.Titles) > 1 {
			fmt.Fprintf(w, "the same move in %d of %d turns\n\n", g.Same, len(g.Turns))
		}
	}
	return r, nil
}

// printTurn prints one row, and a second one if the moves differ.
func printTurn(w io.Writer, width int, t *replayedTurn) {
	same := "no"
	if t.Same {
		same = "yes"
	}
	fmt.Fprintf(w, "%3d  %-*s  %-*s  %-4s  %s\n", t.Number, width, t.Printed, width, t.Chosen, same, t.Why)
	if t.Against != "" {
		fmt.Fprintf(w, "%*s%s\n", 3+2+width+2+width+2+4+2, "", t.Against)
	}
}
