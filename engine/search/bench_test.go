package search

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

var rewrite = flag.Bool("update", false, "rewrite the signature")

// A failure means that the engine now plays differently. If that is intended, run the test
// with -update and say in the commit what changed.
func TestSignature(t *testing.T) {
	r := setup.Must(Bench(context.Background(), evaluator(t, models.Default), nil))
	t.Logf("%d positions, %d nodes, %.0f nodes/s", r.Positions, r.Nodes, r.NPS())
	if *rewrite {
		writeSignature(t, r.Nodes)
	} else if r.Nodes != Signature {
		t.Errorf("bench visits %d nodes, the signature is %d", r.Nodes, Signature)
	}
}

// writeSignature changes the constant in bench.go.
func writeSignature(t *testing.T, nodes uint64) {
	t.Helper()
	source := setup.Must(os.ReadFile("bench.go"))
	line := regexp.MustCompile(`(?m)^const Signature uint64 = \d+$`)
	if !line.Match(source) {
		t.Fatal("bench.go has no line that declares the signature")
	}
	source = line.ReplaceAll(source, fmt.Appendf(nil, "const Signature uint64 = %d", nodes))
	setup.Check(t, os.WriteFile("bench.go", source, 0o644))
}

func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{models.Default, "shannon-1950"} {
		b.Run(name, func(b *testing.B) {
			ev := evaluator(b, name)
			var nodes, ns float64
			for b.Loop() {
				r := setup.Must(Bench(context.Background(), ev, nil))
				nodes += float64(r.Nodes)
				ns += float64(r.Time)
			}
			b.ReportMetric(nodes/ns*1e9, "nodes/s")
		})
	}
}
