package historic

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
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
