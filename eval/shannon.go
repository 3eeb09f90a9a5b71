package eval

import "github.com/assay-chess/assay/engine/board"

// The model shannon-1950: f(P) of Claude Shannon, "Programming a Computer for Playing
// Chess", Philosophical Magazine 41 (1950), section 3, in centipawns:
//
//	f(P) = 900(Q-Q') + 500(R-R') + 300(B-B'+N-N') + 100(P-P')
//	     - 50(D-D'+S-S'+I-I') + 10(M-M')
//
// D counts doubled pawns (all but one on every file), S backward and I isolated pawns, M
// legal moves; for the side not to move, those it would have after a pass. Both sides
// always have a king, so its 200 pawns are left out.

const (
	shannonPawn = iota
	shannonKnight
	shannonBishop
	shannonRook
	shannonQueen
	shannonDoubled
	shannonBackward
	shannonIsolated
	shannonMobility
	shannonTerms
)

func shannonModel() *Model {
	t := newTable(shannonTerms)
	declareShannon(t)
	return newModel("shannon-1950", "Shannon's f(P) of 1949: material, pawns, mobility; not tapered", t, traceShannon,
		nil)
}

func declareShannon(t *table) {
	for i, f := range []struct {
		name, group string
		start       int32
	}{
		shannonPawn:     {"pawn", GroupMaterial, 100},
		shannonKnight:   {"knight", GroupMaterial, 300},
		shannonBishop:   {"bishop", GroupMaterial, 300},
		shannonRook:     {"rook", GroupMaterial, 500},
		shannonQueen:    {"queen", GroupMaterial, 900},
		shannonDoubled:  {"doubled", groupPawns, -50},
		shannonBackward: {"backward", groupPawns, -50},
		shannonIsolated: {"isolated", groupPawns, -50},
		shannonMobility: {"mobility", groupMobility, 10},
	} {
		t.set(i, Term{Name: f.name, Group: f.group, Source: sourceShannon}, f.start)
	}
}

// traceShannon counts the terms of f(P).
func traceShannon(p *board.Position, s tracer) tracer {
	var own, other = p.CountLegal(), legalAfterPass(p)
	if p.SideToMove() == board.Black {
		own, other = other, own
	}
	var v view
	v.set(p, board.Black)
	s = traceShannonSide(&v, other, s).turn()
	v.set(p, board.White)
	return traceShannonSide(&v, own, s)
}

func traceShannonSide(v *view, moves int, s tracer) tracer {
	s = s.add(shannonPawn, v.pawns.Count())
	s = s.add(shannonKnight, v.knights.Count())
	s = s.add(shannonBishop, v.bishops.Count())
	s = s.add(shannonRook, v.rooks.Count())
	s = s.add(shannonQueen, v.queens.Count())
	alone := isolated(v.pawns)
	s = s.add(shannonDoubled, doubled(v.pawns).Count())
	s = s.add(shannonBackward, backward(v.pawns, alone, v.theirPawnAttacks).Count())
	s = s.add(shannonIsolated, alone.Count())
	return s.add(shannonMobility, moves)
}

// legalAfterPass returns the number of legal moves that the side not to move would have if
// it were its turn. If the side to move is in check, captures of its king count like any
// other move.
func legalAfterPass(p *board.Position) int {
	passed := *p
	passed.MakeNull()
	return passed.CountLegal()
}
