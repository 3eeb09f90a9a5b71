//go:build linux

package processtest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

// A full disk ends every command that writes data with 1 and a message that names the
// path; nothing half-written has its final name; with room again, the same command
// finishes.
func TestDataCommandsOnAFullDisk(t *testing.T) {
	work, small := t.TempDir(), t.TempDir()
	list, data := filepath.Join(work, "list.epd"), filepath.Join(work, "data")
	writeList(t, list)
	works(t, "data", "import", list, "--infer-games", "--out", data)
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=96k"); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, 0) }) // nothing to do about it
	few, script := filepath.Join(work, "few"), filepath.Join(work, "engine.sh")
	works(t, "data", "positions", data, "--resolve", "keep", "--sample", "5000", "--out", few)
	setup.Check(t, os.WriteFile(script, []byte(tempoEngine), 0o777))
	for _, c := range []struct {
		size string // of the disk
		args []string
	}{
		{"96k", []string{"data", "import", list, "--infer-games", "--out"}},
		{"96k", []string{"data", "merge", data, "--out"}},
		{"96k", []string{"data", "split", data, "--out"}},
		{"96k", []string{"data", "shuffle", data, "--out"}},
		{"96k", []string{"data", "positions", data, "--resolve", "keep", "--keep-duplicates", "--out"}},
		{"96k", []string{"data", "positions", data, "--resolve", "keep", "--keep-duplicates", "--sample", "20000", "--out"}},
		{"28k", []string{"data", "relabel", few, "--nodes", "1", "--out"}},
		{"28k", []string{"features", few, "--cmd", quote.Word(script), "--force", "--out"}},
		{"96k", []string{"data", "export", data, "--format", "csv", "--out"}},
	} {
		name := strings.Join(c.args[:len(c.args)-1], " ")
		setup.Check(t, syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size="+c.size))
		out := filepath.Join(small, "out")
		export := c.args[1] == "export"
		code, stdout, stderr := call(t, append(c.args, out)...)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, out) ||
			!strings.Contains(stderr, "free some space") ||
			!export && !strings.Contains(stderr, " rows are safely on disk") {
			t.Errorf("%s: exit %d, %s%s", name, code, stdout, stderr)
		}
		if _, err := os.Stat(out); export && err == nil {
			t.Error("half an export has its final name")
		}
		setup.Check(t, syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=256m"))
		if code, _, stderr := call(t, append(c.args, out)...); code != 0 {
			t.Errorf("%s, with room: exit %d, %s", name, code, stderr)
		}
		setup.Check(t, os.RemoveAll(out))
	}
	if entries, err := os.ReadDir(small); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// tempoEngine prints features; they say whose move it is.
const tempoEngine = `#!/bin/sh
echo '{"format":"assay.features/2","model":"sh","terms":[{"name":"tempo","mg":10,"eg":10}]}'
while read -r placement side rest; do
  case "$side" in
    w) echo '{"term":[0],"count":[1]}' ;;
    b) echo '{"term":[0],"count":[-1]}' ;;
  esac
done
`
