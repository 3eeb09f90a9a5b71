package historic

import (
	"fmt"
	"io"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/spf13/cobra"
)

func newSEE() *cobra.Command {
	return &cobra.Command{
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
			p, err := ui.Position(args[:last])
			if err != nil {
				return err
			}
			x, err := historic.NewExchange(&p, sq)
			if err != nil {
				return err
			}
			return printExchange(cmd.OutOrStdout(), &p, x)
		},
	}
}

// printExchange prints each capture with what the side that captured first has won after it, in pawns.
func printExchange(w io.Writer, p *board.Position, x *historic.Exchange) error {
	on := p.PieceAt(x.Square)
	fmt.Fprintf(w, "%s captures the %v %v on %v; values in pawns for %s\n", x.Side, on.Color(), on.Type(), x.Square, x.Side)
	t := ui.Table{Head: []string{"capture", "takes", ">printed", ">minimax"}}
	for i, c := range x.Captures {
		minimax := ""
		switch {
		case i < x.Worth:
			minimax = fmt.Sprintf("%+d", c.Balance)
		case i == x.Worth:
			minimax = "stops"
		}
		t.Add("%v %v x %v\t%v\t%+d\t%s", c.Piece.Type(), c.From, x.Square, c.Takes, c.Balance, minimax)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "printed %+d, minimax %+d, engine %s\n", x.Printed, x.Minimax, engineExchange(p, x))
	return err
}

// engineExchange is the evaluation of the modern engine, "-" if the first capture is not legal.
func engineExchange(p *board.Position, x *historic.Exchange) string {
	turn := *p
	if turn.SideToMove() != x.Side && !turn.InCheck() {
		turn.MakeNull()
	}
	for _, m := range turn.LegalCaptures(nil) { // promotions to a queen come first
		if m.From() == x.Captures[0].From && m.To() == x.Square {
			return fmt.Sprintf("%+.0f", float64(turn.SEE(m))/100)
		}
	}
	return "-"
}
