package search

import (
	"context"
	"testing"
)

// A change here says that the engine plays differently than before: set Signature to
// what the test prints, and say in the commit what changed.
func TestSignature(t *testing.T) {
	r, err := Bench(context.Background(), evaluator(t, "assay"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d positions, %d nodes, %.0f nodes/s", r.Positions, r.Nodes, r.NPS())
	if r.Nodes != Signature {
		t.Errorf("bench visits %d nodes, the signature is %d", r.Nodes, Signature)
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{"assay", "shannon-1950"} {
		b.Run(name, func(b *testing.B) {
			ev := evaluator(b, name)
			var nodes, ns float64
			for b.Loop() {
				r, err := Bench(context.Background(), ev)
				if err != nil {
					b.Fatal(err)
				}
				nodes += float64(r.Nodes)
				ns += float64(r.Time)
			}
			b.ReportMetric(nodes/ns*1e9, "nodes/s")
		})
	}
}
