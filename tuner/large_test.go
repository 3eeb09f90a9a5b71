//go:build experiment

package tuner

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestLarge fits the model assay to very many rows kept on disk, real positions
// over and over as games of their own, and states time and memory; then to the same
// in memory, which must give the same to the last bit.
//
//	go test -tags experiment -run TestLarge -timeout 60m -v ./tuner
func TestLarge(t *testing.T) {
	const size = 20_000_000
	percent := debug.SetGCPercent(25)
	onDisk := fitLarge(t, size, t.TempDir())
	if peak() > 1<<30 {
		t.Errorf("peak memory %d MiB", peak()>>20)
	}
	debug.SetGCPercent(percent)
	inMemory := fitLarge(t, size, "")
	for i := range onDisk.Terms {
		if onDisk.Terms[i] != inMemory.Terms[i] {
			t.Errorf("on disk %+v, in memory %+v", onDisk.Terms[i], inMemory.Terms[i])
		}
	}
}

// fitLarge fits to that many rows, on disk in dir unless that is empty.
func fitLarge(t *testing.T, size int, dir string) *Result {
	t.Helper()
	started := time.Now()
	const path = "../../shared/data/sf-scored-435k.tsv.zst"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the shared data are not here: ", err)
	}
	small, terms := scoredStore(t, "assay", scoredPositions(t, path, 40000), 2)
	b := setup.Must(rows.NewDiskBuilder(len(terms), dir))
	n := 0
	for copies := uint64(0); n < size; copies++ {
		err := small.EachRow(t.Context(), func(chunk, row int, entries []rows.Entry) {
			c := small.Chunks[chunk]
			if err := b.Add(&rows.Row{
				Entries: entries, Phase: c.Phase, Scale: 1, Weight: 1, Result: c.Result[row],
				Score: c.ScoreOf(row), Game: uint64(c.Game[row]) + 1 + copies<<20,
			}); err != nil {
				t.Fatal(err)
			}
			n++
		})
		setup.Check(t, err)
	}
	s := synthetic.Finish(t, b)
	defer s.Close()
	t.Logf("%d rows of %d games, %d nonzeros: built in %.0f s; %.1f bytes a row in memory", s.Rows(), s.Games(),
		s.Entries(), time.Since(started).Seconds(), float64(s.Bytes())/float64(n))
	started = time.Now()
	c := NewConfig()
	c.Progress = func(_, _ int64, note string) {
		t.Logf("%.0f s: %s; peak %d MiB", time.Since(started).Seconds(), note, peak()>>20)
	}
	r := setup.Must(Fit(t.Context(), s, terms, c))
	t.Logf("fitted in %.0f s: %d steps, loss %.6f, D %.1f, %d parameters; peak memory %d MiB",
		time.Since(started).Seconds(), r.Steps, r.Fit.Train, r.Design, r.Parameters, peak()>>20)
	return r
}

// peak returns the largest resident size of this process, or 0 where the
// system does not report it.
func peak() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
