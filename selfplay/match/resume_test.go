package match

import (
	"context"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// of returns a match that is not played yet.
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
	s := runtest.Suite{Files: runtest.Promised, Reports: 16, Journal: true, Fails: "b", Name: "B: toy b: ",
		Reason: "toy b (B) forfeited ",
		New:    func(t *testing.T) runtest.Run { return of(config(t, 120)) },
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, 20)
			c.A = selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			return of(c)
		}}
	s.Test(t)
	t.Run("sprt", func(t *testing.T) {
		s.New, s.Reports = func(t *testing.T) runtest.Run { return of(decisive(t)) }, 8
		s.TestBytes(t)
	})
}

// A test that ended undecided and is given more games ends with the bytes of one that had them from the start; one
// that has decided plays no more.
func TestMoreGamesForATest(t *testing.T) {
	undisturbed, c := decisive(t), decisive(t)
	want := run(t, undisturbed)
	c.Games = 20
	if r := run(t, c); r.Verdict != Undecided || r.Games != 20 {
		t.Fatalf("%+v", r)
	}
	c.Games = 2000
	if r := run(t, c); r.Verdict != want.Verdict || r.Already {
		t.Errorf("%+v, want %+v", r, want)
	}
	runtest.SameFiles(t, c.Out, undisturbed.Out, runtest.Promised...)
	c.Games = 4000
	if r := run(t, c); !r.Already {
		t.Error("a decided test played on")
	}
}
