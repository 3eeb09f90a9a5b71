package report

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
)

// someWorkers is the list of a run's workers, one in each state.
func someWorkers() *coordinator.Snapshot {
	now := time.Date(2026, 3, 4, 22, 30, 40, 0, time.UTC)
	seen := func(seconds int) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }
	return &coordinator.Snapshot{Format: coordinator.SnapshotFormat, Run: "0123456789abcdef", Updated: now,
		Workers: []coordinator.WorkerStatus{
			{Name: "absent", Program: "assay 1 bench 7", System: "linux/arm64", Cores: 4, State: coordinator.Gone, Units: 80,
				Seen: seen(3700)},
			{Name: "anna", Program: "assay 1 bench 7", System: "linux/amd64", Cores: 8, State: coordinator.Working, Units: 600,
				Replays: 12, Failures: 3, Reason: "no room in memory", Speed: 812345,
				Seen: seen(2)},
			{Name: "bert", Program: "assay 1 bench 7", System: "darwin/arm64", Cores: 2, State: coordinator.Working, Units: 120,
				Replays: 77, Seen: seen(4)},
			{Name: "old", Program: hostile, System: hostile, Cores: 1, State: coordinator.Refused,
				Reason: "install that version: " + hostile, Seen: seen(9)},
		}}
}

// writeRoster writes the list into a run's folder.
func writeRoster(t *testing.T, dir string, roster any) {
	t.Helper()
	data, err := json.Marshal(roster)
	if err == nil {
		err = durable.MakeDir(filepath.Join(dir, coordinator.DirName))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, coordinator.DirName, coordinator.WorkersName), data, 0o666)
	}
	setup.Check(t, err)
}

// runWithWorkers opens a run; the function that it returns closes it.
func runWithWorkers(t *testing.T, dir string) (end func()) {
	t.Helper()
	r := setup.Must(durable.OpenRun(dir, durable.RunInfo{Command: "selfplay", Resume: "assay selfplay --out games"},
		map[string]int{"games": 3}))
	t.Cleanup(func() { r.Close() })
	return func() { r.Close() }
}

// get asks a server of the runs in a folder for a page.
func get(runs, path string) (code int, body string) {
	w := httptest.NewRecorder()
	Handler(runs).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	return w.Code, w.Body.String()
}

// row returns the table row that begins with a name.
func row(t *testing.T, page, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<bdi>"+name+"</bdi></th>")
	text, _, ok2 := strings.Cut(rest, "</tr>")
	if !ok || !ok2 {
		t.Fatalf("there is no row of %s", name)
	}
	return text
}

func TestWorkersOnThePage(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "games")
	end := runWithWorkers(t, dir)
	const page = "/run/games"
	if code, body := get(runs, page); code != http.StatusOK || strings.Contains(body, `id="workers"`) {
		t.Errorf("%d: a run without workers has a section about them", code)
	}

	writeRoster(t, dir, someWorkers())
	_, body := get(runs, page)
	noMarkup(t, body)
	if !strings.Contains(body, "2 at work, cores: 10; 800 units") ||
		!strings.Contains(body, "As of 2026-03-04 22:30:40 UTC") {
		t.Error("the page lacks the sum of the workers")
	}
	for name, want := range map[string][]string{
		"anna": {"<bdi>working no room", "<td>600</td>", "75.0", "2s ago",
			"<td>3</td>", "assay 1 bench 7, linux/amd64", "no room in memory", "<td>8</td><td>812345</td>"},
		"bert":   {"<td>120</td>", "<td>77</td><td>2</td>"},
		"old":    {"<bdi>refused ", "&lt;script&gt;alert(1)"},
		"absent": {"<bdi>gone</bdi>", "1h1m40s ago"},
	} {
		text := row(t, body, name)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("the row of %s lacks %q: %.400s", name, w, text)
			}
		}
	}
	if strings.Index(body, "<bdi>absent</bdi></th>") < strings.Index(body, "<bdi>old</bdi></th>") {
		t.Error("a worker that is gone comes before one that is not")
	}

	// No process has the run open any more: the file describes the past.
	end()
	if _, body := get(runs, page); !strings.Contains(row(t, body, "anna"), "<bdi>gone ") ||
		!strings.Contains(body, "No worker is at work") {
		t.Error("a run that was interrupted has workers at work")
	}
}

// A damaged list of workers does not hide the run.
func TestDamagedListOfWorkers(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "games")
	runWithWorkers(t, dir)
	for doc, says := range map[any]string{"damaged": "cannot unmarshal", struct {
		Format string `json:"format"`
	}{"assay.workers/9"}: "want assay.workers/3"} {
		writeRoster(t, dir, doc)
		if code, body := get(runs, "/run/games"); code != http.StatusOK ||
			!strings.Contains(body, "The list of workers cannot be read") || !strings.Contains(body, says) {
			t.Errorf("%v: %d, without %q", doc, code, says)
		}
	}
}

// sprtResult is a match of 100 pairs that passed.
func sprtResult() *match.Result {
	llr, lower, upper := 2.97, -2.94, 2.94
	return &match.Result{A: "new <b>", B: "base", Verdict: match.AcceptH1, Games: 200, Wins: 80, Draws: 60, Losses: 60,
		Pentanomial: sprt.Pentanomial{10, 20, 30, 20, 20}, LLR: &llr, Lower: &lower, Upper: &upper,
		Strength: sprt.Strength{Elo: 21, EloLo: 4, EloHi: 38}}
}

// The list of runs says the outcome of each, in words and with a class for its color, and the
// title of a run's page begins with it.
func TestOutcomes(t *testing.T) {
	failed, none := sprtResult(), sprtResult()
	failed.Verdict, none.Verdict, none.Reason = match.AcceptH0, match.NoVerdict, "too many games failed"
	better := &tuner.Report{Result: tuner.Result{Steps: 7}}
	better.Answer, better.CrossValidation = tuner.Better, &tuner.Paired{Gain: 0.02, Interval: tuner.Interval{0.01, 0.03}}
	config := map[string]any{}
	runs := t.TempDir()
	for name, c := range map[string]struct {
		command string
		result  any
		want    []string
	}{
		"passed": {"match", sprtResult(), []string{`<strong class="badge good">PASSED</strong> <bdi>new &lt;b&gt; beats base by &#43;21 Elo [&#43;4, &#43;38]`, "2.97 (-2.94, 2.94)", "80–60–60", `max="400" value="200"`, "200 of 400 games"}},
		"failed": {"match", failed, []string{`<strong class="badge bad">FAILED</strong>`}},
		"none":   {"match", none, []string{`<strong class="badge bad">NO VERDICT</strong> <bdi>too many games failed`}},
		"ladder": {"ladder", &ladder.Result{Games: 40,
			Ratings: []ladder.Rating{{Name: "first", Strength: sprt.Strength{Elo: 30, EloLo: 10, EloHi: 50}}}},
			[]string{"first of 1: first, &#43;30 Elo [&#43;10, &#43;50]", "40 of 400 games"}},
		"tuned": {"tune", better, []string{`<strong class="badge good">BETTER</strong> <bdi>loss of the start weights minus loss of the tuned ones: &#43;0.020000, 95 % interval &#43;0.010000 to`, "7 of 400 steps"}},
		"early": {"match", nil, []string{"0 of 400 games", "Resume with: <code>assay early</code>"}},
	} {
		setup.Check(t, os.Rename(writeRun(t, name, durable.RunInfo{Command: c.command, Resume: "assay " + name, Total: 400},
			config,
			c.result), filepath.Join(runs, name)))
		code, body := get(runs, "/")
		_, row, ok := strings.Cut(body, `<a href="run/`+name+`">`)
		row, _, _ = strings.Cut(row, "</tr>")
		if code != http.StatusOK || !ok {
			t.Fatalf("%s: %d %.300s", name, code, body)
		}
		for _, want := range c.want {
			if !strings.Contains(row, want) {
				t.Errorf("%s: the row lacks %q: %s", name, want, row)
			}
		}
		noMarkup(t, body)
	}
	page := write(t, filepath.Join(runs, "passed"))
	if want := "<title>PASSED: new &lt;b&gt; beats base by &#43;21 Elo [&#43;4, &#43;38] · passed · " +
		"assay</title>"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
	if want := `<div class="good">`; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// A list of runs says of a match in progress how it stood at last, and its page counts whole pairs, from A's view.
func TestOutcomeOfAMatchInProgress(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "match")
	c := longMatch(dir)
	c.Games, c.Progress = 40, func(int64, int64, string) {}
	r, err := match.Run(t.Context(), c)
	if err == nil {
		err = os.Remove(filepath.Join(dir, durable.RunResultName))
	}
	setup.Check(t, err)
	for brief, want := range map[bool]string{true: "40 of 40 games: ", false: "SO FAR: random against random: "} {
		b := newBuilder(dir)
		b.brief, b.config = brief, json.RawMessage("{}")
		setup.Check(t, b.build())
		d := b.report.Document
		if !strings.HasPrefix(d.Headline, want) || d.Done != 40 || d.Total != 40 {
			t.Errorf("brief %t: %+v", brief, d)
		}
		if wdl := fmt.Sprintf("%d–%d–%d", r.Wins, r.Draws, r.Losses); !brief && d.WDL != wdl {
			t.Errorf("%s, want %s", d.WDL, wdl)
		}
	}
}

// longMatch is a match that lasts until it is stopped.
func longMatch(out string) match.Config {
	player := selfplay.Player{Spec: engine.Spec{Name: "random"}, ID: "random"}
	return match.Config{A: player, B: player, Games: 1_000_000,
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Depth: 1}, MaxPlies: 60, Opening: opening.Spec{Plies: 8},
				Check: selfplay.Check{MaxScore: -1}, Program: "test"},
			Place: selfplay.Place{Out: out, Concurrency: 1, Open: roster.Open, Resume: "assay match --out match"},
		}}
}

// What a folder is named is text: it neither steers a terminal nor makes a page.
func TestNamesOfFoldersAreText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names here")
	}
	const name = "<img src=x onerror=alert(1)>\x1b[2J\u202e"
	dir := t.TempDir()
	runWithWorkers(t, filepath.Join(dir, name))()
	for _, path := range []string{"/", "/run/%3Cimg%20src=x%20onerror=alert(1)%3E%1B%5B2J%E2%80%AE"} {
		_, page := get(dir, path)
		if strings.ContainsAny(page, "\x1b\u202e") || strings.Contains(page, "<img src") ||
			!strings.Contains(page, "onerror") {
			t.Errorf("%s: %.300s", path, page)
		}
	}
}

// deadlines notes which deadlines were set: true for none.
type deadlines struct {
	*httptest.ResponseRecorder
	none []bool
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.none = append(d.none, t.IsZero())
	return nil
}

// A page has no deadline while it is made, and one while it is written.
func TestPageTakesItsTime(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	if Handler(t.TempDir()).ServeHTTP(w, r); !slices.Equal(w.none, []bool{true, false}) {
		t.Errorf("deadlines %v", w.none)
	}
}

func TestHostsThatAreServed(t *testing.T) {
	handler := Handler(t.TempDir())
	for host, want := range map[string]int{
		"localhost": 200, "localhost:80": 200, "LOCALHOST:8347": 200, "localhost.": 200, "LocalHost.:8347": 200,
		"127.0.0.1:1": 200, "[::1]:80": 200, "[::1]": 200,
		"localhost..": 403, "localhost.example.org": 403, "example.org": 403, "notlocalhost": 403, "": 403, ".": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
}
