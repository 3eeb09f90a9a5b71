package report

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
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
		"tuned": {"tune", better, []string{`<strong class="badge good">BETTER</strong> <bdi>loss of the start weights minus that of the tuned ones: &#43;0.020000, 95 % interval &#43;0.010000 to`, "7 of 400 steps"}},
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
	if want := "<title>PASSED: new &lt;b&gt; beats base by &#43;21 Elo [&#43;4, &#43;38] · passed · assay</title>"; !strings.Contains(page, want) {
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
	if err != nil {
		t.Fatal(err)
	}
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
