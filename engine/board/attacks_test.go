package board

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSliders compares the tables with the slow definition: for all occupancies that can matter, with random pieces
// where they cannot.
func TestSliders(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	for s := A1; s <= H8; s++ {
		for _, c := range []struct {
			steps   [][2]int
			attacks func(Square, Bitboard) Bitboard
		}{{oblique, BishopAttacks}, {straight, RookAttacks}} {
			mask := slowAttacks(s, 0, c.steps) &^ edgesBeyond(s) // behind an edge is nothing to shield
			for subset := Bitboard(0); ; {
				occ := subset | Bitboard(r.Uint64())&^mask
				if got, want := c.attacks(s, occ), slowAttacks(s, occ, c.steps); got != want {
					t.Fatalf("%s, pieces on %#x: %#x, want %#x", s, uint64(occ), uint64(got), uint64(want))
				}
				if subset = (subset - mask) & mask; subset == 0 {
					break
				}
			}
		}
	}
}

// edgesBeyond returns the edges of the board that the square is not on.
func edgesBeyond(s Square) (edges Bitboard) {
	for _, edge := range []Bitboard{FileA, FileH, Rank1, Rank8} {
		if !edge.Has(s) {
			edges |= edge
		}
	}
	return edges
}

// slowAttacks walks rays one square at a time; steps are rank, file.
func slowAttacks(s Square, occ Bitboard, steps [][2]int) (b Bitboard) {
	for _, d := range steps {
		for r, f := s.Rank()+d[0], s.File()+d[1]; r >= 0 && r < 8 && f >= 0 && f < 8; r, f = r+d[0], f+d[1] {
			b |= NewSquare(f, r).Bitboard()
			if occ.Has(NewSquare(f, r)) {
				break
			}
		}
	}
	return b
}

// slowSteps takes every step that stays on the board; steps are rank, file.
func slowSteps(s Square, steps [][2]int) (b Bitboard) {
	for _, d := range steps {
		if r, f := s.Rank()+d[0], s.File()+d[1]; r >= 0 && r < 8 && f >= 0 && f < 8 {
			b |= NewSquare(f, r).Bitboard()
		}
	}
	return b
}

// TestAttackersTo compares with the oracle and with the attacks of each piece.
func TestAttackersTo(t *testing.T) {
	eachPosition(t, 7, 60, func(p *Position) {
		o := newOracle(p)
		for s := A1; s <= H8; s++ {
			want := Bitboard(0)
			for pieces := p.Occupied(); pieces != 0; {
				from := pieces.PopFirst()
				piece := p.PieceAt(from)
				attacks := Attacks(piece.Type(), from, p.Occupied())
				if piece.Type() == Pawn {
					attacks = PawnAttacks(piece.Color(), from)
				}
				if attacks.Has(s) {
					want |= from.Bitboard()
				}
			}
			got := p.AttackersTo(s, p.Occupied())
			if got != want {
				t.Fatalf("%s: AttackersTo(%s) = %#x, want %#x", p, s, uint64(got), uint64(want))
			}
			if white := got&p.ByColor(White) != 0; white != o.attacked(s.Rank(), s.File(), false) {
				t.Fatalf("%s: %s is attacked by White: %v, the oracle disagrees", p, s, white)
			}
		}
	})
}

// TestChecks compares what Checks says of every legal move, and which quiet moves
// QuietChecks lists, with the positions after them.
func TestChecks(t *testing.T) {
	t.Parallel()
	given := 0
	eachPosition(t, 6, 1500, func(p *Position) {
		checks := p.Checks()
		var quiet []Move
		for _, m := range p.LegalMoves(nil) {
			if p.IsCastling(m) || p.IsEnPassant(m) {
				continue
			}
			next := *p
			next.Make(m)
			if m.Promotion() != NoPieceType {
				continue // a piece that promotes may look through the square it left
			}
			if got := checks.Given(p, m); got != next.InCheck() {
				t.Fatalf("%s, %s: Given() = %v", p, p.UCI(m), got)
			}
			if next.InCheck() && !p.IsCapture(m) {
				quiet = append(quiet, m)
				given++
			}
		}
		targets := p.Targets()
		got := targets.QuietChecks(p, nil, &checks)
		slices.Sort(got)
		slices.Sort(quiet)
		if !slices.Equal(got, quiet) {
			t.Fatalf("%s: QuietChecks() = %v, want %v", p, got, quiet)
		}
	})
	if given < 500 {
		t.Errorf("only %d quiet checks seen", given)
	}
}

// The numbers for the seed 1234567 come from the reference implementation at
// https://prng.di.unimi.it/splitmix64.c.
func TestSplitMix64(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821} {
		if got := SplitMix64(state); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
		state += SplitMix64Gamma
	}
}
