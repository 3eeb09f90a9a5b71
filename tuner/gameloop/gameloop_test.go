package gameloop_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/game/alphabeta"
	"github.com/assay-chess/assay/engine/historic/draughts"
	"github.com/assay-chess/assay/engine/historic/nim"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/gameloop"
	"github.com/assay-chess/assay/tuner/learn"
)

// lost reports which positions of nim are lost for the player to move, by trying all moves.
func lost(known map[[4]uint8]bool, h nim.Heaps) bool {
	if v, ok := known[h.N]; ok {
		return v
	}
	rules := nim.Learned{}
	result := true
	for _, m := range rules.Moves(&h, nil) {
		after := h
		rules.Make(&after, m)
		if lost(known, nim.Heaps{N: after.N}) {
			result = false
			break
		}
	}
	known[h.N] = result
	return result
}

// Nim is learned perfectly: greedy play by the learned weights wins every won position, because
// their lowest one is that of the lost positions. The games of this perfect player teach the rest
// of f(P): the next fit has its sign in every position.
func TestNim(t *testing.T) {
	g := games.New(nim.Learned{})
	plan := gameloop.NewPlan(g)
	plan.Generations, plan.Games, plan.GateGames, plan.FinalGames = 2, 1000, 100, 200
	r, err := gameloop.Run(context.Background(),
		gameloop.Config{Game: g, Dir: filepath.Join(t.TempDir(), "nim"), Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	searcher := func(terms []tuner.TermFit) *alphabeta.Search[nim.Heaps, nim.Take] {
		weights := make([]int32, len(terms))
		for i := range terms {
			weights[i] = terms[i].MG
		}
		return alphabeta.New(nim.Learned{}, weights, 1)
	}
	champion, next := searcher(r.Terms), searcher(r.Generations[1].Fit.Terms)
	rules, known := nim.Learned{}, map[[4]uint8]bool{}
	rng := rand.New(rand.NewPCG(1, 1))
	won := 0
	for n := range 8 * 8 * 8 * 8 {
		h := nim.Heaps{N: [4]uint8{uint8(n & 7), uint8(n >> 3 & 7), uint8(n >> 6 & 7), uint8(n >> 9)}}
		bad := lost(known, h)
		if value := next.Evaluate(&h); (value < 0) != bad {
			t.Errorf("%v: f(P) is %d, lost: %v", h.N, value, bad)
		}
		if m, _, ok := champion.Choose(&h, rng); ok && !bad {
			won++
			rules.Make(&h, m)
			if !lost(known, h) {
				t.Errorf("%v: %v does not win", h.N, m)
			}
		}
	}
	if won != 4096-512 || r.Champion == r.Start || r.Final.Score < 0.95 {
		t.Errorf("%d won positions, %+v", won, r.Final)
	}
}

// stopper ends a run after a number of calls.
type stopper struct {
	calls *int
	stop  func()
}

func (s stopper) Update(int64, int64, string) { s.tick() }
func (s stopper) Finish(string)               { s.tick() }
func (s stopper) tick() {
	if *s.calls--; *s.calls == 0 {
		s.stop()
	}
}

// A run that is interrupted again and again, with other numbers of workers, ends with the bytes
// of one that is not.
func TestResume(t *testing.T) {
	g := games.New(draughts.Rules{})
	plan := gameloop.Plan{Generations: 2, Games: 20, GateGames: 10, FinalGames: 10, Depth: 1, Seed: 3}
	whole, broken := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	r, err := gameloop.Run(context.Background(), gameloop.Config{Game: g, Dir: whole, Plan: plan, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.String(); !strings.Contains(text, "is a king worth 3 man? ") ||
		!strings.Contains(text, "against the start weights, 5 pairs on fresh openings") {
		t.Error(text)
	}
	interrupted := 0
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 20 + 30*run
		_, err := gameloop.Run(ctx, gameloop.Config{Game: g, Dir: broken, Plan: plan, Workers: 1 + run%3,
			Stage: func(string) learn.StageProgress { return stopper{&calls, cancel} }})
		cancel()
		if err == nil {
			break
		}
		interrupted++
	}
	if interrupted < 2 {
		t.Errorf("interrupted %d times", interrupted)
	}
	for _, pattern := range []string{"result.json", "*/*.json", "*/*/*.arrow", "*/*/*.json", "*/*.arrow"} {
		files, _ := filepath.Glob(filepath.Join(whole, pattern))
		if len(files) == 0 {
			t.Errorf("no files %s", pattern)
		}
		for _, path := range files {
			rel, _ := filepath.Rel(whole, path)
			x, err := os.ReadFile(path)
			y, err2 := os.ReadFile(filepath.Join(broken, rel))
			if err != nil || err2 != nil || !slices.Equal(x, y) {
				t.Errorf("%s differs: %v, %v", rel, err, err2)
			}
		}
	}
	again, err := gameloop.Run(context.Background(), gameloop.Config{Game: g, Dir: whole, Plan: plan})
	if err != nil || !again.Already || again.Learned != r.Learned {
		t.Errorf("%+v, %v", again, err)
	}
	f, err := models.OpenAny(filepath.Join(whole, r.File))
	if err != nil || f.ID() != r.Learned {
		t.Errorf("%v, %v", f, err)
	}
}
