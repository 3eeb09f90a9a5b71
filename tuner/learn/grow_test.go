package learn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// stopBefore runs the plan until the stage begins.
func stopBefore(t *testing.T, c Config, stage string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.Stage = func(name string) StageProgress {
		if name == stage {
			cancel()
		}
		return silent{}
	}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("before %s: %v", stage, err)
	}
}

// TestExtendedRunEndsWithTheSameBytes adds a generation to a complete run, and compares
// it with a run that had the generation from the start.
func TestExtendedRunEndsWithTheSameBytes(t *testing.T) {
	whole(t)
	grown := filepath.Join(t.TempDir(), "grown")
	short := config(grown, 2)
	short.Plan.Generations = short.Plan.Generations[:1]
	first := setup.Must(Run(context.Background(), short))
	long := config(grown, 2)
	long.Resume = "more"
	got := setup.Must(Run(context.Background(), long))
	if got.Already || len(got.Generations) != 2 || first.Final == nil {
		t.Errorf("the extended run has %d generations", len(got.Generations))
	}
	compare(t, wholeDir, grown)
	same(t, filepath.Join(wholeDir, durable.RunConfigName), filepath.Join(grown, durable.RunConfigName))
	if info := durable.Status(grown).Info; info.Resume != "more" {
		t.Errorf("the run is resumed with %q", info.Resume)
	}
	if !exists(filepath.Join(grown, "gen-1", finalName, durable.RunResultName)) {
		t.Error("the final match of the shorter run is gone")
	}
	again, err := Run(context.Background(), long)
	if err != nil || !again.Already || again.Final.Games != got.Final.Games {
		t.Errorf("run once more: %+v, %v", again, err)
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x := setup.Must(os.ReadFile(a))
	y := setup.Must(os.ReadFile(b))
	if string(x) != string(y) {
		t.Errorf("%s and %s differ:\n%s\n%s", a, b, x, y)
	}
}

// TestStartedGenerationsCannotChange changes a plan during the second of its three generations.
func TestStartedGenerationsCannotChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := config(dir, 2)
	c.Plan.Generations = append(c.Plan.Generations, c.Plan.Generations[1])
	stopBefore(t, c, "generation 2: positions")
	before := setup.Must(os.ReadFile(filepath.Join(dir, durable.RunConfigName)))
	for field, change := range map[string]func(*Config){
		"plan.generations[0].gate.nelo1": func(c *Config) { c.Plan.Generations[0].Gate.Elo1++ },
		"plan.generations[1].prior":      func(c *Config) { c.Plan.Generations[1].Prior = 3 },
		"plan.generations[1].games":      func(c *Config) { c.Plan.Generations = c.Plan.Generations[:1] },
		"plan.seed":                      func(c *Config) { c.Plan.Seed++ },
		"program":                        func(c *Config) { c.Program = "another" },
	} {
		d := c
		d.Plan.Generations = append([]Generation(nil), c.Plan.Generations...)
		change(&d)
		_, err := Run(context.Background(), d)
		var changed *durable.ConfigChangedError
		if !errors.As(err, &changed) || changed.Field != field {
			t.Errorf("%s: %v", field, err)
		}
		if strings.Contains(field, "[1]") && !strings.Contains(err.Error(), "generation 2 has started") {
			t.Errorf("%s: %v", field, err)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, durable.RunConfigName))
	if err != nil || string(after) != string(before) {
		t.Errorf("a refused plan was written: %v", err)
	}
	// Later generations and the final match may change; config.json then has the new plan.
	c.Plan.Generations[2].Lambda, c.Plan.Final.Games = 0.5, 4
	stopBefore(t, c, "generation 2: positions")
	r, err := ReadPlan(filepath.Join(dir, durable.RunConfigName))
	if err != nil || r.Plan.Generations[2].Lambda != 0.5 || r.Plan.Final.Games != 4 {
		t.Errorf("recorded is %+v, %v", r, err)
	}
}

// TestStartedFinalCannotChange checks that a final match that was played cannot change.
func TestStartedFinalCannotChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, name := range []string{Folder(1), Folder(2), filepath.Join(Folder(2), finalName)} {
		setup.Check(t, os.MkdirAll(filepath.Join(dir, name), 0o777))
	}
	was := RunConfig{Plan: tiny()}
	now := was
	now.Plan.Final.Games += 2
	var changed *durable.ConfigChangedError
	if err := checkResume(dir, was.fixedPart(2, true), now); !errors.As(err, &changed) ||
		changed.Field != "plan.final.games" {
		t.Errorf("a longer final match: %v", err)
	}
	now.Plan.Generations = append(now.Plan.Generations, now.Plan.Generations[1])
	if err := checkResume(dir, was.fixedPart(2, true), now); err != nil {
		t.Errorf("another final match of a longer run: %v", err)
	}
}
