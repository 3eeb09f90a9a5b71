package tuner

import (
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
	"github.com/assay-chess/assay/tuner/rows"
)

// Report is what assay tune --json prints and a run of it keeps as result.json: a fit, and where it was
// written. It has no times, so that the same data, flags and seed give the same bytes.
type Report struct {
	Out    string `json:"out"`    // the weight file
	ID     string `json:"id"`     // of the weights
	Parent string `json:"parent"` // id of the start weights
	Build  string `json:"build"`  // what the program was compiled for, as durable.BuildTarget names it
	Result
	Match string `json:"match"` // the command that shows what the fit is worth
	// EGSigns is nil unless the evaluation's endgame factor is that of the side that its endgame half favors.
	EGSigns *rows.SignChanges `json:"eg_sign_changes,omitempty"`
}

// Result is what a fit found. Coefficients are in centipawns or, see Unit, in engine units; losses are means
// over rows by weight, errors are standard errors. Its JSON is the one form in which assay tune, assay learn
// and the reports write and read a fit; weight files use the same keys for terms.
type Result struct {
	Data
	Method   string `json:"method"`   // what was minimized, and how
	Settings string `json:"settings"` // everything else that decided the fit beside data, start weights and seed
	Verdict
	// Unscored is the number of rows without a search score, where Config.Lambda is below 1:
	// their target is the result alone.
	Unscored int `json:"unscored,omitempty"`
	Convergence
	Units
	StepLosses
	Certainty
	Statistics
	Warnings []string `json:"warnings"`
	Partial  bool     `json:"partial"` // ended early: no errors or tables

	Config  Config            `json:"-"`
	Sources []rows.SourceInfo `json:"-"` // of the rows
	Outcome optimize.Outcome  `json:"-"` // Gap in mean loss; X in centipawns of change
	heldOut *clusterLosses    // of cross-validation
}

// Data says what a fit was made to.
type Data struct {
	Rows      int   `json:"rows"`
	RowsTrain int   `json:"rows_train"`
	RowsValid int   `json:"rows_valid"`
	Games     int64 `json:"games"`
	// Clusters are games or, if ByOpening, all games of an opening.
	Clusters      int    `json:"clusters"`
	ClustersTrain int    `json:"clusters_train"`
	ClustersHeld  int    `json:"clusters_held"`
	ByOpening     bool   `json:"by_opening"`
	Split         string `json:"split"` // in words
}

// Convergence says how the method ended.
type Convergence struct {
	Steps     int       `json:"steps"`
	Gap       num.Float `json:"gap"` // estimated distance from the smallest mean loss
	Converged bool      `json:"converged"`
}

// Units says what the numbers of a fit mean.
type Units struct {
	// K is the slope used in the fit; FileK is the one that belongs to the
	// rescaled weights, K/Rescale. KScore is 0 where scores were not used.
	K       float64 `json:"k"`
	FileK   float64 `json:"file_k"`
	KScore  float64 `json:"k_score,omitempty"`
	Rescale float64 `json:"rescale"`         // the factor between the fit's scale and the weights'
	Scale   *Scale  `json:"scale,omitempty"` // of a foreign evaluation
	// Unit is the number of engine units a pawn of coefficients, their errors, K and FileK;
	// 0 is 100, and they are in centipawns.
	Unit float64 `json:"unit,omitempty"`
	// PriorFactor is the factor on the widths of all priors, 0 for 1.
	PriorFactor float64 `json:"prior_factor,omitempty"`
	Tied        bool    `json:"tied"` // file-mirrored twins shared a parameter
}

// StepLosses are the losses of the weights on their way.
type StepLosses struct {
	Start   Losses `json:"loss_start"`   // under the start weights
	Fit     Losses `json:"loss_fit"`     // under the fit
	Rounded Losses `json:"loss_rounded"` // under its rounded weights
}

// Losses are the mean losses of one set of weights; NaN where there are no rows.
type Losses struct {
	Train num.Float `json:"train"`
	Valid num.Float `json:"valid"`
}

func lossesOf(m *objective.Measures) Losses {
	train, valid := m.Means()
	return Losses{num.Float(train), num.Float(valid)}
}

// Certainty says how much the data determine.
type Certainty struct {
	// Parameters is the number of free numbers, Effective how many of them
	// the data (rather than the prior) determined: tr(H (H+DP)^-1).
	Parameters int     `json:"parameters"`
	Effective  float64 `json:"effective_parameters"`
	// Design is the D used. It is Clustering x Dispersion, unless given.
	Design     float64 `json:"design_effect"`
	Clustering float64 `json:"clustering"`
	Dispersion float64 `json:"dispersion"`
}

// Statistics are the coefficients, and what follows from them.
type Statistics struct {
	Terms     []TermFit         `json:"terms,omitempty"`
	Tables    []stats.Table     `json:"tables,omitempty"`
	Groups    []stats.GroupGain `json:"groups,omitempty"`    // in order of the table
	Ablations []Ablation        `json:"ablations,omitempty"` // what groups or terms are worth, the most first
	// Unbounded names the coefficients without a finite optimum. They are held at the limit, see Config.Limit.
	Unbounded []string `json:"no_finite_optimum,omitempty"`
	// Collinear lists coefficients that the data cannot distinguish from others, whether or not the prior can.
	Collinear   []stats.Collinear `json:"collinear,omitempty"`
	Calibration stats.Calibration `json:"calibration"`
	// Local is of an evaluation whose slopes were measured at the start weights; nil for others.
	Local *Local `json:"local,omitempty"`
	// Bend is of an evaluation with a formula; nil if there is none.
	Bend *Bend `json:"bend,omitempty"`
}

// fitted returns the tuned weights before they were rounded, to which Fit belongs.
func (s *Statistics) fitted() objective.Tapered {
	w := objective.NewTapered(len(s.Terms))
	for t := range s.Terms {
		w.MG[t], w.EG[t] = s.Terms[t].FitMG, s.Terms[t].FitEG
	}
	return w
}

// rounded returns the weights as written.
func (s *Statistics) rounded() objective.Tapered {
	w := objective.NewTapered(len(s.Terms))
	for t := range s.Terms {
		w.MG[t], w.EG[t] = float64(s.Terms[t].MG), float64(s.Terms[t].EG)
	}
	return w
}
