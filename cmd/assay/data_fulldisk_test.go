//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A full disk ends every command that writes data with 1 and a message that names the
// path; nothing half-written has its final name; with room again, the same command
// finishes.
func TestDataCommandsOnAFullDisk(t *testing.T) {
	work, small := t.TempDir(), t.TempDir()
	list, data := filepath.Join(work, "list.epd"), filepath.Join(work, "data")
	bigList(t, list)
	if code, _, errs := call(t, "data", "import", list, "--infer-games", "--out", data); code != 0 {
		t.Fatal(errs)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, 0) }) // nothing to do about it
	for _, args := range [][]string{
		{"data", "import", list, "--infer-games", "--out"},
		{"data", "merge", data, "--out"},
		{"data", "split", data, "--out"},
		{"data", "shuffle", data, "--out"},
		{"data", "export", data, "--format", "csv", "--out"},
	} {
		if err := syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=512k"); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(small, args[1])
		code, stdout, stderr := call(t, append(args, out)...)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, out) || !strings.Contains(stderr, "free some room") {
			t.Errorf("%s: exit %d, %s%s", args[1], code, stdout, stderr)
		}
		if _, err := os.Stat(out); args[1] == "export" && err == nil {
			t.Error("half an export has its final name")
		}
		if err := syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=256m"); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := call(t, append(args, out)...); code != 0 {
			t.Errorf("%s, with room: exit %d, %s", args[1], code, stderr)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(small); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}
