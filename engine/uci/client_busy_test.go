//go:build unix

package uci

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// A program that is still open for writing, as in a process that is being started just now, is
// started a moment later.
func TestBusyProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine")
	script := "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo " +
		"readyok;; quit) exit;; esac; done\n"
	setup.Check(t, os.WriteFile(path, []byte(script), 0o755))
	f := setup.Must(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
	time.AfterFunc(30*time.Millisecond, func() { f.Close() })
	c := NewClient(Command{Path: path})
	if err := c.Start(); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
