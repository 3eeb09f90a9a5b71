package turing

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
)

// node is a position in the analysis, with the square of the capture that led to it.
type node struct {
	pos   board.Position
	taken board.Square // NoSquare if the last move was no capture
}

// analysis is the tree of considerable moves. It implements historic.Tree.
type analysis struct {
	player  *Player
	machine board.Color
	plies   int // no position further from the board is analyzed
	full    int // plies in which every move is considerable
	budget  *historic.Budget
}

// Expand returns the considerable moves. The value of the position stands if it is
// dead, or if not all moves are considerable.
func (a *analysis) Expand(n *node, ply int) (moves []board.Move, value float64, stands bool) {
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
		if a.player.considerable(n, m) {
			moves = append(moves, m)
		}
	}
	return moves, a.player.dead(p, a.machine), len(moves) < len(legal)
}

// Play makes a move, if the budget allows.
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

// Better compares values of the machine.
func (a *analysis) Better(x, y float64) bool { return x > y }

// considerable reports whether a move is, beyond the plies in which every move is.
func (p *Player) considerable(n *node, m board.Move) bool {
	return p.why(n, m) != ""
}

// why says for which of the rules a move is considerable, or nothing.
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
		if piece != board.King && p.values[piece] < p.values[victim(pos, m)] {
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

func victim(pos *board.Position, m board.Move) board.PieceType {
	if pos.IsEnPassant(m) {
		return board.Pawn
	}
	return pos.PieceAt(m.To()).Type()
}
