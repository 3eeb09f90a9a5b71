//go:build unix

package features

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRows measures rows a second of processor time, the engine's own included: the small
// engine in C with 213 terms, from positions to the data set.
func BenchmarkRows(b *testing.B) {
	data, rows := positions(b, 50_000)
	program := flint(b, "0")
	spent := func() (total time.Duration) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var u syscall.Rusage
			if err := syscall.Getrusage(who, &u); err != nil {
				b.Fatal(err)
			}
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		return total
	}
	b.ResetTimer()
	begin := spent()
	for range b.N {
		if _, err := Run(context.Background(), []string{data}, b.TempDir(), Config{Command: []string{program, "dump"},
			Procs: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(rows))/(spent()-begin).Seconds(), "rows/cpu-s")
}
