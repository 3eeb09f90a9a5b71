package rows

import (
	"fmt"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func finish(t *testing.T, b *Builder) *Store {
	t.Helper()
	s := setup.Must(b.Finish())
	return s
}

// TestSplit: whole games, and whole openings where games share them, are on
// one side; the share is about right; other seeds choose others; games marked
// so are never held out.
func TestSplit(t *testing.T) {
	b := NewBuilder(1)
	for i := range 20000 {
		g := uint64(i/10 + 1)
		r := Row{Entries: []Entry{{0, 1}}, Phase: i % 25, Scale: 1, Weight: 1, Game: g, Opening: 1 + g/4, TrainOnly: g < 400}
		setup.Check(t, b.Add(&r))
	}
	s := finish(t, b)
	c := s.Clusters()
	if !c.ByOpening || c.N() != 501 || s.Games() != 2000 {
		t.Fatalf("%d clusters, by opening %v, %d games", c.N(), c.ByOpening, s.Games())
	}
	sides := make([]map[uint64]bool, 2)
	for seed := range sides {
		omega, _ := s.Split(c, 0.2, uint64(seed))
		held, learned := map[uint64]bool{}, map[uint64]bool{}
		for i, k := range s.Chunks {
			for j, g := range k.Game {
				o := s.games[g].opening
				if omega[i][j] > 0 {
					learned[o] = true
					continue
				}
				held[o] = true
				if s.games[g].trainOnly {
					t.Fatal("a game for training only was held out")
				}
			}
		}
		for o := range held {
			if learned[o] {
				t.Fatalf("opening %d is on both sides", o)
			}
		}
		if n := len(held); n < 50 || n > 120 { // of 401 that may be held out
			t.Errorf("%d of 401 openings held out at 0.2", n)
		}
		sides[seed] = held
	}
	if fmt.Sprint(sides[0]) == fmt.Sprint(sides[1]) {
		t.Error("two seeds, one split")
	}
}

// TestFewOpenings: games that all start from one position are still clusters.
func TestFewOpenings(t *testing.T) {
	b := NewBuilder(1)
	for i := range 1000 {
		r := Row{Entries: []Entry{{0, 1}}, Scale: 1, Weight: 1, Game: uint64(i/10 + 1), Opening: 77}
		setup.Check(t, b.Add(&r))
	}
	if c := finish(t, b).Clusters(); c.ByOpening || c.N() != 100 || c.Warning == "" {
		t.Errorf("%d clusters, by opening %v, warning %q", c.N(), c.ByOpening, c.Warning)
	}
}
