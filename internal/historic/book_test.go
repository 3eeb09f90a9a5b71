package historic

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

func TestBook(t *testing.T) {
	b := setup.Must(ParseBook("# a comment\n\nKing's pawn: e4 e5 Nf3\nQueen's pawn: d4\nagain: e4 c5"))
	p := board.StartPosition()
	list, count := p.LegalMoves(nil), map[string]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		m, ok := b.Move(&p, list, rng)
		if !ok {
			t.Fatal("no move in the start position")
		}
		count[p.SAN(m)]++
	}
	// Two of three lines play e4.
	if len(count) != 2 || count["e4"] < 1800 || count["e4"] > 2200 {
		t.Errorf("moves played %v", count)
	}
	if m, ok := b.Move(&p, []board.Move{board.NewMove(6, 21)}, rng); ok {
		t.Errorf("%v is not in the list of allowed moves", m)
	}
	for text, want := range map[string]string{"x: e4 e5 Ke3": "line 1, x: move 2", "\ne4 e5": "line 2"} {
		if _, err := ParseBook(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzParseBook(f *testing.F) {
	for _, text := range []string{"a: e4 e5", "a:", ":", "#", "a: O-O", "a: \xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBook(text)
		if err != nil {
			return
		}
		p := board.StartPosition()
		for _, m := range b[p.Key()] {
			if !p.IsLegal(m) {
				t.Errorf("%q: %v is not legal in the start position", text, m)
			}
		}
	})
}
