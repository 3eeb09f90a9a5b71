package report

import (
	"html/template"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
)

// Summary is what the list of runs says of a run, for programs.
type Summary struct {
	State       durable.State `json:"state"`                 // of the run's folder
	Verdict     string        `json:"verdict,omitempty"`     // a word, such as PASSED
	Class       string        `json:"class,omitempty"`       // good, bad or open
	Text        string        `json:"text,omitempty"`        // the rest of the result
	LLR         []float64     `json:"llr,omitempty"`         // with its lower and upper bound
	WDL         string        `json:"wdl,omitempty"`         // of matches: A's games won, drawn and lost
	Pentanomial []int64       `json:"pentanomial,omitempty"` // of matches: pairs by A's points
	Done        int64         `json:"done"`
	Total       int64         `json:"total,omitempty"` // 0: not known
	Unit        string        `json:"unit,omitempty"`  // of both
}

// Summary returns what the list of runs says of a run. It is read again when its files have
// changed.
func (s *Server) Summary(dir string) (Summary, error) {
	status := durable.Status(dir)
	o, err := s.outcome(status, time.Now())
	return Summary{State: status.State, Verdict: o.Verdict, Class: o.Class, Text: o.Text, LLR: o.LLRs, WDL: o.WDL, Pentanomial: o.Penta, Done: o.Done, Total: o.Total, Unit: o.Unit}, err
}

// Style returns the style of all pages, for pages of other packages.
func Style() template.CSS {
	style, err := files.ReadFile("page/style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return template.CSS(style)
}
