package nss

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// analysis is the search tree that decides whether a move is acceptable. It implements
// historic.Tree.
type analysis struct {
	*historic.Budget
	machine   board.Color
	operative [len(goals)]bool
	plies     int
	rare      bool // analyze the moves of the second list too
}

// static returns the value of a position as if it were dead.
func (a *analysis) static(p *board.Position) (v worth) {
	for i, g := range goals {
		if a.operative[i] {
			v.Goals[i] = g.value(p, a.machine)
		}
	}
	return v
}

// Expand returns the moves that lead to dead positions. A side that is not in check may also
// leave the position as it stands.
func (a *analysis) Expand(p *board.Position, ply int) (moves []board.Move, value worth, standPat bool) {
	value = a.static(p)
	if p.InCheck() {
		moves = p.LegalMoves(nil)
		switch {
		case len(moves) == 0:
			value.Mate = 1 - float64(ply)/1024 // sooner is better
			if p.SideToMove() == a.machine {
				value.Mate = -value.Mate
			}
			return nil, value, true
		case ply < 2*a.plies:
			return moves, value, false
		}
	}
	if ply >= a.plies {
		return nil, value, true
	}
	for i, g := range goals {
		if !a.operative[i] || g.disturb == nil {
			continue
		}
		moves = withNew(moves, g.disturb(p))
	}
	if a.rare && ply < rarePlies {
		moves = withNew(moves, rareMoves(p))
	}
	return moves, value, true
}

// Better compares values from the view of the machine.
func (a *analysis) Better(v, w worth) bool { return v.better(w) }

// analyze returns the value of a move, which may be the null move, and its line.
func (a *analysis) analyze(p *board.Position, m board.Move) (v worth, line []board.Move, ok bool) {
	child, ok := a.Play(p, m)
	if !ok {
		return v, nil, false
	}
	v, rest, ok := historic.Minimax(a, &child, 1, false, nil, nil)
	return v, append([]board.Move{m}, rest...), ok
}

// Explain has the goals with their values of the position, the possible exchanges, and
// the moves that the goals propose, each with its value, the goal that rejects it, if any,
// and the analyzed line. A star marks the first acceptable move, at which the program stops
// when it plays.
func (p *Player) Explain(pos *board.Position) (string, error) {
	var b strings.Builder
	e := p.executive(context.Background(), pos, engine.Limits{})
	e.explainGoals(&b, p.goals)
	e.explainExchanges(&b)
	if len(e.legal) == 0 {
		b.WriteString("\nthere is no legal move\n")
	} else {
		e.explainMoves(&b, p)
	}
	return b.String(), nil
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

// Reason implements historic.Reasoner: which goal proposes the chosen move and how, and which
// goal rejects the printed one.
func (p *Player) Reason(ctx context.Context, game *board.Game, printed board.Move) (historic.Reason, error) {
	pos := game.Position()
	played, whole := p.executive(ctx, pos, engine.Limits{}), p.executive(ctx, pos, engine.Limits{})
	whole.all = true
	played.run()
	whole.run()
	if played.analysis.Stopped() || whole.analysis.Stopped() {
		return historic.Reason{}, ctx.Err()
	}
	chosen := played.choose()
	r := historic.Reason{Move: chosen.move, Why: chosen.proposer() + ": " + chosen.why}
	if chosen.rejected >= 0 {
		r.Why = "none acceptable; best: " + chosen.why
	}
	if chosen.move != printed {
		r.Printed = pos.SAN(printed) + ": " + whole.against(printed)
	}
	return r, nil
}

// proposer names the goal that proposes the move.
func (x *alternative) proposer() string {
	if x.goal == len(goals) {
		return "no goal"
	}
	return goals[x.goal].name
}

// against says why a move is not chosen, once all proposals are analyzed.
func (e *executive) against(m board.Move) string {
	for _, x := range e.analyzed {
		switch {
		case x.move != m:
		case x.rejected >= 0:
			return "rejected by " + goals[x.rejected].name
		default:
			return "acceptable, but proposed later"
		}
	}
	return "no goal proposes it"
}
