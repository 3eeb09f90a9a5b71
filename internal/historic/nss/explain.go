package nss

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Explain writes the goals with their values of the position, the possible exchanges, and
// the moves that the goals propose, each with its value, the goal that rejects it, if any,
// and the analyzed line. A star marks the first acceptable move, at which the program stops
// when it plays.
func (p *Player) Explain(w io.Writer, pos *board.Position) error {
	var b strings.Builder
	e := p.executive(context.Background(), pos, engine.Limits{})
	e.explainGoals(&b, p.goals)
	e.explainExchanges(&b)
	if len(e.legal) == 0 {
		b.WriteString("\nthere is no legal move\n")
	} else {
		e.explainMoves(&b, p)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *executive) explainGoals(b *strings.Builder, count int) {
	fmt.Fprintf(b, "goals of %s and their values of the position, which no move may lower\n", e.us)
	for i, g := range goals[:count] {
		state := fmt.Sprintf("%+d", e.now.Goals[i])
		if !e.analysis.operative[i] {
			state = "not operative"
		}
		fmt.Fprintf(b, "  %d %-16s %s\n", i+1, g.name, state)
	}
}

func (e *executive) explainExchanges(b *strings.Builder) {
	b.WriteString("exchanges\n")
	none := true
	for _, side := range []board.Color{e.us, e.them} {
		for _, x := range exchanges(e.Position, side) {
			none = false
			fmt.Fprintf(b, "  %c%s attacked by %s, defended by %s: %d for %s\n", e.PieceAt(x.square).Letter(), x.square,
				e.pieces(x.attackers), e.pieces(x.defenders), x.value, side.Other())
		}
	}
	if none {
		b.WriteString("  none\n")
	}
}

// pieces names the pieces on squares, or returns "none".
func (e *executive) pieces(b board.Bitboard) string {
	var names []string
	for _, sq := range squares(b) {
		names = append(names, fmt.Sprintf("%c%s", e.PieceAt(sq).Letter(), sq))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}

func (e *executive) explainMoves(b *strings.Builder, p *Player) {
	played := p.executive(context.Background(), e.Position, engine.Limits{})
	played.run()
	chosen := played.choose().move
	e.all = true
	e.run()
	b.WriteString("proposals, in order\n")
	for _, x := range e.analyzed {
		mark, verdict := " ", "acceptable"
		if x.move == chosen {
			mark = "*"
		}
		if x.rejected >= 0 {
			verdict = "rejected by " + goals[x.rejected].name
		}
		fmt.Fprintf(b, "%s %-8s %-34s %-14s %s: %s\n", mark, e.SAN(x.move), x.proposer()+" "+x.why, x.value.vector(p.goals),
			verdict, historic.Line(e.Position, x.line))
	}
}

func (v worth) vector(count int) string {
	switch {
	case v.Mate > 0:
		return "(mates)"
	case v.Mate < 0:
		return "(is mated)"
	}
	return strings.ReplaceAll(fmt.Sprint(v.Goals[:count]), " ", ",")
}
