package processtest

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A match is killed. The stream says so to its open page, and so do a new request for
// the page and the list of runs.
func TestServedRunThatIsKilled(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	if err := os.Mkdir(runs, 0o777); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(runs, "night")
	run := start(t, nil, "match", "random", "first-move", "--depth", "1", "--games", "1000000", "--max-plies", "60",
		"--out", out)
	url := serveProcess(t, runs)
	awaitPage(t, url+"/run/night", `class="running">running`, "games counted")

	stream, err := http.Get(url + "/run/night/events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stream.Body.Close() })
	said := make(chan bool)
	go func() {
		lines, found := bufio.NewScanner(stream.Body), false
		lines.Buffer(nil, 64<<20)
		for !found && lines.Scan() {
			found = strings.Contains(lines.Text(), `interrupted`) && strings.Contains(lines.Text(),
				"assay match random first-move")
		}
		said <- found
	}()
	run.kill()
	select {
	case found := <-said:
		if !found {
			t.Error("the stream ended without the interruption")
		}
	case <-time.After(soonEnough):
		t.Error("the stream does not send the interruption")
	}
	resume := "assay match random first-move --depth 1 --games 1000000 --max-plies 60 --out " + out
	awaitPage(t, url+"/run/night", `class="interrupted">interrupted`, resume)
	awaitPage(t, url+"/", `class="interrupted">interrupted`, resume)
}

// awaitPage requests a page until it has all that is wanted.
func awaitPage(t *testing.T, url string, wanted ...string) {
	t.Helper()
	for until := time.Now().Add(soonEnough); ; time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		missing := ""
		for _, w := range wanted {
			if !strings.Contains(string(page), w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%s lacks %q: %.600s", url, missing, page)
		}
	}
}
