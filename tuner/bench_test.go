//go:build experiment

package tuner

import (
	"context"
	"fmt"
	"testing"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// BenchmarkFit is a whole fit of the assay model to 100,000 real positions,
// statistics included, the two wings of tables kept apart and not.
func BenchmarkFit(b *testing.B) {
	s, terms := realStore(b, "assay", 100000, 0)
	for _, tie := range []Tie{TieOn, TieOff} {
		b.Run(fmt.Sprintf("tied=%v", tie == TieOn), func(b *testing.B) {
			for range b.N {
				c := NewConfig()
				c.Tie = tie
				if _, err := Fit(context.Background(), s, terms, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGradient states nonzeros a second of the fused pass for value and
// gradient.
func BenchmarkGradient(b *testing.B) {
	benchPass(b, func(b *testing.B, p *objective.Problem, w objective.Tapered) {
		if _, err := p.Gradient(context.Background(), w, objective.NewTapered(p.Store.Terms())); err != nil {
			b.Fatal(err)
		}
	}, func(s *rows.Store) (float64, string) { return float64(s.Entries()), "Gnonzeros/s" })
}

// BenchmarkCurvature states pairs of nonzeros a second of the Hessian build.
func BenchmarkCurvature(b *testing.B) {
	benchPass(b, func(b *testing.B, p *objective.Problem, w objective.Tapered) {
		if _, err := p.Gram(context.Background(), w, objective.Curvature); err != nil {
			b.Fatal(err)
		}
	}, func(s *rows.Store) (float64, string) {
		pairs := 0.0
		for _, c := range s.Chunks {
			for _, r := range c.Runs {
				e := float64(r.Length)
				pairs += float64(r.Rows) * e * (e + 1) / 2
			}
		}
		return pairs, "Gpairs/s"
	})
}

func benchPass(b *testing.B, pass func(*testing.B, *objective.Problem, objective.Tapered),
	work func(*rows.Store) (float64, string)) {
	s, terms := realStore(b, "assay", 200000, 0)
	omega, _ := s.Split(s.Clusters(), 0, 0)
	n, unit := work(s)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			p := &objective.Problem{Store: s, K: 0.004, Target: objective.Targets(s, 1, 0), Omega: omega, Workers: workers}
			w := objective.StartOf(terms)
			b.ResetTimer()
			for range b.N {
				pass(b, p, w)
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
		})
	}
}

// BenchmarkBuild is the extraction of features into a store.
func BenchmarkBuild(b *testing.B) {
	positions := realPositions(b, 100000)
	m, err := eval.Lookup("assay")
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		s, err := rows.Build{}.Positions(context.Background(), m, []rows.Source{sliceSource(positions)})
		if err != nil || s.Rows() != len(positions) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(positions)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
