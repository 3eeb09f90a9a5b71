package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linesOf returns the lines of a journal, with their newlines.
func linesOf(t *testing.T, n int) []string {
	t.Helper()
	data, err := os.ReadFile(writeJournal(t, n))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(data), "\n")[:n]
}

// mustWrite writes a file that a test damages or reads.
func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A repair keeps the whole lines, each once and in order, counts the others, names the first damaged
// one, and keeps the original beside the journal.
func TestRepairJournal(t *testing.T) {
	l := linesOf(t, 3)
	a, b, c := l[0], l[1], l[2]
	bad := strings.Replace(b, "pair", "pear", 1)
	long := strings.Repeat("x", maxLine+100_000)
	for _, tt := range []struct {
		name, file, want string
		kept, lost       int64
		reason           string // empty: nothing to repair
	}{
		{"empty", "", "", 0, 0, ""},
		{"whole", a + b + c, a + b + c, 0, 0, ""},
		{"unfinished last line", a + b + c[:10], a + b + c[:10], 0, 0, ""},
		{"only an unfinished line", a[:10], a[:10], 0, 0, ""},
		{"newline lost", a + b + c[:len(c)-1] + "x", a + b + c, 3, 0, "the last newline was missing"},
		{"one line, newline lost", a[:len(a)-1] + "x", a, 1, 0, "the last newline was missing"},
		{"twice", a + b + a, a + b, 2, 1, "lines were there twice"},
		{"three times", a + b + b + b + c, a + b + c, 3, 2, "lines were there twice"},
		{"twice, newline lost", a + b + a[:len(a)-1] + "x", a + b, 2, 1, "lines were there twice"},
		{"first line", bad + a + c, a + c, 2, 1, "the first damaged line is line 1"},
		{"second and fourth", a + bad + c + bad, a + c, 2, 2, "the first damaged line is line 2"},
		{"all", bad + bad, "", 0, 2, "the first damaged line is line 1"},
		{"twice and damaged", a + a + bad + c, a + c, 2, 2, "the first damaged line is line 3"},
		{"damaged and unfinished", a + bad + c[:5], a, 1, 2, "the first damaged line is line 2"},
		{"empty line", a + "\n" + b, a + b, 2, 1, "the first damaged line is line 2"},
		{"two lines as one", a[:len(a)-1] + b + c, c, 1, 1, "the first damaged line is line 1"},
		{"too long", a + long + "\n" + b, a + b, 2, 1, "the first damaged line is line 2"},
		{"too long, the last", a + long, a, 1, 1, "the first damaged line is line 2"},
		{"two too long", long + "\n" + a + long + "\n", a, 1, 2, "the first damaged line is line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			mustWrite(t, path, tt.file)
			r, err := RepairJournal(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := mustRead(t, path); got != tt.want {
				t.Errorf("the journal is\n%.300s\nwant\n%.300s", got, tt.want)
			}
			names := namesIn(t, filepath.Dir(path))
			if tt.reason == "" {
				if r != nil || len(names) != 1 {
					t.Errorf("%+v, files %v", r, names)
				}
				return
			}
			if r == nil {
				t.Fatal("nothing is repaired")
			}
			want := Repaired{Path: path, Kept: tt.kept, Lost: tt.lost, Unit: "lines", Aside: path + asideSuffix,
				Reason: tt.reason}
			if *r != want || mustRead(t, r.Aside) != tt.file || len(names) != 2 {
				t.Errorf("%+v\nwant %+v; files %v", *r, want, names)
			}
			if again, err := RepairJournal(path); again != nil || err != nil {
				t.Errorf("repaired again: %+v, %v", again, err)
			}
		})
	}
	if r, err := RepairJournal(filepath.Join(t.TempDir(), "none")); r != nil || err != nil {
		t.Errorf("no journal: %+v, %v", r, err)
	}
	if r, err := RepairJournal(t.TempDir()); r != nil || err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("a folder: %+v, %v", r, err)
	}
}

// WholeLines counts what it leaves out, and an error of the caller stops it and names the journal.
func TestWholeLines(t *testing.T) {
	l := linesOf(t, 3)
	path := filepath.Join(t.TempDir(), "j")
	mustWrite(t, path, l[0]+"x\n"+l[1]+l[0]+"y\n"+l[2])
	var got []string
	lost, err := WholeLines(path, func(line []byte) error { got = append(got, string(line)+"\n"); return nil })
	if err != nil || !slices.Equal(got, l) || lost != (LostLines{First: 2, Damaged: 2, twice: 1}) {
		t.Errorf("%+v, %v: %q", lost, err, got)
	}
	stop, n := errors.New("stop"), 0
	_, err = WholeLines(path, func([]byte) error { n++; return stop })
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), path) || n != 1 {
		t.Errorf("%v after %d lines", err, n)
	}
	if _, err := WholeLines(path+"x", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What is set aside gets the first free name of 999.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for n, want := range []string{"a.damaged", "a.damaged-2", "a.damaged-3"} {
		mustWrite(t, path, fmt.Sprint(n))
		r, err := SetAside(path, "why")
		if err != nil || *r != (Repaired{Path: path, Aside: filepath.Join(dir, want), Reason: "why"}) ||
			mustRead(t, r.Aside) != fmt.Sprint(n) || exists(path) || !IsAside(r.Aside) {
			t.Errorf("%+v, %v; want %s", r, err, want)
		}
	}
	if IsAside(path) || IsAside(filepath.Join(dir, "x.damaged", "a")) || !IsAside("x.damaged") {
		t.Error("IsAside is about the name of the file or folder alone")
	}
	if _, err := SetAside(path, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing to set aside: %v", err)
	}
	mustWrite(t, path, "")
	for n := 4; n < 999; n++ {
		mustWrite(t, fmt.Sprintf("%s.damaged-%d", path, n), "")
	}
	if aside, err := asideName(path); err != nil || aside != path+".damaged-999" {
		t.Errorf("the last name: %s, %v", aside, err)
	}
	mustWrite(t, path+".damaged-999", "")
	_, err := SetAside(path, "")
	if err == nil || !strings.Contains(err.Error(), path+": a thousand repairs") || !exists(path) {
		t.Errorf("no name is free: %v", err)
	}
	if _, err := keepCopy(path); err == nil {
		t.Error("a copy without a name")
	}
}

// dataSet writes a complete data set with a shard of 10 rows, one of 20 and so on.
func dataSet(t *testing.T, shards int) (dir string, m *Manifest) {
	t.Helper()
	dir, m = t.TempDir(), &Manifest{Schema: "x", Complete: true, Report: []byte(`{"n":1}`)}
	for i := range shards {
		s := Shard{Name: fmt.Sprintf("x-%d.arrow", i), Rows: int64(10 * (i + 1))}
		text := strings.Repeat("shard", i+1)
		mustWrite(t, filepath.Join(dir, s.Name), text)
		sum := SumBytes([]byte(text))
		s.Size, s.SHA256 = sum.Size, sum.SHA256
		m.Rows += s.Rows
		m.Shards = append(m.Shards, s)
	}
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// The shards before the first damaged one stay, and all others and the manifest are set aside.
func TestRepairShards(t *testing.T) {
	for _, c := range []struct {
		name       string
		damage     map[string]string // new content of files; "-": removed
		kept, lost int64
		reason     string
		left       string
	}{
		{"nothing", nil, 0, 0, "", "manifest.json x-0.arrow x-1.arrow x-2.arrow"},
		{"first", map[string]string{"x-0.arrow": "shirt"}, 0, 60, "wrong checksum",
			"manifest.json manifest.json.damaged x-0.arrow.damaged x-1.arrow.damaged x-2.arrow.damaged"},
		{"middle", map[string]string{"x-1.arrow": "short"}, 10, 50, "5 bytes, but the manifest says 10",
			"manifest.json manifest.json.damaged x-0.arrow x-1.arrow.damaged x-2.arrow.damaged"},
		{"last", map[string]string{"x-2.arrow": ""}, 30, 30, "0 bytes, but the manifest says 15",
			"manifest.json manifest.json.damaged x-0.arrow x-1.arrow x-2.arrow.damaged"},
		{"missing", map[string]string{"x-1.arrow": "-"}, 10, 50, "x-1.arrow",
			"manifest.json manifest.json.damaged x-0.arrow x-2.arrow.damaged"},
		{"two", map[string]string{"x-1.arrow": "shardshirt", "x-2.arrow": "-"}, 10, 50, "wrong checksum",
			"manifest.json manifest.json.damaged x-0.arrow x-1.arrow.damaged"},
	} {
		dir, m := dataSet(t, 3)
		old := mustRead(t, filepath.Join(dir, ManifestName))
		for name, text := range c.damage {
			if mustWrite(t, filepath.Join(dir, name), text); text == "-" {
				os.Remove(filepath.Join(dir, name))
			}
		}
		list, err := RepairShards(dir, "*.arrow")
		if got := strings.Join(namesIn(t, dir), " "); err != nil || got != c.left {
			t.Errorf("%s: %v; left: %s; want %s", c.name, err, got, c.left)
		}
		now, err := LoadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		if c.reason == "" {
			if list != nil || !now.Complete || now.Report == nil {
				t.Errorf("%s: %+v, %+v", c.name, list, now)
			}
			continue
		}
		aside := filepath.Join(dir, "manifest.json.damaged")
		if len(list) != 1 || !strings.Contains(list[0].Reason, c.reason) {
			t.Fatalf("%s: %+v", c.name, list)
		}
		want := Repaired{Path: dir, Kept: c.kept, Lost: c.lost, Unit: "rows", Aside: aside, Reason: list[0].Reason}
		if list[0] != want || mustRead(t, aside) != old {
			t.Errorf("%s: %+v\nwant %+v", c.name, list[0], want)
		}
		if now.Complete || now.Report != nil || now.Rows != c.kept ||
			!slices.Equal(now.Shards, m.Shards[:len(now.Shards)]) {
			t.Errorf("%s: the manifest is %+v", c.name, now)
		}
		if list, err := RepairShards(dir, "*.arrow"); list != nil || err != nil {
			t.Errorf("%s: repaired again: %+v, %v", c.name, list, err)
		}
	}
}

// Without a manifest that can be read no shard counts: all are set aside, and other files stay.
func TestRepairShardsWithoutAManifest(t *testing.T) {
	dir, _ := dataSet(t, 2)
	mustWrite(t, filepath.Join(dir, ManifestName), "{")
	mustWrite(t, filepath.Join(dir, "notes.md"), "")
	list, err := RepairShards(dir, "x-*.arrow")
	if err != nil || len(list) != 1 || list[0].Path != filepath.Join(dir, ManifestName) || list[0].Unit != "" ||
		!strings.Contains(list[0].Reason, "the manifest is damaged") {
		t.Errorf("%+v, %v", list, err)
	}
	const left = "manifest.json.damaged notes.md x-0.arrow.damaged x-1.arrow.damaged"
	if got := strings.Join(namesIn(t, dir), " "); got != left {
		t.Errorf("left: %s", got)
	}
	if _, err := RepairShards(dir, "*"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
	mustWrite(t, filepath.Join(dir, ManifestName), "{")
	if _, err := RepairShards(dir, "["); !errors.Is(err, filepath.ErrBadPattern) {
		t.Errorf("a bad pattern: %v", err)
	}
}

// What a repair of a run sets aside, in which order, and whether the run stays complete.
func TestRepairRun(t *testing.T) {
	l := linesOf(t, 2)
	bad := strings.Replace(l[0], "pair", "pear", 1) + l[1]
	const finish = "result.json: the run is finished again"
	const line = "the first damaged line is line 1"
	for _, c := range []struct {
		name   string
		files  map[string]string // "-": removed
		folder bool              // the derived folder is there
		want   []string
		result bool // afterwards
	}{
		{"nothing", nil, true, nil, true},
		{"not complete", map[string]string{"result.json": "-"}, true, nil, false},
		{"unfinished line", map[string]string{"j": l[0] + l[1][:9]}, true, nil, true},
		{"journal", map[string]string{"j": bad}, false, []string{"j: " + line, finish}, false},
		{"journal and folder", map[string]string{"j": bad}, true,
			[]string{"d: it is written again from the journal", "j: " + line, finish}, false},
		{"journal, not complete", map[string]string{"j": bad, "result.json": "-"}, false, []string{"j: " + line},
			false},
		{"no journal", map[string]string{"j": "-"}, true, nil, true},
		{"events", map[string]string{"events.jsonl": bad}, true, []string{"events.jsonl: " + line}, true},
		{"run.json", map[string]string{"run.json": "{"}, true,
			[]string{"run.json: it says how to resume the run; its command writes it again"}, true},
		{"no run.json", map[string]string{"run.json": "-"}, true, nil, true},
		{"result", map[string]string{"result.json": "{"}, true,
			[]string{"result.json: it is damaged; the run is finished again"}, false},
		{"all", map[string]string{"run.json": "", "events.jsonl": bad, "j": bad, "result.json": ""}, true,
			[]string{"d: it is written again from the journal",
				"run.json: it says how to resume the run; its command writes it again", "events.jsonl: " + line,
				"j: " + line, "result.json: it is damaged; the run is finished again"}, false},
	} {
		dir := t.TempDir()
		r := mustOpenRun(t, dir, testConfig{})
		if err := errors.Join(r.Event("x", nil), r.Finish("done"), r.Close()); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, filepath.Join(dir, "j"), l[0]+l[1])
		if c.folder {
			if err := MakeDir(filepath.Join(dir, "d")); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range c.files {
			if mustWrite(t, filepath.Join(dir, name), text); text == "-" {
				os.Remove(filepath.Join(dir, name))
			}
		}
		list, err := RepairRun(dir, RepairPlan{Journal: "j", Derived: "d",
			Data: func(string) ([]Repaired, error) { return nil, nil }})
		var got []string
		for _, r := range list {
			got = append(got, filepath.Base(r.Path)+": "+r.Reason)
			if r.Aside != r.Path+asideSuffix || !exists(r.Aside) {
				t.Errorf("%s: %s is not beside it as %s", c.name, r.Path, r.Aside)
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		if exists(filepath.Join(dir, RunResultName)) != c.result {
			t.Errorf("%s: complete is %v", c.name, !c.result)
		}
		if folder := exists(filepath.Join(dir, "d")); folder != (c.folder && (len(got) == 0 || got[0][0] != 'd')) {
			t.Errorf("%s: the folder is there: %v", c.name, folder)
		}
		mustOpenRun(t, dir, testConfig{}) // it can be resumed, and is not locked
	}
}

// folderInstead puts a folder, which cannot be read, where a file was.
func folderInstead(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) }

// A run that cannot be repaired is left as it is.
func TestRepairRunRefuses(t *testing.T) {
	plan := RepairPlan{Journal: "j", Derived: "d", Data: func(string) ([]Repaired, error) { return nil, nil }}
	for _, c := range []struct {
		name  string
		spoil func(dir string) error
		want  func(error) bool
	}{
		{"open", func(dir string) error { mustOpenRun(t, dir, testConfig{}); return nil },
			func(err error) bool { return errors.Is(err, ErrLocked) }},
		{"configuration", func(dir string) error { return os.WriteFile(filepath.Join(dir, RunConfigName), nil, 0o666) },
			func(err error) bool { return errors.Is(err, ErrConfigDamaged) && errors.Is(err, ErrDamaged) }},
		{"no run", func(dir string) error { return os.Remove(filepath.Join(dir, RunConfigName)) },
			func(err error) bool { return errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrConfigDamaged) }},
		{"journal", func(dir string) error { return os.Mkdir(filepath.Join(dir, "j"), 0o777) },
			func(err error) bool { return err != nil && !errors.Is(err, ErrDamaged) }},
		{"result", func(dir string) error { return folderInstead(filepath.Join(dir, RunResultName)) },
			func(err error) bool { return err != nil && strings.Contains(err.Error(), RunResultName) }},
		{"events", func(dir string) error { return folderInstead(filepath.Join(dir, RunEventsName)) },
			func(err error) bool { return err != nil && strings.Contains(err.Error(), RunEventsName) }},
	} {
		dir := t.TempDir()
		r := mustOpenRun(t, dir, testConfig{})
		if err := errors.Join(r.Finish("done"), r.Close(), c.spoil(dir)); err != nil {
			t.Fatal(err)
		}
		before := namesIn(t, dir)
		if list, err := RepairRun(dir, plan); !c.want(err) || len(list) > 0 {
			t.Errorf("%s: %+v, %v", c.name, list, err)
		}
		if after := namesIn(t, dir); !slices.Equal(before, after) {
			t.Errorf("%s: the files were %v and are %v", c.name, before, after)
		}
	}
}
