package ownengine

import (
	"fmt"

	"github.com/assay-chess/assay/selfplay/match"
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
	Outcome     Outcome          `json:"outcome"`
	Proof
	Patch   string `json:"patch,omitempty"`   // a mail for git am
	Changed int    `json:"changed,omitempty"` // numbers that the patch changes
	Dirty   bool   `json:"dirty,omitempty"`   // files of the repository differ from its commit
	KeepCR  bool   `json:"keep_cr,omitempty"` // lines of the patch end in CR LF
	Stale   bool   `json:"stale,omitempty"`   // the repository has changed, and the patch does not apply to it any more

	Already bool   `json:"-"` // the run was complete before
	Top     string `json:"-"` // the repository's folder, unless it is the current one
}

// Generation is the result of one generation.
type Generation struct {
	Number    int           `json:"number"`
	Games     int           `json:"games"` // of self-play
	Positions int64         `json:"positions"`
	Fits      []Fit         `json:"fits"`  // each to slopes at the point of the one before
	Steps     []Step        `json:"steps"` // sizes of the step that played; none: the weights were the champion's
	Step      float64       `json:"step"`  // share of the fit's step that the gate judged
	Gate      *match.Result `json:"gate"`  // of that; null: the weights were the champion's
	Promoted  bool          `json:"promoted"`
	Reason    string        `json:"reason"`
}

// Outcome is what a run found, judged against the engine that it began with.
type Outcome string

// The outcomes.
const (
	GainProved   Outcome = "gain proved"
	NotWeaker    Outcome = "not weaker by 10"
	NothingFound Outcome = "nothing found"
)

// Proof are the matches at the end, of what the loop found against the engine that it began with.
type Proof struct {
	Fixed *match.Result `json:"fixed"` // it decides: its length does not depend on its games
	Clock *match.Result `json:"clock"` // at a clock, which only adds to it; null: not played
}

// weaker is by how much an engine may be weaker at most to pass for one that is not, in Elo.
const weaker = 10

// Outcome says what the interval of the match shows. Its lower end is above the truth in 2.5 % of matches: so often an
// equal engine shows a gain, and one that is 10 Elo weaker passes for one that is not.
func (p *Proof) Outcome() Outcome {
	switch {
	case p.Fixed == nil || !p.Fixed.Known() || p.Fixed.EloLo <= -weaker:
		return NothingFound
	case p.Fixed.EloLo > 0:
		return GainProved
	}
	return NotWeaker
}

// Headline says in one sentence what the run found.
func (r *Result) Headline() string {
	switch {
	case r.Champion.Generation == 0:
		return "nothing found: no step of a fit was ahead of the engine, which stays as it was"
	case r.Outcome == GainProved:
		return fmt.Sprintf("gain proved: %s Elo over %d games against the engine as it was", r.Fixed.Strength.Text(""),
			r.Fixed.Games)
	case r.Outcome == NotWeaker:
		return fmt.Sprintf("not weaker by %d: %s Elo over %d games against the engine as it was", weaker,
			r.Fixed.Strength.Text(""), r.Fixed.Games)
	}
	return "nothing found: the match at the end shows neither a gain nor that the engine did not become weaker"
}
