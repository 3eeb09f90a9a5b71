package tuner

import (
	"context"
	"fmt"
	"testing"

	"github.com/assay-chess/assay/eval"
)

// BenchmarkFit is a whole fit of the assay model to 100,000 real positions,
// statistics included, the two wings of tables told apart and not.
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
	benchPass(b, func(b *testing.B, p *problem, w halves) {
		if _, err := p.gradient(context.Background(), w, newHalves(p.s.terms)); err != nil {
			b.Fatal(err)
		}
	}, func(s *Store) (float64, string) { return float64(s.Entries()), "Gnonzeros/s" })
}

// BenchmarkCurvature states pairs of nonzeros a second of the Hessian build.
func BenchmarkCurvature(b *testing.B) {
	benchPass(b, func(b *testing.B, p *problem, w halves) {
		if _, err := p.gram(context.Background(), w, curvatureWeight); err != nil {
			b.Fatal(err)
		}
	}, func(s *Store) (float64, string) {
		pairs := 0.0
		for _, c := range s.chunks {
			for _, r := range c.runs {
				e := float64(r.length)
				pairs += float64(r.rows) * e * (e + 1) / 2
			}
		}
		return pairs, "Gpairs/s"
	})
}

func benchPass(b *testing.B, pass func(*testing.B, *problem, halves), work func(*Store) (float64, string)) {
	s, terms := realStore(b, "assay", 200000, 0)
	omega, _ := s.split(s.cluster(), 0, 0)
	n, unit := work(s)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			p := &problem{s: s, k: 0.004, target: s.targets(1, 0), omega: omega, workers: workers}
			w := startOf(terms)
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
	rows := realPositions(b, 100000)
	m, err := eval.Lookup("assay")
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		s, err := BuildStore(context.Background(), m, []Source{sliceSource(rows)}, 0, nil)
		if err != nil || s.Rows() != len(rows) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
