package tuner

import (
	"encoding/json"
)

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
}

// ParseReport reads a report, also one of version 0.1.
func ParseReport(doc []byte) (*Report, error) {
	doc, err := CurrentKeys(doc)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	return r, json.Unmarshal(doc, r)
}
