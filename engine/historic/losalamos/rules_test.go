package losalamos

import (
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/game/gametest"
)

// turned returns the position with colors exchanged and ranks mirrored.
func (p State) turned() State {
	q := p
	for s, piece := range p.at {
		at := (size-1-s>>4)<<4 | s&15
		if q.at[at] = piece; piece != board.NoPiece {
			q.at[at] = board.NewPiece(piece.Color().Other(), piece.Type())
		}
	}
	for c, s := range p.kings {
		q.kings[1-c] = (size-1-s>>4)<<4 | s&15
	}
	q.black = !p.black
	return q
}

func TestRulesConform(t *testing.T) { gametest.Conform(t, Rules{}, State.turned) }

// Positions counted by hand. Terms that are not named are 0.
func TestCountsOfRules(t *testing.T) {
	for _, test := range []struct {
		fen  string
		want map[int]int32
	}{
		// All pawns are passed, and a2 has not advanced. a3, b5 and d3 can step forward; b5 alone is near and safe.
		// To a4 White's king is 3 steps and Black's 5, to b6 5 and 4, to d2 3 and 4. The rook has b1, b3, b4
		// and c2 to f2, of which the pawn attacks c2 and e2. Alone White attacks ten squares, Black e5, e6 and
		// f5.
		{"5k/1P4/6/P2p2/PR4/K5 w", map[int]int32{termPawn: 2, termRook: 1, termTraded: 5 * 17, termRookMoves: 7,
			termSafeMoves: 5, termAdvanced: 0 + 1 + 3 - 2,
			termPassed: 0 + 1 + 3 - 2, termRunner: 1, termFree: 1 + 1 - 1, termPassedKings: 1*(5-3) + 3*(4-5) - 2*(3-4),
			termSpace: 10 - 3, termTempo: 1}},
		// The queen can mate on e6, beside the king and guarded by the knight. It attacks e5 and e6, the
		// knight e6 and f5. White attacks 19 squares alone, Black none.
		{"5k/6/3N2/4Q1/6/K5 b", map[int]int32{termKnight: 1, termQueen: 1, termTraded: 12 * 20, termKnightMoves: 8,
			termQueenMoves: 14, termSafeMoves: 6, termAttack: 4,
			termContact: 1, termMating: 1, termSpace: 19, termTempo: -1}},
		// Black is in check. The queen can also go to c4, where the king guards it. White's king, two steps
		// from either edge, need not fear a queen. White attacks 15 squares alone, Black 4.
		{"6/1k1Q2/6/2K3/6/6 b", map[int]int32{termQueen: 1, termTraded: 9 * 21, termQueenMoves: 16, termAttack: 4,
			termCheck: 1, termContact: 1,
			termLate: 4, termSpace: 15 - 4, termTempo: -1}},
		// The pawn attacks queen and rook, which defend each other, the knight the queen; with the rook it
		// attacks a knight that nothing defends. The queen attacks the pawn, which nothing defends. White attacks
		// 4 squares alone, Black 15.
		{"k5/6/1q1r2/2P3/2N3/K1R1n1 w", map[int]int32{termPawn: 1, termQueen: -1, termTraded: -9 * 16,
			termKnightMoves: 5 - 3, termRookMoves: 3 - 8, termQueenMoves: -12,
			termSafeMoves: 3 - 9, termAdvanced: 1, termPassed: 1, termFree: 1, termPassedKings: 2 - 3, termAttack: -2,
			termSpace: 4 - 15, termByPawn: 2, termOnQueen: 1, termLoose: 1, termLoosePawns: -1, termTempo: 1}},
	} {
		at, err := ParseFEN(test.fen)
		if err != nil {
			t.Fatal(err)
		}
		var c [terms]int32
		Rules{}.Count(&State{Position: at}, c[:])
		for i, v := range c {
			if v != test.want[i] {
				t.Errorf("%s: %s: %d, want %d", test.fen, list[i].Name, v, test.want[i])
			}
		}
	}
}
