package learn

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/roster"
)

// tiny is a plan that a test can afford: a model of few terms, few games of few nodes. Its
// gates ask only that the new weights are not hopeless, so that everything is promoted.
// The second generation has settings of its own.
func tiny() Plan {
	p := DefaultPlan(2, 16, 40, 5)
	p.Model, p.From, p.Opponent = "shannon-1950", "shannon-1950", "assay-start"
	p.Final.Games = 4
	for i := range p.Generations {
		g := &p.Generations[i].Gate
		g.Elo0, g.Elo1, g.Games = -900, -500, 30
	}
	last := &p.Generations[1]
	last.Keep, last.Decay, last.Prior, last.Filter.MaxPerGame = 2, 0.25, 0.5, 20
	return p
}

func config(dir string, workers int) Config {
	return Config{Place: selfplay.Place{Out: dir, Resume: "again", Open: roster.Open, Concurrency: workers},
		Program: "test",
		Plan:    tiny(),
		Stage:   func(string) StageProgress { return silent{} }}
}

type silent struct{}

func (silent) Update(int64, int64, string) {}
func (silent) Finish(string)               {}

// wholeDir is the folder of a run of tiny that no one interrupted. Tests share it and do
// not change it.
var wholeDir string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "learn")
	if err != nil {
		panic(err)
	}
	wholeDir = filepath.Join(dir, "whole")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// whole returns the result of the run in wholeDir.
var whole = sync.OnceValue(func() *Result { return setup.Must(Run(context.Background(), config(wholeDir, 1))) })

// TestInterruptedRunEndsWithTheSameBytes cancels a run at the start of each of its
// stages in turn, and compares its files with a run's on another number of workers
// that was never canceled.
func TestInterruptedRunEndsWithTheSameBytes(t *testing.T) {
	want, broken := whole(), filepath.Join(t.TempDir(), "broken")
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
	compare(t, wholeDir, broken)
}

// compare checks that the files which promise 2 covers have the same bytes.
func compare(t *testing.T, a, b string) {
	t.Helper()
	covered := 0
	setup.Check(t, filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch name := d.Name(); {
		case strings.HasSuffix(name, ".arrow"), name == "games.pgn", name == durable.ManifestName,
			name == durable.RunResultName, name == FitName:
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
	}))
	if covered < 15 {
		t.Errorf("only %d files were compared", covered)
	}
}

func TestCompleteRunAnswersAgain(t *testing.T) {
	first := whole()
	c := config(wholeDir, 2)
	c.Stage = func(name string) StageProgress {
		t.Errorf("a complete run starts stage %s", name)
		return silent{}
	}
	second := setup.Must(Run(context.Background(), c))
	if first.Champion != second.Champion || first.Final.Score != second.Final.Score ||
		len(second.Terms) != len(first.Terms) {
		t.Errorf("the answers differ: %+v and %+v", first.Champion, second.Champion)
	}
}

// TestChampionPlaysItsWeights checks that a promoted file is what the result says and
// that its pedigree leads back to the start weights.
func TestChampionPlaysItsWeights(t *testing.T) {
	r := whole()
	parent := r.Start.ID
	for _, g := range r.Generations {
		f := setup.Must(models.Load(filepath.Join(wholeDir, Folder(g.Number), weightsName)))
		if f.ID() != g.Fit.ID || f.Provenance.Games == 0 || f.Provenance.Parent != parent ||
			len(f.Provenance.Data) != g.Number {
			t.Errorf("generation %d: file %s, pedigree %+v, the fit says %s", g.Number, f.ID(), f.Provenance, g.Fit.ID)
		}
		if !g.Promoted {
			t.Fatalf("generation %d was not promoted: %s", g.Number, g.Reason)
		}
		parent = g.Fit.ID
	}
	if r.Champion.ID != parent || r.Champion.Generation != 2 || r.Learned != r.Champion {
		t.Errorf("the champion is %+v, want generation 2's %s", r.Champion, parent)
	}
	for what, m := range map[string]*match.Result{"assay:" + r.Opponent.ID: r.Final,
		"assay:" + r.Start.ID: r.FromStart} {
		if m == nil || m.IDA != "assay:"+parent || m.IDB != what || m.A != "gen-2" {
			t.Errorf("the match against %s is %+v", what, m)
		}
	}
	if len(r.Terms) == 0 || r.Final.Games != 4 || r.K <= 0 {
		t.Errorf("the result is not whole: %d terms, %d games, K %v", len(r.Terms), r.Final.Games, r.K)
	}
}

var update = flag.Bool("update", false, "rewrite testdata")

// TestSmallRun compares the weights of a small run of the default plan with testdata. They
// change only with the search, the evaluation, the games, the filters or the fit.
// Floating-point sums are the same on all amd64 machines.
func TestSmallRun(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the weights were fitted on amd64")
	}
	c := config(filepath.Join(t.TempDir(), "run"), 0)
	c.Program = "assay 0.1.0 bench 2827645" // part of the games' ids, which split them
	c.Plan = DefaultPlan(2, 10, 100, 3)
	c.Plan.Final.Games = 2
	for i := range c.Plan.Generations {
		c.Plan.Generations[i].Gate.Games = 2 // which no weights pass, as with 200 games
	}
	r := setup.Must(Run(context.Background(), c))
	got := r.Start.ID + "\n"
	for _, g := range r.Generations {
		got += g.Fit.ID + "\n"
	}
	golden := filepath.Join("testdata", "small-run.txt")
	if *update {
		setup.Check(t, os.WriteFile(golden, []byte(got), 0o666))
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("the weights are\n%swant\n%s%v (go test ./tuner/learn -run SmallRun -update rewrites them)", got, want, err)
	}
}

// TestNothingPromoted checks that weights which fail their gate are reported and do not
// become champion.
func TestNothingPromoted(t *testing.T) {
	c := config(filepath.Join(t.TempDir(), "run"), 2)
	c.Plan.Generations = c.Plan.Generations[:1]
	c.Plan.Generations[0].Gate = gate{Elo0: 500, Elo1: 900, Alpha: 0.05, Beta: 0.05, Games: 40, Nodes: 60}
	r := setup.Must(Run(context.Background(), c))
	if r.Generations[0].Promoted || r.Champion != r.Start || r.FromStart != nil || r.Final.IDA != "assay:"+r.Start.ID ||
		r.Final.A != "start" {
		t.Errorf("champion %+v after %s", r.Champion, r.Generations[0].Reason)
	}
	if r.Learned.ID != r.Generations[0].Fit.ID || len(r.Terms) == 0 {
		t.Errorf("shown are the weights %+v, want the last fit's", r.Learned)
	}
}

// TestPathsStayOutOfResults starts from a copy of the start weights under two paths.
func TestPathsStayOutOfResults(t *testing.T) {
	f := setup.Must(models.Embedded("shannon-1950"))
	text := setup.Must(f.Encode())
	var results [][]byte
	for _, name := range []string{"one.json", "two.json"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		setup.Check(t, os.WriteFile(path, text, 0o666))
		c := config(filepath.Join(dir, "run"), 2)
		c.Plan.Generations = c.Plan.Generations[:1]
		c.Plan.From = path
		setup.Must(Run(context.Background(), c))
		data := setup.Must(os.ReadFile(filepath.Join(dir, "run", durable.RunResultName)))
		results = append(results, data)
	}
	if !bytes.Equal(results[0], results[1]) {
		t.Error("the path of the start weights changed the result")
	}
}

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		verdict string
		low     num.Float
		same    bool
		want    bool
	}{
		{match.AcceptH1, -1, false, true},
		{match.AcceptH1, 1, true, false},
		{match.AcceptH0, 1, false, false},
		{match.Undecided, 0, false, false},
		{match.Undecided, 1, false, true},
	} {
		gate := &match.Result{Verdict: test.verdict}
		gate.EloLo = test.low
		if got := decide(gate, test.same); got.Promoted != test.want || got.Reason == "" {
			t.Errorf("decide(%s, %v) = %+v", test.verdict, test.same, got)
		}
	}
}
