package tuner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
	"github.com/assay-chess/assay/tuner/stats"
)

// benchSets are evaluations of the same 600 coefficients: Ethereal 12's formula, and a linear
// one of the same terms.
func benchSets() (linear, bent dataset.FeatureSet) {
	tapered := func(s *dataset.FeatureSet, channel string, n int) {
		for i := range n {
			s.Terms = append(s.Terms, dataset.FeatureTerm{Name: fmt.Sprintf("%s.%d", channel, i), Channel: channel,
				MG: float64(10 + i%7), EG: float64(12 + i%5)})
		}
	}
	bent = dataset.FeatureSet{Version: 2, Model: "ethereal", Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2},
		Bend: dataset.Bend{
			Channels: []dataset.Channel{{Name: "main", Kind: dataset.TaperedChannel},
				{Name: "danger", Kind: dataset.TaperedChannel, Sides: true}, {Name: "complexity", Kind: dataset.PlainChannel}},
			Columns: []dataset.Column{{Name: "f", Sides: true}},
			Formula: `let m = main.mg - balance(danger.mg*max(danger.mg,0)//720); let e0 = main.eg - balance(max(danger.eg,0)//20);
			let e = e0 + sign(e0)*max(complexity, -abs(e0)); value = m*phase + e*(1-phase)*if(e<0, f.black, f.white)`,
		}}
	tapered(&bent, "main", 285)
	tapered(&bent, "danger", 12)
	for i := range 6 {
		bent.Terms = append(bent.Terms, dataset.FeatureTerm{Name: fmt.Sprintf("complexity.%d", i), Channel: "complexity",
			MG: -3, EG: -3})
	}
	linear = synthetic.LinearSet(1)
	linear.Float, linear.Terms = false, nil
	for _, t := range bent.Terms {
		if t.Channel == "complexity" {
			t.Kind = dataset.SingleTerm
		}
		t.Channel = ""
		linear.Terms = append(linear.Terms, t)
	}
	return linear, bent
}

// straight are the same rows with the counts of both sides together.
func straight(data []dataset.FeatureRow) []dataset.FeatureRow {
	var out []dataset.FeatureRow
	for _, r := range data {
		counts := slices.Clone(r.Counts)
		for i, black := range r.Blacks {
			counts[i] -= black
		}
		r.Counts, r.Blacks, r.Columns = counts, nil, nil
		out = append(out, r)
	}
	return out
}

// benchRows are rows of about 35 terms, with results by chance: only the time counts.
func benchRows(set dataset.FeatureSet, n int) []dataset.FeatureRow {
	r := rand.New(rand.NewPCG(8, 9))
	var out []dataset.FeatureRow
	for i := range n {
		row := dataset.FeatureRow{Phase: float32(r.IntN(25)) / 24, Scale: 1, EGScale: 1, Eval: dataset.NoEval,
			Score: dataset.NoScore, Weight: 1, Game: uint64(i/70 + 1), Result: float32(r.IntN(3)) / 2}
		for t := range set.Terms {
			c := set.ChannelOf(&set.Terms[t])
			if rare := c == 0; rare && r.IntN(9) != 0 {
				continue
			}
			row.Terms, row.Counts = append(row.Terms, uint16(t)), append(row.Counts, float32(1+r.IntN(2)))
			if set.BySides() {
				black := float32(0)
				if set.Channels[c].Sides {
					black = float32(r.IntN(3))
				} else if r.IntN(2) == 0 {
					row.Counts[len(row.Counts)-1] *= -1
				}
				row.Blacks = append(row.Blacks, black)
			}
		}
		for range set.Numbers() {
			row.Columns = append(row.Columns, 0.5+0.5*float32(r.IntN(2)))
		}
		out = append(out, row)
	}
	return out
}

// BenchmarkBentStep is the processor time of what a step of the fit takes, for evaluations of
// as many coefficients and rows.
func BenchmarkBentStep(b *testing.B) {
	linear, bent := benchSets()
	const n = 40_000
	data := benchRows(bent, n)
	for _, c := range []struct {
		name string
		set  dataset.FeatureSet
		rows []dataset.FeatureRow
		keep bool
	}{{"linear", linear, straight(data), false}, {"linear by formula", linear, straight(data), true}, {"bent", bent,
		data, false}} {
		s := bentStore(b, c.set, c.rows, c.keep)
		terms := rows.TermsOfFeatures(c.set)
		p := &objective.Problem{Store: s, K: 0.004, Target: objective.Targets(s, 1, 0)}
		for _, k := range s.Chunks {
			w := make([]float32, k.Rows)
			for i := range w {
				w[i] = 1
			}
			p.Omega = append(p.Omega, w)
		}
		tau := make([]float64, len(terms))
		for i := range tau {
			tau[i] = 10
		}
		params := objective.NewParams(terms, objective.StartOf(terms), make([]bool, len(terms)), tau, leaders(len(terms)))
		ctx := context.Background()
		theta, g := make([]float64, params.N), make([]float64, params.N)
		clusters := s.Clusters()
		for name, work := range map[string]func(o *objective.Penalized) error{
			"value":    func(o *objective.Penalized) error { _, err := o.Gradient(ctx, theta, nil); return err },
			"gradient": func(o *objective.Penalized) error { _, err := o.Gradient(ctx, theta, g); return err },
			"matrix":   func(o *objective.Penalized) error { _, err := o.Curvature(ctx, theta); return err },
			"statistics": func(o *objective.Penalized) error {
				v, err := stats.NewCovariance(ctx, o, clusters, theta, stats.Final)
				if err == nil {
					err = v.Finish(ctx)
				}
				return err
			},
		} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				least := math.Inf(1)
				for b.Loop() {
					from := cpuSeconds()
					if err := work(objective.New(p, params, 10)); err != nil {
						b.Fatal(err)
					}
					least = min(least, cpuSeconds()-from)
				}
				b.ReportMetric(least*1e9/n, "cpu-ns/row")
				b.ReportMetric(float64(params.N), "coefficients")
			})
		}
	}
}
