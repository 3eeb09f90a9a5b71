package tuner

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
	"github.com/assay-chess/assay/tuner/rows"
)

// Pedigree is what a weight file says of its making that a fit does not know.
type Pedigree struct {
	Parent  string // id of the start weights
	Program string // program and version
	Time    time.Time
}

// File returns the weight file of the fit. Beside the weights it carries the unrounded numbers, their clustered
// standard errors, the number of positions in which each term occurred, and where it all comes from. All of it
// but Pedigree.Time is the same for the same data and configuration.
func (r *Result) File(m *eval.Model, p Pedigree) (*models.File, error) {
	w := make([]eval.Coef, len(r.Terms))
	for i, t := range r.Terms {
		w[i] = eval.Coef{MG: t.MG, EG: t.EG}
	}
	if err := m.Check(w); err != nil {
		return nil, err
	}
	f := models.New(m, w)
	for i, t := range r.Terms {
		if name := f.Terms[i].Name; t.Name != name {
			return nil, fmt.Errorf("term %d of the fit is %s, of model %s %s", i, t.Name, m.Name, name)
		}
	}
	r.fill(f, p)
	return f, nil
}

// fill sets the fit's numbers and its provenance.
func (r *Result) fill(f *models.File, p Pedigree) {
	f.K = r.FileK
	for i := range r.Terms {
		t, x := &r.Terms[i], &f.Terms[i]
		x.Count = t.Count
		if !t.Frozen {
			x.FitMG, x.FitEG, x.SEMG, x.SEEG = short(t.FitMG), short(t.FitEG), short(t.SEMG.OrZero()), short(t.SEEG.OrZero())
		}
	}
	f.Provenance = models.Provenance{
		Parent: p.Parent, Rows: int64(r.Rows), Games: r.Games, Split: r.Split,
		LossTrain: short(float64(r.Rounded.Train)), LossValid: short(r.Rounded.Valid.OrZero()),
		Method: r.Method, Seed: r.Config.Seed, Program: p.Program, Config: r.Settings,
	}
	for _, s := range r.Sources {
		f.Provenance.Data = append(f.Provenance.Data, s.Hash)
	}
	if !p.Time.IsZero() {
		f.Provenance.Time = p.Time.UTC().Format(time.RFC3339)
	}
}

// FileOf returns the weight file of a fit to the features of the evaluation of that name. If it is a model of
// package eval, see rows.ModelOf, the file is File's. Else only the evaluation's own engine can use it.
func (r *Result) FileOf(evaluation string, m *eval.Model, p Pedigree) (*models.File, error) {
	if m != nil {
		return r.File(m, p)
	}
	return r.foreignFile(evaluation, p), nil
}

func (r *Result) foreignFile(model string, p Pedigree) *models.File {
	f := &models.File{Model: model, Unit: r.Unit}
	for i, t := range r.Terms {
		f.Terms = append(f.Terms, models.TermWeight{Name: t.Name, MG: t.MG, EG: t.EG})
		f.External = append(f.External, eval.Term{Name: t.Name, Group: t.Group, Tapered: t.Tapered, Mirror: i})
	}
	r.fill(f, p)
	return f
}

// StartWeights returns the values that an engine plays with, as its features have them, in the
// terms of a fit. The file has no slope: it is for export, not to be written. It is an error if
// a value is not a whole number of engine units.
func StartWeights(set dataset.FeatureSet) (*models.File, error) {
	f := &models.File{Model: set.Model}
	if set.Version > 1 && set.Unit != dataset.DefaultUnit {
		f.Unit = set.Unit
	}
	for i, t := range rows.TermsOfFeatures(set) {
		if math.Round(t.MG) != t.MG || math.Round(t.EG) != t.EG {
			return nil, fmt.Errorf("term %q: its values %v and %v must be whole numbers of engine units", t.Name, t.MG, t.EG)
		}
		f.Terms = append(f.Terms, models.TermWeight{Name: t.Name, MG: int32(t.MG), EG: int32(t.EG)})
		f.External = append(f.External, eval.Term{Name: t.Name, Group: t.Group, Tapered: t.Tapered, Mirror: i})
	}
	_, err := f.Table()
	return f, err
}

// StartFrom gives terms of features the weights of a file, found by name, as
// start values. A term that the file does not taper is not tapered.
func StartFrom(terms []rows.Term, f *models.File) error {
	table, err := f.Table()
	if err != nil {
		return err
	}
	index := make(map[string]int, len(table))
	for i := range table {
		index[table[i].Name] = i
	}
	for t := range terms {
		x := &terms[t]
		i, ok := index[x.Name]
		if !ok {
			return fmt.Errorf("%q is in the features and not in the weights", x.Name)
		}
		delete(index, x.Name)
		x.MG, x.EG = float64(f.Terms[i].MG), float64(f.Terms[i].EG)
		x.Tapered = x.Tapered && table[i].Tapered
	}
	for _, name := range slices.Sorted(maps.Keys(index)) {
		return fmt.Errorf("%q is in the weights and not in the features", name)
	}
	return nil
}

// describe sets what the result says in words. Numbers that were estimated stand there as estimated.
func (r *Result) describe() {
	by := "game"
	if r.ByOpening {
		by = "opening"
	}
	r.Split = fmt.Sprintf("by %s: %d for training, %d for validation", by, r.ClustersTrain, r.ClustersHeld)
	r.Method = fmt.Sprintf("%s on %v", cmp.Or(r.Config.Method, optimize.DefaultMethod), r.Config.Loss)
	c := &r.Config
	s := []string{fmt.Sprintf("lambda=%g K=%.6g", c.Lambda, r.K)}
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	if c.Lambda < 1 {
		add("score-K=%.6g", r.KScore)
	}
	add("D=%.4g rescale=%.6g tied=%v valid=%g", r.Design, r.Rescale, r.Tied, c.Valid)
	if c.PriorFactor != 0 {
		add("prior*%g", c.PriorFactor)
	}
	if c.Unit != 0 {
		add("unit=%g", c.Unit)
	}
	r.Settings = strings.Join(append(s, c.byName()...), " ")
}

// short rounds to nine significant digits, which is more than any of these
// numbers means and keeps files legible.
func short(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	p := math.Pow(10, 8-math.Floor(math.Log10(math.Abs(v))))
	if math.IsInf(p, 0) || p == 0 {
		return v
	}
	return math.Round(v*p) / p
}

// Report is what assay tune --json prints and a run of it keeps as result.json: a fit, and where it was
// written. It has no times, so that the same data, flags and seed give the same bytes.
type Report struct {
	Out    string `json:"out"`    // the weight file
	ID     string `json:"id"`     // of the weights
	Parent string `json:"parent"` // id of the start weights
	Build  string `json:"build"`  // what the program was compiled for, as durable.BuildTarget names it
	Result
	Match string `json:"match"` // the command that shows what the fit is worth
	// EGSigns is nil unless the evaluation's endgame factor belongs to the side that its endgame half favors.
	EGSigns *rows.SignChanges `json:"eg_sign_changes,omitempty"`
}

// Result is what a fit found. Coefficients are in centipawns or, see Unit, in engine units; losses are means
// over rows by weight, errors are standard errors. Its JSON is the one form in which assay tune, assay learn
// and the reports write and read a fit; weight files use the same keys for terms.
type Result struct {
	// What it was made to. Clusters are games or, if ByOpening, all games of an opening.
	Rows          int    `json:"rows"`
	RowsTrain     int    `json:"rows_train"`
	RowsValid     int    `json:"rows_valid"`
	Games         int64  `json:"games"`
	Clusters      int    `json:"clusters"`
	ClustersTrain int    `json:"clusters_train"`
	ClustersHeld  int    `json:"clusters_held"`
	ByOpening     bool   `json:"by_opening"`
	Split         string `json:"split"`    // in words
	Method        string `json:"method"`   // what was minimized, and how
	Settings      string `json:"settings"` // everything else that decided the fit beside data, start weights and seed
	Verdict
	// Unscored is the number of rows without a search score, where Config.Lambda is below 1:
	// their target is the result alone.
	Unscored int `json:"unscored,omitempty"`

	// How the method ended.
	Steps     int       `json:"steps"`
	Gap       num.Float `json:"gap"` // estimated distance from the smallest mean loss
	Converged bool      `json:"converged"`

	// K is the slope used in the fit; FileK is the one that belongs to the
	// rescaled weights, K/Rescale. KScore is 0 where scores were not used.
	K       float64 `json:"k"`
	FileK   float64 `json:"file_k"`
	KScore  float64 `json:"k_score,omitempty"`
	Rescale float64 `json:"rescale"`         // the factor between the fit's scale and the weights'
	Scale   *Scale  `json:"scale,omitempty"` // of an external evaluation
	// Unit is the number of engine units a pawn of coefficients, their errors, K and FileK;
	// 0 is 100, and they are in centipawns.
	Unit float64 `json:"unit,omitempty"`
	// PriorFactor is the factor on the widths of all priors, 0 for 1.
	PriorFactor float64 `json:"prior_factor,omitempty"`
	Tied        bool    `json:"tied"` // file-mirrored twins shared a parameter

	Start   Losses `json:"loss_start"`   // under the start weights
	Fit     Losses `json:"loss_fit"`     // under the fit
	Rounded Losses `json:"loss_rounded"` // under its rounded weights

	// Parameters is the number of free numbers, Effective how many of them
	// the data (rather than the prior) determined: tr(H (H+DP)^-1).
	Parameters int     `json:"parameters"`
	Effective  float64 `json:"effective_parameters"`
	// Design is the D used. It is Clustering x Dispersion, unless given.
	Design     float64 `json:"design_effect"`
	Clustering float64 `json:"clustering"`
	Dispersion float64 `json:"dispersion"`

	Terms     []TermFit         `json:"terms,omitempty"`
	Tables    []stats.Table     `json:"tables,omitempty"`
	Groups    []stats.GroupGain `json:"groups,omitempty"`    // in order of the table
	Ablations []Ablation        `json:"ablations,omitempty"` // what groups or terms are worth, the most first
	// Unbounded names the coefficients without a finite optimum. They are held at the limit, see Config.Limit.
	Unbounded []string `json:"no_finite_optimum,omitempty"`
	// Collinear lists coefficients that the data cannot distinguish from others, whether or not the prior can.
	Collinear   []stats.Collinear `json:"collinear,omitempty"`
	Calibration stats.Calibration `json:"calibration"`
	// Linearization is of an evaluation whose slopes were measured at the start weights; nil for others.
	Linearization *Linearization `json:"local,omitempty"`
	// Nonlinear is of an evaluation with a formula; nil if there is none.
	Nonlinear *Nonlinear `json:"bend,omitempty"`

	Warnings []string `json:"warnings"`
	Partial  bool     `json:"partial"` // ended early: no errors or tables

	Config  Config            `json:"-"`
	Sources []rows.SourceInfo `json:"-"` // of the rows
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

// fitted returns the tuned weights before they were rounded, to which Fit belongs.
func (r *Result) fitted() objective.Tapered {
	w := objective.NewTapered(len(r.Terms))
	for t := range r.Terms {
		w.MG[t], w.EG[t] = r.Terms[t].FitMG, r.Terms[t].FitEG
	}
	return w
}

// rounded returns the weights as written.
func (r *Result) rounded() objective.Tapered {
	w := objective.NewTapered(len(r.Terms))
	for t := range r.Terms {
		w.MG[t], w.EG[t] = float64(r.Terms[t].MG), float64(r.Terms[t].EG)
	}
	return w
}
