package ownengine

import (
	"fmt"

	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// Command is the durable.RunInfo.Command of these runs.
const Command = "learn-engine"

// Format names the layout of a run's result.json.
const Format = "assay.learn-engine/1"

// RunConfig is the content of a run's config.json.
type RunConfig struct {
	Program string   `json:"program"`
	Engine  string   `json:"engine"` // name of the repository
	Base    string   `json:"base"`   // the commit or tree that is tuned
	Build   string   `json:"build"`
	Numbers []string `json:"numbers"`
	Value   string   `json:"value"`
	Skip    []string `json:"skip,omitempty"`
	Take    []string `json:"take,omitempty"`
	Unfit   []string `json:"unfit,omitempty"` // numbers that did not compile when they were settable
	Plan    Plan     `json:"plan"`
}

// Result is the content of a run's result.json. Paths are relative to the run's folder.
type Result struct {
	Format      string           `json:"format"`
	Program     string           `json:"program"`
	Engine      string           `json:"engine"`
	Base        string           `json:"base"`
	Numbers     int              `json:"numbers"`
	Plan        Plan             `json:"plan"`
	Generations []Generation     `json:"generations"`
	Champion    learn.WeightsRef `json:"champion"`
	Outcome     learn.Outcome    `json:"outcome"`
	learn.Proof
	Patch   string `json:"patch,omitempty"`   // a mail for git am
	Changed int    `json:"changed,omitempty"` // numbers that the patch changes
	Dirty   bool   `json:"dirty,omitempty"`   // files of the repository differ from its commit
	Stale   bool   `json:"stale,omitempty"`   // the repository has changed, and the patch does not apply to it any more

	Already bool `json:"-"` // the run was complete before
}

// Generation is the result of one generation.
type Generation struct {
	Number    int           `json:"number"`
	Positions int64         `json:"positions"`
	Fits      []Fit         `json:"fits"`  // each to slopes at the point of the one before
	Steps     []Step        `json:"steps"` // sizes of the step that played; none: the weights were the champion's
	Step      float64       `json:"step"`  // share of the fit's step that the gate judged
	Gate      *match.Result `json:"gate"`  // of that; null: the weights were the champion's
	Promoted  bool          `json:"promoted"`
	Reason    string        `json:"reason"`
}

// Headline says in one sentence what the run found.
func (r *Result) Headline() string {
	switch {
	case r.Champion.Generation == 0:
		return "nothing found: no generation passed its gate, and the engine stays as it was"
	case r.Outcome == learn.GainProved:
		return fmt.Sprintf("gain proved: %s Elo over %d games against the engine as it was", r.Fixed.Strength.Text(""),
			r.Fixed.Games)
	case r.Outcome == learn.NotWeaker:
		return fmt.Sprintf("not weaker by 10: SPRT [-10, 0] passed, which an engine weaker by 5 also does in %.0f %% of "+
			"runs; %s Elo over %d games", 100*minusFive(), r.Fixed.Strength.Text(""), r.Fixed.Games)
	case r.NotWeaker != nil && r.NotWeaker.Verdict == match.AcceptH0:
		return "nothing found: the champion failed the test against the engine as it was"
	}
	return "nothing found: the matches at the end show neither a gain nor that the engine did not become weaker"
}

// NotWeaker is the test at the end.
var NotWeaker = sprt.Test{Model: sprt.Logistic, Elo0: -10, Elo1: 0, Alpha: learn.Alpha, Beta: 0.05}

// minusFive returns the probability that an engine which is weaker by 5 Elo passes the test at the end, however long it
// takes.
func minusFive() float64 {
	shape, err := sprt.IndependentGames(UsualDraws, true)
	if err != nil {
		return 0
	}
	p, err := NotWeaker.Predict(shape, -5, false)
	if err != nil {
		return 0
	}
	return p.Pass
}

// Short returns the first digits of an id.
func Short(id string) string { return id[:min(len(id), 12)] }
