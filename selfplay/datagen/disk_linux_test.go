package datagen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// smallDisk returns a folder on a disk of that size, and a function that mounts it otherwise.
func smallDisk(t *testing.T, size string) (dir string, remount func(flags uintptr, size string)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) }) // nothing to do about it
	return dir, func(flags uintptr, size string) {
		t.Helper()
		setup.Check(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, "size="+size))
	}
}

// A disk that is full while games are journaled, and one that is full when a shard is written,
// end the run with an error that names the file. With more room it plays no announced game again.
func TestJournalOnAFullDisk(t *testing.T) {
	whole := config(t, 600)
	run(t, whole)
	dir, remount := smallDisk(t, "60k")
	c := plan(whole, filepath.Join(dir, "games"))
	announced := int64(0)
	for _, size := range []string{"60k", "120k", "200k", "300k", "400k"} {
		remount(0, size)
		first := int64(-1)
		before := announced
		c.Progress = func(done, _ int64, _ string) {
			if announced = done; first < 0 {
				first = done
			}
		}
		_, err := Run(t.Context(), c)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), c.Out) {
			t.Fatalf("%s: %v", size, err)
		}
		if first >= 0 && first < before {
			t.Errorf("%s: began at game %d, but %d were announced", size, first, before)
		}
	}
	if announced < 20 {
		t.Errorf("only %d games before the disk was full", announced)
	}
	remount(0, "64m")
	c.Progress = nil
	if s := run(t, c); s.Played > 600-announced {
		t.Errorf("%d games played, %d were announced", s.Played, announced)
	}
	same(t, c.Out, whole.Out)
}

// A disk that became read-only is named, and nothing is lost.
func TestReadOnlyDisk(t *testing.T) {
	whole := config(t, 300)
	run(t, whole)
	dir, remount := smallDisk(t, "8m")
	c := plan(whole, filepath.Join(dir, "games"))
	announced := interrupt(t, c, 200)
	remount(syscall.MS_RDONLY, "8m")
	if _, err := Run(t.Context(), c); !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), c.Out) {
		t.Error(err)
	}
	if r, err := Open(c.Out); err != nil || r.Len() < announced {
		t.Errorf("%d games can be read, %d were announced: %v", r.Len(), announced, err)
	}
	remount(0, "8m")
	if s := run(t, c); s.Played > 300-announced {
		t.Errorf("%d games played, %d were announced", s.Played, announced)
	}
	same(t, c.Out, whole.Out)
}

// A folder that becomes read-only while games are played ends the run at the next shard, with an
// error that names the file; the games of the shard are still in the journal.
func TestJournalInAReadOnlyFolderOnDisk(t *testing.T) {
	whole := config(t, 300)
	run(t, whole)
	c := plan(whole, filepath.Join(t.TempDir(), "games"))
	if os.Geteuid() == 0 { // permissions do not hold root back
		dir := filepath.Dir(c.Out)
		setup.Check(t, errors.Join(os.Chmod(dir, 0o777), os.Chmod(filepath.Dir(dir), 0o755)))
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	c.Progress = func(done, _ int64, _ string) {
		if done == 100 {
			if err := os.Chmod(c.Out, 0o555); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := Run(t.Context(), c)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), c.Out) {
		t.Fatal(err)
	}
	setup.Check(t, os.Chmod(c.Out, 0o777))
	if games, err := gamelog.ReadPending(c.Out, 0); err != nil || len(gapless(games, 0)) < 255 {
		t.Errorf("%d games are kept, %v", len(games), err)
	}
	c.Progress = nil
	if s := run(t, c); s.Played > 45 {
		t.Errorf("%d games played", s.Played)
	}
	same(t, c.Out, whole.Out)
}
