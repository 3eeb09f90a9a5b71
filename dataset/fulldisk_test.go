//go:build linux

package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// A full disk ends the writing with an error that names the file and says what is on disk,
// leaves nothing half-written under its name, and once there is room the data set
// ends up as if nothing had happened.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96k"); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) }) // nothing to do about it
	games := randomGames(50, 300)
	data := filepath.Join(dir, "games")
	w, err := newWriter(data, testConfig, gamesCodec, smallGames)
	setup.Check(t, err)
	for i := range games {
		if err = w.Append(&games[i]); err != nil {
			break
		}
	}
	safe := w.Rows()
	if _, finish := w.Finish(nil); !errors.Is(finish, syscall.ENOSPC) {
		t.Errorf("after the failure, Finish says %v", finish)
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), data) ||
		!strings.Contains(err.Error(), fmt.Sprintf("%d rows are safely on disk", safe)) {
		t.Fatalf("err = %v; %d rows are safe", err, safe)
	}
	if r, err := OpenGames(data, Partial); err != nil || r.Len() != safe || safe == 0 {
		t.Errorf("%d rows are safe, but %v", safe, err)
	} else if rows, err := datatest.ReadAll(r); err != nil || !reflect.DeepEqual(rows, games[:safe]) {
		t.Errorf("%d rows read, %v", len(rows), err)
	}
	for name := range datatest.Files(t, data) {
		if strings.HasSuffix(name, ".tmp") {
			t.Errorf("%s is left behind", name)
		}
	}

	setup.Check(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	w = setup.Must(newWriter(data, testConfig, gamesCodec, smallGames))
	for i := w.Rows(); i < int64(len(games)); i++ {
		setup.Check(t, w.Append(&games[i]))
	}
	setup.Must(w.Finish(map[string]int{"written": len(games)}))
	whole := t.TempDir()
	writeAll(t, whole, gamesCodec, smallGames, games)
	if !reflect.DeepEqual(datatest.Files(t, data), datatest.Files(t, whole)) {
		t.Error("the data set differs from one written without interruption")
	}
}

// Where not even a manifest fits, nothing pretends to be a data set.
func TestNoRoomAtAll(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) }) // nothing to do about it
	setup.Check(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 4096), 0o666))
	if _, err := NewGameWriter(filepath.Join(dir, "games"), testConfig); !errors.Is(err, syscall.ENOSPC) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("err = %v", err)
	}
	if _, err := durable.LoadManifest(filepath.Join(dir, "games")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("manifest: %v", err)
	}
}
