package report

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
)

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
	better := &tuner.Report{Result: tuner.Result{Convergence: tuner.Convergence{Steps: 7}}}
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
		"tuned": {"tune", better, []string{`<strong class="badge good">BETTER</strong> <bdi>loss lower by 0.020000 [&#43;0.010000, &#43;0.030000]`, "7 steps"}},
		"early": {"match", nil, []string{"0 of 400 games", "Resume with: <code>assay early</code>"}},
	} {
		if err := os.Rename(writeRun(t, name, durable.RunInfo{Command: c.command, Resume: "assay " + name, Total: 400}, config,
			c.result), filepath.Join(runs, name)); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer((&Server{Dir: runs}).Handler())
		t.Cleanup(server.Close)
		code, body := get(t, server.URL+"/")
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
	if want := "<title>PASSED new &lt;b&gt; beats base by &#43;21 Elo [&#43;4, &#43;38] · passed · assay</title>"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
	if want := `<div class="good">`; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// A match in progress is counted by its whole pairs, from A's view.
func TestOutcomeOfAMatchInProgress(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "match")
	c := longMatch(dir)
	c.Games = 40
	if _, err := match.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var final match.Result
	if ok, err := readJSON(&final, dir, durable.RunResultName); err != nil || !ok {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, durable.RunResultName)); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]standing{"journal": readStanding, "tally": newBuilder(dir).standing} {
		o, err := summarize(dir, durable.Status(dir), at)
		if err != nil || o.WDL != wdl(final.Wins, final.Draws, final.Losses) || o.Done != 40 || o.Total != 40 ||
			!strings.Contains(o.Text, "so far ") {
			t.Errorf("%s: %+v, %v; want %d–%d–%d", name, o, err, final.Wins, final.Draws, final.Losses)
		}
	}
}

// longMatch is a match that lasts until it is stopped.
func longMatch(out string) match.Config {
	player := selfplay.Entrant{Spec: engine.Spec{Name: "random"}, Name: "random"}
	return match.Config{A: player, B: player, Games: 1_000_000,
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Depth: 1}, MaxPlies: 60, Opening: opening.Spec{Plies: 8},
				Check: selfplay.Check{MaxScore: -1}, Program: "test"},
			Place: selfplay.Place{Out: out, Concurrency: 1, Open: roster.Open, Resume: "assay match --out match"},
		}}
}
