package durable

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
