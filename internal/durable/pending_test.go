package durable

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

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

// On a slow disk no game waits for a sync, there is one a second at most, and every line is read
// back at once.
func TestJournalOnASlowDisk(t *testing.T) {
	p, disk, path := onBadDisk(t)
	disk.slow = 500 * time.Millisecond
	started, n := time.Now(), 0
	for ; time.Since(started) < 1800*time.Millisecond; n++ {
		before := disk.syncs.Load()
		at := time.Now()
		setup.Check(t, p.Add(testLine{Pair: n}))
		if took := time.Since(at); took > disk.slow/2 && disk.syncs.Load() == before {
			t.Errorf("line %d took %v", n, took)
		}
		if n%100 == 0 && len(pendingAt(t, path)) != n+1 {
			t.Errorf("%d of %d lines can be read", len(pendingAt(t, path)), n+1)
		}
		time.Sleep(2 * time.Millisecond)
	}
	if syncs := disk.syncs.Load(); syncs < 1 || syncs > 3 {
		t.Errorf("%d syncs in %v", syncs, time.Since(started))
	}
	setup.Check(t, p.Close())
	info, err := os.Stat(path)
	if err != nil || disk.synced.Load() != info.Size() || len(pendingAt(t, path)) != n {
		t.Errorf("%d of %v bytes are synced, %v", disk.synced.Load(), info.Size(), err)
	}
}

// A line that comes just after a sync is synced within a second or so, if none follows it.
func TestJournalSyncsTheLastLine(t *testing.T) {
	p, disk, path := onBadDisk(t)
	defer p.Close()
	for n := range 2 {
		setup.Check(t, p.Add(testLine{Pair: n}))
		info := setup.Must(os.Stat(path))
		until := time.Now().Add(20 * time.Second)
		for ; disk.synced.Load() != info.Size(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("line %d: %d of %d bytes are synced", n, disk.synced.Load(), info.Size())
			}
		}
	}
	if n := disk.syncs.Load(); n != 2 {
		t.Errorf("%d syncs, want 2", n)
	}
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

// The lines of a listed shard leave the journal, and no other does, even if lines are added meanwhile.
func TestJournalDropsListedUnits(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalName)
	p := setup.Must(OpenPending(path, 0, number))
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 200 {
				if err := p.Add(testLine{Pair: 4*i + w}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, first := range []uint64{0, 5, 50} {
		setup.Check(t, p.Listed(first))
	}
	all.Wait()
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
