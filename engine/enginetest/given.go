package enginetest

import (
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// Position returns the position of a FEN that is the test's own.
func Position(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Move returns the move of the position that is written so in SAN.
func Move(t testing.TB, p *board.Position, san string) board.Move {
	t.Helper()
	m, err := p.ParseSAN(san)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
