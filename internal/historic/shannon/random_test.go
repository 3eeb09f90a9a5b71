package shannon

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
)

var _ historic.Explainer = (*Lister)(nil)

func TestListerConforms(t *testing.T) {
	t.Run("random", func(t *testing.T) {
		enginetest.Conform(t, func() engine.Player { return NewRandom() }, enginetest.Weak)
	})
	t.Run("first-move", func(t *testing.T) {
		enginetest.Conform(t, func() engine.Player { return NewFirst() }, enginetest.Weak)
	})
}

func chosen(t *testing.T, p *Lister, seed uint64) board.Move {
	t.Helper()
	setup.Check(t, p.NewGame(seed))
	r := setup.Must(p.Search(context.Background(), board.NewGame(board.StartPosition()), engine.Limits{}))
	return r.Move
}

// The first moves of many games are uniformly distributed.
func TestRandomIsUniform(t *testing.T) {
	const games = 8000
	p := NewRandom()
	played := map[board.Move]int{}
	for seed := range uint64(games) {
		played[chosen(t, p, seed)]++
	}
	var chi2 float64 // 19 degrees of freedom; above 43.8 with probability 1/1000
	for _, n := range played {
		d := float64(n) - games/20.0
		chi2 += d * d / (games / 20.0)
	}
	if len(played) != 20 || chi2 > 43.8 {
		t.Errorf("%d of 20 moves played, chi-squared %.1f", len(played), chi2)
	}
}

func TestSeedOption(t *testing.T) {
	p := NewRandom()
	before := chosen(t, p, 1)
	setup.Check(t, p.SetOption("Seed", "6"))
	if chosen(t, p, 1) == before {
		t.Error("another seed gives the same move; if the generator has changed, try another seed here")
	}
}

// The knight on b1 comes first; its first direction is two ranks up and one file right.
func TestFirstMove(t *testing.T) {
	p := board.StartPosition()
	if got := p.SAN(chosen(t, NewFirst(), 9)); got != "Nc3" {
		t.Errorf("first move %s", got)
	}
}

func TestListerExplains(t *testing.T) {
	start := board.StartPosition()
	for player, want := range map[*Lister]string{NewRandom(): "one of 20 legal moves",
		NewFirst(): "  1  Nc3\n  2  Na3\n  3  Nh3\n  4  Nf3\n  5  a3\n"} {
		var out bytes.Buffer
		if err := player.Explain(&out, &start); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("error %v, %s", err, out.String())
		}
	}
}
