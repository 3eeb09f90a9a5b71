package hsu

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

type vector struct {
	Term, FEN, Square, Side string
	Expected                json.RawMessage
}

func check(t *testing.T, term, fen, square, side string, want int) {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	sq, ok := board.ParseSquare(square)
	if !ok {
		t.Fatalf("no square %q", square)
	}
	c := board.White
	if side == "b" {
		c = board.Black
	}
	see := SEEPrinted
	if term == "hsu.see_minimax" {
		see = SEEMinimax
	}
	if got := see(&p, c, sq); got != want {
		t.Errorf("%s of %s on %s for %s: %d, want %d", term, fen, square, side, got, want)
	}
	mirror := p.Mirror()
	if got := see(&mirror, c.Other(), sq.Flip()); got != want {
		t.Errorf("%s of %s on %s for %s, mirrored: %d, want %d", term, fen, square, side, got, want)
	}
}

func TestSEE(t *testing.T) {
	for _, test := range []struct {
		fen, square      string
		printed, minimax int
	}{
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", 1, 1},
		{"4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "d5", 0, 0},
		{"4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d5", -4, 0},
		{"4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1", "d5", 2, 2},
		// PxN, PxP, QxP.
		{"4k3/8/4p3/3n4/4P3/8/8/3QK3 w - - 0 1", "d5", 3, 3},
		// PxN, PxP, NxP, QxN: White should not capture with the knight.
		{"3qk3/8/4p3/3n4/4P3/2N5/8/4K3 w - - 0 1", "d5", 0, 2},
		{"4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", "d5", 0, 0}, // no attacker
		{"4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "d5", 0, 0}, // nothing to capture
		{"4k3/8/8/3P4/4P3/8/8/4K3 w - - 0 1", "d5", 0, 0},
	} {
		check(t, "hsu.see_printed", test.fen, test.square, "w", test.printed)
		check(t, "hsu.see_minimax", test.fen, test.square, "w", test.minimax)
	}
}

// The vectors were computed by hand and by an independent program.
func TestVectors(t *testing.T) {
	var file struct{ Vectors []vector }
	data, err := os.ReadFile("testdata/see.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		var want int
		if err := json.Unmarshal(v.Expected, &want); err != nil {
			t.Fatal(err)
		}
		check(t, v.Term, v.FEN, v.Square, v.Side, want)
	}
	if len(file.Vectors) != 6 {
		t.Errorf("%d vectors, want 6", len(file.Vectors))
	}
}
