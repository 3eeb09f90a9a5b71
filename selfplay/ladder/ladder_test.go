package ladder

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// wild is a toy that plays any move with a probability: the first digit of its name in
// tenths.
type wild struct {
	engine.Player
	share float64
	rng   *rand.Rand
}

func openWild(spec engine.Spec) (engine.Player, error) {
	p, err := toy.Open(spec)
	return &wild{Player: p, share: float64(spec.Name[0]-'0') / 10}, err
}

func (w *wild) NewGame(seed uint64) error {
	w.rng = rand.New(rand.NewPCG(seed, 9))
	return w.Player.NewGame(seed)
}

func (w *wild) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := w.Player.Search(ctx, g, lim)
	if moves := g.Position().LegalMoves(nil); len(moves) > 0 && w.rng.Float64() < w.share {
		r.Move = moves[w.rng.IntN(len(moves))]
	}
	return r, err
}

func config(t *testing.T, schedule Schedule, games uint64) Config {
	c := Config{Schedule: schedule, Games: games, Anchor: -1,
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 1}, Rule: selfplay.Adjudication{WinScore: 500,
				WinPlies: 4}, MaxPlies: 60, Opening: opening.Spec{Plies: 6}, Check: selfplay.Check{MaxScore: -1},
				Seed: 2, Program: "test"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "ladder"), Open: openWild, Concurrency: 2},
		}}
	for _, name := range []string{"8", "0", "4", "6", "2"} {
		c.Players = append(c.Players, selfplay.Player{Spec: toy.Spec(name), ID: "wild " + name})
	}
	return c
}

// of returns a ladder that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Games: &c.Games, Play: func(ctx context.Context) (runtest.Outcome, error) {
		r, err := Run(ctx, c)
		if r == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: r.Process, Result: r, Verdict: r.Verdict, Reason: r.Reason,
			Warnings: r.Warnings}, err
	}}
}

func TestRun(t *testing.T) {
	s := runtest.Suite{Files: runtest.Promised, Reports: 6, Journal: true, Fails: "4", Name: "wild 4: ",
		Reason: "wild 4 forfeited ",
		New:    func(t *testing.T) runtest.Run { return of(config(t, RoundRobin, 120)) },
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, RoundRobin, 20)
			c.Open, c.Players[0] = toy.Open, selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			return of(c)
		}}
	s.Test(t)
	t.Run("widest", func(t *testing.T) { // what is played depends on what was
		s.New = func(t *testing.T) runtest.Run { return of(config(t, Widest, 120)) }
		s.TestBytes(t)
	})
}

func run(t *testing.T, c Config) *Result {
	t.Helper()
	r := setup.Must(Run(t.Context(), c))
	return r
}

func names(r *Result) (list []string) {
	for _, x := range r.Ratings {
		list = append(list, strings.TrimPrefix(x.Name, "wild "))
	}
	return list
}

// Every schedule finds the order of players whose order is known.
func TestOrderIsFound(t *testing.T) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet, chain} {
		c := config(t, s, 480)
		c.Out = ""
		r := run(t, c)
		got, want := names(r), []string{"0", "2", "4", "6", "8"}
		if s == Gauntlet { // where all beat the first, not much is known of their order
			got, want = got[4:], want[4:]
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: order %v", s, got)
		}
		games := int64(0)
		for i, x := range r.Ratings {
			games += x.Games
			if x.Rank != i+1 || !(x.EloLo < x.Elo && x.Elo < x.EloHi) || i < 4 && x.LOS < 0.499999 { // of equal scores it is half, but for rounding
				t.Errorf("%s: %+v", s, x)
			}
			for j := range r.Ratings {
				a, b := r.Scores[i][j], r.Scores[j][i]
				if a.Wins != b.Losses || a.Draws != b.Draws ||
					r.LOS[i][j]+r.LOS[j][i] < 0.999999 || r.LOS[i][j]+r.LOS[j][i] > 1.000001 {
					t.Errorf("%s: %d against %d: %+v and %+v, LOS %v and %v", s, i, j, a, b, r.LOS[i][j], r.LOS[j][i])
				}
			}
		}
		if games != 960 || r.Games != 480 {
			t.Errorf("%s: %d games, %d of players", s, r.Games, games)
		}
	}
}

// Everybody meets everybody equally often, in a round from the same opening, and in a
// gauntlet only the first meets the rest.
func TestRoundsAreFair(t *testing.T) {
	c := config(t, RoundRobin, 60)
	r := run(t, c)
	for i := range r.Scores {
		for j := range r.Scores {
			if n := r.Scores[i][j].Games(); i != j && n != 6 {
				t.Errorf("%d games between %d and %d", n, i, j)
			}
		}
	}
	openings := map[uint64]int{}
	err := runtest.Read(filepath.Join(c.Out, gamelog.JournalName), func(g *selfplay.Result) error {
		_, key, err := g.Replay()
		openings[key]++
		return err
	})
	if err != nil || len(openings) != 3 {
		t.Errorf("%d openings, %v", len(openings), err)
	}
	c = config(t, Gauntlet, 48)
	c.Out = ""
	r = run(t, c)
	for _, x := range r.Ratings {
		if want := map[bool]int64{true: 48, false: 12}[x.Name == "wild 8"]; x.Games != want {
			t.Errorf("%s has %d games, want %d", x.Name, x.Games, want)
		}
	}
}

// The schedule that looks at intervals makes the widest narrower than playing all
// pairings equally often does, where players are far apart.
func TestWidestIsNarrower(t *testing.T) {
	width := func(s Schedule) (widest float64) {
		c := config(t, s, 400)
		c.Out = ""
		for _, x := range run(t, c).Ratings {
			widest = max(widest, float64(x.EloHi-x.EloLo))
		}
		return widest
	}
	a, b := width(Widest), width(RoundRobin)
	t.Logf("widest interval: %.0f Elo, round robin %.0f", a, b)
	if a > 1.05*b {
		t.Errorf("%v by intervals, %v by rounds", a, b)
	}
}

func TestEndsWhenNarrow(t *testing.T) {
	c := config(t, Widest, 4000)
	c.Out, c.Within, c.Anchor, c.AnchorElo = "", 90, 2, 1500
	r := run(t, c)
	if r.Games >= 2000 || r.Games < 100 || r.Anchor != "wild 4" {
		t.Errorf("%d games, anchor %s", r.Games, r.Anchor)
	}
	for _, x := range r.Ratings {
		if (x.EloHi-x.EloLo)/2 > 90 || x.Name == "wild 4" && (x.Elo != 1500 || x.EloHi != 1500) {
			t.Errorf("%+v", x)
		}
	}
}

func TestRefusals(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"1 players":            func(c *Config) { c.Players = c.Players[:1] },
		"takes part twice":     func(c *Config) { c.Players[0] = c.Players[1] },
		"even number":          func(c *Config) { c.Games = 7 },
		"cannot be the anchor": func(c *Config) { c.Anchor = 5 },
		"is none of widest":    func(c *Config) { c.Schedule = "swiss" },
		"no limit of":          func(c *Config) { c.Limits = selfplay.Limits{} },
		"within -1":            func(c *Config) { c.Within = -1 },
	} {
		c := config(t, RoundRobin, 20)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q: %v", says, err)
		}
	}
}

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
