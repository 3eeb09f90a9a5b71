package turing

import (
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
	child := node{n.pos, board.NoSquare}
	if !a.budget.Spend() {
		return child, false
	}
	if n.pos.IsCapture(m) {
		child.taken = m.To()
	}
	child.pos.Make(m)
	return child, true
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
