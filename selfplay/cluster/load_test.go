package cluster_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
)

// mated is a position in which the game is over: playing it costs nothing.
const mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"

// run plays n units that cost nothing.
func run(t testing.TB, k *coordinator.Coordinator, n int) {
	t.Helper()
	jobs, results, ended := make(chan selfplay.Job), make(chan selfplay.Result), make(chan error, 1)
	go func() { ended <- k.Run(t.Context(), jobs, results) }()
	sent, got, most := 0, 0, 8192
	for got < n {
		send := jobs
		if sent == n || sent-got >= most {
			send = nil
		}
		select {
		case send <- selfplay.Job{Number: uint64(sent), Start: mated, Seed: uint64(sent)}:
			sent++
		case <-results:
			got++
		case err := <-ended:
			t.Fatal(err)
		}
	}
	close(jobs)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// BenchmarkEmptyUnits measures the units/s of a coordinator with its server, its ledger on
// disk and its workers in one process. The units cost nothing to play. The limit is the time
// of a sync of the ledger, many units are under way at once.
func BenchmarkEmptyUnits(b *testing.B) {
	s, err := broker.Start(broker.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	k := coordinator.New(coordinator.Config{Dir: b.TempDir(), Connect: s.Connect, Open: roster.Open, Program: program})
	defer k.Close()
	ctx, stop := context.WithCancel(b.Context())
	var workers sync.WaitGroup
	defer func() { stop(); workers.Wait() }()
	for i := range 4 {
		w := &worker.Worker{Access: wire.Access{URL: s.URL(), Name: fmt.Sprint("worker", i)}, Open: roster.Open,
			Program: program, Cores: 128, Library: b.TempDir()}
		workers.Go(func() {
			if err := w.Run(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	run(b, k, 1000) // until all workers are there
	b.ResetTimer()
	run(b, k, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "units/s")
}

// crowd runs many workers in this process.
func crowd(ctx context.Context, url string, n int, library string) error {
	var all sync.WaitGroup
	for i := range n {
		w := &worker.Worker{Access: wire.Access{URL: url, Name: fmt.Sprint("w", i)}, Open: roster.Open,
			Program: program, Cores: 1, Library: library}
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				fmt.Fprintln(os.Stderr, w.Access.Name, err)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
