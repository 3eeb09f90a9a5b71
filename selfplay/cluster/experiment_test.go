//go:build experiment

package cluster_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
)

// TestThousandWorkers logs what the coordinator and its server need for a thousand workers,
// which are in another process: idle, and with work. It needs a quiet machine for a minute.
func TestThousandWorkers(t *testing.T) {
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
	t.Logf("the same with %.0f units/s, one at a time: %.0f MB resident, %.3f of a core", float64(count)/took,
		resident(t), (processor(t)-used).Seconds()/took)
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
