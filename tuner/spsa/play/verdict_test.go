package play

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog/gamelogtest"
)

// crashing is a player that fails in a quarter of its games after a number of plies.
type crashing struct {
	engine.Player
	after int
	fails bool
}

func (c *crashing) NewGame(seed uint64) error {
	c.fails = selfplay.Seed(seed, 0, "crash", 0)%4 == 0
	return c.Player.NewGame(seed)
}

func (c *crashing) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	if c.fails && len(g.Moves()) > c.after || c.after < 0 {
		return engine.Result{}, errors.New("crashed")
	}
	return c.Player.Search(ctx, g, lim)
}

func opener(after int) selfplay.Opener {
	return func(spec engine.Spec) (engine.Player, error) {
		p, err := openCareless(spec)
		return &crashing{Player: p, after: after}, err
	}
}

// A tuning whose player crashes often has no answer. With Recover it goes on to the end, with the
// bytes of one that had it from the start.
func TestNoVerdict(t *testing.T) {
	c := config(t, 40)
	c.Open = opener(10)
	for range 2 { // the second plays no game
		r, err := Run(t.Context(), c)
		if !errors.Is(err, selfplay.ErrNoVerdict) || r == nil || r.Verdict != "none" || len(r.Parameters) != 0 ||
			r.Validation != nil {
			t.Fatalf("result %+v, error %v; want no verdict", r, err)
		}
		if !strings.HasPrefix(r.Reason, "careless forfeited ") || r.Games > 64 || r.Forfeits < 2 {
			t.Errorf("%d games, %d forfeits: %s", r.Games, r.Forfeits, r.Reason)
		}
	}
	c.Tolerance.Recover = true
	whole := config(t, 40)
	whole.Open, whole.Tolerance.Recover = c.Open, true
	if r, w := run(t, c), run(t, whole); r.Verdict != "" || len(r.Parameters) != 2 || w.Games != 160 {
		t.Errorf("with Recover: %+v", r)
	}
	gamelogtest.SameFiles(t, c.Out, whole.Out, append(gamelogtest.Promised, LogName)...)
}

// A player that plays no move ends the tuning before it has a folder.
func TestPreflight(t *testing.T) {
	c := config(t, 4)
	c.Open = opener(-1)
	if _, err := Run(t.Context(), c); !errors.Is(err, selfplay.ErrPreflight) ||
		!strings.Contains(err.Error(), "careless x=700 y=700: ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(c.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}

// The stalls of the runner are counted.
func TestStallsAreReported(t *testing.T) {
	c := config(t, 10)
	c.Runner = &gamelogtest.Changing{Runner: &selfplay.Local{Open: openCareless, Workers: 2},
		Change: func(r *selfplay.Result) { r.Stalls[0] = 1 }}
	if r := run(t, c); r.Stalled != 40 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "40 of 40 games") {
		t.Errorf("%d games with stalls, %q", r.Stalled, r.Warnings)
	}
}

// A program that does not know "go nodes" is named.
func TestIgnoredNodesAreReported(t *testing.T) {
	c := config(t, 10)
	c.Limits.Nodes, c.Player = 1000, selfplay.Entrant{Spec: engine.Spec{}.WithProgram("./hasty"), Name: "hasty"}
	c.Open = func(engine.Spec) (engine.Player, error) { return &careless{}, nil }
	c.Runner = &gamelogtest.Changing{Runner: &selfplay.Local{Open: c.Open, Workers: 2},
		Change: func(r *selfplay.Result) { r.Nodes = [2]uint64{30, 30} }}
	if r := run(t, c); len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "hasty searched ") {
		t.Errorf("warnings %q", r.Warnings)
	}
}
