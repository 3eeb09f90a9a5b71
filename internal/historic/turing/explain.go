package turing

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Explain writes the material value and the position-play value of the position for the side
// to move, contribution by contribution, and then every move with its value, the increase
// in position-play value that it brings, and the expected line. A star marks the chosen move.
func (p *Player) Explain(w io.Writer, pos *board.Position) error {
	var b strings.Builder
	us := pos.SideToMove()
	fmt.Fprintf(&b, "machine plays %s: W/B = %.1f/%.1f = %.4f\n", us,
		float64(p.material(pos, us))/100, float64(p.material(pos, us.Other()))/100,
		float64(p.material(pos, us))/float64(p.material(pos, us.Other())))
	fmt.Fprintf(&b, "position-play value %.1f; among moves a capture counts as two\n",
		float64(positionPlay(pos, us, false))/10)
	for _, c := range contributions(pos, us, false) {
		fmt.Fprintf(&b, "  %c%-3s (%c) %+.1f  %s\n", c.Piece.Letter(), c.Square, c.Rule, float64(c.Tenths)/10, c.Note)
	}
	p.explainMoves(&b, pos)
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Player) explainMoves(b *strings.Builder, pos *board.Position) {
	moves := pos.LegalMoves(nil)
	if len(moves) == 0 {
		b.WriteString("\nthere is no legal move\n")
		return
	}
	a := &analysis{player: p, machine: pos.SideToMove(), plies: p.plies, full: p.full}
	var all []choice
	for _, m := range moves { // one at a time, so that all values are exact
		a.budget = historic.NewBudget(context.Background(), a.machine, engine.Limits{})
		all = append(all, a.choices(pos, []board.Move{m})...)
	}
	best := all[0].value
	for _, c := range all {
		best = max(best, c.value)
	}
	for i := range all {
		all[i].atMax = all[i].value == best
	}
	chosen := pick(pos, all).move
	b.WriteString("\n  move       value   increase  line\n")
	for _, c := range all {
		mark := " "
		if c.move == chosen {
			mark = "*"
		}
		fmt.Fprintf(b, "%s %-8s %8.4f   %+7.1f  %s\n", mark, pos.SAN(c.move), c.value, float64(increase(pos, c.move))/10,
			historic.Line(pos, c.line))
	}
}
