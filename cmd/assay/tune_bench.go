package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/assay-chess/assay/tuner"
)

// speedJSON is what assay tune --bench --json prints for each number of threads.
type speedJSON struct {
	Threads         int     `json:"threads"`
	CopyGB          float64 `json:"copy_gb_per_second"`
	NonzerosPerSec  float64 `json:"nonzeros_per_second"`
	StreamGB        float64 `json:"gradient_gb_per_second"`
	GradientSeconds float64 `json:"gradient_seconds"`
	PairsPerSec     float64 `json:"pairs_per_second"`
	HessianSeconds  float64 `json:"hessian_seconds"`
}

// benchTune measures the passes of a fit over the data.
func benchTune(ctx context.Context, s *tuner.Store, terms []tuner.Term, asJSON bool, stdout io.Writer) error {
	threads := []int{1}
	for n := 2; n <= runtime.GOMAXPROCS(0); n *= 2 {
		threads = append(threads, n)
	}
	speeds, err := tuner.Bench(ctx, s, terms, threads)
	if err != nil {
		return tuneAdvice(err)
	}
	bytes := float64(s.Bytes()) / float64(s.Rows())
	if asJSON {
		var list []speedJSON
		for _, v := range speeds {
			list = append(list, speedJSON{v.Workers, v.Copy, v.Nonzeros, v.Stream, v.GradientSeconds, v.Pairs, v.HessianSeconds})
		}
		return printJSON(stdout, map[string]any{"rows": s.Rows(), "nonzeros": s.Entries(), "bytes_per_row": bytes, "passes": list})
	}
	fmt.Fprintf(stdout, "%d positions, %d nonzeros (%.1f a position), %.1f bytes a position\n\n", s.Rows(), s.Entries(), float64(s.Entries())/float64(s.Rows()), bytes)
	fmt.Fprintf(stdout, "%7s %25s %12s %12s %25s\n", "threads", "gradient pass", "takes in", "plain copy", "Hessian build")
	for _, v := range speeds {
		fmt.Fprintf(stdout, "%7d %8.3f G nonzeros/s %5.1f ms %7.2f GB/s %7.2f GB/s %8.3f G pairs/s %5.0f ms\n", v.Workers, v.Nonzeros/1e9, 1000*v.GradientSeconds, v.Stream, v.Copy, v.Pairs/1e9, 1000*v.HessianSeconds)
	}
	_, err = io.WriteString(stdout, "\nBest of several passes in a second each. A plain copy counts what it reads and what it\nwrites; the gradient pass counts what it takes in of the data, once, and reads the\nentries a second time from the cache.\n")
	return err
}
