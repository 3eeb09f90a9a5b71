package ownengine

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/tuner"
)

// TestSplit: all that a run must play fits into its hours, at any speed, and what only adds to it is left out before
// it is too short to say anything.
func TestSplit(t *testing.T) {
	for _, hours := range []float64{0.05, 0.4, 1, 2.5, 8, 24} {
		for _, speed := range []float64{0.05, 0.5, 2, 10} {
			p := Plan{Hours: hours, Generations: 2, Nodes: 2000, Elo0: 0, Elo1: 10, Clocked: 200, FinalClock: "4+0.04"}
			p.Split(speed, 2)
			must := p.Seconds(2*(p.Games+p.Gate) + p.Final)
			all := must + p.ClockSeconds()
			if limit := hours * 3600; all > limit && must*speed > 16 || must*speed > 100 && all < 0.8*limit ||
				p.Clocked > 200 {
				t.Errorf("%g hours at %g games a second: %.0f s of %.0f: %+v", hours, speed, all, limit, p)
			}
			if p.LeftOut != (p.Clocked == 0) {
				t.Errorf("left out: %t of %+v", p.LeftOut, p)
			}
			if p.Clocked > 0 && p.Clocked < fewest {
				t.Errorf("too few games to say anything: %+v", p)
			}
		}
	}
	p := Plan{Hours: 2.5, Generations: 1, Nodes: 2000, FinalClock: "4+0.04", mostFinal: 400}
	if p.Split(10, 2); p.Final != 400 {
		t.Errorf("of 400 games at the end at most the plan has %d", p.Final)
	}
}

// TestProvable: a plan says at the start what it can prove.
func TestProvable(t *testing.T) {
	for games, want := range map[int]int{4000: 10, 1000: 20, 100: 55} {
		if got := (&Plan{Final: games}).Provable(); got != want {
			t.Errorf("%d games at the end prove %d Elo, want %d", games, got, want)
		}
	}
	if text := (&Plan{Nodes: 1, Final: 2}).Text(); !strings.Contains(text, "can prove   nothing: ") {
		t.Errorf("a plan of a pair:\n%s", text)
	}
}

// TestAdopt: a run that goes on with more hours keeps the games that it began with.
func TestAdopt(t *testing.T) {
	recorded := &RunConfig{Base: "a", Plan: Plan{Hours: 0.1, Speed: 2, AtOnce: 1, Games: 100, Gate: 80, Final: 40,
		Generations: 1, FinalClock: "4+0.04"}}
	now := &RunConfig{Base: "b", Plan: Plan{Hours: 9, Games: 1, Final: 1000, Clocked: 200, Generations: 1,
		FinalClock: "4+0.04"}}
	l := loop{workshop: workshop{Config: Config{Stderr: io.Discard}, source: new(gitbuild.Source)}}
	l.adopt(now, recorded)
	if p := l.plan; p.Games != 100 || p.Gate != 80 || p.Final != 40 || p.Hours != 9 || p.Clocked == 0 {
		t.Errorf("the run plays %+v", p)
	}
	if now.Base != "a" || now.Plan.Hours != 0.1 || now.Plan.Clocked != 0 || l.source.ID != "a" {
		t.Errorf("its configuration is %+v", now)
	}
}

// TestCenters: the prior's centre is the champion in any unit: a term at the champion's number is at its centre.
func TestCenters(t *testing.T) {
	list := []numbers.Number{{Name: "a", Value: 100}, {Name: "b", Value: 0.5}}
	set := dataset.FeatureSet{Evaluation: dataset.Evaluation{Unit: 250},
		Terms: []dataset.FeatureTerm{{Name: "b", Step: 0.25}, {Name: "a"}}}
	got := centers(set, list, []float64{90, 0.75})
	if want := []tuner.Coefficient{{MG: 3, EG: 3}, {MG: 90, EG: 90}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFrozen: names that were not measured are no error of the fit.
func TestFrozen(t *testing.T) {
	set := dataset.FeatureSet{Terms: []dataset.FeatureTerm{{Name: "psqt[0]", Group: "psqt"}, {Name: "tempo"}}}
	if got := measuredOf(&set, []string{"psqt", "risky", "tempo"}); !slices.Equal(got, []string{"psqt", "tempo"}) {
		t.Errorf("%q", got)
	}
}

// TestAddedTwice: the same positions twice are refused before the games.
func TestAddedTwice(t *testing.T) {
	dir := t.TempDir()
	w := setup.Must(dataset.NewPositionWriter(dir, dataset.WriterConfig{}))
	setup.Check(t, w.Append(&dataset.PositionRow{Board: board.StartPosition(), Weight: 1}))
	setup.Must(w.Finish(nil))
	if err := there([]string{dir, dir + "/."}, ""); !errors.Is(err, dataset.ErrDuplicate) {
		t.Error(err)
	}
}
