package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

func TestMain(m *testing.M) {
	if os.Getenv("TMPDIR") == "" { // a folder where a sync takes no time: no test looks at the disk itself
		if dir, err := os.MkdirTemp("/dev/shm", "durable"); err == nil {
			os.Setenv("TMPDIR", dir)
			defer os.RemoveAll(dir)
		}
	}
	m.Run()
}

type testLine struct {
	Pair int    `json:"pair"`
	Text string `json:"text"`
}

const lineText = "Ng5 \"!?\"\n"

// writeJournal returns the path of a journal of n lines.
func writeJournal(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := setup.Must(OpenJournal(path, nil))
	for i := range n {
		setup.Check(t, j.Append(testLine{i, lineText}))
	}
	setup.Check(t, j.Close())
	return path
}

// pairsOf opens the journal for appending and lists what it holds.
func pairsOf(path string) ([]int, error) {
	pairs := []int{}
	j, err := OpenJournal(path, func(line []byte) error {
		var l testLine
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		pairs = append(pairs, l.Pair)
		return nil
	})
	if err != nil {
		return pairs, err
	}
	return pairs, j.Close()
}

func TestJournalLinesAreJSONWithAChecksum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := setup.Must(OpenJournal(path, nil))
	for _, v := range []any{map[string]int{"a": 1}, struct{}{}} {
		setup.Check(t, j.Append(v))
	}
	if err := j.Append([]int{1}); err == nil {
		t.Error("a line that is not an object was accepted")
	}
	setup.Check(t, j.Close())
	got := setup.Must(os.ReadFile(path))
	// CRC-32C of `{"a":1,` and of `{`, computed with another program.
	want := "{\"a\":1,\"crc\":\"6cb98cba\"}\n{\"crc\":\"ba6cac67\"}\n"
	if string(got) != want {
		t.Errorf("journal is\n%swant\n%s", got, want)
	}
}

func TestJournalCutsATornTail(t *testing.T) {
	path := writeJournal(t, 3)
	whole := setup.Must(os.ReadFile(path))
	line := len(whole) / 3
	for cut := range len(whole) + 1 {
		setup.Check(t, os.WriteFile(path, whole[:cut], 0o666))
		got, err := pairsOf(path)
		want := []int{0, 1, 2}[:cut/line]
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("cut at %d of %d: %v, %v; want %v", cut, len(whole), got, err, want)
		}
		if info, _ := os.Stat(path); info.Size() != int64(cut/line*line) {
			t.Fatalf("cut at %d: %d bytes left", cut, info.Size())
		}
	}
}

// No flipped bit goes unnoticed, and none takes a line away in silence.
func TestJournalNoticesEveryFlippedBit(t *testing.T) {
	path := writeJournal(t, 3)
	whole := setup.Must(os.ReadFile(path))
	flipAll(whole, func(bit int, changed []byte) {
		setup.Check(t, os.WriteFile(path, changed, 0o666))
		got, err := pairsOf(path)
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("bit %d: %v, %v", bit, got, err)
		}
		if want := fmt.Sprintf("%s, line %d", path, len(got)+1); !strings.Contains(err.Error(), want) {
			t.Fatalf("bit %d: %v does not say %q", bit, err, want)
		}
		if now, _ := os.ReadFile(path); string(now) != string(changed) {
			t.Fatalf("bit %d: the damaged journal was changed", bit)
		}
	})
}

func TestReadJournalLeavesTheTailAlone(t *testing.T) {
	path := writeJournal(t, 2)
	whole := setup.Must(os.ReadFile(path))
	setup.Check(t, os.WriteFile(path, append(whole, `{"pair"`...), 0o666))
	n := 0
	if err := ReadJournal(path, func([]byte) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("%d lines, %v", n, err)
	}
	if info, _ := os.Stat(path); info.Size() != int64(len(whole)+7) {
		t.Error("reading changed the journal")
	}
}

func TestJournalRefusesEndlessLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	mustWrite(t, path, "")
	setup.Check(t, os.Truncate(path, maxLine+1<<20)) // takes no space on the disk
	if _, err := OpenJournal(path, nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("err = %v", err)
	}
}

// A power cut leaves zeros where a write was not synced: the journal ends before them.
func TestJournalEndsBeforeZeros(t *testing.T) {
	path := writeJournal(t, 3)
	whole := setup.Must(os.ReadFile(path))
	first := bytes.IndexByte(whole, '\n') + 1
	for _, zero := range [][2]int{{first, first + 2}, {first + 5, 2 * first}, {first, len(whole)},
		{2*first - 2, 2*first + 1}} {
		data := bytes.Clone(whole)
		clear(data[zero[0]:zero[1]])
		setup.Check(t, os.WriteFile(path, data, 0o666))
		n := 0
		j, err := OpenJournal(path, func([]byte) error { n++; return nil })
		if err == nil {
			err = errors.Join(j.Append(testLine{1, lineText}), j.Append(testLine{2, lineText}), j.Close())
		}
		if now, e := os.ReadFile(path); err != nil || e != nil || n != 1 || !bytes.Equal(now, whole) {
			t.Errorf("zeros at %v: %d lines, %v, %v", zero, n, err, e)
		}
	}
}

// badDisk is the file of a journal on a disk that is slow, full or broken.
type badDisk struct {
	*os.File
	slow   time.Duration // of a sync
	broken error         // of the next sync
	room   int           // bytes that still fit; 0: no limit

	syncs  atomic.Int64
	synced atomic.Int64 // bytes in the file when the last sync ended
}

func (b *badDisk) Sync() error {
	b.syncs.Add(1)
	info, err := b.Stat()
	time.Sleep(b.slow)
	b.synced.Store(info.Size())
	return errors.Join(err, b.broken)
}

func (b *badDisk) Write(p []byte) (int, error) {
	if b.room == 0 {
		return b.File.Write(p)
	}
	fits := min(b.room, len(p))
	n, _ := b.File.Write(p[:fits])
	if b.room -= n; n < len(p) {
		b.room = 1
		return n, syscall.ENOSPC
	}
	return n, nil
}

func number(l *testLine) uint64 { return uint64(l.Pair) }

// onBadDisk opens a journal of units on a disk that can be made bad.
func onBadDisk(t *testing.T) (p *Pending[testLine], disk *badDisk, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), JournalName)
	p = setup.Must(OpenPending(path, 0, number))
	disk = &badDisk{File: p.journal.file.(*os.File)}
	p.journal.file = disk
	return p, disk, path
}

// pendingAt returns the numbers of the units in a journal.
func pendingAt(t *testing.T, path string) []uint64 {
	t.Helper()
	units := setup.Must(ReadPending(path, 0, number))
	return slices.Sorted(maps.Keys(units))
}

// On a slow disk no game waits for a sync, there is one a second, and every line is read back at once.
func TestJournalOnASlowDisk(t *testing.T) {
	p, disk, path := onBadDisk(t)
	synctest.Test(t, func(t *testing.T) {
		disk.slow = 500 * time.Millisecond
		setup.Check(t, p.Add(testLine{Pair: 0})) // synced before Add returns, as no line came before
		started, n := time.Now(), 1
		for ; time.Since(started) < 1300*time.Millisecond; n++ {
			at := time.Now()
			setup.Check(t, p.Add(testLine{Pair: n}))
			if took := time.Since(at); took > 0 {
				t.Errorf("line %d took %v", n, took)
			}
			if n%100 == 0 && len(pendingAt(t, path)) != n+1 {
				t.Errorf("%d of %d lines can be read", len(pendingAt(t, path)), n+1)
			}
			time.Sleep(2 * time.Millisecond)
		}
		if syncs := disk.syncs.Load(); syncs != 2 {
			t.Errorf("%d syncs, want 2", syncs)
		}
		setup.Check(t, p.Close())
		info, err := os.Stat(path)
		if err != nil || disk.synced.Load() != info.Size() || len(pendingAt(t, path)) != n {
			t.Errorf("%d of %v bytes are synced, %v", disk.synced.Load(), info.Size(), err)
		}
	})
}

// A line that comes just after a sync is synced a second after it, if none follows.
func TestJournalSyncsTheLastLine(t *testing.T) {
	p, disk, path := onBadDisk(t)
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		for n, after := range []time.Duration{0, SyncEvery} {
			setup.Check(t, p.Add(testLine{Pair: n}))
			for info := setup.Must(os.Stat(path)); disk.synced.Load() != info.Size(); time.Sleep(time.Millisecond) {
			}
			if took := time.Since(started); took < after || took > after+time.Millisecond {
				t.Errorf("line %d is synced after %v, want %v", n, took, after)
			}
		}
		if n := disk.syncs.Load(); n != 2 {
			t.Errorf("%d syncs, want 2", n)
		}
		setup.Check(t, p.Close())
	})
}

// A sync that fails in the background is an error of the next line, and names the file.
func TestJournalWhoseSyncFails(t *testing.T) {
	p, disk, path := onBadDisk(t)
	disk.broken = syscall.EIO
	var err error
	for n := 0; err == nil; n++ {
		if err = p.Add(testLine{Pair: n}); n > 2000 {
			t.Fatal("the error was not noticed")
		}
		time.Sleep(time.Millisecond)
	}
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := p.Close(); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}

// On a full disk the half of a line that fits is cut off, the error names the file, and with room
// again the journal goes on.
func TestJournalOnAFullDisk(t *testing.T) {
	for room := 1; room < 200; room += 13 {
		p, disk, path := onBadDisk(t)
		disk.room = room
		n := 0
		var err error
		for ; err == nil; n++ {
			err = p.Add(testLine{Pair: n, Text: "text"})
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
			t.Fatal(err)
		}
		if len(p.Units()) != n-1 {
			t.Errorf("%d units, %d were added", len(p.Units()), n-1)
		}
		p.Close()
		again, err := OpenPending(path, 0, number)
		if err != nil || len(again.Units()) != n-1 {
			t.Fatalf("%d units after %d lines, %v", len(again.Units()), n-1, err)
		}
		setup.Check(t, again.Add(testLine{Pair: n}))
		again.Close()
		if got := pendingAt(t, path); len(got) != n {
			t.Errorf("%v after %d lines", got, n)
		}
	}
}

// The lines of a listed shard leave the journal, and no other does, in whatever order they came.
func TestJournalDropsListedUnits(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalName)
	p := setup.Must(OpenPending(path, 0, number))
	for n := range 800 {
		setup.Check(t, p.Add(testLine{Pair: 7 * n % 800}))
		if n%200 == 0 {
			setup.Check(t, p.Listed(uint64(n/20)))
		}
	}
	setup.Check(t, p.Listed(100))
	for n := 800; n < 900; n++ {
		setup.Check(t, p.Add(testLine{Pair: n}))
	}
	setup.Check(t, p.Close())
	got := pendingAt(t, path)
	if len(got) != 800 || got[0] != 100 || got[799] != 899 {
		t.Errorf("%d units: %v", len(got), got)
	}
	if names := namesIn(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if rest, err := ReadPending(path, 890, number); err != nil || len(rest) != 10 {
		t.Errorf("%d units from 890 on, %v", len(rest), err)
	}
	if err := errors.Join(RemovePending(path), RemovePending(path)); err != nil {
		t.Error(err)
	}
}
