package rows_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

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

// TestWide: pairs of term and count beyond what a dictionary numbers are kept
// beside the rows and count the same.
func TestWide(t *testing.T) {
	ctx := context.Background()
	syn := synthetic.Games{Games: 200, Rows: 20, Terms: 12, PerRow: 5, K: 0.006, Seed: 5}
	terms := syn.List(objective.NewTapered(syn.Terms))
	fit := func(limit int) *tuner.Result {
		b := rows.NewBuilder(syn.Terms)
		b.LimitPairs(limit)
		s := syn.Fill(t, b)
		if n := len(s.Pairs()); n > limit {
			t.Fatalf("%d pairs in a dictionary of %d", n, limit)
		}
		c := tuner.NewConfig()
		c.K = syn.K
		r := setup.Must(tuner.Fit(ctx, s, terms, c))
		return r
	}
	want := fit(rows.MaxPairs)
	for _, limit := range []int{0, 7, 30} {
		got := fit(limit)
		for i, x := range got.Terms {
			y := want.Terms[i]
			for _, d := range []float64{x.FitMG - y.FitMG, x.FitEG - y.FitEG, float64(x.SEMG - y.SEMG),
				float64(x.NaiveEG - y.NaiveEG)} {
				if d > 1e-6 || d < -1e-6 {
					t.Fatalf("%d pairs: %+v, want %+v", limit, x, y)
				}
			}
			if x.Count != y.Count {
				t.Errorf("%d pairs: %d rows, want %d", limit, x.Count, y.Count)
			}
		}
	}
}

// TestWideMixed: rows that carry their own factors, with pairs beyond the dictionary, give
// the fit of the same rows in groups of equal phase with a dictionary for all.
func TestWideMixed(t *testing.T) {
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
		if limit < rows.MaxPairs && wide < 1000 {
			t.Fatalf("only %d entries are beyond a dictionary of %d", wide, limit)
		}
		c := tuner.NewConfig()
		c.K = syn.K
		res := setup.Must(tuner.Fit(context.Background(), s, terms, c))
		return res
	}
	want := fit(false, rows.MaxPairs)
	for _, limit := range []int{0, 7} {
		got := fit(true, limit)
		for i, x := range got.Terms {
			y := want.Terms[i]
			for _, d := range []float64{
				x.FitMG - y.FitMG, x.FitEG - y.FitEG, float64(x.SEMG - y.SEMG), float64(x.NaiveEG - y.NaiveEG),
				x.EffectiveGames - y.EffectiveGames,
			} {
				if !(math.Abs(d) < 1e-5) {
					t.Fatalf("%d pairs: %+v, want %+v", limit, x, y)
				}
			}
			if x.Count != y.Count {
				t.Errorf("%d pairs: %d rows, want %d", limit, x.Count, y.Count)
			}
		}
	}
}
