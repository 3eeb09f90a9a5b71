package gameloop

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// formatName names the layout of a run's result.json.
const formatName = "assay.learn-game/1"

// Result is the content of a run's result.json. Nothing in it depends on the clock.
type Result struct {
	Format   string  `json:"format"`
	Program  string  `json:"program"`
	Game     string  `json:"game"`
	Title    string  `json:"title"`
	Plan     Plan    `json:"plan"`
	K        float64 `json:"k"`     // slope of the sigmoid, found once under the start weights
	Start    string  `json:"start"` // id of weights, as the next two
	Champion string  `json:"champion"`
	// whose Terms follow: the champion's, or without a promotion the last fit's
	Learned     string             `json:"learned"`
	File        string             `json:"file"` // of these weights, in the run's folder
	Generations []GenerationResult `json:"generations"`
	Terms       []tuner.TermFit    `json:"terms"`
	Worth       []Worth            `json:"worth,omitempty"` // of terms in units of the first one
	Final       *match.Result      `json:"final"`           // of the learned weights against the start weights
	Shown       *games.Shown       `json:"shown"`           // a game of the final match

	Already bool `json:"-"` // the run was complete before
}

// GenerationResult is the result of one generation.
type GenerationResult struct {
	Number int           `json:"number"`
	Games  games.Tally   `json:"games"`
	ID     string        `json:"id"` // of the fitted weights
	Fit    *tuner.Result `json:"fit"`
	learn.Decision
}

// Worth is a coefficient in units of the first term's, from a fit in which only terms that the
// start weights count are free, with its standard error by the jackknife over games.
type Worth struct {
	Term  string  `json:"term"`
	Unit  string  `json:"unit"`  // the first term
	Start float64 `json:"start"` // under the start weights
	Value float64 `json:"value"`
	SE    float64 `json:"se"`
}

// Answer, which pages show, says whether the start value is right: whether it lies in the 95 % interval.
func (w *Worth) Answer() string {
	reach := 1.96 * w.SE
	verdict := "no"
	if math.Abs(w.Value-w.Start) <= reach {
		verdict = "not refuted"
	}
	return fmt.Sprintf("is a %s worth %.3g %s? %s: %.2f, 95 %% interval %.2f to %.2f",
		w.Term, w.Start, w.Unit, verdict, w.Value, w.Value-reach, w.Value+reach)
}

// String says what was learned: coefficients, generations and the gain.
func (r *Result) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	quote.Fprintf(w, "%s: coefficients\tstart\tlearned\t± SE\tpositions\n", r.Title)
	for _, t := range r.Terms {
		quote.Fprintf(w, "  %s\t%.0f\t%d\t%.1f\t%d\n", t.Name, t.StartMG, t.MG, float64(t.SEMG.OrZero()), t.Count)
	}
	w.Flush()
	for i := range r.Worth {
		fmt.Fprintln(&b, r.Worth[i].Answer())
	}
	for _, g := range r.Generations {
		fmt.Fprintf(&b, "generation %d: %d games, %d drawn, %d positions; %s\n",
			g.Number, g.Games.Games, g.Games.Drawn, g.Fit.Rows, g.Reason)
	}
	if r.Champion == r.Start {
		fmt.Fprintln(&b, "No generation was promoted: these are the weights of the last fit.")
	}
	fmt.Fprintf(&b, "against the start weights, %d pairs on fresh openings: Elo %s\n",
		r.Final.Games/2, r.Final.Strength.Text(""))
	return b.String()
}
