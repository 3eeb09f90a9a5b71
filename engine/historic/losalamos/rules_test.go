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
		at := (Size-1-s>>4)<<4 | s&15
		if q.at[at] = piece; piece != board.NoPiece {
			q.at[at] = board.NewPiece(piece.Color().Other(), piece.Type())
		}
	}
	for c, s := range p.kings {
		q.kings[1-c] = (Size-1-s>>4)<<4 | s&15
	}
	q.black = !p.black
	return q
}

func TestRulesConform(t *testing.T) { gametest.Conform(t, Rules{}, State.turned) }

func TestCountsOfRules(t *testing.T) {
	rules := Rules{}
	at, err := ParseFEN("5k/1P4/6/P2p2/PR4/K5 w")
	if err != nil {
		t.Fatal(err)
	}
	var c [terms]int32
	rules.Count(&State{Position: at}, c[:])
	// White's pawns: a2, a3 (doubled, passed), b5 (passed). Black's: d3, isolated and passed.
	// a3 and b5 can step forward, and d3. The rook on b2 has b1, b3, b4, c2 to f2.
	want := [terms]int32{termPawn: 2, termRook: 1, termRookMoves: 7, termAdvanced: 0 + 1 + 3 - 2, termDoubled: 1, termIsolated: -1,
		termPassed: 0 + 1 + 3 - 2, termNear: 1, termPawnMoves: 1 + 1 - 1, termShield: 1}
	for i, w := range want {
		if c[i] != w {
			t.Errorf("%s: %d, want %d", rules.About().Terms[i].Name, c[i], w)
		}
	}
}
