package tuner

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLarge fits the model assay to very many rows kept on disk, real positions
// over and over as games of their own, and states time and memory; then to the same
// in memory, which must give the same to the last bit. It runs only where ASSAY_LARGE
// says how many rows:
//
//	ASSAY_LARGE=20000000 go test -run TestLarge -timeout 60m -v ./tuner
func TestLarge(t *testing.T) {
	rows, err := strconv.Atoi(os.Getenv("ASSAY_LARGE"))
	if err != nil {
		t.Skip("ASSAY_LARGE does not say how many rows")
	}
	percent := debug.SetGCPercent(25)
	onDisk := fitLarge(t, rows, t.TempDir())
	if peak() > 1<<30 && rows <= 20_000_000 {
		t.Errorf("peak memory %d MiB", peak()>>20)
	}
	debug.SetGCPercent(percent)
	inMemory := fitLarge(t, rows, "")
	for i := range onDisk.Terms {
		if onDisk.Terms[i] != inMemory.Terms[i] {
			t.Errorf("on disk %+v, in memory %+v", onDisk.Terms[i], inMemory.Terms[i])
		}
	}
}

// fitLarge fits to so many rows, on disk in dir unless that is empty.
func fitLarge(t *testing.T, rows int, dir string) *Result {
	t.Helper()
	begun := time.Now()
	small, terms := realStore(t, "assay", 40000, 2)
	b, err := Build{Disk: dir}.builder(len(terms))
	if err != nil {
		t.Fatal(err)
	}
	for copies := uint64(0); b.s.rows < rows; copies++ {
		err := small.eachRow(t.Context(), func(chunk, row int, entries []Entry) {
			c := small.chunks[chunk]
			if err := b.Add(&Row{
				Entries: entries, Phase: c.phase, Scale: 1, Weight: 1, Result: c.result[row],
				Score: c.scoreOf(row), Game: small.games[c.game[row]].id + copies<<20,
			}); err != nil {
				t.Fatal(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := finish(t, b)
	defer s.Close()
	n := float64(s.Rows())
	t.Logf("%d rows of %d games, %d nonzeros: built in %.0f s; %.1f bytes a row in memory", s.Rows(), s.Games(), s.Entries(), time.Since(begun).Seconds(), float64(s.Bytes())/n)
	if s.disk != nil {
		t.Logf("%.1f bytes a row on disk", float64(s.disk.size)/n)
	}
	begun = time.Now()
	c := NewConfig()
	c.Progress = func(_, _ int64, note string) {
		t.Logf("%.0f s: %s; peak %d MiB", time.Since(begun).Seconds(), note, peak()>>20)
	}
	r, err := Fit(t.Context(), s, terms, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("fitted in %.0f s: %s, loss %.6f, D %.1f, %d parameters; peak memory %d MiB", time.Since(begun).Seconds(), outline(r.Outcome), r.Fit.Train, r.Design, r.Parameters, peak()>>20)
	return r
}

// peak returns the largest resident size of this process, or 0 where nobody
// tells.
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
