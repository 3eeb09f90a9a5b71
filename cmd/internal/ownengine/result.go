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
	Dump    string   `json:"dump"`
	Sources []string `json:"sources,omitempty"`
	Weights string   `json:"weights,omitempty"` // the option that loads a weight file
	Plan    Plan     `json:"plan"`
}

// Result is the content of a run's result.json. Paths are relative to the run's folder.
type Result struct {
	Format      string           `json:"format"`
	Program     string           `json:"program"`
	Engine      string           `json:"engine"`
	Base        string           `json:"base"`
	Weights     string           `json:"weights,omitempty"` // the option that loads a weight file
	Plan        Plan             `json:"plan"`
	Generations []Generation     `json:"generations"`
	Champion    learn.WeightsRef `json:"champion"`
	Outcome     learn.Outcome    `json:"outcome"`
	learn.Proof
	Patch string   `json:"patch,omitempty"` // what the author applies: a mail for git am, or a weight file
	Dirty bool     `json:"dirty,omitempty"` // files of the repository differ from its commit
	Stale bool     `json:"stale,omitempty"` // the repository has changed, and the patch does not apply to it any more
	Notes []string `json:"notes,omitempty"` // other code that uses tuned numbers, as far as the source shows it

	Already bool `json:"-"` // the run was complete before
}

// Generation is the result of one generation.
type Generation struct {
	Number    int           `json:"number"`
	Positions int64         `json:"positions"`
	Headline  string        `json:"headline"`               // of the fit
	Change    float64       `json:"rms_change"`             // of the evaluation, in centipawns
	Changed   int64         `json:"changed_rows,omitempty"` // that the new engine counts otherwise, by tuned numbers
	Step      float64       `json:"step"`                   // share of the fit's step that was taken
	First     *match.Result `json:"first_gate,omitempty"`   // of the whole step, where half of it was tried too
	Gate      *match.Result `json:"gate"`                   // null: the weights were the champion's
	Half      bool          `json:"half_step"`              // the gate tested half the step, after an undecided one
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
