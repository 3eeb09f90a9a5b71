package durable

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

type testConfig struct {
	Games int `json:"games"`
}

var testInfo = RunInfo{Command: "learn", Resume: "assay learn --out a", Program: "assay 0.1",
	Loose: []string{"*.html", "*.svg", "*.txt", "workers.json"}}

func mustOpenRun(t *testing.T, dir string, config any) *Run {
	t.Helper()
	r := setup.Must(OpenRun(dir, testInfo, config))
	t.Cleanup(func() { r.Close() })
	return r
}

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "a")
	config := testConfig{Games: 40}
	r := mustOpenRun(t, dir, config)
	started := r.info.Started
	if started.IsZero() {
		t.Error("a new run has no start time")
	}
	if _, err := OpenRun(dir, testInfo, config); !errors.Is(err, ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	setup.Check(t, r.Event("generation", map[string]int{"n": 1}))
	setup.Check(t, r.Close())

	r = mustOpenRun(t, dir, config)
	if !r.info.Started.Equal(started) {
		t.Errorf("the resumed run started at %v, want %v", r.info.Started, started)
	}
	if _, complete := r.Result(); complete {
		t.Error("complete before Finish")
	}
	setup.Check(t, r.Event("end", nil))
	setup.Check(t, r.Finish(map[string]float64{"elo": 12.5}))
	setup.Check(t, r.Close())
	r = mustOpenRun(t, dir, config)
	var result map[string]float64
	doc, complete := r.Result()
	if err := json.Unmarshal(doc, &result); err != nil || !complete || result["elo"] != 12.5 {
		t.Errorf("result %s, %v, %v", doc, complete, err)
	}
	events := ""
	err := ReadJournal(r.Path(RunEventsName), func(l []byte) error { events += string(l) + "\n"; return nil })
	if err != nil || strings.Count(events, "\n") != 2 ||
		!strings.Contains(events, `"event":"generation","data":{"n":1}`) {
		t.Errorf("events %s %v", events, err)
	}
}

// A run of another format is refused, whether it is opened, listed or read.
func TestRunRefusesOtherFormats(t *testing.T) {
	for name, info := range map[string]string{"older": `{"command": "match"}`, "newer": `{"format": "assay.run/3"}`} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustWrite(t, filepath.Join(dir, RunConfigName), "{}")
			mustWrite(t, filepath.Join(dir, RunInfoName), info)
			_, opened := OpenRun(dir, testInfo, testConfig{})
			_, read := ReadRunInfo(dir)
			status := Status(dir)
			for what, err := range map[string]error{"opened": opened, "read": read, "listed": status.Err} {
				if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), RunFormat) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if status.State != Unreadable {
				t.Errorf("state %v", status.State)
			}
		})
	}
}

// A run that wrote nothing but what Bound leaves out is started again with any configuration.
func TestFailedRunDoesNotBindItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := mustOpenRun(t, dir, testConfig{Games: 1})
	games := r.Path("games")
	if err := errors.Join(r.Event("stopped", nil), MakeDir(games), (&Manifest{Schema: "x"}).Save(games),
		WriteFile(r.Path("journal.jsonl"), nil),
		MakeDir(r.Path("faults")), WriteFile(r.Path("faults", "game-1.txt"), []byte("crash")), r.Close()); err != nil {
		t.Fatal(err)
	}
	again := testInfo
	again.Resume, again.Pinned = "another command", json.RawMessage(`["x"]`)
	r, err := OpenRun(dir, again, testConfig{Games: 2})
	setup.Check(t, err)
	setup.Check(t, r.Close())
	if info, err := ReadRunInfo(dir); err != nil || info.Resume != again.Resume || info.Pinned == nil {
		t.Errorf("%+v, %v", info, err)
	}
	for _, binds := range []string{"result.json", "weights.json", "journal.jsonl", "games/manifest.json"} {
		if bound, err := Bound(dir, testInfo.Loose); bound || err != nil {
			t.Errorf("bound without %s: %v", binds, err)
		}
		path := filepath.Join(dir, binds)
		was, _ := os.ReadFile(path)
		setup.Check(t, os.WriteFile(path, []byte("{}"), 0o666))
		if bound, err := Bound(dir, testInfo.Loose); !bound || err != nil {
			t.Errorf("%s does not bind: %v", binds, err)
		}
		var diff *ConfigChangedError // and not ErrLocked after the first refusal
		if _, err := OpenRun(dir, testInfo, testConfig{Games: 3}); !errors.As(err, &diff) || diff.Field != "games" ||
			diff.Old != "2" || diff.New != "3" {
			t.Errorf("a run with %s: %v", binds, err)
		}
		if was == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, was, 0o666)
		}
		setup.Check(t, err)
	}
}

func TestCompareConfigIgnoresOrderAndSpace(t *testing.T) {
	a := json.RawMessage(`{"a":1,"b":{"c":[],"d":18446744073709551615}}`)
	b := json.RawMessage(" {\"b\": {\"d\": 18446744073709551615, \"c\": [ ]},\n \"a\": 1}\n")
	if err := CompareConfig("x", a, b); err != nil {
		t.Error(err)
	}
	c := json.RawMessage(`{"a":1,"b":{"c":[],"d":18446744073709551614}}`)
	var diff *ConfigChangedError
	if err := CompareConfig("x", a, c); !errors.As(err, &diff) || diff.Field != "b.d" {
		t.Errorf("err = %v", err)
	}
	for _, bad := range []string{`{`, `{} {}`, `{"a":}`, strings.Repeat("[", 200)} {
		if err := CompareConfig("x", json.RawMessage(bad), a); !errors.Is(err, ErrDamaged) {
			t.Errorf("%.20s: %v", bad, err)
		}
	}
}

// A crash between run.json and config.json leaves a folder in which a run can be started.
func TestOpenRunAfterACrash(t *testing.T) {
	dir := t.TempDir()
	setup.Check(t, mustOpenRun(t, dir, testConfig{}).Close())
	setup.Check(t, os.Remove(filepath.Join(dir, RunConfigName)))
	setup.Check(t, os.WriteFile(filepath.Join(dir, ".config.json.99-0.tmp"), []byte("{"), 0o666))
	mustOpenRun(t, dir, testConfig{Games: 9})
	for _, name := range namesIn(t, dir) {
		if strings.HasSuffix(name, tempSuffix) {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestListSaysWhatCannotBeRead(t *testing.T) {
	base := t.TempDir()
	if runs, err := List(filepath.Join(base, "none")); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
	for _, name := range []string{"b", "a"} {
		setup.Check(t, mustOpenRun(t, filepath.Join(base, name), testConfig{}).Close())
	}
	setup.Check(t, MakeDir(filepath.Join(base, "not-a-run")))
	setup.Check(t, os.WriteFile(filepath.Join(base, "b", RunResultName), []byte(`{"elo":`), 0o666))
	runs, err := List(base)
	if err != nil || len(runs) != 2 || runs[0].State != Interrupted || runs[1].State != Unreadable {
		t.Fatalf("%+v, %v", runs, err)
	}
	if !strings.Contains(runs[1].Err.Error(), RunResultName) {
		t.Errorf("err = %v", runs[1].Err)
	}
	if _, err := OpenRun(filepath.Join(base, "b"), testInfo, testConfig{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("opened a run with a damaged result: %v", err)
	}
}

func TestExtendRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	open := func(turns int, resume string, settled error) (*Run, error) {
		return ExtendRun(dir, RunInfo{Resume: resume}, map[string]int{"turns": turns},
			func(recorded json.RawMessage) error {
				if !strings.Contains(string(recorded), `"turns"`) {
					t.Errorf("recorded is %s", recorded)
				}
				return settled
			})
	}
	r, err := open(2, "two", errors.New("never asked"))
	setup.Check(t, err)
	started := r.info.Started
	setup.Check(t, errors.Join(r.Finish("done"), r.Close()))
	refused := errors.New("the first turn differs")
	if _, err := open(3, "three", refused); !errors.Is(err, refused) {
		t.Errorf("a configuration that is not settled: %v", err)
	}
	if got := Status(dir); got.State != Complete || got.Info.Resume != "two" {
		t.Errorf("after the refusal: %+v", got)
	}
	if r, err = open(3, "three", nil); err != nil {
		t.Fatal(err)
	}
	if _, complete := r.Result(); complete || !r.info.Started.Equal(started) {
		t.Error("the extended run is complete, or has a new start time")
	}
	setup.Check(t, r.Close())
	if got := Status(dir); got.State != Interrupted || got.Info.Resume != "three" {
		t.Errorf("after the extension: %+v", got)
	}
	events, err := os.ReadFile(filepath.Join(dir, RunEventsName))
	if err != nil || !strings.Contains(string(events), `"event":"extended","data":{"from":{"turns":2}}`) {
		t.Errorf("events: %s, %v", events, err)
	}
	if r, err = open(3, "three", refused); err != nil { // equal configurations: settled is not called
		t.Fatal(err)
	}
	setup.Check(t, errors.Join(r.Finish("done"), r.Reopen(), r.Reopen(), r.Close()))
	if _, complete := r.Result(); complete || Status(dir).State != Interrupted {
		t.Errorf("a reopened run is complete: %+v", Status(dir))
	}
}

// The error about a configuration names the file, the first field that differs, and both values.
func TestConfigChangedMessage(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{`{"a":1,"b":2}`, `{"b":3,"a":2}`, "b was 2 and is now 3"},
		{`{"a":1}`, `{"a":1,"b":[4]}`, "b[0] was not there and is now 4"},
		{`{"a":1,"b":"x","c":2}`, `{"a":1}`, `b was "x" and is now not there`},
		{``, `{"a":1}`, "a was not there and is now 1"},
		{`{"a":""}`, `{"a":null}`, `a was "" and is now null`},
	} {
		err := CompareConfig("run/config.json", []byte(c.old), []byte(c.now))
		want := "run/config.json: the configuration has changed: " + c.want
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if err := CompareConfig("x", []byte("1"), []byte("{")); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("a new configuration that is not JSON: %v", err)
	}
}

// A run is complete once Finish has written the result, as another process sees it too.
func TestFinish(t *testing.T) {
	dir := t.TempDir()
	r := mustOpenRun(t, dir, testConfig{})
	if err := r.Finish(func() {}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a result that is not JSON: %v", err)
	}
	full := filepath.Join(dir, RunResultName, "x")
	setup.Check(t, MakeDir(full))
	if err := r.Finish("done"); err == nil {
		t.Error("a result in the place of a folder")
	}
	if doc, complete := r.Result(); complete || doc != nil {
		t.Errorf("complete without a result: %s", doc)
	}
	setup.Check(t, errors.Join(os.RemoveAll(filepath.Dir(full)), r.Finish(map[string]int{"elo": 3})))
	doc, complete := r.Result()
	const want = "{\n  \"elo\": 3\n}"
	if !complete || string(doc) != want || mustRead(t, r.Path(RunResultName)) != want+"\n" {
		t.Errorf("%s, %v", doc, complete)
	}
	if r.Dir() != dir || r.Path("a", "b") != filepath.Join(dir, "a", "b") {
		t.Errorf("%s, %s", r.Dir(), r.Path("a", "b"))
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// A run whose run.json is lost gets one again, with the time of its configuration.
func TestRunWithoutInfo(t *testing.T) {
	dir := t.TempDir()
	setup.Check(t, mustOpenRun(t, dir, testConfig{}).Close())
	day := time.Date(2020, 5, 6, 7, 8, 9, 500_000_000, time.UTC)
	setup.Check(t, errors.Join(os.Chtimes(filepath.Join(dir, RunConfigName), day, day),
		os.Remove(filepath.Join(dir, RunInfoName))))
	if _, err := ReadRunInfo(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no run.json: %v", err)
	}
	r := mustOpenRun(t, dir, testConfig{})
	info, err := ReadRunInfo(dir)
	if want := day.Truncate(time.Second); err != nil || !info.Started.Equal(want) || !r.Info().Started.Equal(want) ||
		info.Resume != testInfo.Resume {
		t.Errorf("%+v, %v", info, err)
	}
}

// The state of a run, from its files, and when the latest of them changed.
func TestStatus(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2020, 1, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name    string
		result  string // empty: none
		info    string // empty: none; "-": as it is
		days    [3]int // of configuration, events and result
		state   State
		updated int
	}{
		{"no result", "", "-", [3]int{1, 2, 0}, Interrupted, 2},
		{"complete", `{"verdict":"H1"}`, "-", [3]int{1, 2, 3}, Complete, 3},
		{"events are latest", `7`, "-", [3]int{1, 5, 3}, Complete, 5},
		{"configuration is latest", `"none"`, "-", [3]int{9, 5, 3}, Complete, 9},
		{"no verdict", `{"verdict":"none"}`, "-", [3]int{1, 2, 3}, NoVerdict, 3},
		{"damaged result", `{`, "-", [3]int{1, 2, 3}, Unreadable, 3},
		{"damaged information", `7`, "{", [3]int{1, 2, 3}, Unreadable, 3},
		{"no information", `7`, "", [3]int{1, 2, 3}, Interrupted, 3},
	} {
		dir := filepath.Join(t.TempDir(), "name")
		r := mustOpenRun(t, dir, testConfig{})
		if s := Status(dir); s.State != Running {
			t.Errorf("%s: open, but %s", c.name, s.State)
		}
		setup.Check(t, r.Close())
		if c.result != "" {
			mustWrite(t, filepath.Join(dir, RunResultName), c.result)
		}
		switch c.info {
		case "":
			os.Remove(filepath.Join(dir, RunInfoName))
		case "{":
			mustWrite(t, filepath.Join(dir, RunInfoName), c.info)
		}
		for i, name := range []string{RunConfigName, RunEventsName, RunResultName} {
			if c.days[i] > 0 {
				setup.Check(t, os.Chtimes(filepath.Join(dir, name), day(c.days[i]), day(c.days[i])))
			}
		}
		s := Status(dir)
		if s.State != c.state || !s.Updated.Equal(day(c.updated)) || s.Name != "name" || s.Dir != dir ||
			(s.Err != nil) != (c.state == Unreadable) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	if _, err := List(filepath.Join(t.TempDir(), "x", "y")); err != nil {
		t.Errorf("no folder: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	mustWrite(t, file, "")
	if _, err := List(file); err == nil {
		t.Error("the runs of a file")
	}
}

// Only its own files may be in a folder before a run begins there.
func TestWhereARunBegins(t *testing.T) {
	for name, good := range map[string]bool{
		RunInfoName: true, RunEventsName: true, ".hidden": true, RunResultName: false, "a": false,
		"run.json.old": false,
	} {
		dir := t.TempDir()
		mustWrite(t, filepath.Join(dir, name), "")
		r, err := OpenRun(dir, testInfo, testConfig{})
		if good && err != nil || !good && !errors.Is(err, ErrNotRun) {
			t.Errorf("%s: %v", name, err)
		}
		if !good && (err == nil || !strings.Contains(err.Error(), name) || exists(filepath.Join(dir, runLockName))) {
			t.Errorf("%s: %v, or the folder is left locked", name, err)
		}
		if err == nil {
			r.Close()
		}
	}
	if _, err := OpenRun(filepath.Join(t.TempDir(), "x"), testInfo, func() {}); err == nil {
		t.Error("a configuration that is not JSON")
	}
}
