package turing

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// node is a position of the analysis, with the square of the capture that led to it.
type node struct {
	pos   board.Position
	taken board.Square // NoSquare if the last move was not a capture
}

// analysis is the tree of considerable moves. It implements historic.Tree.
type analysis struct {
	player  *Player
	machine board.Color
	plies   int // depth at which the analysis ends
	full    int // depth up to which every move is considerable
	budget  *historic.Budget
}

// Expand returns the considerable moves. The side to move may stand pat if not all legal moves
// are considerable.
func (a *analysis) Expand(n *node, ply int) (moves []board.Move, value float64, standPat bool) {
	p := &n.pos
	legal := p.LegalMoves(make([]board.Move, 0, 48))
	if len(legal) == 0 {
		if p.InCheck() {
			return nil, a.player.mated(p.SideToMove() != a.machine, ply), true
		}
		return nil, a.player.drawn(), true
	}
	if ply >= a.plies {
		return nil, a.player.dead(p, a.machine), true
	}
	if ply < a.full {
		return legal, 0, false
	}
	for _, m := range legal {
		if a.player.why(n, m) != "" {
			moves = append(moves, m)
		}
	}
	return moves, a.player.dead(p, a.machine), len(moves) < len(legal)
}

// Play makes a move if the budget allows it.
func (a *analysis) Play(n *node, m board.Move) (node, bool) {
	pos, ok := a.budget.Play(&n.pos, m)
	child := node{pos, board.NoSquare}
	if n.pos.IsCapture(m) {
		child.taken = m.To()
	}
	return child, ok
}

// Better compares values from the view of the machine.
func (a *analysis) Better(x, y float64) bool { return x > y }

// why returns the rule by which a move is considerable, or "" if it is not.
func (p *Player) why(n *node, m board.Move) string {
	pos := &n.pos
	if pos.IsCapture(m) {
		if m.To() == n.taken {
			return "recapture"
		}
		us := pos.SideToMove()
		if pos.AttackersTo(m.To(), pos.Occupied())&pos.ByColor(us.Other()) == 0 {
			return "undefended"
		}
		piece := pos.PieceAt(m.From()).Type()
		if piece != board.King && p.values[piece] < p.values[historic.Victim(pos, m)] {
			return "higher value"
		}
	}
	if pos.GivesCheck(m) {
		child := *pos
		child.Make(m)
		if child.CountLegal() == 0 {
			return "mate"
		}
	}
	return ""
}

// Explain has the material value and the position-play value of the position for the side
// to move, contribution by contribution, and then every move with its value, the increase
// in position-play value that it brings, and the expected line. A star marks the chosen move.
func (p *Player) Explain(pos *board.Position) (string, error) {
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
	return b.String(), nil
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

// Reason implements historic.Reasoner, by the two parts of the rule for play: the greatest
// value, and among equals the greatest increase of the position-play value.
func (p *Player) Reason(ctx context.Context, game *board.Game, printed board.Move) (historic.Reason, error) {
	pos := game.Position()
	moves := pos.LegalMoves(nil)
	a := &analysis{player: p, machine: pos.SideToMove(), plies: p.plies, full: p.full}
	a.budget = historic.NewBudget(ctx, a.machine, engine.Limits{})
	all := a.choices(pos, moves)
	exact := a.choices(pos, []board.Move{printed})
	if len(all) < len(moves) || len(exact) == 0 {
		return historic.Reason{}, ctx.Err()
	}
	chosen, equal := pick(pos, all), len(greatest(all))
	r := historic.Reason{Move: chosen.move, Why: fmt.Sprintf("%s, the best of %d moves", p.measured(chosen.value),
		len(all))}
	if equal > 1 {
		r.Why = fmt.Sprintf("%s in %d moves; position-play %+.1f", p.measured(chosen.value), equal,
			increased(pos, chosen.move))
	}
	switch {
	case chosen.move == printed:
	case exact[0].value < chosen.value:
		r.Printed = fmt.Sprintf("%s: %s", pos.SAN(printed), p.measured(exact[0].value))
	default:
		r.Printed = fmt.Sprintf("%s: position-play %+.1f", pos.SAN(printed), increased(pos, printed))
	}
	return r, nil
}

// measured writes a value in the terms of the text.
func (p *Player) measured(v float64) string {
	if p.measure == difference {
		return fmt.Sprintf("W-B %+.1f", v)
	}
	return fmt.Sprintf("W/B %.4f", v)
}

// increased returns by how much a move raises the position-play value.
func increased(pos *board.Position, m board.Move) float64 { return float64(increase(pos, m)) / 10 }
