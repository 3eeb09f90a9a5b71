package report

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/gamelog"
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
	if err != nil {
		t.Fatal(err)
	}
}

// writeJournal writes four games into a run's journal: anna's are won by White, and bert's lost by White on time.
func writeJournal(t *testing.T, dir string) {
	t.Helper()
	j, err := durable.OpenJournal(filepath.Join(dir, gamelog.JournalName), func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for n, worker := range []string{"anna", "anna", "bert", "bert"} {
		g := selfplay.Result{Number: uint64(n), Players: [2]string{"a", "b"}, Worker: worker, Result: board.WhiteWins}
		if worker == "bert" {
			g.Result, g.Termination = board.BlackWins, selfplay.TimeForfeit
		}
		setup.Check(t, j.Append(gamelog.Line(&g)))
	}
	setup.Check(t, j.Close())
}

// runWithWorkers opens a run; the function that it returns closes it.
func runWithWorkers(t *testing.T, dir string) (end func()) {
	t.Helper()
	r, err := durable.OpenRun(dir, durable.RunInfo{Command: "selfplay", Resume: "assay selfplay --out games"},
		map[string]int{"games": 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return func() { r.Close() }
}

func get(t *testing.T, url string) (code int, body string) {
	t.Helper()
	answer := setup.Must(http.Get(url))
	defer answer.Body.Close()
	data := setup.Must(io.ReadAll(answer.Body))
	return answer.StatusCode, string(data)
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
	server := httptest.NewServer((&Server{Dir: runs}).Handler())
	t.Cleanup(server.Close)
	page := server.URL + "/run/games"

	if code, body := get(t, page); code != http.StatusOK || strings.Contains(body, `id="workers"`) {
		t.Errorf("%d: a run without workers has a section about them", code)
	}

	writeRoster(t, dir, someWorkers())
	writeJournal(t, dir)
	_, body := get(t, page)
	noMarkup(t, body)
	if !strings.Contains(body, "2 at work with 10 cores; 800 units") ||
		!strings.Contains(body, "As of 2026-03-04 22:30:40 UTC") {
		t.Error("the page lacks the sum of the workers")
	}
	for name, want := range map[string][]string{
		"anna": {"<bdi>working no room", "<td>600</td>", "75.0", "2s ago",
			"<td>3</td>", "assay 1 bench 7, linux/amd64", "no room in memory"},
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
	_, compared, _ := strings.Cut(body, "Do the workers play alike?")
	for name, want := range map[string]string{"anna": "<td>812345</td><td>2</td><td>&#43;1.7</td><td>0</td><td>-1.7</td>",
		"bert": "<td></td><td>2</td><td>-1.7</td><td>2</td><td>&#43;1.7</td>"} {
		if text := row(t, compared, name); !strings.Contains(text, want) {
			t.Errorf("the comparison of %s lacks %q: %s", name, want, text)
		}
	}
	if strings.Index(body, "<bdi>absent</bdi></th>") < strings.Index(body, "<bdi>old</bdi></th>") {
		t.Error("a worker that is gone comes before one that is not")
	}

	// No process has the run open any more: the file describes the past.
	end()
	if _, body := get(t, page); !strings.Contains(row(t, body, "anna"), "<bdi>gone ") ||
		!strings.Contains(body, "No worker is at work") {
		t.Error("a run that was interrupted has workers at work")
	}
}

// A damaged list of workers does not hide the run.
func TestDamagedListOfWorkers(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "games")
	runWithWorkers(t, dir)
	server := httptest.NewServer((&Server{Dir: runs}).Handler())
	t.Cleanup(server.Close)
	for doc, says := range map[any]string{"damaged": "cannot unmarshal", struct {
		Format string `json:"format"`
	}{"assay.workers/9"}: "want assay.workers/3"} {
		writeRoster(t, dir, doc)
		if code, body := get(t, server.URL+"/run/games"); code != http.StatusOK ||
			!strings.Contains(body, "The list of workers cannot be read") || !strings.Contains(body, says) {
			t.Errorf("%v: %d, without %q", doc, code, says)
		}
	}
}
