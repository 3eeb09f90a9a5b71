package processtest

import (
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

// A match is killed. Its page and the list of runs say so.
func TestServedRunThatIsKilled(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	setup.Check(t, os.Mkdir(runs, 0o777))
	out := filepath.Join(runs, "night")
	run := start(t, nil, "match", "random", "first-move", "--depth", "1", "--games", "1000000", "--max-plies", "60",
		"--out", out)
	url := serveProcess(t, runs)
	awaitPage(t, url+"/run/night", `class="running">running`, "SO FAR: ")

	run.kill()
	resume := html.EscapeString("assay match random first-move --depth 1 --games 1000000 --max-plies 60 --out " +
		quote.Word(out))
	awaitPage(t, url+"/run/night", `class="interrupted">interrupted`, resume)
	awaitPage(t, url+"/", `class="interrupted">interrupted`, resume)
}

// awaitPage requests a page until it has all that is wanted.
func awaitPage(t *testing.T, url string, wanted ...string) {
	t.Helper()
	for until := time.Now().Add(soonEnough); ; time.Sleep(100 * time.Millisecond) {
		answer := setup.Must(http.Get(url))
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
