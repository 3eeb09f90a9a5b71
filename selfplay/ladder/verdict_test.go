package ladder

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// A ladder in which a player loses most of its games by its faults rates no one.
func TestNoVerdict(t *testing.T) {
	c := config(t, RoundRobin, 200)
	c.Players[2].Spec = toy.Spec("4:illegal=8:error=9")
	r, err := Run(t.Context(), c)
	if !errors.Is(err, selfplay.ErrNoVerdict) || r == nil || r.Verdict != "none" ||
		len(r.Ratings) != 0 || len(r.Unrated) != 5 {
		t.Fatalf("result %+v, error %v; want no verdict", r, err)
	}
	if !strings.HasPrefix(r.Reason, "wild 4 forfeited ") || r.Games > 100 ||
		r.Unrated[2].Name != "wild 4" || r.Unrated[2].Forfeits < 2 {
		t.Errorf("%d games, %s, %+v", r.Games, r.Reason, r.Unrated)
	}
}
