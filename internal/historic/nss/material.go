package nss

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// materialMoves proposes moves for the possible exchanges of both sides, the largest gain or
// loss first.
func materialMoves(s *situation, offer func(board.Move, string) bool) {
	ours, theirs := exchanges(s.Position, s.us), exchanges(s.Position, s.them)
	for len(ours)+len(theirs) > 0 {
		var enough bool
		if len(ours) == 0 || len(theirs) > 0 && theirs[0].value >= ours[0].value {
			enough = (theirs[0].value > 0 || s.even) && s.capture(theirs[0], offer)
			theirs = theirs[1:]
		} else {
			// An even exchange of an own piece need not be prevented.
			enough = ours[0].value > 0 && s.defend(ours[0], offer)
			ours = ours[1:]
		}
		if enough {
			return
		}
	}
}

// capture proposes the capture with the least valuable piece that can move.
func (s *situation) capture(x exchange, offer func(board.Move, string) bool) bool {
	moves := s.filter(func(m board.Move) bool {
		return m.To() == x.square && !s.IsCastling(m) &&
			x.attackers.Has(m.From())
	})
	if len(moves) == 0 {
		return false
	}
	return offer(s.cheapestOf(moves), "takes")
}

func (s *situation) cheapestOf(moves []board.Move) board.Move {
	return slices.MinFunc(moves, func(a, b board.Move) int { return pieceValues[s.piece(a)] - pieceValues[s.piece(b)] })
}

// defend proposes moves that save an own piece, if doing nothing would lose material.
func (s *situation) defend(x exchange, offer func(board.Move, string) bool) bool {
	if s.noMove() {
		return false
	}
	free := func(m board.Move) bool { return !employed(s.Position, m.From(), x.square) && s.safe(m) }
	attacker := s.attackerOf(x)
	between := board.Between(attacker, x.square)
	for _, step := range []struct {
		why  string
		keep func(board.Move) bool
	}{
		{"takes the attacker", func(m board.Move) bool { return x.attackers.Has(m.To()) && s.safe(m) }},
		{"adds a defender", func(m board.Move) bool {
			return m.From() != x.square && adds(s.Position, m, x.square) &&
				free(m)
		}},
		{"moves the attacked piece", func(m board.Move) bool { return m.From() == x.square && s.safe(m) }},
		{"interposes", func(m board.Move) bool { return between.Has(m.To()) && s.piece(m) != board.King && free(m) }},
		{"pins the attacker", func(m board.Move) bool {
			return free(m) && slices.ContainsFunc(squares(x.attackers),
				func(sq board.Square) bool { return pins(s.Position, m, sq) })
		}},
	} {
		moves := s.filter(step.keep)
		slices.SortStableFunc(moves, func(a, b board.Move) int { return pieceValues[s.piece(a)] - pieceValues[s.piece(b)] })
		for _, m := range moves {
			if offer(m, step.why) {
				return true
			}
		}
	}
	return false
}

// attackerOf returns the square of the least valuable attacker.
func (s *situation) attackerOf(x exchange) board.Square {
	return slices.MinFunc(squares(x.attackers), func(a, b board.Square) int {
		return pieceValues[s.PieceAt(a).Type()] - pieceValues[s.PieceAt(b).Type()]
	})
}

func squares(b board.Bitboard) (list []board.Square) {
	for b != 0 {
		list = append(list, b.PopFirst())
	}
	return list
}

// materialDisturb returns the captures that do not lose material, one for each square, by the
// least valuable piece that can move.
func materialDisturb(p *board.Position) (moves []board.Move) {
	list := exchanges(p, p.SideToMove().Other())
	if len(list) == 0 {
		return nil
	}
	captures := p.LegalCaptures(make([]board.Move, 0, 32))
	for _, x := range list {
		best := board.NullMove
		for _, m := range captures {
			if m.To() == x.square && (best == board.NullMove ||
				pieceValues[p.PieceAt(m.From()).Type()] < pieceValues[p.PieceAt(best.From()).Type()]) {
				best = m
			}
		}
		if best != board.NullMove {
			moves = append(moves, best)
		}
	}
	return moves
}
