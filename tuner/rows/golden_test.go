package rows_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestStores: the stores of positions and of the features of other engines, with every kind of term
// and factor, is what testdata has, in memory and on disk, from any number of workers.
func TestStores(t *testing.T) {
	for name, build := range map[string]func(b rows.Build) (*rows.Store, error){
		"positions": func(b rows.Build) (*rows.Store, error) {
			m, err := eval.Lookup("assay")
			if err != nil {
				return nil, err
			}
			second := synthetic.RandomPlay(6, 90, 2)
			second.Weight, second.TrainOnly = 0.5, true
			return b.Positions(t.Context(), m, []rows.Source{synthetic.RandomPlay(24, 120, 1), second})
		},
		"bent-positions": func(b rows.Build) (*rows.Store, error) {
			m, err := eval.Lookup("assay-bent")
			if err != nil {
				return nil, err
			}
			return b.Positions(t.Context(), m, []rows.Source{synthetic.RandomPlay(10, 100, 3)})
		},
		"linear": features(synthetic.MadeUpSet()),
		"sign":   features(signSet()),
		"sides":  features(sidesSet()),
	} {
		t.Run(name, func(t *testing.T) {
			for _, b := range []rows.Build{{Workers: 1}, {Workers: 3}, {Disk: t.TempDir()}} {
				s := setup.Must(build(b))
				var text synthetic.Text
				describe(t, &text, s)
				text.Golden(t, name+".txt", *update)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// describe writes what passes over a store see.
func describe(t *testing.T, text *synthetic.Text, s *rows.Store) {
	text.Add(
		"rows, terms, games, without a game, entries, without a score",
		float64(s.Rows()), float64(s.Terms()), float64(s.Games()), float64(s.Gameless()), float64(s.Entries()),
		float64(s.Unscored()))
	for i, c := range s.Chunks {
		var list []float64
		mixed := 0.0
		if c.Mixed() {
			mixed = 1
		}
		for j := range c.Rows {
			mg, eg := c.Factors(j)
			list = append(list, mg, eg, c.ScaleOf(j), float64(c.ScoreOf(j)), float64(c.WeightOf(j)), float64(c.PhaseOf(j)),
				float64(c.Result[j]), float64(c.Game[j]))
			if c.Offset != nil {
				list = append(list, float64(c.Offset[j]))
			}
		}
		text.Add(fmt.Sprintf("chunk %d: rows, runs, wide, mixed", i), float64(c.Rows), float64(len(c.Runs)),
			float64(len(c.Wide)), mixed)
		text.Sums("values", list)
	}
	var entries []float64
	setup.Check(t, s.EachRow(t.Context(), func(chunk, row int, list []rows.Entry) {
		for _, e := range list {
			entries = append(entries, float64(chunk), float64(row), float64(e.Term), float64(e.Count))
		}
	}))
	text.Sums("entries", entries)
	clusters := s.Clusters()
	omega, held := s.Split(clusters, 0.25, 7)
	seen, typical, err := s.CountTerms(t.Context(), omega)
	setup.Check(t, err)
	text.Sums("seen", floats(seen))
	text.Sums("typical", typical)
	fold, folds := clusters.Folds(3, 5)
	text.Add("clusters, folds", float64(clusters.N()), float64(folds))
	text.Sums("fold", floats(fold))
	text.Sums("of", floats(clusters.Of))
	var at []float64
	for i, is := range held {
		if is {
			at = append(at, float64(i))
		}
	}
	text.Add("held", at...)
	for _, o := range omega {
		text.Sums("omega", floats(o))
	}
	if s.Seen != nil {
		text.Sums("seen by side", floats(s.Seen))
	}
}

func floats[T float32 | int | int64 | uint32](list []T) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out
}

// TestBadRows: rows beyond a limit are refused, a row at its limits is taken.
func TestBadRows(t *testing.T) {
	nan, b, good := float32(math.NaN()), rows.NewBuilder(2), int64(0)
	for _, tt := range []struct {
		row rows.Row
		ok  bool
	}{
		{rows.Row{Phase: rows.MaxPhase, Weight: 1}, true},
		{rows.Row{Phase: rows.MaxPhase + 1, Weight: 1}, false},
		{rows.Row{Phase: rows.OwnFactors, MG: 1000, EG: -1000, Weight: 1}, true},
		{rows.Row{Phase: rows.OwnFactors, MG: 1000.1, Weight: 1}, false},
		{rows.Row{Phase: rows.OwnFactors, EG: -1000.1, Weight: 1}, false},
		{rows.Row{Result: 1, Weight: 1}, true},
		{rows.Row{Result: 1.01, Weight: 1}, false},
		{rows.Row{Result: nan, Weight: 1}, false},
		{rows.Row{Weight: -1}, false},
		{rows.Row{Weight: nan}, false},
		{rows.Row{Scale: nan, Weight: 1}, false},
		{rows.Row{Offset: float32(math.Inf(1)), Weight: 1}, false},
		{rows.Row{Weight: 1, Entries: []rows.Entry{{Term: 1, Count: 1}, {Term: 0, Count: 1}}}, false},
		{rows.Row{Weight: 1, Entries: []rows.Entry{{Term: 1, Count: 1}, {Term: 1, Count: 1}}}, false},
		{rows.Row{Weight: 1, Entries: []rows.Entry{{Term: 2, Count: 1}}}, false},
		{rows.Row{Weight: 1, Entries: []rows.Entry{{Term: 1, Count: 0}}}, false},
	} {
		if tt.row.Score = rows.NoScore; tt.row.Scale == 0 {
			tt.row.Scale = 1
		}
		if err := b.Add(&tt.row); (err == nil) != tt.ok || !tt.ok && !errors.Is(err, rows.ErrRow) {
			t.Errorf("%+v: %v", tt.row, err)
		}
		if tt.ok {
			good++
		}
	}
	if s := synthetic.Finish(t, b); int64(s.Rows()) != good {
		t.Errorf("%d rows kept, want the %d good ones", s.Rows(), good)
	}
}

// features returns a build of rows of a set.
func features(set dataset.FeatureSet) func(rows.Build) (*rows.Store, error) {
	return func(b rows.Build) (*rows.Store, error) {
		return b.Features(
			context.Background(),
			set,
			[]rows.FeatureSource{{Name: "made up", Rows: synthetic.Seq(synthetic.MadeUp(set, 60))}},
		)
	}
}

func signSet() dataset.FeatureSet {
	s := synthetic.MadeUpSet()
	s.EGScale = "sign"
	return s
}

func sidesSet() dataset.FeatureSet {
	s := synthetic.MadeUpSet()
	s.BySide = true
	return s
}

// TestSignChanges counts rows whose endgame half favors the other side under other weights.
func TestSignChanges(t *testing.T) {
	set := signSet()
	s := setup.Must(features(set)(rows.Build{}))
	linear := rows.NewLinear(set)
	terms := rows.TermsOfFeatures(set)
	before, after := make([]float64, len(terms)), make([]float64, len(terms))
	var text synthetic.Text
	for i, term := range terms {
		before[i], after[i] = term.EG, term.EG*float64(i%3-1)
		text.Add(
			fmt.Sprintf("%s, group %s, twin %d, tapered %v, fixed %v", term.Name, term.Group, term.Mirror, term.Tapered,
				term.Fixed), term.MG, term.EG)
	}
	changes, err := linear.SignChanges(t.Context(), s, before, after)
	if err != nil || changes == nil {
		t.Fatal(changes, err)
	}
	same, err := linear.SignChanges(t.Context(), s, before, before)
	if err != nil || same.Changed != 0 {
		t.Error("the same weights change signs: ", same, err)
	}
	text.Add("rows, changed", float64(changes.Rows), float64(changes.Changed))
	text.Golden(t, "signs.txt", *update)
}

// TestDisk: a store on disk gives the same fit, to the last bit, as one in
// memory; it leaves nothing behind; and a file cut short is an error.
func TestDisk(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	syn := synthetic.Games{Games: 400, Rows: 40, Terms: 30, PerRow: 8, Shared: 0.5, K: 0.006, Seed: 3}
	terms := syn.List(objective.NewTapered(syn.Terms))
	fit := func(s *rows.Store) string {
		c := tuner.NewConfig()
		c.K = syn.K
		r := setup.Must(tuner.Fit(ctx, s, terms, c))
		return fmt.Sprintf("%+v", *r)
	}
	b := setup.Must(rows.NewDiskBuilder(syn.Terms, dir))
	disk, memory := syn.Fill(t, b), syn.Store(t)
	if disk.Bytes() >= memory.Bytes()*3/5 {
		t.Errorf("%d bytes with the entries on disk, %d without", disk.Bytes(), memory.Bytes())
	}
	if a, b := fit(memory), fit(disk); a != b {
		t.Errorf("fit from memory and from disk differ:\n%s\n%s", a, b)
	}
	setup.Check(t, disk.Truncate())
	if _, err := tuner.Fit(ctx, disk, terms, tuner.NewConfig()); err == nil {
		t.Error("no error from half a file")
	}
	setup.Check(t, disk.Close())
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v left behind", left)
	}
}

// TestWide: pairs of term and count beyond what a dictionary numbers are kept beside the rows and count the same, where
// rows stand in groups of equal phase and where they carry their own factors.
func TestWide(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 10, Terms: 12, PerRow: 5, K: 0.006, Seed: 6}
	terms, truth := syn.List(objective.NewTapered(syn.Terms)), syn.Truth()
	fit := func(mixed bool, limit int) *tuner.Result {
		b, r := rows.NewBuilder(syn.Terms), rand.New(rand.NewPCG(6, 6))
		b.LimitPairs(limit)
		for i := range syn.Games * syn.Rows {
			row := rows.Row{Entries: syn.Entries(r), Phase: 6 * (i % 5), Scale: 1, Weight: 1, Score: rows.NoScore,
				Game: uint64(i/syn.Rows + 1)}
			if r.Float64() < objective.Sigmoid(syn.K*synthetic.Evaluate(&row, truth)) {
				row.Result = 1
			}
			if mixed {
				row.MG = float32(row.Phase) / rows.MaxPhase
				row.Phase, row.EG = rows.OwnFactors, 1-row.MG
			}
			setup.Check(t, b.Add(&row))
		}
		s, wide := synthetic.Finish(t, b), 0
		for _, c := range s.Chunks {
			wide += len(c.Wide)
			if c.Mixed() != mixed {
				t.Fatalf("rows carry their factors: %v", c.Mixed())
			}
		}
		if n := len(s.Pairs()); n > limit || limit < rows.MaxPairs && wide < 1000 {
			t.Fatalf("%d pairs in a dictionary of %d, %d entries beside it", n, limit, wide)
		}
		c := tuner.NewConfig()
		c.K = syn.K
		return setup.Must(tuner.Fit(context.Background(), s, terms, c))
	}
	want := fit(false, rows.MaxPairs)
	for _, tt := range []struct {
		mixed  bool
		limit  int
		within float64
	}{{false, 0, 1e-6}, {false, 7, 1e-6}, {false, 30, 1e-6}, {true, 0, 1e-5}, {true, 7, 1e-5}} {
		got := fit(tt.mixed, tt.limit)
		for i, x := range got.Terms {
			y := want.Terms[i]
			for _, d := range []float64{
				x.FitMG - y.FitMG, x.FitEG - y.FitEG, float64(x.SEMG - y.SEMG), float64(x.NaiveEG - y.NaiveEG),
				x.EffectiveGames - y.EffectiveGames,
			} {
				if !(math.Abs(d) < tt.within) {
					t.Fatalf("%+v: %+v, want %+v", tt, x, y)
				}
			}
			if x.Count != y.Count {
				t.Errorf("%+v: %d rows, want %d", tt, x.Count, y.Count)
			}
		}
	}
}
