package tuner

import "github.com/assay-chess/assay/tuner/rows"

// Report is what assay tune --json prints and a run of it keeps as result.json: a
// fit, and where it was written. It has no times, so that the same data, flags and
// seed give the same bytes.
type Report struct {
	Out    string `json:"out"`    // the weight file
	ID     string `json:"id"`     // of the weights
	Parent string `json:"parent"` // id of the start weights
	Build  string `json:"build"`  // what the program was compiled for, as durable.BuildTarget names it
	Result
	Curve *Curve `json:"learning_curve,omitempty"`
	// EGSigns is nil unless the evaluation's endgame factor is that of the side that its
	// endgame half favors.
	EGSigns *rows.SignChanges `json:"eg_sign_changes,omitempty"`
}
