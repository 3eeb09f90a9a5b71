package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/assay-chess/assay/tuner/spsa"
)

// careless takes the most valuable piece one ply ahead, but plays any move as often as its
// options are far from 300 and from 700.
type careless struct {
	x, y int
	rng  *rand.Rand
}

func openCareless(spec engine.Spec) (engine.Player, error) {
	if spec.Name != "careless" {
		return nil, fmt.Errorf("no player %s", spec)
	}
	return &careless{}, nil
}

func (c *careless) NewGame(seed uint64) error { c.rng = rand.New(rand.NewPCG(seed, 1)); return nil }
func (c *careless) Close() error              { return nil }

func (c *careless) SetOption(name, value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return err
	case name == "x":
		c.x = n
	case name == "y":
		c.y = n
	default:
		return errors.New("no option " + name)
	}
	return nil
}

func (c *careless) Search(ctx context.Context, game *board.Game, _ engine.Limits) (engine.Result, error) {
	moves := game.Position().LegalMoves(nil)
	best, most := moves[c.rng.IntN(len(moves))], -1
	wild := (math.Abs(float64(c.x-300)) + math.Abs(float64(c.y-700))) / 1000
	if c.rng.Float64() >= wild {
		for _, m := range moves {
			next := *game.Position()
			next.Make(m)
			gain := 0
			for t, v := range []int{1, 3, 3, 5, 9} {
				gain -= v * next.Pieces(next.SideToMove(), board.PieceType(t)).Count()
			}
			if gain+100 > most {
				best, most = m, gain+100
			}
		}
	}
	score := 0
	for t, v := range []int{100, 300, 300, 500, 900} {
		us := game.Position().SideToMove()
		score += v * (game.Position().Pieces(us, board.PieceType(t)).Count() - game.Position().Pieces(us.Other(),
			board.PieceType(t)).Count())
	}
	return engine.Result{Move: best, Score: engine.Score(score), Depth: 1, Nodes: 1}, ctx.Err()
}

func config(t *testing.T, iterations int) Config {
	p := spsa.Parameter{Min: 0, Max: 1000, CEnd: 60, REnd: 0.03, Integer: true}
	x, y := p, p
	x.Name, x.Start = "x", 700
	y.Name, y.Start = "y", 700
	return Config{
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 1}, Rule: selfplay.Adjudication{WinScore: 600,
				WinPlies: 4}, MaxPlies: 80, Seed: 3, Check: selfplay.Check{MaxScore: -1},
				Opening: opening.Spec{Plies: 8}, Program: "test"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "run"), Open: openCareless, Concurrency: 3},
		},
		Player: selfplay.Player{Spec: engine.Spec{Name: "careless"}},
		SPSA:   spsa.Config{Parameters: []spsa.Parameter{x, y}, Iterations: iterations, Seed: 3, Ahead: 3},
		Pairs:  2,
	}
}

// of returns a tuning that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Play: func(ctx context.Context) (runtest.Outcome, error) {
		c.ValidationProgress = c.Progress
		r, err := Run(ctx, c)
		if r == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: r.Process, Result: r, Verdict: r.Verdict, Reason: r.Reason,
			Warnings: r.Warnings}, err
	}}
}

func TestRun(t *testing.T) {
	runtest.Suite{Files: append(runtest.Promised, LogName, ValidationName+"/"+durable.RunResultName), Reports: 5,
		Journal: true, Name: "careless x=700 y=700: ", Reason: "careless forfeited ",
		New: func(t *testing.T) runtest.Run {
			c := config(t, 24)
			c.Validation = 20
			return of(c)
		},
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, 10)
			c.Player = selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			c.Open = func(engine.Spec) (engine.Player, error) { return &careless{}, nil }
			return of(c)
		}}.Test(t)
}

func run(t *testing.T, c Config) *Result {
	t.Helper()
	r := setup.Must(Run(t.Context(), c))
	return r
}

// In real games a parameter that starts far off comes to where it should be, one that
// starts there stays, and the match at the end says that it was worth it.
func TestRecoversAnOptimumInGames(t *testing.T) {
	c := config(t, 500)
	c.Validation = 100
	r := run(t, c)
	x, y := r.Parameters[0], r.Parameters[1]
	t.Logf("x %+v y %+v validation %+.0f [%+.0f, %+.0f]", x, y, r.Validation.Elo, r.Validation.EloLo, r.Validation.EloHi)
	if math.Abs(x.Value-300) > 90 || math.Abs(y.Value-700) > 90 || x.BatchSE <= 0 {
		t.Errorf("x is %v, want 300; y %v, want 700", x.Value, y.Value)
	}
	if r.Validation.EloLo < 50 || r.Games != 2000 || r.Validation.Games != 100 {
		t.Errorf("%d games; validation %+v", r.Games, r.Validation)
	}
	if again := run(t, c); !again.Already || !reflect.DeepEqual(again.Parameters, r.Parameters) {
		t.Errorf("a complete run says %+v", again)
	}
}

// The log holds all that is needed to compute the answer again.
func TestLogCanBeRecomputed(t *testing.T) {
	c := config(t, 40)
	r := run(t, c)
	data := setup.Must(os.ReadFile(filepath.Join(c.Out, LogName)))
	tuner := setup.Must(spsa.New(c.SPSA))
	dec := json.NewDecoder(bytes.NewReader(data))
	for k := 1; k <= 40; k++ {
		var line Iteration
		setup.Check(t, dec.Decode(&line))
		trial, err := tuner.Ask(k)
		if err != nil || !reflect.DeepEqual(trial.Plus, line.Plus) || !reflect.DeepEqual(trial.Minus, line.Minus) ||
			!reflect.DeepEqual(trial.Flips, line.Flips) {
			t.Fatalf("iteration %d: %+v, logged %+v, %v", k, trial, line, err)
		}
		sum := 0
		for _, p := range line.Results {
			sum += int(p)
		}
		setup.Check(t, tuner.Tell(k, float64(sum), len(line.Results)))
		if !reflect.DeepEqual(tuner.Values(), line.Values) {
			t.Fatalf("iteration %d: values %v, logged %v", k, tuner.Values(), line.Values)
		}
	}
	if !reflect.DeepEqual(tuner.Estimates(), r.Parameters) {
		t.Error("another answer")
	}
}

// The schedule of steps depends on the number of iterations.
func TestMoreIterationsAreRefused(t *testing.T) {
	c := config(t, 10)
	run(t, c)
	c.SPSA.Iterations++
	_, err := Run(t.Context(), c)
	if changed := new(durable.ConfigChangedError); !errors.As(err, &changed) ||
		!strings.Contains(err.Error(), "the size of each step depends") {
		t.Errorf("error %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"no folder":     func(c *Config) { c.Out = "" },
		"no player":     func(c *Config) { c.Player = selfplay.Player{} },
		"-1 pairs":      func(c *Config) { c.Pairs = -1 },
		"even number":   func(c *Config) { c.Validation = 3 },
		"no limit of":   func(c *Config) { c.Limits = selfplay.Limits{} },
		"no parameters": func(c *Config) { c.SPSA.Parameters = nil },
		"no such file":  func(c *Config) { c.Opening = opening.Spec{Book: "none.epd"} },
	} {
		c := config(t, 10)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil || !bytes.Contains([]byte(err.Error()), []byte(says)) {
			t.Errorf("want %q: %v", says, err)
		}
	}
}
