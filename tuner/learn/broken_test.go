package learn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/roster"
)

// crashing is a player that fails after a number of plies.
type crashing struct {
	engine.Player
	after int
}

func (c crashing) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	if len(g.Moves()) > c.after {
		return engine.Result{}, errors.New("crashed")
	}
	return c.Player.Search(ctx, g, lim)
}

// A run whose player does not work, or fails in games or in a gate, ends there and says why.
// When the player works again, the run is resumed and ends with the bytes of one that never failed.
// Games with too many forfeits, and a gate without a verdict, must be deleted first: their games count.
func TestBrokenPlayer(t *testing.T) {
	whole(t)
	dir := filepath.Join(t.TempDir(), "broken")
	gate, games := filepath.Join(dir, "gen-1", "gate"), filepath.Join(dir, "gen-1", "games")
	for _, tt := range []struct {
		what  string
		after int
		in    string // part of the specification of those that fail
		err   error
		says  string
	}{
		{"plays no move", -1, "", selfplay.ErrPreflight, "crashed"},
		{"crashes in games", 20, "", datagen.ErrForfeit, games + ": a player failed: "},
		{"crashes in the gate", 20, "gen-1", selfplay.ErrNoVerdict, gate + ": no verdict: gen-1 (A) forfeited "},
	} {
		c := config(dir, 2)
		c.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			if err == nil && strings.Contains(spec.String(), tt.in) {
				p = crashing{p, tt.after}
			}
			return p, err
		}
		if r, err := Run(t.Context(), c); !errors.Is(err, tt.err) || r != nil ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("a player that %s: result %+v, error %v", tt.what, r, err)
		}
		if tt.err == datagen.ErrForfeit {
			setup.Check(t, os.RemoveAll(games))
		}
	}
	if s := durable.Status(gate); s.State != durable.NoVerdict {
		t.Errorf("the gate is %s, %v", s.State, s.Err)
	}
	if s := durable.Status(dir); s.State != durable.Interrupted {
		t.Errorf("the run is %s, %v", s.State, s.Err)
	}
	setup.Check(t, os.RemoveAll(gate))
	if _, err := Run(t.Context(), config(dir, 2)); err != nil {
		t.Fatal(err)
	}
	compare(t, wholeDir, dir)
}
