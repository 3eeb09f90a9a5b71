package main

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
)

func buildNullEngine(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "nullengine")
	if out, err := exec.Command("go", "build", "-o", path, "../../engine/uci/testdata/nullengine").CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

// BenchmarkRunner plays a match of 400 games between two engines that answer at once,
// two games at a time, kept on disk. It reports plies a second, the runner's own time
// of the processor a ply, and, against a bare loop that sends lines of the same length
// to a process that answers each with a short one, the share of its speed, by the clock
// and by all time of the processor that a line or a ply takes.
//
// Run it alone: go test ./cmd/assay -run '^$' -bench Runner -benchtime 1x
func BenchmarkRunner(b *testing.B) {
	path := buildNullEngine(b)
	for b.Loop() {
		before := allTime()
		echo := echoLoop(b, path, 100_000)
		echoCost := (allTime() - before).Seconds() / 200_000
		c := match.Config{Out: filepath.Join(b.TempDir(), "m"), A: selfplay.Entrant{Spec: "uci:" + path + " a"}, B: selfplay.Entrant{Spec: "uci:" + path + " b"},
			Limits: [2]selfplay.Limits{{Nodes: 1}, {Nodes: 1}}, Games: 400, OpeningScore: -1, Seed: 1, Open: roster.Open, Workers: 2}
		own, _, _ := processorTime()
		begun := time.Now()
		r, err := match.Run(b.Context(), c)
		if err != nil || r.Forfeits != [2]int64{} {
			b.Fatal(r, err)
		}
		plies := float64(r.Plies)
		speed := plies / time.Since(begun).Seconds()
		b.ReportMetric(speed, "plies/s")
		spent, _, _ := processorTime()
		b.ReportMetric(float64((spent-own).Microseconds())/plies, "own-µs/ply")
		b.ReportMetric(speed/echo, "of-echo")
		b.ReportMetric(echoCost/((allTime()-before).Seconds()/plies-echoCost*200_000/plies), "of-echo-by-cpu")
		b.ReportMetric(echo, "echo/s")
	}
}

// allTime is the time of the processor that this process and those that it has ended
// took. On a machine that others use too it is a better measure than the clock.
func allTime() time.Duration {
	own, children, _ := processorTime()
	return own + children
}

// echoLoop returns how many lines a second come back from four processes, of which two
// goroutines ask two each in turn: a match of two games at a time without the chess.
func echoLoop(b *testing.B, path string, lines int) float64 {
	b.Helper()
	line := "position startpos moves" + strings.Repeat(" e2e4", 100) + "\n"
	begun := time.Now()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			engines := [2]*echoEngine{startEcho(b, path), startEcho(b, path)}
			for i := range lines {
				e := engines[i%2]
				if _, err := io.WriteString(e.in, line); err != nil {
					b.Error(err)
				}
				if _, err := e.out.ReadSlice('\n'); err != nil {
					b.Error(err)
				}
			}
			for _, e := range engines {
				e.in.Close()
				if err := e.cmd.Wait(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return float64(2*lines) / time.Since(begun).Seconds()
}

type echoEngine struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startEcho(b *testing.B, path string) *echoEngine {
	cmd := exec.Command(path, "echo")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		b.Error(err)
	}
	return &echoEngine{cmd, in, bufio.NewReader(out)}
}
