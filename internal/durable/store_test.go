package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

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

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	synctest.Test(t, func(t *testing.T) { // TryLock waits a moment for the holder
		l := setup.Must(TryLock(path))
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
	})
}

func TestSharedLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	synctest.Test(t, func(t *testing.T) { // TryLock waits a moment for the holder
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
	})
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

func TestBuildTarget(t *testing.T) {
	want := "^" + runtime.GOARCH + "$"
	switch runtime.GOARCH {
	case "amd64":
		want = "^amd64/v[1-4]$"
	case "arm64":
		want = "^arm64/v[89]"
	}
	if got := BuildTarget(); !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("%q does not match %s", got, want)
	}
}

func testManifest() *Manifest {
	return &Manifest{
		Schema: "assay.games/1", Complete: true, Rows: 300, Seed: 1<<63 + 7, Program: "assay 0.1",
		Config:  json.RawMessage(`{"games":300,"nodes":5000}`),
		Parents: []string{strings.Repeat("ab", 32)},
		Shards: []Shard{
			{Name: "games-00000.arrow", Rows: 256, Size: 3, SHA256: SumBytes([]byte("abc"))},
			{Name: "games-00001.arrow", Rows: 44, Size: 2, SHA256: SumBytes([]byte("de"))},
		},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	m := testManifest()
	if _, err := LoadManifest(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
	setup.Check(t, m.Save(dir))
	got := setup.Must(LoadManifest(dir))
	want, id, err := m.Encode()
	setup.Check(t, err)
	again, id2, err := got.Encode()
	if err != nil || string(again) != string(want) || id != id2 || len(id) != 64 {
		t.Errorf("%v\n%s\nbecame\n%s", err, want, again)
	}
	if got.Seed != m.Seed || got.Rows != 300 || !slices.Equal(got.Parents, m.Parents) || !got.Complete ||
		got.Shards[1] != m.Shards[1] {
		t.Errorf("read back %+v", got)
	}
	var plain map[string]any // as another program reads it
	if err := json.Unmarshal(want, &plain); err != nil || plain["sha256"] != id {
		t.Errorf("as plain JSON: %v, %v", plain, err)
	}
}

func TestManifestNoticesEveryFlippedBitAndCut(t *testing.T) {
	data, _, err := testManifest().Encode()
	setup.Check(t, err)
	flipAll(data, func(bit int, changed []byte) {
		if _, err := parseManifest(changed); err == nil {
			t.Fatalf("bit %d unnoticed:\n%s", bit, changed)
		}
	})
	for n := range data {
		if _, err := parseManifest(data[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := parseManifest(append(data, ' ')); err == nil {
		t.Error("something after the end unnoticed")
	}
}

func TestManifestUnknownFieldsAreRefused(t *testing.T) {
	data, _, err := testManifest().Encode()
	setup.Check(t, err)
	head := strings.Replace(string(data[:strings.LastIndex(string(data), sumField)]), `"rows"`, `"rowz"`, 1)
	bad := head + sumField + SumBytes([]byte(head)) + "\"\n}\n"
	if _, err := parseManifest([]byte(bad)); err == nil || !strings.Contains(err.Error(), "rowz") {
		t.Errorf("err = %v", err)
	}
}

func TestReadShard(t *testing.T) {
	dir := t.TempDir()
	s := Shard{Name: "x", Rows: 1, Size: 3, SHA256: SumBytes([]byte("abc"))}
	path := filepath.Join(dir, "x")
	for content, good := range map[string]bool{"abc": true, "abd": false, "ab": false, "abcd": false, "": false} {
		setup.Check(t, os.WriteFile(path, []byte(content), 0o666))
		got, err := ReadShard(dir, s)
		if good && (err != nil || string(got) != content) {
			t.Errorf("%q: %q, %v", content, got, err)
		}
		if !good && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%q: %v", content, err)
		}
	}
}
