package learn

import (
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// Format names the layout of a run's result.json.
const Format = "assay.learn/1"

// Result is the content of a run's result.json. It holds nothing
// that depends on the clock. Paths are relative to the run's folder.
type Result struct {
	Format      string             `json:"format"`
	Program     string             `json:"program"`
	Plan        Plan               `json:"plan"`
	K           float64            `json:"k"` // slope of the sigmoid, fitted once under the start weights
	Start       WeightsRef         `json:"start"`
	Generations []GenerationResult `json:"generations"`
	Champion    WeightsRef         `json:"champion"`
	Opponent    WeightsRef         `json:"opponent"`
	// whose Terms follow: the champion's, or without a promotion the last fit's
	Learned WeightsRef      `json:"learned"`
	Terms   []tuner.TermFit `json:"terms"`          // compared with the weights that the run began with
	Held    []heldTerm      `json:"held,omitempty"` // terms that kept their start weights, and why
	Final   *match.Result   `json:"final"`          // score against the opponent, of FinalPlayer

	// FromStart is the score of the champion against the weights that the run began
	// with: what was learned, the model and the search being the same. Null where
	// nothing was promoted; Final where these weights are the opponent.
	FromStart *match.Result `json:"from_start"`

	Already bool `json:"-"` // the run was complete before
}

// FinalPlayer, which pages show, returns the weights that played the final match: the champion's, or the
// last fit if the champion is the opponent.
func (r *Result) FinalPlayer() WeightsRef {
	if r.Champion.ID == r.Opponent.ID {
		return r.Learned
	}
	return r.Champion
}

// WeightsRef points at weights.
type WeightsRef struct {
	ID         string `json:"id"`
	File       string `json:"file"` // an embedded name where Generation is 0
	Generation int    `json:"generation"`
}

// GenerationResult is the result of one generation.
type GenerationResult struct {
	Number    int              `json:"number"`
	Games     datagen.Summary  `json:"games"`
	Positions positions.Counts `json:"positions"`
	Fit       Fit              `json:"fit"`  // without terms and tables, which are in the generation's fit.json
	Gate      *match.Result    `json:"gate"` // score of the new weights against the champion's
	Warnings  []string         `json:"warnings"`
	Promoted  bool             `json:"promoted"`
	Reason    string           `json:"reason"` // of the decision, in words
}

// Fit is the id of a generation's weights, and how they were found: either by a fit to positions or, with MethodSPSA,
// by games.
type Fit struct {
	ID            string `json:"id"`
	Build         string `json:"build"` // see durable.BuildTarget
	*tuner.Result        // nil with MethodSPSA
	SPSA          *Tuned `json:"spsa,omitempty"` // nil with other methods
}

// Tuned is a tuning by games.
type Tuned struct {
	*play.Result
	// Terms have no standard errors: their intervals hold the optimum by the regression on all results.
	Terms []tuner.TermFit `json:"terms,omitempty"`
}

// TermList returns what was found of each term; nil if the fit is a summary.
func (f *Fit) TermList() []tuner.TermFit {
	switch {
	case f.SPSA != nil:
		return f.SPSA.Terms
	case f.Result != nil:
		return f.Terms
	}
	return nil
}

// summary returns the fit without its terms and tables.
func (f *Fit) summary() Fit {
	s := *f
	if f.SPSA != nil {
		s.SPSA = &Tuned{Result: f.SPSA.Result}
		return s
	}
	r := *f.Result
	r.Terms, r.Tables, r.Groups, r.Collinear = nil, nil, nil, nil
	s.Result = &r
	return s
}

// compare compares the terms of a fit with the weights that the run began with.
func (f *Fit) compare(start *models.File) error {
	_, w, err := start.Weights()
	if err != nil {
		return err
	}
	terms := f.TermList()
	for i := range terms {
		terms[i].CompareWith(float64(w[i].MG), float64(w[i].EG))
	}
	return nil
}
