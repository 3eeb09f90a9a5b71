package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func TestWriteFileReplacesAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, text := range []string{"first", "", strings.Repeat("x", 1<<20)} {
		setup.Check(t, WriteFile(path, []byte(text)))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Fatalf("read back %d bytes, %v; wrote %d", len(got), err, len(text))
		}
		sum, err := SumFile(path)
		if err != nil || sum != SumBytes([]byte(text)) {
			t.Errorf("SumFile = %v, %v", sum, err)
		}
	}
	if names := namesIn(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestWriteFileErrorsNameThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a.json")
	err := WriteFile(path, nil)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("err = %v", err)
	}
}

func TestAbortKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	setup.Check(t, WriteFile(path, []byte("old")))
	f := setup.Must(Create(path))
	fmt.Fprint(f, "new")
	f.Abort()
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file is %q", got)
	}
	if names := namesIn(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("second lock: %v", err)
	}
	if !locked(path) {
		t.Error("not seen as locked")
	}
	l.Unlock()
	l.Unlock()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lock file is still there: %v", err)
	}
	if locked(path) {
		t.Error("seen as locked")
	}
	l = setup.Must(TryLock(path))
	l.Unlock()
}

func TestSharedLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a := setup.Must(TrySharedLock(path))
	b := setup.Must(TrySharedLock(path))
	a.Unlock() // b still holds it
	if _, err := TryLock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a shared lock: %v", err)
	}
	b.Unlock()
	c := setup.Must(TryLock(path))
	if _, err := TrySharedLock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a shared lock beside another: %v", err)
	}
	c.Unlock()
}

// Many goroutines fight for a lock whose file comes and goes; no two ever have it.
func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	inside := make(chan struct{}, 1)
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			for n := 0; n < 50; {
				l, err := tryLockOnce(path, false)
				if err != nil && !errors.Is(err, ErrLocked) {
					done <- err
					return
				}
				if l == nil {
					continue
				}
				select {
				case inside <- struct{}{}:
				default:
					done <- errors.New("two holders")
					return
				}
				n++
				<-inside
				l.Unlock()
			}
			done <- nil
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries := setup.Must(os.ReadDir(dir))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// flipAll calls try with every single-bit change of data.
func flipAll(data []byte, try func(bit int, changed []byte)) {
	for bit := range len(data) * 8 {
		c := bytes.Clone(data)
		c[bit/8] ^= 1 << (bit % 8)
		try(bit, c)
	}
}

// A replaced file keeps its permissions, and a link to it stays a link.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "run.sh"), filepath.Join(dir, "link")
	setup.Check(t, os.WriteFile(path, []byte("old"), 0o750))
	if err := os.Symlink("run.sh", link); err != nil {
		t.Skip(err)
	}
	setup.Check(t, ReplaceFile(link, []byte("new")))
	info, err := os.Lstat(path)
	text, _ := os.ReadFile(path)
	if target, e := os.Readlink(link); err != nil || e != nil || target != "run.sh" || string(text) != "new" ||
		info.Mode() != 0o750 {
		t.Errorf("%q, mode %v, link to %q; %v, %v", text, info.Mode(), target, err, e)
	}
	if err := ReplaceFile(filepath.Join(dir, "none"), nil); err == nil {
		t.Error("a file that does not exist is written")
	}
}
