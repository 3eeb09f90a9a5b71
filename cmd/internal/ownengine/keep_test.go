package ownengine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

func TestBetween(t *testing.T) {
	file := func(values ...int32) *models.File {
		f := &models.File{}
		for i, v := range values {
			f.Terms = append(f.Terms, models.TermWeight{Name: fmt.Sprint(i), MG: v, EG: -v})
		}
		return f
	}
	old, new := file(0, 100, -7), file(10, 50, -8)
	for share, want := range map[float64]*models.File{0: old, 1: new, 0.5: file(5, 75, -8)} {
		for i, got := range between(old, new, share).Terms {
			if got.MG != want.Terms[i].MG || got.EG != want.Terms[i].EG {
				t.Errorf("%g of the way from %v to %v: %v, want %v", share, old.Terms[i], new.Terms[i], got, want.Terms[i])
			}
		}
	}
	if new.Terms[0].MG != 10 {
		t.Error("the new weights were changed")
	}
}

// The games of a generation follow from the hours and the speed, and flags win over assay.toml.
func TestPlan(t *testing.T) {
	project := func(lines ...string) *opts.Loop {
		p := opts.NewLoop()
		for _, l := range lines {
			name, value, _ := strings.Cut(l, "=")
			setup.Check(t, p.Flags.Set(name, value))
		}
		return p
	}
	plan := func(p *opts.Loop, words ...string) (Plan, error) {
		c := Config{Typed: opts.NewLoop().Flags, Seed: 7}
		setup.Check(t, c.Typed.Parse(words))
		return newPlan(&c, p)
	}
	p, err := plan(project("hours=4", "generations=2", "nodes=3000"))
	if p.Split(1, 2); err != nil || p.Nodes != 3000 || p.Seed != 7 || p.Speed != 1 || p.AtOnce != 2 {
		t.Errorf("by the hour: %+v, %v", p, err)
	}
	p, err = plan(project("hours=4", "decay=0.25"), "--games", "900", "--nodes", "100")
	if p.Split(1, 2); err != nil || p.Games != 900 || p.Gate != 600 || p.Hours != 0 || p.Nodes != 100 || p.Final != 1000 ||
		p.Deep != 200 || p.Clocked != 200 || p.Decay != 0.25 {
		t.Errorf("--games: %+v, %v", p, err)
	}
	p, err = plan(project("nodes=1000"), "--hours", "1")
	labels, err2 := plan(project("rows=10000", "relabel-nodes=13000", "nodes=1000"), "--hours", "1")
	p.Split(1, 2)
	if labels.Split(1, 2); err != nil || err2 != nil || labels.Games != p.Games-1000 {
		t.Errorf("labels cost games: %+v, %+v, %v, %v", p, labels, err, err2)
	}
	for _, words := range [][]string{{"--games", "4", "--hours", "1"}, {"--hours", "-1"}, {"--final-games", "3"},
		{"--clock-games", "-2"}} {
		if p, err := plan(project(), words...); err == nil {
			t.Errorf("%v: %+v", words, p)
		}
	}
	if p, err := plan(project("relabel-nodes=5000")); err == nil {
		t.Errorf("relabelled, but how many? %+v", p)
	}
}

// Games of champions before count less, and so do others' data; a generation that was not promoted changes nothing.
func TestWeight(t *testing.T) {
	l := &loop{plan: Plan{Decay: 0.5}}
	for _, promoted := range []bool{true, false, true} {
		l.result.Generations = append(l.result.Generations, Generation{Promoted: promoted})
	}
	for g, want := range map[int][]float64{1: {0.5, 1}, 2: {0.5, 0.5, 1}, 3: {0.5, 0.5, 1, 1},
		4: {0.5, 0.25, 0.5, 0.5, 1}} {
		for from, weight := range want {
			if got := l.weight(from, g); got != weight {
				t.Errorf("generation %d in %d: %g, want %g", from, g, got, weight)
			}
		}
	}
}

// A run by the hour counts the time that it worked, in all its processes, and not that between them.
func TestSpent(t *testing.T) {
	dir := t.TempDir()
	l := &loop{tools: tools{Config: Config{Stderr: io.Discard, Command: func(context.Context, []string, io.Writer) (string,
		error) {
		return "", context.Canceled
	}}, dir: dir}, plan: Plan{Hours: 2, Generations: 2, Games: 1100, Gate: 600, Final: 700, Speed: 1},
		began: time.Now().Add(-70 * time.Minute)}
	var err error
	if l.kept, err = durable.OpenRun(dir, durable.RunInfo{Started: time.Now().Add(-50 * time.Hour)}, 1); err != nil {
		t.Fatal(err)
	}
	defer l.kept.Close()
	if err := l.play("match"); !errors.Is(err, context.Canceled) || !l.late(2) || l.late(1) {
		t.Errorf("after 70 minutes of 2 hours: %v, late %t", err, l.late(2))
	}
	if l.worked, l.began = workedBefore(l.kept), time.Now(); l.spent().Round(time.Minute) != 70*time.Minute || !l.late(2) {
		t.Errorf("another process knows of %v", l.spent())
	}
	if l.worked = 50 * time.Minute; l.late(2) {
		t.Error("a second hour does not fit after 50 minutes of 2 hours")
	}
}

// The dump's check in a run is as strict as assay.toml says.
func TestTolerance(t *testing.T) {
	for text, want := range map[string]string{"tolerance=2.5": "features in --tolerance 2.5", "decay=1": "features in"} {
		own := opts.NewLoop()
		name, value, _ := strings.Cut(text, "=")
		setup.Check(t, own.Flags.Set(name, value))
		k := &tools{project: &opts.Project{Learn: own}}
		if got := strings.Join(k.collect("in"), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestChangeOf: the size of a step is the root mean square over all positions.
func TestChangeOf(t *testing.T) {
	set := dataset.FeatureSet{Version: 2, Model: "m", Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2},
		Terms: []dataset.FeatureTerm{{Name: "pawn", MG: 100, EG: 100}}}
	features := filepath.Join(t.TempDir(), "features")
	w := setup.Must(dataset.NewFeatureWriter(features, set, dataset.WriterConfig{Config: "test", Program: "test"}))
	for _, count := range []float32{3, 4} {
		setup.Check(t, w.Append(&dataset.FeatureRow{Terms: []uint16{0}, Counts: []float32{count}, Scale: 1, EGScale: 1,
			Eval: dataset.NoEval, Score: dataset.NoScore, Weight: 1}))
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	new := &models.File{Terms: []models.TermWeight{{Name: "pawn", MG: 100, EG: 110}}}
	change, size, err := changeOf(new, features)
	want := math.Sqrt((3*3 + 4*4) / 2.)                             // pawns
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 } // never NaN
	if err != nil || !near(change, 10*want) || !near(size, 100*want) {
		t.Errorf("a change of %g where values are %g, error %v; want %g and %g", change, size, err, 10*want, 100*want)
	}
}

// TestAdopt checks that a resumed run by the hour keeps its numbers of games, whatever the speed is now.
func TestAdopt(t *testing.T) {
	plan := Plan{Nodes: 2000, Hours: 1, Generations: 1}
	plan.Final, plan.Deep, plan.Clocked, plan.FinalClock = 1000, 200, 200, "4+0.04"
	recorded := &RunConfig{Base: "tree", Plan: plan}
	recorded.Plan.Split(4, 2)
	l := new(loop)
	now := &RunConfig{Base: "tree", Plan: plan}
	l.adopt(now, recorded)
	if !reflect.DeepEqual(now, recorded) || !reflect.DeepEqual(l.plan, recorded.Plan) {
		t.Errorf("resumes with the plan %+v, want %+v", l.plan, recorded.Plan)
	}

	// What changes no game that was played may change.
	now.Plan = plan
	now.Plan.Hours, now.Plan.Clocked, now.Plan.FinalClock = 5, 0, "8+0.08"
	l.adopt(now, recorded)
	if p := l.plan; !reflect.DeepEqual(now, recorded) || p.Hours != 5 || p.Clocked != 0 || p.FinalClock != "8+0.08" ||
		p.Games != recorded.Plan.Games || p.Gate != recorded.Plan.Gate || p.Final != recorded.Plan.Final ||
		p.Deep <= recorded.Plan.Deep {
		t.Errorf("five hours in place of one, without a clock: %+v, was %+v", p, recorded.Plan)
	}
}
