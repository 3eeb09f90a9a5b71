package cluster_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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
// of a sync of the ledger, so many units are under way at once.
func BenchmarkEmptyUnits(b *testing.B) {
	s, err := broker.Start(broker.Config{Addr: "127.0.0.1:0", Dir: b.TempDir()})
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
		w := &worker.Worker{Access: wire.Access{URL: s.URL(), Name: fmt.Sprint("worker", i)}, Open: roster.Open, Program: program, Cores: 128, Library: b.TempDir()}
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
		w := &worker.Worker{Access: wire.Access{URL: url, Name: fmt.Sprint("w", i)}, Open: roster.Open, Program: program, Cores: 1, Library: library}
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				fmt.Fprintln(os.Stderr, w.Access.Name, err)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// TestThousandWorkers logs what the coordinator and its server need for a thousand workers,
// which are in another process: idle, and with work.
func TestThousandWorkers(t *testing.T) {
	if !*long {
		t.Skip("only with -long: it needs a quiet machine for a minute")
	}
	const n = 1000
	s := serve(t, broker.Config{})
	dir := t.TempDir()
	k := newCoordinator(t, s, coordinator.Config{Dir: dir, Lease: 30 * time.Second})
	jobs, results := make(chan selfplay.Job), make(chan selfplay.Result)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx, jobs, results) }()
	child := exec.Command(os.Args[0], s.URL(), strconv.Itoa(n), t.TempDir())
	child.Env = append(os.Environ(), roleEnv+"=crowd")
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	for started := time.Now(); k.Parallel() < n; time.Sleep(100 * time.Millisecond) {
		if time.Since(started) > 2*time.Minute {
			t.Fatalf("%d workers came", k.Parallel())
		}
	}
	time.Sleep(20 * time.Second) // until they are idle
	used := processor(t)
	time.Sleep(20 * time.Second)
	t.Logf("%d idle workers: %.0f MB resident, %.3f of a core", n, resident(t), (processor(t)-used).Seconds()/20)
	used = processor(t)
	started, count := time.Now(), 0
	for time.Since(started) < 20*time.Second {
		jobs <- selfplay.Job{Number: uint64(count), Start: mated, Seed: uint64(count)}
		<-results
		count++
		time.Sleep(time.Millisecond)
	}
	took := time.Since(started).Seconds()
	t.Logf("the same with %.0f units/s, one at a time: %.0f MB resident, %.3f of a core", float64(count)/took, resident(t), (processor(t)-used).Seconds()/took)
	stop()
	<-ended
}

// processor returns the processor time of this process.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident returns the resident memory of this process, in megabytes.
func resident(t *testing.T) float64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads memory from Linux's /proc")
	}
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1000
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
