package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/rows"
)

// speedJSON is what assay tune --bench --json prints for each number of threads.
type speedJSON struct {
	Threads         int     `json:"threads"`
	CopyGB          float64 `json:"copy_gb_per_second"`
	NonzerosPerSec  float64 `json:"nonzeros_per_second"`
	StreamGB        float64 `json:"gradient_gb_per_second"`
	GradientSeconds float64 `json:"gradient_seconds"`
	NonzerosPerCPU  float64 `json:"nonzeros_per_cpu_second"`
	PairsPerSec     float64 `json:"pairs_per_second"`
	PairsPerCPU     float64 `json:"pairs_per_cpu_second"`
	HessianSeconds  float64 `json:"hessian_seconds"`
}

// benchTune measures the passes of a fit over the data.
func benchTune(ctx context.Context, s *rows.Store, terms []rows.Term, asJSON bool, stdout io.Writer) error {
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
			list = append(list, speedJSON{v.Workers, v.Copy, v.Nonzeros, v.Stream, v.GradientSeconds, v.NonzerosCPU, v.Pairs, v.PairsCPU, v.HessianSeconds})
		}
		return printJSON(stdout, map[string]any{"rows": s.Rows(), "nonzeros": s.Entries(), "bytes_per_row": bytes, "passes": list})
	}
	fmt.Fprintf(stdout, "%d positions, %d nonzeros (%.1f a position), %.1f bytes a position\n\n", s.Rows(), s.Entries(), float64(s.Entries())/float64(s.Rows()), bytes)
	fmt.Fprintf(stdout, "%7s %33s %12s %12s %29s\n", "threads", "gradient pass, G nonzeros/s", "takes in", "plain copy", "Hessian build, G pairs/s")
	for _, v := range speeds {
		fmt.Fprintf(stdout, "%7d %8.3f (a core %6.3f) %6.1f ms %7.2f GB/s %7.2f GB/s %8.3f (a core %5.3f) %5.0f ms\n", v.Workers,
			v.Nonzeros/1e9, v.NonzerosCPU/1e9, 1000*v.GradientSeconds, v.Stream, v.Copy, v.Pairs/1e9, v.PairsCPU/1e9, 1000*v.HessianSeconds)
	}
	_, err = io.WriteString(stdout, benchLegend)
	return err
}

const benchLegend = `
The best of several passes. "A core" is by processor time, which a busy machine does not
change. A plain copy counts what it reads and what it writes; the gradient pass counts what
it takes in of the data, once, and reads the entries a second time from the cache.
`
