package nss

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// analysis is the search tree that decides whether a move is acceptable. It implements
// historic.Tree.
type analysis struct {
	machine   board.Color
	operative [len(goals)]bool
	plies     int
	budget    *historic.Budget
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
			value.Mate = mateAt(ply)
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
		for _, m := range g.disturb(p) {
			if !slices.Contains(moves, m) {
				moves = append(moves, m)
			}
		}
	}
	return moves, value, true
}

// mateAt is the value of a mate at the given ply: sooner is better.
func mateAt(ply int) float64 { return 1 - float64(ply)/1024 }

// Play makes a move, which may be the null move, if the budget allows it.
func (a *analysis) Play(p *board.Position, m board.Move) (board.Position, bool) {
	child := *p
	if !a.budget.Spend() {
		return child, false
	}
	if m == board.NullMove {
		child.MakeNull()
	} else {
		child.Make(m)
	}
	return child, true
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
