//go:build linux && experiment

package processtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// BenchmarkStream streams generated rows through the commands that make and arrange
// positions, and says what they take: CPU time, so that a busy machine matters little,
// and the most memory that was resident.
//
//	ASSAY_STREAM_ROWS=100000000 go test -tags experiment ./cmd/internal/app/processtest -run XXX \
//	  -bench Stream -benchtime 1x -timeout 0
//
// ASSAY_STREAM_DIR is where the data go, about 150 bytes a row.
func BenchmarkStream(b *testing.B) {
	rows := 1_000_000
	if text := os.Getenv("ASSAY_STREAM_ROWS"); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp(os.Getenv("ASSAY_STREAM_DIR"), "stream")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for b.Loop() {
		streamGames(b, at("games"), rows)
		kept := stream(b, 0, "data", "positions", at("games"), "--resolve", "keep", "--out", at("positions"))
		stream(b, kept, "data", "shuffle", at("positions"), "--out", at("shuffled"))
		stream(b, kept, "data", "split", at("positions"), "--out", at("split"))
		for _, name := range []string{"games", "positions", "shuffled", "split"} {
			if err := os.RemoveAll(at(name)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// stream runs the command, says what it took for each of that many rows (0: of those that
// it writes), and returns how many it wrote.
func stream(b *testing.B, rows int64, args ...string) int64 {
	b.Helper()
	cmd := exec.Command("assay", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %s", err, stderr.String())
	}
	out := args[len(args)-1]
	if rows == 0 {
		r, err := dataset.OpenPositions(out)
		if err != nil {
			b.Fatal(err)
		}
		rows = r.Len()
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	perSecond, mib := float64(rows)/cpu.Seconds(), float64(usage.Maxrss)/1024
	b.Logf("%-9s %11d rows  %8.0f rows/s of CPU  %5.0f MiB", args[1], rows, perSecond, mib)
	b.ReportMetric(perSecond, args[1]+"-rows/cpu-s")
	b.ReportMetric(mib, args[1]+"-MiB")
	if mib > 1024 {
		b.Errorf("%s took %.0f MiB", args[1], mib)
	}
	return rows
}

// streamGames writes random games with at least that many positions.
func streamGames(b *testing.B, dir string, rows int) {
	b.Helper()
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{Program: "test"})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var moves []board.Move
	for n := uint64(1); rows > 0; n++ {
		p := board.StartPosition()
		g := dataset.GameRow{Game: n, Variant: dataset.Standard, OpeningPlies: 8, Termination: "test"}
		for range 100 {
			if moves = p.LegalMoves(moves[:0]); len(moves) == 0 {
				break
			}
			if len(g.Moves) == 8 {
				g.Opening = p.Key()
			}
			m := moves[rng.IntN(len(moves))]
			p.Make(m)
			g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, int16(rng.IntN(1600)-800))
		}
		if g.Opening == 0 {
			continue // mated within the opening
		}
		if p.CountLegal() > 0 {
			g.Result = int8(rng.IntN(3) - 1)
		} else if p.InCheck() {
			g.Result = int8(board.WinFor(p.SideToMove().Other()))
		}
		if err := w.Append(&g); err != nil {
			b.Fatal(fmt.Errorf("game %d: %w", n, err))
		}
		rows -= len(g.Moves) - 8
	}
	if _, err := w.Finish(nil); err != nil {
		b.Fatal(err)
	}
}
