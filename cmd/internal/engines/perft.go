package engines

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/board"
)

// perftReport is what perft --json prints.
type perftReport struct {
	FEN     string      `json:"fen"`
	Depth   int         `json:"depth"`
	Nodes   uint64      `json:"nodes"`
	Seconds float64     `json:"seconds"`
	NPS     float64     `json:"nps"`
	Moves   []perftMove `json:"moves,omitempty"`
}

type perftMove struct {
	Move  string `json:"move"`
	Nodes uint64 `json:"nodes"`
}

// NewPerft returns the command assay perft.
func NewPerft() *cobra.Command {
	var divide bool
	c := &cobra.Command{
		Use:   "perft FEN DEPTH",
		Short: "Count the leaves of the tree of legal moves",
		Long: `Count the leaves of the tree of legal moves, to test move generation. The count uses one
thread and no hash table, and does not make the moves of the last ply. "startpos" is the
start position.`,
		Example: `  assay perft startpos 6
  assay perft "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" 5 --divide`,
		Args: cobra.RangeArgs(1, 7), // an unquoted FEN has up to six fields
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 { // of other engines: perft 5
				args = []string{"startpos", args[0]}
			}
			last := len(args) - 1
			depth, err := strconv.Atoi(args[last])
			if first, e := strconv.Atoi(args[0]); err != nil && e == nil && last > 0 { // perft 5 FEN
				depth, err, args = first, nil, append(args[1:], args[0])
			}
			if err != nil || depth < 0 {
				return ui.Usagef("the depth %q is not a number of plies", args[last])
			}
			p, err := ui.Position(args[:last])
			if err != nil {
				return err
			}
			r, err := perft(cmd.Context(), &p, depth, ui.NewProgress(cmd.ErrOrStderr(), "perft").Update)
			if err != nil {
				return err
			}
			if !divide {
				r.Moves = nil
			}
			return ui.Show(cmd, r, r.print)
		},
	}
	ui.JSON(c)
	c.Flags().BoolVar(&divide, "divide", false, "show the count under each move")
	return c
}

// perft counts the leaves under each move.
func perft(ctx context.Context, p *board.Position, depth int, progress func(done, total int64, note string)) (
	*perftReport, error) {
	r := &perftReport{FEN: p.FEN(), Depth: depth, Nodes: 1}
	start := time.Now()
	if depth > 0 {
		r.Nodes = 0
		moves := p.LegalMoves(nil)
		for i, m := range moves {
			progress(int64(i), int64(len(moves)), "moves  "+strconv.FormatUint(r.Nodes, 10)+" leaves")
			child := *p
			child.Make(m)
			n, err := perftContext(ctx, &child, depth-1)
			if err != nil {
				return nil, err
			}
			r.Moves = append(r.Moves, perftMove{p.UCI(m), n})
			r.Nodes += n
		}
	}
	r.Seconds = time.Since(start).Seconds()
	r.NPS = float64(r.Nodes) / max(r.Seconds, 1e-9)
	return r, nil
}

// perftContext is board.Perft with a context, which it checks before each tree of five
// plies: several times a second.
func perftContext(ctx context.Context, p *board.Position, depth int) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if depth <= 5 {
		return board.Perft(p, depth), nil
	}
	n := uint64(0)
	for _, m := range p.LegalMoves(nil) {
		child := *p
		child.Make(m)
		under, err := perftContext(ctx, &child, depth-1)
		if err != nil {
			return 0, err
		}
		n += under
	}
	return n, nil
}

func (r *perftReport) print(w io.Writer) error {
	for _, m := range r.Moves {
		if _, err := fmt.Fprintf(w, "%-5s  %d\n", m.Move, m.Nodes); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "nodes    %d\nseconds  %.3f\nnodes/s  %.0f\n", r.Nodes, r.Seconds, r.NPS)
	return err
}
