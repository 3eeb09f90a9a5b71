//go:build unix

package cluster_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/roster"
)

// run plays n units that cost nothing.
func run(t testing.TB, k *coordinator.Coordinator, n int) {
	t.Helper()
	jobs, results, ended := make(chan selfplay.Task), make(chan selfplay.Result), make(chan error, 1)
	go func() { ended <- k.Run(t.Context(), jobs, results) }()
	sent, got, most := 0, 0, 8192
	for got < n {
		send := jobs
		if sent == n || sent-got >= most {
			send = nil
		}
		select {
		case send <- &selfplay.Job{Number: uint64(sent), Start: mated, Seed: uint64(sent)}:
			sent++
		case <-results:
			got++
		case err := <-ended:
			t.Fatal(err)
		}
	}
	close(jobs)
	setup.Check(t, <-ended)
}

// BenchmarkEmptyUnits measures how many units a coordinator, its server with its files and its workers handle in one
// process, a second and a processor second. The units cost nothing to play.
func BenchmarkEmptyUnits(b *testing.B) {
	for _, workers := range []int{4, 200} {
		b.Run(fmt.Sprint(workers, "-workers"), func(b *testing.B) {
			s := serve(b, coordinator.ServerConfig{})
			k := newCoordinator(b, s, coordinator.Config{Lease: coordinator.DefaultLease, CheckEvery: time.Minute,
				ReplayShare: coordinator.DefaultReplayShare})
			ctx, stop := context.WithCancel(b.Context())
			crowded := make(chan struct{})
			go func() { crowd(ctx, s.URL(), workers, 512/workers, b.TempDir()); close(crowded) }()
			run(b, k, 1000) // until workers are there
			b.ResetTimer()
			used := processor(b)
			run(b, k, b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "units/s")
			b.ReportMetric(float64(b.N)/(processor(b)-used).Seconds(), "units/cpu-s")
			stop()
			<-crowded
		})
	}
}

// crowd runs many workers in this process.
func crowd(ctx context.Context, url string, n, cores int, library string) {
	var all sync.WaitGroup
	for i := range n {
		w := &worker.Worker{Access: wire.Access{URL: url, Name: fmt.Sprint("w", i)}, Open: roster.Open,
			Program: program, Cores: cores, Library: library}
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				fmt.Println(w.Access.Name, err)
			}
		})
	}
	all.Wait()
}

// processor returns the processor time of this process.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	setup.Check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkThousandIdleWorkers states the memory of the server, the coordinator and a thousand idle workers in one
// process, and their processor time and traffic a second.
func BenchmarkThousandIdleWorkers(b *testing.B) {
	s := serve(b, coordinator.ServerConfig{})
	k := newCoordinator(b, s, coordinator.Config{Lease: coordinator.DefaultLease, CheckEvery: time.Minute})
	jobs, results := make(chan selfplay.Task), make(chan selfplay.Result)
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() { _ = k.Run(ctx, jobs, results); close(ended) }()
	crowded := make(chan struct{})
	go func() { crowd(ctx, s.URL(), 1000, 1, b.TempDir()); close(crowded) }()
	for k.Parallel() < 1000 && b.Context().Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(5 * time.Second)
	nc := setup.Must(s.Connect())
	defer nc.Close()
	var bytes, messages atomic.Int64
	if _, err := nc.Subscribe(">", func(m *nats.Msg) { bytes.Add(int64(m.Size())); messages.Add(1) }); err != nil {
		b.Fatal(err)
	}
	const span = 30 * time.Second
	b.ResetTimer()
	for b.Loop() {
		used, before, count := processor(b), bytes.Load(), messages.Load()
		time.Sleep(span)
		b.ReportMetric((processor(b)-used).Seconds()/span.Seconds(), "cores")
		b.ReportMetric(float64(bytes.Load()-before)/span.Seconds(), "bytes/s")
		b.ReportMetric(float64(messages.Load()-count)/span.Seconds(), "messages/s")
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapInuse+m.StackInuse)/1e6, "MB")
	stop()
	<-ended
	<-crowded
}
