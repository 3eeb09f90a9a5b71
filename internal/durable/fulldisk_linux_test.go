package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// smallDisk returns a folder on a file system of size bytes, or skips the test.
func smallDisk(t *testing.T, size string) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, "128k")
	path := filepath.Join(dir, "file")
	setup.Check(t, WriteFile(path, []byte("old")))
	j, err := OpenJournal(filepath.Join(dir, "journal"), nil)
	setup.Check(t, err)
	err = WriteFile(path, make([]byte, 1<<20))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
		t.Errorf("err = %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file is %d bytes", len(got))
	}
	lines := 0
	for ; lines < 1000 && err != nil; lines++ {
		if err = j.Append(testLine{Pair: lines, Text: strings.Repeat("y", 3000)}); err != nil {
			break
		}
		err = errors.New("go on")
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), j.path) {
		t.Errorf("after %d lines: %v", lines, err)
	}
	j.Close()
	pairs, err := pairsOf(j.path)
	if err != nil || len(pairs) != lines || lines < 10 {
		t.Errorf("%d lines of %d, %v", len(pairs), lines, err)
	}
	if names := namesIn(t, dir); len(names) != 2 {
		t.Errorf("left behind: %v", names)
	}
}
