package screen

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// config returns a screen in which the first factor helps, the second hurts, and the third does nothing.
func config(t *testing.T, kind Kind, games uint64) Config {
	t.Helper()
	d := setup.Must(NewDesign(kind, 3, 1))
	player := func(s Subset) selfplay.Player {
		share := 5 - 3*int(s&1) + 3*int(s>>1&1)
		return selfplay.Player{Spec: toy.Spec(string(rune('0' + share)))}
	}
	return Config{Design: d, Games: games, Base: player(0), Player: player,
		Factors: []Factor{{Name: "helps", On: "1"}, {Name: "hurts", On: "2"}, {Name: "nothing", On: "3"}},
		Setup:   runtest.WildSetup(filepath.Join(t.TempDir(), "screen"))}
}

// of returns a screen that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Play: func(ctx context.Context) (runtest.Outcome, error) {
		r, err := Run(ctx, c)
		if r == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: r.Process, Result: r, Verdict: r.Verdict, Reason: r.Reason,
			Warnings: r.Warnings}, err
	}}
}

func TestRun(t *testing.T) {
	s := runtest.Suite{Files: runtest.Promised, Reports: 5, Journal: true, Name: "5: ", Reason: "5 forfeited ",
		New: func(t *testing.T) runtest.Run { return of(config(t, Rows, 96)) },
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, Random, 32)
			c.Base.Spec, c.Base.ID = engine.Spec{}.WithProgram("./hasty"), "hasty"
			return of(c)
		}}
	s.Test(t)
	t.Run("fixed factors", func(t *testing.T) { // what is played depends on what was
		s.New = func(t *testing.T) runtest.Run {
			c := config(t, Random, 240)
			c.Fix = true
			return of(c)
		}
		s.TestBytes(t)
	})
}

func run(t *testing.T, c Config) *Result {
	t.Helper()
	return setup.Must(Run(t.Context(), c))
}

func TestEffectsAreFound(t *testing.T) {
	for _, kind := range []Kind{Rows, Random} {
		c := config(t, kind, 800)
		c.Out = ""
		r := run(t, c)
		if e := r.Effects; !(e[0].EloLo > 0 && e[1].EloHi < 0 && e[2].EloLo < 0 && e[2].EloHi > 0) ||
			!reflect.DeepEqual(r.Recommended[:1], []string{"helps"}) || r.Openings != 100 {
			t.Errorf("%s: %+v, recommended %v", kind, r.Effects, r.Recommended)
		}
	}
}

// An interrupted screen returns what its games say so far.
func TestInterrupted(t *testing.T) {
	c := config(t, Random, 4000)
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(done, _ int64, _ string) {
		if done == 800 {
			cancel()
		}
	}
	if r, err := Run(ctx, c); !errors.Is(err, context.Canceled) || r == nil || !r.Effects[0].Known() || r.Games < 800 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A long screen of random subsets fixes decided factors, and ends when everything is.
func TestDecidedFactorsAreFixed(t *testing.T) {
	c := config(t, Random, 1600)
	c.Fix = true
	r := run(t, c)
	if len(r.Decided) == 0 || !r.Decided[0].Fixed || r.Decided[0].Games != 480 || r.Homogeneity == nil {
		t.Fatalf("%+v", r)
	}
	after := 0
	err := runtest.Read(filepath.Join(c.Out, gamelog.JournalName), func(g *selfplay.Result) error {
		if g.Number >= 480 {
			after++
			if g.Players[0] != g.Players[1] || g.Players[0] != "2" { // the better level of both
				t.Errorf("game %d between %v", g.Number, g.Players)
			}
		}
		return nil
	})
	if err != nil || after == 0 {
		t.Errorf("%d games after factors were fixed, %v", after, err)
	}
}

// Forfeits of one level are its effect; those whatever the level end the screen.
func TestForfeits(t *testing.T) {
	c := config(t, Rows, 240)
	c.Player = func(s Subset) selfplay.Player {
		if s.Has(1) {
			return selfplay.Player{Spec: toy.Spec("0:illegal=8:error=9")}
		}
		return selfplay.Player{Spec: toy.Spec("0")}
	}
	r := run(t, c)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "lost with hurts on") || !(r.Effects[1].EloHi < -100) {
		t.Errorf("%v, %+v", r.Warnings, r.Effects)
	}
	c = config(t, Rows, 160)
	c.Player = func(Subset) selfplay.Player { return selfplay.Player{Spec: toy.Spec("0:illegal=8:error=9")} }
	if r, err := Run(t.Context(), c); !errors.Is(err, selfplay.ErrNoVerdict) || r.Verdict != gamelog.NoVerdict ||
		!strings.Contains(r.Reason, "whatever the factors") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefusals(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"want a multiple of 8": func(c *Config) { c.Games = 12 },
		"the design has 3":     func(c *Config) { c.Factors = c.Factors[:2] },
		"outside the design":   func(c *Config) { c.Fix = true },
	} {
		c := config(t, Rows, 16)
		change(&c)
		if _, err := Run(t.Context(), c); !errors.Is(err, selfplay.ErrConfig) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// Players that play alike have equal games.
func TestTry(t *testing.T) {
	c := config(t, Rows, 16)
	games, _, err := c.Try(t.Context(), c.Player(0), c.Player(1), c.Player(4))
	if err != nil || games[0] == games[1] || games[0] != games[2] {
		t.Errorf("%q, %v", games, err)
	}
}
