package ownengine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/slopes"
)

// checkGames is how many games the check plays. More would only cost time: it asks whether everything works.
const checkGames = 10

// checker is a check in progress.
type checker struct {
	workshop
	plan  Plan
	held  []string // numbers and tables that a fit does not move
	notes []string // of a stage, for the author to read
}

// Check builds the engine as it is and with settable numbers, compares the two, plays ten games, measures slopes of
// their positions, and builds and compares the engine with other numbers. It prints a line for each stage, and what a
// run would play.
func Check(ctx context.Context, c Config) error {
	dir, err := os.MkdirTemp("", "assay-check-")
	if err != nil {
		return err
	}
	k := &checker{workshop: workshop{Config: c, ctx: ctx, dir: dir, builds: map[string]*gitbuild.Build{}}}
	defer k.close()
	if err := k.open(); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	stages := []struct {
		name string
		do   func() (string, error)
	}{
		{"build", k.untouched},
		{"numbers", k.settable},
		{"games", k.games},
		{"values", k.evaluate},
		{"slopes", k.slopes},
		{"patch", k.patch},
		{"match", k.twoGames},
	}
	for _, stage := range stages {
		k.notes = nil
		start := time.Now()
		said, err := stage.do()
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), os.RemoveAll(dir))
		}
		took := time.Since(start).Seconds()
		if err != nil {
			fmt.Fprintf(c.Stdout, "%-8s %6.1f s  FAILED\n", stage.name, took)
			return fmt.Errorf("%s: %w\nits files are in %s", stage.name, err, dir)
		}
		fmt.Fprintf(c.Stdout, "%-8s %6.1f s  %s\n", stage.name, took, said)
		for _, note := range k.notes {
			fmt.Fprintf(c.Stdout, "%20s%s\n", "", note)
		}
	}
	fmt.Fprintf(c.Stderr, "check: all %d stages work\n", len(stages))
	fmt.Fprint(c.Stdout, "\na run plays:\n", k.plan.Text())
	return os.RemoveAll(dir)
}

func (k *checker) note(format string, args ...any) {
	k.notes = append(k.notes, fmt.Sprintf(format, args...))
}

// open reads the repository and its assay.toml.
func (k *checker) open() (err error) {
	if err := k.find(k.dir); err != nil {
		return err
	}
	if err := k.openClone(); err != nil {
		return err
	}
	k.plan, err = newPlan(&k.Config, k.project.Learn)
	return err
}

// untouched builds the engine as it is, and runs its bench.
func (k *checker) untouched() (string, error) {
	b, err := k.built(BaseTag)
	if err != nil {
		return "", err
	}
	bench, err := b.Bench(k.ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %v%s", k.source.Short(), bench, ui.If(!b.New, "; built before")), nil
}

// settable builds the engine with settable numbers, and compares the benches.
func (k *checker) settable() (said string, err error) {
	if err := k.prepare(); err != nil {
		return "", err
	}
	said = fmt.Sprintf("%d in %s; ", len(k.set.Numbers), strings.Join(k.project.Numbers, ", "))
	text, err := k.sameBench()
	for _, line := range leftOut(k.set.Left) {
		k.note("%s", line)
	}
	return said + text, err
}

// leftOut says what was not taken, a line for each reason.
func leftOut(left []numbers.Left) (lines []string) {
	names, order := map[string][]string{}, []string(nil)
	for _, x := range left {
		if names[x.Why] == nil {
			order = append(order, x.Why)
		}
		names[x.Why] = append(names[x.Why], x.Name)
	}
	for _, why := range order {
		lines = append(lines, fmt.Sprintf("left out, %s: %s", why, ui.Listed(names[why], 8)))
	}
	return lines
}

func (k *checker) games() (string, error) {
	rows, err := k.first("games", checkGames, &k.plan)
	return fmt.Sprintf("%d of the engine against itself, %s; %d quiet positions", checkGames, k.plan.LimitsText(),
		rows), err
}

// evaluate asks the measuring program what can be wrong with its values.
func (k *checker) evaluate() (string, error) {
	warning, err := slopes.Check(k.ctx, k.measuring("", nil, k.path("positions")))
	if warning != "" {
		k.note("warning: %s", warning)
	}
	return "the same in another order, and in a fresh process with all numbers moved", err
}

// slopes measures slopes, and compares what they predict.
func (k *checker) slopes() (string, error) {
	c := k.measuring(k.path("slopes"), nil, k.path("positions"))
	r, err := slopes.Measure(k.ctx, c)
	if err != nil {
		return "", err
	}
	if len(r.Flat) > 0 {
		k.note("without a slope here: %d, as %s", len(r.Flat), ui.Listed(r.Flat, 8))
	}
	for _, left := range r.Left {
		k.held = append(k.held, left.Name)
		k.note("held, %s: %s", left.Why, left.Name)
	}
	return fmt.Sprintf("%d rows, %.0f evaluations a second; all numbers moved change the value by %.1f centipawns, and "+
		"as predicted to within %.1f", r.Rows, r.Speed, r.Actual, r.Wrong), nil
}

// shaken are the weights of the check: numbers that moved.
var shaken = learn.WeightsRef{ID: "check", File: "shaken.txt", Generation: 1}

// patch writes other numbers into the source, and compares what the engine then evaluates.
func (k *checker) patch() (string, error) {
	values := k.set.Values()
	for i, n := range k.set.Numbers {
		if !slices.Contains(k.held, n.Name) && !slices.Contains(k.held, n.Table) {
			step := math.Abs(n.Value) / 10
			if !n.Float {
				step = math.Ceil(step)
			}
			values[i] = n.Round(n.Value + step*float64(i%2*2-1)) // up and down in turn
		}
	}
	if err := k.keepValues(shaken, values); err != nil {
		return "", err
	}
	if err := k.keepPatched(shaken); err != nil {
		return "", err
	}
	b, err := k.built(checkTag)
	if err != nil {
		return "", err
	}
	n, err := k.sameValues(k.path("positions"), k.builds[settingTag], b, k.path(shaken.File))
	return fmt.Sprintf("with other numbers in its source it evaluates %d positions as the one that had them set", n), err
}

// twoGames lets the two engines play each other.
func (k *checker) twoGames() (string, error) {
	new, old, err := k.finalists(shaken)
	if err != nil {
		return "", err
	}
	s, err := k.setup("", "", &k.plan, k.plan.limits(), 0, checkStage)
	if err != nil {
		return "", err
	}
	_, err = k.play("match", match.Config{Setup: s, A: new, B: old, Games: 2})
	return "2 games of the new numbers against the old", err
}
