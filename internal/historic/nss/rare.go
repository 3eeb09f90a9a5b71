package nss

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// The third way of choosing in the paper's section "Final Choice": "divide the goals into two lists. The first list
// contains all the features that should normally be attended to; the second list contains features that are rare in
// occurrence but either very good or very bad if they do occur. On this second list would be goals that relate to
// sacrificial combinations, hidden forks or pins that are two moves away, and so on. The executive finds an acceptable
// move with the first, normal list. Then the rest of the available time is spent looking for various rare consequences
// derived from the second list."
//
// Our choices: what a consequence must cost or win to count, and that a move with a bad one gives way to the next
// acceptable move.

const (
	rarePlies = 4 // two moves of each side
	grave     = 2 // pawns that a consequence costs or wins
)

// rareMoves returns the moves of the second list: sacrificial combinations, hidden forks and hidden pins.
func rareMoves(p *board.Position) []board.Move {
	return withNew(withNew(checks(p), forks(p)), hiddenPins(p))
}

// withNew appends those of more that are not among the moves.
func withNew(moves, more []board.Move) []board.Move {
	for _, m := range more {
		if !slices.Contains(moves, m) {
			moves = append(moves, m)
		}
	}
	return moves
}

func movesThat(p *board.Position, keep func(board.Move) bool) []board.Move {
	return historic.Filter(p.LegalMoves(make([]board.Move, 0, 48)), keep)
}

// checks returns the moves that give check, even those that lose the piece.
func checks(p *board.Position) []board.Move { return movesThat(p, p.GivesCheck) }

// forks returns the safe moves that attack two pieces of more value.
func forks(p *board.Position) []board.Move {
	return movesThat(p, func(m board.Move) bool {
		after := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
		attacked := historic.Reach(p, m.From(), m.To(), after) & p.ByColor(p.SideToMove().Other())
		return (attacked & historic.Dearer(p, p.PieceAt(m.From()).Type())).Many() && safe(p, m)
	})
}

// hiddenPins returns the safe moves that pin a piece.
func hiddenPins(p *board.Position) []board.Move {
	theirs := squares(p.ByColor(p.SideToMove().Other()) &^ p.ByType(board.King))
	return movesThat(p, func(m board.Move) bool {
		return slices.ContainsFunc(theirs, func(sq board.Square) bool { return pins(p, m, sq) }) && safe(p, m)
	})
}

// look analyzes a move again, with the second list.
func (e *executive) look(x *alternative) (v worth, ok bool) {
	a := e.analysis
	a.rare = true
	v, line, ok := a.analyze(e.Position, x.move)
	if ok {
		x.value, x.line = v, line
	}
	return v, ok
}

// consequences replaces the choice of the normal list if rare consequences speak for another move.
func (e *executive) consequences(normal alternative) alternative {
	chosen := normal
	for _, x := range append([]alternative{normal}, e.analyzed...) {
		if x.rejected >= 0 {
			continue
		}
		v, ok := e.look(&x)
		if !ok {
			return normal // the time is over
		}
		if v.Mate >= 0 && v.Goals[0] > e.now.Goals[0]-grave {
			chosen = x
			break
		}
	}
	best := e.now
	best.Goals[0] += grave - 1
	for _, m := range rareMoves(e.Position) {
		x := alternative{move: m, goal: len(goals), why: "rare consequence", rejected: -1}
		if !slices.Contains(e.legal, m) {
			continue
		}
		v, ok := e.look(&x)
		if !ok {
			break
		}
		if (v.Mate > 0 || v.Goals[0] > best.Goals[0]) && v.better(best) {
			chosen, best = x, v
		}
	}
	return chosen
}
