package processtest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/engine/roster"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
)

// BenchmarkRunner plays a match of 400 games between two engines that answer at once,
// two games at a time, kept on disk. It reports plies a second, the runner's own time
// of the processor a ply, and its share of the speed of bare loops over pipes: of-loop
// against one loop that asks one of these engines for moves, and does nothing else;
// of-echo against two loops that send lines as long as a game's to two processes each in
// turn, which look at nothing and answer with a short line, and of-echo-by-cpu against
// the same by all time of the processor that a line or a ply takes.
//
// Run it alone: go test ./cmd/internal/app/processtest -run '^$' -bench Runner -benchtime 1x
func BenchmarkRunner(b *testing.B) {
	path := testengine.Build(b, "nullengine")
	for b.Loop() {
		game := "position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 25) + "\n"
		loop := pipeLoops(b, path, "engine", 1, 1, 100_000, game+"go nodes 1\n")
		before := allTime()
		echo := pipeLoops(b, path, "echo", 2, 2, 100_000, game)
		echoCost := (allTime() - before).Seconds() / 200_000
		c := match.Config{A: entrantOf(b, "uci:'"+path+"' a"), B: entrantOf(b, "uci:'"+path+"' b"),
			Games: 400, Setup: selfplay.Setup{Out: filepath.Join(b.TempDir(), "m"), Limits: selfplay.Limits{Nodes: 1},
				Check: selfplay.Check{MaxScore: -1},
				Seed:  1, Open: roster.Open, Concurrency: 2}}
		own, _, _ := cli.ProcessorTime()
		started := time.Now()
		r, err := match.Run(b.Context(), c)
		if err != nil || r.Forfeits != [2]int64{} {
			b.Fatal(r, err)
		}
		plies := float64(r.Plies)
		speed := plies / time.Since(started).Seconds()
		b.ReportMetric(speed, "plies/s")
		spent, _, _ := cli.ProcessorTime()
		b.ReportMetric(float64((spent-own).Microseconds())/plies, "own-µs/ply")
		b.ReportMetric(speed/loop, "of-loop")
		b.ReportMetric(speed/echo, "of-echo")
		b.ReportMetric(echoCost/((allTime()-before).Seconds()/plies-echoCost*200_000/plies), "of-echo-by-cpu")
		b.ReportMetric(loop, "loop/s")
		b.ReportMetric(echo, "echo/s")
	}
}

// allTime is the time of the processor that this process and those that it has ended
// took. On a machine that others use too it is a better measure than the clock.
func allTime() time.Duration {
	own, children, _ := cli.ProcessorTime()
	return own + children
}

// pipeLoops returns how many requests a second are answered with a bestmove to loops of
// which each asks its own processes in turn, that many times in all.
func pipeLoops(b *testing.B, path, mode string, loops, processes, requests int, request string) float64 {
	b.Helper()
	started := time.Now()
	var wg sync.WaitGroup
	for range loops {
		wg.Go(func() {
			engines := make([]*pipedEngine, processes)
			for i := range engines {
				engines[i] = startPiped(b, path, mode)
			}
			for i := range requests {
				if err := engines[i%processes].ask(request); err != nil {
					b.Error(err)
					break
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
	return float64(loops*requests) / time.Since(started).Seconds()
}

type pipedEngine struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (e *pipedEngine) ask(request string) error {
	if _, err := io.WriteString(e.in, request); err != nil {
		return err
	}
	for {
		line, err := e.out.ReadSlice('\n')
		if err != nil || bytes.HasPrefix(line, []byte("bestmove")) {
			return err
		}
	}
}

func startPiped(b *testing.B, path, mode string) *pipedEngine {
	cmd := exec.Command(path, mode)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		b.Error(err)
	}
	return &pipedEngine{cmd, in, bufio.NewReader(out)}
}

func entrantOf(tb testing.TB, text string) selfplay.Entrant {
	tb.Helper()
	spec, err := roster.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return selfplay.Entrant{Spec: spec}
}
