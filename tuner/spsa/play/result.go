package play

import (
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/spsa"
)

// Names of files in a run's folder, beside its games and those of every run.
const (
	LogName        = "iterations.jsonl" // an Iteration each line, in order
	ValidationName = "validation"       // folder of the match at the end
)

// Iteration is one line of the log: all that is needed to compute the run again, or to
// plot it.
type Iteration struct {
	Iteration int       `json:"iteration"`
	Flips     []int8    `json:"flips"`
	Plus      []float64 `json:"plus"`    // values of one side ...
	Minus     []float64 `json:"minus"`   // ... and of the other
	Results   []int8    `json:"results"` // of the games in order of number, plus's view: 1, 0, -1
	Values    []float64 `json:"values"`  // after the iteration
}

// Result is the result of a run.
type Result struct {
	// Verdict is gamelog.NoVerdict if too many games failed, else empty. Then Reason says why,
	// and there are no parameters.
	Verdict string `json:"verdict,omitempty"`
	Reason  string `json:"reason,omitempty"`

	Player     string           `json:"player"`    // name for people
	PlayerID   string           `json:"player_id"` // name in data
	Limits     string           `json:"limits"`    // of each move, in words: other limits have other optima
	Build      string           `json:"build"`     // see durable.BuildTarget
	Parameters []spsa.Estimate  `json:"parameters"`
	Iterations int              `json:"iterations"`
	Games      int64            `json:"games"`
	Draws      int64            `json:"draws"`
	Plies      int64            `json:"plies"`                // searched
	Forfeits   int64            `json:"forfeits"`             // games that a side lost by its own fault
	VoidPairs  int64            `json:"void_pairs,omitempty"` // played again, because one of their games was void
	Stalled    int64            `json:"stalled_games,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"`
	Ended      map[string]int64 `json:"terminations"`

	// Validation is the match of the answer against the start, in the answer's view:
	// games that took no part in finding it. Null if none was asked for.
	Validation *match.Result `json:"validation"`

	gamelog.Process
}
