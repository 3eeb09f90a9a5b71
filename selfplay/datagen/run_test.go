package datagen

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// config is a small run of two toys: a shard and a half.
func config(t *testing.T, games uint64) Config {
	return Config{
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 100}, Rule: selfplay.Adjudication{WinScore: 500,
				WinPlies: 4, PlayOn: 0.2}, MaxPlies: 60, Opening: opening.Spec{Plies: 4}, Seed: 7, Program: "test 1"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "games"), Open: toy.Open, Concurrency: 2},
		},
		Games:   games,
		Players: []selfplay.Player{{Spec: toy.Spec("a"), ID: "toy a"}, {Spec: toy.Spec("b"), ID: "toy b"}},
	}
}

func run(t *testing.T, c Config) *Summary {
	t.Helper()
	s := setup.Must(Run(t.Context(), c))
	return s
}

// of returns a run that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Games: &c.Games, Play: func(ctx context.Context) (runtest.Outcome, error) {
		s, err := Run(ctx, c)
		if s == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: gamelog.Process{Already: s.Already, Played: s.Played}, Result: s,
			Warnings: s.Warnings}, err
	}}
}

// promised are the files that are the same for equal runs.
var promised = []string{"*.arrow", durable.ManifestName, durable.RunResultName, durable.RunConfigName}

func TestRun(t *testing.T) {
	runtest.Suite{Files: promised, Reports: 60, Fails: "b", Name: "toy b: ",
		New: func(t *testing.T) runtest.Run { return of(config(t, 520)) }, // three shards
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, 10)
			c.Players[1] = selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			return of(c)
		}}.Test(t)
}

// same compares the files of two runs that promise to be the same.
func same(t *testing.T, got, want string) {
	t.Helper()
	runtest.SameFiles(t, got, want, promised...)
}

func TestSummary(t *testing.T) {
	c := config(t, 300)
	summary := run(t, c)
	if summary.Games != 300 || summary.WhiteWins+summary.Draws+summary.BlackWins != 300 {
		t.Errorf("summary %+v", summary)
	}
	if summary.Adjudicated < 20 || summary.PlayedOn < 4 || summary.PlayedOn > summary.Adjudicated/2 {
		t.Errorf("%d of %d adjudicated games were played on, want about a fifth", summary.PlayedOn, summary.Adjudicated)
	}
	other := config(t, 300)
	other.Seed = 8
	run(t, other)
	a, errA := os.ReadFile(filepath.Join(c.Out, "games-00000.arrow"))
	b, errB := os.ReadFile(filepath.Join(other.Out, "games-00000.arrow"))
	if errA != nil || errB != nil || bytes.Equal(a, b) {
		t.Error("another seed made the same games: ", errA, errB)
	}
}

func TestGamesAreValid(t *testing.T) {
	c := config(t, 120)
	run(t, c)
	r := setup.Must(dataset.OpenGames(c.Out))
	ids, openings := map[uint64]bool{}, map[uint64]bool{}
	n := 0
	for g, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		white, black := "toy a", "toy b"
		if n%2 == 1 {
			white, black = black, white
		}
		if g.White != white || g.Black != black || g.Nodes != 100 {
			t.Errorf("game %d: %s - %s at %d nodes", n, g.White, g.Black, g.Nodes)
		}
		if g.OpeningPlies != 4 && g.OpeningPlies != 5 {
			t.Errorf("game %d: %d opening plies", n, g.OpeningPlies)
		}
		if g.Seed != selfplay.Seed(7, 0, "selfplay", uint64(n)) {
			t.Errorf("game %d: seed %d", n, g.Seed)
		}
		for ply, game := range g.Replay() {
			if ply == int(g.OpeningPlies) && game.Position().Key() != g.Opening {
				t.Errorf("game %d: the opening's key is not that of ply %d", n, ply)
			}
		}
		ids[g.Game], openings[g.Opening] = true, true
		n++
	}
	if n != 120 || len(ids) != n || len(openings) != n {
		t.Errorf("%d games with %d ids and %d openings, want 120 of each", n, len(ids), len(openings))
	}
}

// leaveRubbish does what a kill in the middle of a write does.
func leaveRubbish(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, durable.RunResultName)); err == nil {
		return
	}
	f := setup.Must(os.OpenFile(filepath.Join(dir, durable.RunEventsName), os.O_APPEND|os.O_WRONLY, 0))
	defer f.Close()
	if _, err := f.WriteString(`{"time":"2026-01`); err != nil {
		t.Fatal(err)
	}
	r, err := dataset.OpenGames(dir, dataset.Partial())
	next := 0
	if err == nil {
		next = r.Shards()
	}
	name := filepath.Join(dir, "games-0000"+string(rune('0'+next))+".arrow")
	setup.Check(t, os.WriteFile(name, []byte("ARROW1 half a shard"), 0o666))
}

func TestImpossibleConfigurations(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no games":      func(c *Config) { c.Games = 0 },
		"no players":    func(c *Config) { c.Players = nil },
		"no limits":     func(c *Config) { c.Limits = selfplay.Limits{} },
		"too many":      func(c *Config) { c.Limits.Nodes = 1 << 40 },
		"no such book":  func(c *Config) { c.Opening = opening.Spec{Book: "/nowhere.epd"} },
		"strange plies": func(c *Config) { c.Opening.Plies = 99 },
	} {
		c := config(t, 10)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(c.Out); err == nil {
			t.Errorf("%s: left a folder behind", name)
		}
	}
}

func TestSummaryCountsDisagreement(t *testing.T) {
	rule := selfplay.Adjudication{WinScore: 100, WinPlies: 2}
	up := []int16{100, 100, 0, 0}
	for _, c := range []struct {
		name                                      string
		scores                                    []int16
		plies                                     int
		result                                    int8
		adjudicated, playedOn, disagreed, reverse int64
	}{
		{"no verdict", []int16{100, 99, 100, 99}, 4, 1, 0, 0, 0, 0},
		{"ended by it", up[:2], 2, 1, 1, 0, 0, 0},
		{"played on and agreed", up, 4, 1, 1, 1, 0, 0},
		{"played on and drawn", up, 4, 0, 1, 1, 1, 0},
		{"played on and reversed", up, 4, -1, 1, 1, 1, 1},
	} {
		var s Summary
		s.add(rule, &dataset.GameRow{Moves: make([]board.Move, c.plies), Scores: c.scores, Result: c.result})
		if s.Adjudicated != c.adjudicated || s.PlayedOn != c.playedOn || s.Disagreed != c.disagreed ||
			s.Reversed != c.reverse {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

func TestDisagreement(t *testing.T) {
	for _, c := range []struct {
		played, disagreed int64
		share, lo, hi     float64
	}{
		{0, 0, 0, 0, 1},
		{100, 0, 0, 0, 0.036995},
		{100, 5, 0.05, 0.021543, 0.111752}, // Wilson's interval, as in any table of it
	} {
		s := Summary{PlayedOn: c.played, Disagreed: c.disagreed}
		share, lo, hi := s.Disagreement()
		for i, pair := range [][2]float64{{share, c.share}, {lo, c.lo}, {hi, c.hi}} {
			if d := pair[0] - pair[1]; d > 1e-5 || d < -1e-5 {
				t.Errorf("%d of %d, number %d: %v, want %v", c.disagreed, c.played, i, pair[0], pair[1])
			}
		}
	}
}

// whiteView reports its scores from White's view, as some engines do.
type whiteView struct{ engine.Player }

func (p whiteView) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := p.Player.Search(ctx, game, lim)
	if game.Position().SideToMove() == board.Black && r.Score.Known() {
		r.Score = -r.Score
	}
	return r, err
}

// A player that reports from White's view is named at the end, alone or beside another.
func TestViewOfAPlayerIsNoticed(t *testing.T) {
	for _, wrong := range []string{"", "a", "b", "ab"} {
		c := config(t, 120)
		c.Players[1].Name = "the second"
		c.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := toy.Open(spec)
			if strings.Contains(wrong, spec.Name) {
				p = whiteView{p}
			}
			return p, err
		}
		f := run(t, c).Views
		want := map[string]string{"a": `of "toy a" are`, "b": `of "the second" are`, "ab": "scores are"}[wrong]
		if (f == nil) != (wrong == "") || f != nil &&
			(f.Kind != dataset.OneSide || !strings.Contains(f.Error(), want+" from White's view")) {
			t.Errorf("wrong are %q: %v", wrong, f)
		}
	}
}
