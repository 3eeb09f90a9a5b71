package learn

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/match"
)

// tiny is a plan that a test can afford.
func tiny() Plan {
	p := DefaultPlan(2, 30, 60, 5)
	p.Final.Games = 8
	for i := range p.Generations {
		p.Generations[i].Gate.Games = 8
	}
	return p
}

func config(dir string, workers int) Config {
	return Config{Dir: dir, Program: "test", Resume: "again", Plan: tiny(), Open: roster.Open, Workers: workers}
}

// TestInterruptedRunEndsWithTheSameBytes cancels a run at the beginning of each of its
// stages in turn, on another number of workers, and compares what it leaves.
func TestInterruptedRunEndsWithTheSameBytes(t *testing.T) {
	whole, broken := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "broken")
	want, err := Run(context.Background(), config(whole, 1))
	if err != nil {
		t.Fatal(err)
	}
	interruptions := 0
	for stages := 1; ; stages++ {
		ctx, cancel := context.WithCancel(context.Background())
		c := config(broken, 2)
		left := stages
		c.Stage = func(string) StageProgress {
			if left--; left == 0 {
				cancel()
			}
			return silent{}
		}
		got, err := Run(ctx, c)
		cancel()
		if err == nil {
			if got.Champion != want.Champion {
				t.Errorf("the resumed run's champion is %v, want %v", got.Champion, want.Champion)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stage %d: %v", stages, err)
		}
		interruptions++
	}
	if interruptions < 7 {
		t.Errorf("only %d interruptions: some stage cannot be interrupted", interruptions)
	}
	compare(t, whole, broken)
}

// compare checks that the files which promise 2 covers have the same bytes.
func compare(t *testing.T, a, b string) {
	t.Helper()
	covered := 0
	err := filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch name := d.Name(); {
		case strings.HasSuffix(name, ".arrow"), name == "games.pgn", name == store.ManifestName, name == store.RunResultName, name == fitName:
		default:
			return nil
		}
		covered++
		rel, err := filepath.Rel(a, path)
		if err != nil {
			return err
		}
		x, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, rel))
		if err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if covered < 15 {
		t.Errorf("only %d files were compared", covered)
	}
}

func TestCompleteRunAnswersAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	first, err := Run(context.Background(), config(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	c := config(dir, 2)
	c.Stage = func(name string) StageProgress {
		t.Errorf("a complete run began %s", name)
		return silent{}
	}
	second, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if first.Champion != second.Champion || first.Final.Elo != second.Final.Elo || len(second.Terms) != len(first.Terms) {
		t.Errorf("the answers differ: %+v and %+v", first.Champion, second.Champion)
	}
}

// TestChampionPlaysItsWeights checks that a promoted file is what the result says and
// that its pedigree leads back to the start weights.
func TestChampionPlaysItsWeights(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r, err := Run(context.Background(), config(dir, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Generations {
		f, err := models.Load(filepath.Join(dir, folder(g.Number), weightsName))
		if err != nil {
			t.Fatal(err)
		}
		if f.ID() != g.Fit.ID || f.Provenance.Games == 0 || f.Provenance.Parent == "" || len(f.Provenance.Data) != g.Number {
			t.Errorf("generation %d: file %s, pedigree %+v, the fit says %s", g.Number, f.ID(), f.Provenance, g.Fit.ID)
		}
	}
	if len(r.Terms) == 0 || len(r.Pieces) != 5 || r.Final.Games != 8 || r.K <= 0 {
		t.Errorf("the result is not whole: %d terms, %d pieces, %d games, K %v", len(r.Terms), len(r.Pieces), r.Final.Games, r.K)
	}
}

func TestChangedPlanIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, config(dir, 1)); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled run: %v", err)
	}
	c := config(dir, 1)
	c.Plan.Generations[1].Games++
	var changed *store.ConfigChangedError
	if _, err := Run(context.Background(), c); !errors.As(err, &changed) || changed.Field != "plan.generations[1].games" {
		t.Errorf("another plan in the same folder: %v", err)
	}
}

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		verdict string
		same    bool
		want    bool
	}{
		{match.AcceptH1, false, true},
		{match.AcceptH1, true, false},
		{match.AcceptH0, false, false},
		{match.Undecided, false, false},
	} {
		if got, reason := decide(&match.Result{Verdict: test.verdict}, test.same); got != test.want || reason == "" {
			t.Errorf("decide(%s, %v) = %v, %q", test.verdict, test.same, got, reason)
		}
	}
}

func TestPlanCheck(t *testing.T) {
	for name, spoil := range map[string]func(*Plan){
		"no generations": func(p *Plan) { p.Generations = nil },
		"one game":       func(p *Plan) { p.Generations[0].Games = 1 },
		"no nodes":       func(p *Plan) { p.Generations[0].Nodes = 0 },
		"lambda":         func(p *Plan) { p.Generations[1].Lambda = 1.5 },
		"odd gate":       func(p *Plan) { p.Generations[1].Gate.Games = 7 },
		"empty gate":     func(p *Plan) { p.Generations[1].Gate.Elo1 = 0 },
		"odd final":      func(p *Plan) { p.Final.Games = 401 },
	} {
		p := tiny()
		spoil(&p)
		if err := p.check(); !errors.Is(err, ErrPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := tiny()
	if err := p.check(); err != nil {
		t.Error(err)
	}
}
