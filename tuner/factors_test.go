package tuner

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// phases256 returns positions of an engine whose phase has 256 steps: their predicted
// results are those of the true values under K, to the bit of a float32.
func phases256(n int, truth objective.Tapered, k float64, phase func(i int) float32) []dataset.FeatureRow {
	r := rand.New(rand.NewPCG(1, 256))
	var out []dataset.FeatureRow
	for i := range n {
		row := dataset.FeatureRow{Phase: phase(i), Scale: 1, Eval: dataset.NoEval, Score: dataset.NoScore, Weight: 1,
			Game: uint64(i/5 + 1)}
		x := 0.0
		for t := range truth.MG {
			if c := r.IntN(5) - 2; c != 0 {
				row.Terms, row.Counts = append(row.Terms, uint16(t)), append(row.Counts, float32(c))
				p := float64(row.Phase)
				x += float64(c) * (truth.MG[t]*p + truth.EG[t]*(1-p))
			}
		}
		row.Result = float32(objective.Sigmoid(k * x))
		out = append(out, row)
	}
	return out
}

// TestForeignPhases: any phase counts as it is. Phases of few values stand in chunks of
// their own, others carry their factors; both give the evaluations and the known values.
func TestForeignPhases(t *testing.T) {
	const k = 0.006
	ctx := context.Background()
	truth := objective.Tapered{MG: []float64{80, -30, 12}, EG: []float64{20, 50, 12.5}}
	set := dataset.FeatureSet{Model: "mine", Terms: []dataset.FeatureTerm{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	for _, tt := range []struct {
		name  string
		phase func(i int) float32
		mixed func(rows int) bool
	}{
		{"24 steps", func(i int) float32 { return float32(i%25) / 24 }, func(n int) bool { return n == 0 }},
		{"four of 256", func(i int) float32 { return float32(51*(i%4)+1) / 256 }, func(n int) bool { return n == 0 }},
		{"256 steps", func(i int) float32 { return float32(i*37%257) / 256 }, func(n int) bool { return n > 3000 }},
		{"all different", func(i int) float32 { return float32(i) / 4096 }, func(n int) bool { return n > 3000 }},
	} {
		features := phases256(4000, truth, k, tt.phase)
		s := setup.Must(rows.Build{}.Features(ctx, set, []rows.FeatureSource{featureSource(features)}))
		mixed := 0
		for _, c := range s.Chunks {
			if c.Mixed() {
				mixed += c.Rows
			}
		}
		if !tt.mixed(mixed) || s.Rows() != 4000 {
			t.Errorf("%s: %d of %d rows carry their factors", tt.name, mixed, s.Rows())
		}
		c := NewConfig()
		c.K, c.KeepScale, c.Valid, c.Design = k, true, 0, 1
		c.Prior = map[string]float64{"a": math.Inf(1), "b": math.Inf(1), "c": math.Inf(1)}
		r := setup.Must(Fit(ctx, s, rows.TermsOfFeatures(set), c))
		for i, x := range r.Terms {
			if math.Abs(x.FitMG-truth.MG[i]) > 1e-3 || math.Abs(x.FitEG-truth.EG[i]) > 1e-3 {
				t.Errorf("%s: %s is %v, %v, want %v, %v", tt.name, x.Name, x.FitMG, x.FitEG, truth.MG[i], truth.EG[i])
			}
		}
	}
}

// TestForeignPhaseExact: the score of a row with a phase of n/256 is the engine's, to the bit.
func TestForeignPhaseExact(t *testing.T) {
	truth := objective.Tapered{MG: []float64{80, -30, 12}, EG: []float64{20, 50, 13}} // sums of n/256 are exact
	features := phases256(1000, truth, 0.006, func(i int) float32 { return float32(i*37%257) / 256 })
	b := rows.NewBuilder(3)
	var want []float64
	for i, f := range features {
		row := rows.Row{Phase: rows.OwnFactors, MG: f.Phase, EG: 1 - f.Phase, Scale: 1, Weight: 1, Score: rows.NoScore,
			Game: uint64(i + 1)}
		for j, t := range f.Terms {
			row.Entries = append(row.Entries, rows.Entry{Term: t, Count: f.Counts[j]})
		}
		setup.Check(t, b.Add(&row))
		want = append(want, synthetic.Evaluate(&row, truth))
	}
	for i, x := range evaluations(t, synthetic.Finish(t, b), truth, 1) {
		if x != want[i] {
			t.Fatalf("row %d: %v, want %v", i, x, want[i])
		}
	}
}
