package enginetest

import (
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// Position returns the position of a FEN. An invalid FEN fails the test.
func Position(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Move returns the move that is written as san in the position.
func Move(t testing.TB, p *board.Position, san string) board.Move {
	t.Helper()
	m, err := p.ParseSAN(san)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
