package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// A journal takes a line of just under 16 MB, reads it again, and refuses a longer one without harm.
func TestLongestLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := setup.Must(OpenJournal(path, nil))
	empty := setup.Must(encodeLine(testLine{Pair: 1}))
	longest := maxLine - len(empty) // without its newline it has maxLine-1 bytes
	if err := j.Append(testLine{1, strings.Repeat("x", longest+1)}); err == nil ||
		!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("too long: %v", err)
	}
	for _, text := range []string{strings.Repeat("x", longest), "after"} {
		setup.Check(t, j.Append(testLine{1, text}))
	}
	setup.Check(t, j.Close())
	var sizes []int
	setup.Check(t, ReadJournal(path, func(line []byte) error { sizes = append(sizes, len(line)); return nil }))
	if !slices.Equal(sizes, []int{maxLine - 1, len(empty) - 1 + len("after")}) {
		t.Errorf("lines of %v bytes", sizes)
	}
}

// Only what was appended is synced, once; an error of the reader's names the line.
func TestJournalSyncs(t *testing.T) {
	p, disk, path := onBadDisk(t)
	j := p.journal
	for _, c := range []struct {
		lines int
		syncs int64
	}{{0, 0}, {1, 1}, {0, 1}, {3, 2}} {
		for range c.lines {
			setup.Check(t, j.Append(testLine{}))
		}
		if err := j.Sync(); err != nil || disk.syncs.Load() != c.syncs {
			t.Errorf("%d syncs, %v; want %d", disk.syncs.Load(), err, c.syncs)
		}
	}
	setup.Check(t, j.Append(testLine{}))
	if err := j.Close(); err != nil || disk.syncs.Load() != 3 {
		t.Errorf("%d syncs after the last line, %v", disk.syncs.Load(), err)
	}
	if err := j.Close(); !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), path) {
		t.Errorf("closed twice: %v", err)
	}
	stop, n := errors.New("stop"), 0
	visit := func([]byte) error {
		if n++; n%5 == 2 {
			return stop
		}
		return nil
	}
	for range 2 {
		n = 0
		if err := ReadJournal(path, visit); !errors.Is(err, stop) || !strings.Contains(err.Error(), path+", line 2: ") {
			t.Error(err)
		}
		n = 0
		if _, err := OpenJournal(path, visit); !errors.Is(err, stop) {
			t.Error(err)
		}
	}
}

// What is after the whole lines is cut off and the cut is synced; a whole file is not touched.
func TestCutAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	for _, c := range []struct {
		end, size, syncs int64
	}{{9, 9, 0}, {8, 8, 1}, {0, 0, 1}} {
		mustWrite(t, path, "123456789")
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		setup.Check(t, err)
		disk := &badDisk{File: f}
		err = cutAt(disk, path, c.end)
		if _, e := f.WriteString("x"); err != nil || e != nil || disk.syncs.Load() != c.syncs {
			t.Errorf("cut at %d: %v, %v, %d syncs", c.end, err, e, disk.syncs.Load())
		}
		if got := mustRead(t, path); got != "123456789"[:c.size]+"x" {
			t.Errorf("cut at %d: %q", c.end, got)
		}
		disk.broken = syscall.EIO
		if err := cutAt(disk, path, 0); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
			t.Errorf("a sync that fails: %v", err)
		}
		f.Close()
	}
}

// The next reader has the replaced lines, lines follow them, and one that cannot be written
// leaves the old ones.
func TestReplace(t *testing.T) {
	path := writeJournal(t, 3)
	j, err := OpenJournal(path, nil)
	setup.Check(t, err)
	err = errors.Join(j.Replace([]any{testLine{Pair: 5}, testLine{Pair: 4}}), j.Append(testLine{Pair: 6}))
	setup.Check(t, err)
	if got, err := pairsOf(path); err != nil || !slices.Equal(got, []int{5, 4, 6}) {
		t.Errorf("%v, %v", got, err)
	}
	bad := j.Replace([]any{testLine{Pair: 7}, []int{1}})
	if bad == nil || !strings.Contains(bad.Error(), path) || !strings.Contains(bad.Error(), "JSON object") {
		t.Errorf("a list as a line: %v", bad)
	}
	if err := j.Append(testLine{Pair: 8}); !errors.Is(err, bad) {
		t.Errorf("the error is forgotten: %v", err)
	}
	if err := j.Replace(nil); !errors.Is(err, bad) {
		t.Errorf("the error is forgotten: %v", err)
	}
	j.Close()
	names := namesIn(t, filepath.Dir(path))
	if got, err := pairsOf(path); err != nil || !slices.Equal(got, []int{5, 4, 6}) || len(names) != 1 {
		t.Errorf("%v, %v, files %v", got, err, names)
	}
	if j, err = OpenJournal(path, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Replace(nil), j.Close()); err != nil || mustRead(t, path) != "" {
		t.Errorf("replaced by nothing: %q, %v", mustRead(t, path), err)
	}
}

// Units from first on are read, and a line that is not a unit is an error with its number.
func TestReadPending(t *testing.T) {
	path := writeJournal(t, 5)
	for first, want := range map[uint64]int{0: 5, 1: 4, 4: 1, 5: 0} {
		units, err := ReadPending(path, first, number)
		if err != nil || len(units) != want {
			t.Errorf("from %d on: %v, %v", first, units, err)
		}
		p, err := OpenPending(path, first, number)
		if err != nil || len(p.Units()) != want {
			t.Errorf("from %d on: %v, %v", first, p.Units(), err)
		}
		p.Close()
	}
	if units, err := ReadPending(path+"x", 0, number); err != nil || len(units) != 0 {
		t.Errorf("no journal: %v, %v", units, err)
	}
	j, err := OpenJournal(path, nil)
	setup.Check(t, err)
	setup.Check(t, errors.Join(j.Append(map[string]string{"pair": "six"}), j.Close()))
	_, err = ReadPending(path, 0, number)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path+", line 6") {
		t.Error(err)
	}
	if err := RemovePending(filepath.Join(path, "x")); err == nil {
		t.Error("removed from a folder that is a file")
	}
}

// The names of unfinished files have the process and a counter, so that several can be written.
func TestNamesOfUnfinishedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var files []*File
	for n := range 3 {
		f := setup.Must(Create(path))
		files = append(files, f)
		want := fmt.Sprintf(".a.%d-%d.tmp", os.Getpid(), n)
		if filepath.Base(f.file.Name()) != want || f.Name() != path {
			t.Errorf("%s of %s, want %s", f.file.Name(), f.Name(), want)
		}
		fmt.Fprint(f, n)
	}
	if err := files[1].Commit(); err != nil || mustRead(t, path) != "1" {
		t.Errorf("%v, %q", err, mustRead(t, path))
	}
	if files[0].Abort(); mustRead(t, path) != "1" {
		t.Errorf("an unfinished file replaced it: %q", mustRead(t, path))
	}
	if err := files[2].Commit(); err != nil || mustRead(t, path) != "2" {
		t.Errorf("%v, %q", err, mustRead(t, path))
	}
	if names := namesIn(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

// A file that cannot be written or named leaves the one before, or none, and its error names the path and stays.
func TestFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	mustWrite(t, path, "old")
	f := setup.Must(Create(path))
	f.file.Close()
	_, first := f.Write([]byte("x"))
	_, second := f.Write([]byte("x"))
	third := f.Commit()
	if !errors.Is(first, fs.ErrClosed) || !strings.Contains(first.Error(), "writing "+path) || second != first ||
		third != first || mustRead(t, path) != "old" {
		t.Errorf("%v; %v; %v", first, second, third)
	}
	mustWrite(t, filepath.Join(dir, "b"), "")
	folder := filepath.Join(dir, "full")
	setup.Check(t, MakeDir(filepath.Join(folder, "x")))
	if err := WriteFile(folder, nil); err == nil || !strings.Contains(err.Error(), "naming "+folder) {
		t.Errorf("a file in the place of a folder: %v", err)
	}
	missing := filepath.Join(dir, "missing", "a")
	if err := WriteFile(missing, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a file in no folder: %v", err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"a", "b", "full"}) {
		t.Errorf("left behind: %v", names)
	}
	if _, err := SumFile(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("the sum of a folder: %v", err)
	}
	if _, err := SumFile(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the sum of no file: %v", err)
	}
}

// Unfinished files go by folder, by the file they are for, or by age; folders and other files stay.
func TestUnfinishedFilesGo(t *testing.T) {
	for _, c := range []struct {
		name   string
		remove func(dir string) error
		left   string
	}{
		{"all", RemoveTemps, ".d.tmp .tmp.x a.tmp"},
		{"of a", func(dir string) error { return RemoveTempsOf(filepath.Join(dir, "a")) },
			".a.zst.1-0.tmp .ab.1-0.tmp .b.1-0.tmp .d.tmp .old.tmp .tmp .tmp.x a.tmp"},
		{"old", func(dir string) error { return RemoveOldTemps(dir, time.Hour) },
			".a.1-0.tmp .a.zst.1-0.tmp .ab.1-0.tmp .b.1-0.tmp .d.tmp .tmp .tmp.x a.tmp"},
	} {
		dir := t.TempDir()
		for _, name := range strings.Fields(".a.1-0.tmp .a.zst.1-0.tmp .ab.1-0.tmp .b.1-0.tmp .tmp .tmp.x a.tmp .old.tmp") {
			mustWrite(t, filepath.Join(dir, name), "")
		}
		old := time.Now().Add(-2 * time.Hour)
		file, folder := filepath.Join(dir, ".old.tmp"), filepath.Join(dir, ".d.tmp")
		err := errors.Join(os.Mkdir(folder, 0o777), os.Chtimes(file, old, old), os.Chtimes(folder, old, old))
		setup.Check(t, err)
		err = c.remove(dir)
		if got := strings.Join(namesIn(t, dir), " "); err != nil || got != c.left {
			t.Errorf("%s: %v; left %s, want %s", c.name, err, got, c.left)
		}
		if err := c.remove(filepath.Join(dir, "none", "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: no folder: %v", c.name, err)
		}
	}
}

// A folder is made with its parents, from the working directory too, and an error names it.
func TestMakeDirNames(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	for _, dir := range []string{".", "", "a/b", "a/b/", "a/../c/d", base + "/e/f"} {
		if err := MakeDir(dir); err != nil {
			t.Errorf("%q: %v", dir, err)
		}
	}
	if names := namesIn(t, base); !slices.Equal(names, []string{"a", "c", "e"}) {
		t.Errorf("%v", names)
	}
	mustWrite(t, "file", "")
	for _, dir := range []string{"file", "file/x", "file/x/y"} {
		if err := MakeDir(dir); err == nil || !strings.Contains(err.Error(), "file is not a directory") &&
			!errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

// A lock waits a moment for its holder; where it cannot be made, the error says why.
func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	synctest.Test(t, func(t *testing.T) {
		held := setup.Must(TryLock(path))
		time.AfterFunc(lockPatience/2, held.Unlock)
		setup.Must(TryLock(path)).Unlock()
	})
	_, err := TryLock(filepath.Join(path, "none", "lock"))
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "locking "+path) {
		t.Errorf("no folder: %v", err)
	}
	shared := setup.Must(TrySharedLock(path))
	if shared.Unlock(); !exists(path) || locked(path) || locked(path+"x") {
		t.Error("the file of a shared lock is gone, or a lock is seen that is not held")
	}
	(*Lock)(nil).Unlock()
}

// Sizes of shards have limits, and a bad manifest is an error.
func TestManifestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Manifest)
		want  string // empty: no error
	}{
		{"as it is", func(*Manifest) {}, ""},
		{"most rows", func(m *Manifest) { m.Shards[0].Rows, m.Rows = 1<<40, 1<<40+44 }, ""},
		{"more rows", func(m *Manifest) { m.Shards[0].Rows, m.Rows = 1<<40+1, 1<<40+45 }, "rows in 3 bytes"},
		{"no rows", func(m *Manifest) { m.Shards[0].Rows, m.Rows = 0, 44 }, ""},
		{"fewer", func(m *Manifest) { m.Shards[0].Rows, m.Rows = -1, 43 }, "-1 rows in 3 bytes"},
		{"most bytes", func(m *Manifest) { m.Shards[0].Size = 1 << 50 }, ""},
		{"more bytes", func(m *Manifest) { m.Shards[0].Size = 1<<50 + 1 }, "bytes: damaged"},
		{"no bytes", func(m *Manifest) { m.Shards[1].Size = 0 }, ""},
		{"negative size", func(m *Manifest) { m.Shards[1].Size = -1 }, "44 rows in -1 bytes"},
		{"rows", func(m *Manifest) { m.Rows-- }, "299 rows, but the shards have 300"},
		{"twice", func(m *Manifest) { m.Shards[1].Name = m.Shards[0].Name }, "listed twice"},
		{"long hash", func(m *Manifest) { m.Shards[0].SHA256 += "00" }, "not a SHA-256"},
		{"no hex", func(m *Manifest) { m.Shards[0].SHA256 = strings.Repeat("g", 64) }, "not a SHA-256"},
		{"short hash", func(m *Manifest) { m.Shards[0].SHA256 = "abcd" }, "not a SHA-256"},
		{"folder", func(m *Manifest) { m.Shards[0].Name = "a/x" }, "not a plain file name"},
		{"path", func(m *Manifest) { m.Shards[0].Name = "../x.arrow" }, "not a plain file name"},
		{"absolute", func(m *Manifest) { m.Shards[0].Name = "/x.arrow" }, "not a plain file name"},
		{"backslash", func(m *Manifest) { m.Shards[0].Name = `a\x.arrow` }, "not a plain file name"},
		{"no name", func(m *Manifest) { m.Shards[0].Name = "" }, "not a plain file name"},
		{"hidden", func(m *Manifest) { m.Shards[0].Name = ".x" }, "not a plain file name"},
		{"no schema", func(m *Manifest) { m.Schema = "" }, "schema"},
		{"config", func(m *Manifest) { m.Config = json.RawMessage(`{`) }, "JSON"},
		{"no shards", func(m *Manifest) { m.Shards, m.Rows = nil, 0 }, ""},
	} {
		m, dir := testManifest(), t.TempDir()
		c.spoil(m)
		err := m.Save(dir)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if c.want == "" {
			if got, err := LoadManifest(dir); err != nil || got.Rows != m.Rows || !slices.Equal(got.Shards, m.Shards) {
				t.Errorf("%s: read again: %+v, %v", c.name, got, err)
			}
		}
	}
}

// A file that is too long for a manifest is not read; the report of one that is there must be JSON.
func TestLoadReport(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ManifestName)
	mustWrite(t, path, "")
	const without, long = "no checksum line", "more than 67108864 bytes"
	for size, want := range map[int64]string{0: without, MaxJSON: without, MaxJSON + 1: long} {
		setup.Check(t, os.Truncate(path, size))
		if _, err := LoadManifest(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	var report struct{ N int }
	for text, good := range map[string]bool{`{"N":7}`: true, `[1]`: false, "": false} {
		m := testManifest()
		m.Report = []byte(text)
		setup.Check(t, m.Save(dir))
		got, err := LoadReport(dir, &report)
		if good && (err != nil || got.Rows != 300 || report.N != 7) ||
			!good && (err == nil || got != nil || !strings.Contains(err.Error(), "the report in "+path)) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := LoadReport(t.TempDir(), &report); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A data set is empty until it has a row, a shard or its end.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		m     Manifest
		empty bool
	}{
		{Manifest{}, true}, {Manifest{Complete: true}, false}, {Manifest{Rows: 1}, false},
		{Manifest{Shards: make([]Shard, 1)}, false},
	} {
		if c.m.Empty() != c.empty {
			t.Errorf("%+v: empty is %v", c.m, !c.empty)
		}
	}
}

// Which files of a folder are results of its configuration.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		file, text string
		bound      bool
	}{
		{"weights.json", "{}", true}, {"weights.json", "", false}, {"a", "x", true}, {"a", "", false},
		{".hidden", "x", false}, {"config.json", "{}", false}, {"run.json", "{}", false}, {"workers.json", "{}", false},
		{"events.jsonl", "x", false}, {"journal.jsonl", "x", true}, {"report.html", "x", false}, {"a.svg", "x", false},
		{"a.txt", "x", false}, {"a.text", "x", true}, {"x-0.arrow", "x", false}, {"manifest.json", "{", true},
		{"d/e/weights.json", "x", true}, {"d/e/weights.json", "", false}, {"d/e/log.txt", "x", false},
		{".d/a", "x", false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.file)
		setup.Check(t, MakeDir(filepath.Dir(path)))
		mustWrite(t, path, c.text)
		mustWrite(t, filepath.Join(dir, "zz.txt"), "x") // what follows does not change it
		if bound, err := Bound(dir, testInfo.Loose); err != nil || bound != c.bound {
			t.Errorf("%s with %q: %v, %v", c.file, c.text, bound, err)
		}
	}
	dir := t.TempDir()
	setup.Check(t, testManifest().Save(dir))
	if bound, err := Bound(dir, testInfo.Loose); err != nil || !bound {
		t.Errorf("a data set: %v, %v", bound, err)
	}
	if bound, err := Bound(filepath.Join(dir, "none"), nil); err != nil || bound {
		t.Errorf("no folder: %v, %v", bound, err)
	}
	if _, err := Bound(filepath.Join(dir, ManifestName), nil); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// Settings have paths, in the order of the document.
func TestFlatten(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ doc, want string }{
		{"", ""}, {" \n", ""}, {"7", "(all)=7"}, {"{}", "(all)={}"}, {"[]", "(all)=[]"}, {"null", "(all)=null"},
		{`{"b":{"c":[1,{"d":"x"}],"e":{}},"a":[]}`, `b.c[0]=1 b.c[1].d="x" b.e={} a=[]`},
		{`[true,[],{}]`, "[0]=true [1]=[] [2]={}"},
		{`{"n":12345678901234567890123}`, "n=12345678901234567890123"},
		{`{} 1`, "more than one JSON value"}, {`{"a":1}}`, "more than one JSON value"},
		{nested(101), strings.Repeat("[0]", 100) + "=[]"}, {nested(102), "nested too deeply"},
		{`[1`, "EOF"}, {`{"a"`, "EOF"},
	} {
		list, err := Flatten([]byte(c.doc))
		var got []string
		for _, s := range list {
			got = append(got, s.Path+"="+s.Value)
		}
		text := strings.Join(got, " ")
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && text != c.want {
			t.Errorf("%.40s: %.200s, %v; want %.200s", c.doc, text, err, c.want)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mustWrite writes a file that a test damages or reads.
func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data := setup.Must(os.ReadFile(path))
	return string(data)
}
