package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

func writeJSON(t *testing.T, v any, elem ...string) {
	t.Helper()
	data := setup.Must(json.Marshal(v))
	path := filepath.Join(elem...)
	setup.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
	setup.Check(t, os.WriteFile(path, data, 0o666))
}

// TestHistory draws two generations, one of them not promoted, and another player.
func TestHistory(t *testing.T) {
	dir, played := t.TempDir(), t.TempDir()
	start := setup.Must(models.Embedded("assay-start"))
	startID := start.ID()
	result := ladder.Result{Games: 120, Ratings: []ladder.Rating{
		{Name: "start", ID: "assay:weights=" + start.ID() + ":hash=1"},
		{Name: "shannon <1950>", Strength: sprt.Strength{Elo: -111}},
	}}
	for n, verdict := range []string{match.AcceptH1, match.AcceptH0} {
		start.Terms[0].MG++
		text := setup.Must(start.Encode())
		folder := filepath.Join(dir, "gen-"+string(rune('1'+n)))
		writeJSON(t, match.Result{Verdict: verdict}, folder, "gate.json")
		setup.Check(t, os.WriteFile(filepath.Join(folder, "weights.json"), text, 0o666))
		elo := 123 * num.Float(n+1)
		result.Ratings = append(result.Ratings, ladder.Rating{Name: "assay:weights=gen/weights.json",
			ID: "assay:weights=" + start.ID(), Strength: sprt.Strength{Elo: elo, EloLo: elo - 20, EloHi: elo + 20}})
	}
	writeJSON(t, learn.RunConfig{StartID: startID,
		Plan: learn.DefaultPlan(2, 40, 300, 7)}, dir, "plan.json")
	writeJSON(t, result, played, "result.json")
	picture := setup.Must(History(played, []string{dir}, OverGenerations))
	for _, want := range []string{`<svg xmlns="http://www.w3.org/2000/svg"`, ">promoted<", ">not promoted<",
		"shannon &lt;1950&gt; -111", "Elo, 120 games", "prefers-color-scheme"} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("the picture does not hold %q:\n%.600s", want, picture)
		}
	}
	if strings.Contains(string(picture), "#AA00") {
		t.Error("a color was not replaced")
	}

	// A second run went on from the first's second generation.
	second := filepath.Join(t.TempDir(), "second")
	from := start.ID()
	start.Terms[0].MG++
	text, err := start.Encode()
	if err != nil {
		t.Fatal(err)
	}
	writeJSON(t, match.Result{Verdict: match.AcceptH1}, second, "gen-1", "gate.json")
	setup.Check(t, os.WriteFile(filepath.Join(second, "gen-1", "weights.json"), text, 0o666))
	writeJSON(t, learn.RunConfig{StartID: from, Plan: learn.DefaultPlan(1, 5000, 300, 7)}, second, "plan.json")
	more := result
	more.Ratings = append(slices.Clone(result.Ratings),
		ladder.Rating{ID: "assay:weights=" + start.ID(), Strength: sprt.Strength{Elo: 400, EloLo: 380, EloHi: 420}})
	writeJSON(t, more, played, "result.json")
	if picture, err = History(played, []string{dir, second}, OverGames); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Elo over games", "games learned from, in thousands"} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("the picture of two runs does not hold %q:\n%s", want, picture)
		}
	}
	if all, err := readHistories([]string{dir, second}); err != nil || len(all) != 4 || all[2].games != 88 ||
		all[3].games != 5088 {
		t.Errorf("generations of two runs: %v, %v", all, err) // of 40, 48 and 5,000 games
	}
	if _, err := History(played, nil, OverGames); err == nil || !strings.Contains(err.Error(), "no history") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := History(played, []string{second, dir}, OverGames); err == nil ||
		!strings.Contains(err.Error(), "in the order in which they learned") {
		t.Errorf("runs in the wrong order: %v", err)
	}

	// A third run began with a fit of its own to the games of the second.
	third := filepath.Join(t.TempDir(), "third")
	start.Terms[0].MG++
	writeJSON(t, learn.RunConfig{StartID: start.ID(), Plan: learn.DefaultPlan(1, 100, 300, 7)}, third, "plan.json")
	if all, err := readHistories([]string{dir, second, third}); err != nil || len(all) != 5 ||
		all[4] != (generationWeights{id: start.ID(), promoted: true, games: 5088}) {
		t.Errorf("a run that began with weights of its own: %v, %v", all, err)
	}

	missing := result
	missing.Ratings = result.Ratings[:3]
	writeJSON(t, missing, played, "result.json")
	if _, err := History(played, []string{dir}, OverGenerations); err == nil ||
		!strings.Contains(err.Error(), "of generation 2") {
		t.Errorf("a ladder without generation 2: %v", err)
	}
	setup.Check(t, os.Remove(filepath.Join(dir, "gen-1", "gate.json")))
	if _, err := History(played, []string{dir}, OverGenerations); err == nil ||
		!strings.Contains(err.Error(), "gate.json") {
		t.Errorf("a history without a gate: %v", err)
	}
}
