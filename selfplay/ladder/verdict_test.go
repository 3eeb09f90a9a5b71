package ladder

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog/gamelogtest"
)

// crashing is a player that fails at its second move in half of the games, or in each at the first.
type crashing struct {
	engine.Player
	always, fails bool
}

func (c *crashing) NewGame(seed uint64) error {
	c.fails = selfplay.Seed(seed, 0, "crash", 0)%2 == 0
	return c.Player.NewGame(seed)
}

func (c *crashing) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	if c.always || c.fails && len(g.Moves()) > 8 {
		return engine.Result{}, errors.New("crashed")
	}
	return c.Player.Search(ctx, g, lim)
}

// opener opens wild toys, and lets that of the spec crash.
func opener(spec string, always bool) selfplay.Opener {
	return func(s engine.Spec) (engine.Player, error) {
		p, err := openWild(s)
		if err == nil && s.String() == spec {
			p = &crashing{Player: p, always: always}
		}
		return p, err
	}
}

// A ladder in which a player crashes in half of its games rates no one. With Recover it goes on
// to the end, with the bytes of one that had it from the start.
func TestNoVerdict(t *testing.T) {
	c := config(t, RoundRobin, 200)
	c.Open = opener("4", false)
	for range 2 { // the second plays no game
		r, err := Run(t.Context(), c)
		if !errors.Is(err, selfplay.ErrNoVerdict) || r == nil || r.Verdict != "none" ||
			len(r.Ratings) != 0 || len(r.Unrated) != 5 {
			t.Fatalf("result %+v, error %v; want no verdict", r, err)
		}
		if !strings.HasPrefix(r.Reason, "wild 4 forfeited ") || r.Games > 100 ||
			r.Unrated[2].Name != "wild 4" || r.Unrated[2].Forfeits < 2 {
			t.Errorf("%d games, %s, %+v", r.Games, r.Reason, r.Unrated)
		}
		doc, errRead := os.ReadFile(filepath.Join(c.Out, "result.json"))
		var kept Result
		if err := errors.Join(errRead, json.Unmarshal(doc, &kept)); err != nil || kept.Verdict != "none" {
			t.Errorf("result.json: %s, %v", doc, err)
		}
	}
	c.Tolerance.Recover = true
	whole := config(t, RoundRobin, 200)
	whole.Open, whole.Tolerance.Recover = c.Open, true
	if r, w := run(t, c), run(t, whole); r.Verdict != "" || len(r.Ratings) != 5 || w.Games != 200 {
		t.Errorf("with Recover: %+v", r)
	}
	gamelogtest.SameFiles(t, c.Out, whole.Out, gamelogtest.Promised...)
}

// A player that plays no move ends the ladder before it has a folder.
func TestPreflight(t *testing.T) {
	c := config(t, Gauntlet, 80)
	c.Open = opener("6", true)
	if _, err := Run(t.Context(), c); !errors.Is(err, selfplay.ErrPreflight) ||
		!strings.Contains(err.Error(), "wild 6: ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(c.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}

// The stalls of the runner are counted by player.
func TestStallsAreReported(t *testing.T) {
	c := config(t, Gauntlet, 80)
	c.Out = ""
	local := &selfplay.Local{Open: openWild, Workers: 2}
	c.Runner = &gamelogtest.Changing{Runner: local, Change: func(r *selfplay.Result) {
		r.Time = [2]time.Duration{1, 1}
		for side, spec := range r.Players {
			if spec == "4" {
				r.Stalls[side] = 1
			}
		}
	}}
	r := run(t, c)
	if r.StalledGames != 20 || len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "20 of 80 games") ||
		!strings.Contains(r.Warnings[1], "wild 4 may cause it") {
		t.Errorf("%d games with stalls, %q", r.StalledGames, r.Warnings)
	}
}
