package tuner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"github.com/assay-chess/assay/tuner/stats"
)

// Result is what a fit found. Coefficients are in centipawns, losses are means
// over rows by weight, errors are standard errors. Its JSON is the one form in
// which assay tune, assay learn and the reports write and read a fit; weight
// files use the same keys for terms.
type Result struct {
	Rows      int   `json:"rows"`
	RowsTrain int   `json:"rows_train"`
	RowsValid int   `json:"rows_valid"`
	Games     int64 `json:"games"`
	// Clusters are games or, if ByOpening, all games of an opening.
	Clusters      int  `json:"clusters"`
	ClustersTrain int  `json:"clusters_train"`
	ClustersHeld  int  `json:"clusters_held"`
	ByOpening     bool `json:"by_opening"`

	// Split, Method and Settings say in words how rows were divided, what was
	// minimized and how, and everything else that decided the fit beside data,
	// start weights and seed.
	Split    string `json:"split"`
	Method   string `json:"method"`
	Settings string `json:"settings"`

	Steps     int   `json:"steps"`
	Gap       Float `json:"gap"` // estimated distance from the smallest mean loss
	Converged bool  `json:"converged"`

	// K is the slope used in the fit; FileK is the one that belongs to the
	// rescaled weights, K/Rescale. KScore is 0 where scores were not used.
	K       float64 `json:"k"`
	FileK   float64 `json:"file_k"`
	KScore  float64 `json:"k_score,omitempty"`
	Rescale float64 `json:"rescale"` // the factor between the fit's scale and the weights'
	Tied    bool    `json:"tied"`    // file-mirrored twins shared a parameter

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
	// Jackknife reports whether errors are the jackknife's, because there are
	// few clusters.
	Jackknife bool `json:"jackknife"`

	// Pieces are the average marginal values of pawn to queen; empty unless
	// the rows were built from positions.
	Pieces []stats.PieceValue `json:"pieces"`
	Terms  []TermFit          `json:"terms,omitempty"`
	Tables []stats.Table      `json:"tables,omitempty"`
	Groups []stats.GroupGain  `json:"groups,omitempty"` // in order of the table
	// Unbounded names the coefficients without a finite optimum. They are held at the
	// limit, see Config.Limit.
	Unbounded []string `json:"no_finite_optimum,omitempty"`
	// Collinear lists coefficients that the data cannot distinguish from others,
	// whether or not the prior can.
	Collinear   []stats.Collinear `json:"collinear,omitempty"`
	Calibration stats.Calibration `json:"calibration"`

	Warnings []string `json:"warnings"`
	Partial  bool     `json:"partial"` // ended early: no errors, pieces or tables

	Solver  string            `json:"-"` // how equations were solved, and why
	Config  Config            `json:"-"`
	Sources []rows.SourceInfo `json:"-"` // of the rows
	Outcome optimize.Outcome  `json:"-"` // Gap in mean loss; X in centipawns of change
}

// Losses are the mean losses of one set of weights; NaN where there are no rows.
type Losses struct {
	Train Float `json:"train"`
	Valid Float `json:"valid"`
}

func lossesOf(m *objective.Measures) Losses {
	train, valid := m.Means()
	return Losses{Float(train), Float(valid)}
}

// Float is a number that JSON writes as null where it is not finite.
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements json.Unmarshaler. It reads null as NaN.
func (f *Float) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// Known reports whether f is a number.
func (f Float) Known() bool { return !math.IsNaN(float64(f)) }

// OrZero returns f, or 0 if it is not known.
func (f Float) OrZero() float64 { return orZero(float64(f)) }

// Interval is an interval of confidence. The zero value says that there is none,
// as null does in JSON.
type Interval [2]float64

// MarshalJSON implements json.Marshaler.
func (i Interval) MarshalJSON() ([]byte, error) {
	if i == (Interval{}) {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64(i))
}

// TermFit is what a fit says of one term. Coefficients are in centipawns.
type TermFit struct {
	Name    string `json:"name"`
	Group   string `json:"group"`
	Tapered bool   `json:"tapered"`

	StartMG float64 `json:"start_mg"`
	StartEG float64 `json:"start_eg"`
	MG      int32   `json:"mg"` // rounded, as in the weight file
	EG      int32   `json:"eg"`
	FitMG   float64 `json:"fit_mg"` // rescaled, before rounding
	FitEG   float64 `json:"fit_eg"`
	SEMG    Float   `json:"se_mg"` // clustered; 0 where Frozen or never seen, NaN (null) where not known
	SEEG    Float   `json:"se_eg"`
	ZMG     Float   `json:"z_mg"` // (fit - start) / se; 0 where there is no se
	ZEG     Float   `json:"z_eg"`
	// The 95 % intervals of the coefficients.
	IntervalMG Interval `json:"interval_mg"`
	IntervalEG Interval `json:"interval_eg"`
	// SEChangeMG and SEChangeEG are the errors of the change beyond the common rescaling,
	// FitMG - Rescale x StartMG; 0 in results of earlier versions.
	SEChangeMG Float `json:"se_change_mg,omitempty"`
	SEChangeEG Float `json:"se_change_eg,omitempty"`
	NaiveMG    Float `json:"naive_se_mg"` // standard errors as if rows were independent
	NaiveEG    Float `json:"naive_se_eg"`

	Count int64 `json:"count"` // training rows in which it occurs
	// EffectiveGames is the effective number of clusters that inform the term.
	EffectiveGames float64 `json:"effective_games"`
	// DataShare is the part of the term that the data determined, the rest
	// being the prior's: 0..1, the mean of its two coefficients. A standard
	// error says how far the fit would move with other games; where the share
	// is small, the prior lets it move little, and a small error says nothing
	// about the true value.
	DataShare Float   `json:"data_share"`
	Rescale   float64 `json:"rescale"` // Result.Rescale
	Frozen    bool    `json:"frozen,omitempty"`
}

// Quantile returns how many standard errors a 95 % interval of the term
// reaches to either side: that of Student's t with one degree of freedom less
// than clusters inform the term (Liang and Zeger 1986 have the normal's 1.96,
// which is too short for few of them).
func (t *TermFit) Quantile() float64 {
	return distuv.StudentsT{Sigma: 1, Nu: max(1, t.EffectiveGames-1)}.Quantile(0.975)
}

// Few reports whether too few games inform the term for its standard error to
// be reliable.
func (t *TermFit) Few() bool { return t.Count > 0 && t.EffectiveGames < rows.MinClusters }

// CompareWith makes mg and eg the start values that the term is compared with.
func (t *TermFit) CompareWith(mg, eg float64) {
	t.StartMG, t.StartEG = mg, eg
	t.ZMG, t.ZEG = Float(objective.Ratio(t.FitMG-mg, float64(t.SEMG))), Float(objective.Ratio(t.FitEG-eg, float64(t.SEEG)))
}

// smallestShare is the share that the data must have in a term for its error to
// say more than the prior.
const smallestShare = 0.2

// Moved reports whether the games say that the coefficient differs from its start
// value: whether it changed, beyond the rescaling of all, by more than two standard
// errors. The errors count only where enough games inform the term, and where the
// data rather than the prior determine it.
func (t *TermFit) Moved() bool {
	if t.EffectiveGames < rows.MinClusters || !(t.DataShare >= smallestShare) {
		return false
	}
	far := func(start float64, now int32, se Float) bool {
		return se > 0 && math.Abs(float64(now)-float64(t.Rescale*start)) > 2*float64(se)
	}
	return far(t.StartMG, t.MG, cmp.Or(t.SEChangeMG, t.SEMG)) || far(t.StartEG, t.EG, cmp.Or(t.SEChangeEG, t.SEEG))
}

// result assembles the Result at theta.
func (f *fitting) result(ctx context.Context) (*Result, error) {
	w := objective.NewTapered(len(f.terms))
	f.free.Expand(f.at.theta, w)
	r := &Result{
		Config: f.c, Sources: f.s.Sources(), K: f.slope.k, KScore: f.slope.score, Tied: f.free.tied, Parameters: f.free.N,
		Rows: f.s.Rows(), RowsTrain: f.split.trained, RowsValid: f.split.valid,
		Games: int64(f.s.Games()), Clusters: f.split.clusters.N(), ByOpening: f.split.clusters.ByOpening,
		Design: f.at.design, Outcome: f.at.outcome, Steps: f.at.outcome.Iterations, Gap: Float(f.at.outcome.Gap), Converged: f.at.outcome.Converged,
		Pieces: []stats.PieceValue{},
	}
	r.ClustersHeld = f.split.clustersHeld()
	r.ClustersTrain = r.Clusters - r.ClustersHeld
	if err := f.finishWeights(ctx, r, w); err != nil {
		return nil, err
	}
	r.Solver = f.at.solver
	if f.at.cov != nil {
		if err := f.statistics(ctx, r); err != nil {
			return nil, err
		}
	}
	if f.at.large != nil {
		if err := f.largeStatistics(ctx, r); err != nil {
			return nil, err
		}
	}
	f.caution(r)
	r.Warnings = append([]string{}, f.warnings...)
	r.describe()
	return r, nil
}

// finishWeights rescales and rounds the weights w of the fit and measures
// the losses of each step.
func (f *fitting) finishWeights(ctx context.Context, r *Result, w objective.Tapered) error {
	r.Start = lossesOf(&f.slope.start)
	fit, err := f.train.Measure(ctx, w, f.slope.k)
	if err != nil {
		return err
	}
	r.Fit = lossesOf(&fit)
	if r.Rescale, err = f.rescale(ctx, w, fit.RMS()); err != nil {
		return err
	}
	if r.FileK = f.slope.k / r.Rescale; r.FileK > 1 { // a pawn would decide every game
		return fmt.Errorf("%w: the data separate almost perfectly; give every group a prior", optimize.ErrDiverged)
	}
	rounded := objective.NewTapered(len(f.terms))
	for t, term := range f.terms {
		v := TermFit{
			Name: term.Name, Group: term.Group, Tapered: term.Tapered, StartMG: term.MG, StartEG: term.EG,
			FitMG: w.MG[t] * r.Rescale, FitEG: w.EG[t] * r.Rescale, Rescale: r.Rescale, Count: f.split.seen[t], Frozen: f.free.frozen[t],
		}
		if !(math.Abs(v.FitMG) <= maxWeight && math.Abs(v.FitEG) <= maxWeight) {
			return fmt.Errorf("%w: %s is at %g, %g", optimize.ErrDiverged, term.Name, v.FitMG, v.FitEG)
		}
		v.MG, v.EG = int32(math.Round(v.FitMG)), int32(math.Round(v.FitEG))
		rounded.MG[t], rounded.EG[t] = float64(v.MG), float64(v.EG)
		r.Terms = append(r.Terms, v)
	}
	m, err := f.train.Measure(ctx, rounded, r.FileK)
	r.Rounded = lossesOf(&m)
	return err
}

// rescale returns the factor that brings the root mean square evaluation of
// the reference positions back to what it was under the start weights.
func (f *fitting) rescale(ctx context.Context, w objective.Tapered, after float64) (float64, error) {
	if f.c.KeepScale {
		return 1, nil
	}
	if len(f.c.Bounds) > 0 {
		f.warn("not rescaled: bounds are in centipawns of the fit")
		return 1, nil
	}
	for t := range f.terms {
		if f.free.frozen[t] && (w.MG[t] != 0 || w.EG[t] != 0) {
			f.warn("not rescaled: %s is frozen", f.terms[t].Name)
			return 1, nil
		}
	}
	before := f.slope.start.RMS()
	if ref := f.c.Reference; ref != nil {
		var err error
		if before, err = objective.RMS(ctx, ref, f.c.Workers, objective.StartOf(f.terms)); err != nil {
			return 1, err
		}
		if after, err = objective.RMS(ctx, ref, f.c.Workers, w); err != nil {
			return 1, err
		}
	}
	if before == 0 || after == 0 {
		f.warn("not rescaled: the root mean square evaluation is %.1f before and %.1f after", before, after)
		return 1, nil
	}
	return before / after, nil
}

// rescaleGradient returns the derivative of ln RMS with respect to the parameters, at the
// fit: RMS is that of the positions that rescale takes.
func (f *fitting) rescaleGradient(ctx context.Context) ([]float64, error) {
	w, g := objective.NewTapered(len(f.terms)), objective.NewTapered(len(f.terms))
	f.free.Expand(f.at.theta, w)
	p := f.train
	if ref := f.c.Reference; ref != nil {
		p = &objective.Problem{Store: ref, Workers: f.c.Workers}
	}
	squares, err := p.SquaresGradient(ctx, w, g)
	if err != nil {
		return nil, err
	}
	out := make([]float64, f.free.N)
	f.free.Fold(g, out)
	floats.Scale(1/squares, out)
	return out, nil
}

// statistics fills in errors, tables and marginal values.
func (f *fitting) statistics(ctx context.Context, r *Result) error {
	v := f.at.cov
	f.c.progress(0, 0, "errors, tables and calibration")
	r.Jackknife = v.Sums.N <= stats.JackknifeClusters && f.free.N > 0
	o := f.objective()
	if err := v.Finish(ctx, o, f.split.clusters, f.at.theta, r.Jackknife); err != nil {
		return err
	}
	r.Effective = v.Effective
	r.Clustering, r.Dispersion = v.Parts.Clustering, v.Parts.Dispersion
	if r.Rescale != 1 {
		g, err := f.rescaleGradient(ctx)
		if err != nil {
			return err
		}
		v.Rescale(g)
	}
	naive := v.NaiveErrors()
	fit := objective.NewTapered(len(f.terms))
	old := objective.StartOf(f.terms)
	for t := range r.Terms {
		x := &r.Terms[t]
		x.EffectiveGames = v.Sums.Effective[t]
		fit.MG[t], fit.EG[t] = x.FitMG, x.FitEG
		mg, eg := f.free.MG[t], f.free.EG[t]
		if mg == objective.Fixed || x.Count == 0 && f.free.Lone(t) {
			continue
		}
		x.DataShare = Float(v.Share(o, mg)+v.Share(o, eg)) / 2
		s := r.Rescale
		x.SEMG, x.SEEG = Float(s*v.SE(mg, x.FitMG/s)), Float(s*v.SE(eg, x.FitEG/s))
		x.SEChangeMG, x.SEChangeEG = Float(s*v.SE(mg, 0)), Float(s*v.SE(eg, 0))
		x.NaiveMG, x.NaiveEG = Float(s*naive(mg, x.FitMG/s)), Float(s*naive(eg, x.FitEG/s))
		x.CompareWith(x.StartMG, x.StartEG)
		x.IntervalMG, x.IntervalEG = x.interval(x.FitMG, x.SEMG), x.interval(x.FitEG, x.SEEG)
	}
	var err error
	if r.Tables, err = stats.FindTables(ctx, f.s, f.terms); err != nil {
		return err
	}
	counts, err := stats.Incidence(ctx, f.s)
	if err != nil {
		return err
	}
	for i := range r.Tables {
		r.Tables[i].Center(f.terms, fit, counts, f.free.Params, v, r.Rescale)
	}
	r.Groups = stats.GroupGains(v, o, f.terms, f.at.theta, f.slope.start.Weight[objective.Trained])
	r.Collinear = stats.FindCollinear(f.at.known.Information, f.free.Names(f.terms))
	if err := f.calibrate(ctx, r); err != nil {
		return err
	}
	if f.s.Pieces != nil {
		r.Pieces = stats.PieceValues(f.s.Pieces, old, fit, f.free.Params, v, r.Rescale)
	}
	return nil
}

// calibrate compares predictions with results.
func (f *fitting) calibrate(ctx context.Context, r *Result) error {
	w := objective.NewTapered(len(f.terms))
	f.free.Expand(f.at.theta, w)
	sides, err := stats.Calibrate(ctx, f.train, objective.StartOf(f.terms), w)
	r.Calibration = stats.NewCalibration(&sides, max(1, r.Clustering))
	return err
}

// largestChanges is the number of coefficients that a large fit has standard errors of.
const largestChanges = 50

// largeStatistics fills in what can be known without matrices: the errors of the largest
// changes and of the piece values. All others are NaN.
func (f *fitting) largeStatistics(ctx context.Context, r *Result) error {
	v, s := f.at.large, r.Rescale
	f.c.progress(0, 0, "errors of the %d largest changes", largestChanges)
	var g []float64
	if s != 1 {
		var err error
		if g, err = f.rescaleGradient(ctx); err != nil {
			return err
		}
	}
	v.Finish(g)
	r.Effective, r.Clustering, r.Dispersion = v.Effective, v.Parts.Clustering, v.Parts.Dispersion
	order := make([]int, f.free.N)
	for j := range order {
		order[j] = j
	}
	change := func(j int) float64 {
		if f.free.Stuck(j) {
			return 0
		}
		return math.Abs(f.at.theta[j])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(change(b), change(a)) })
	chosen := make([]bool, f.free.N)
	for _, j := range order[:min(largestChanges, len(order))] {
		chosen[j] = true
	}
	unit, none := make([]float64, f.free.N), Float(math.NaN())
	errors := func(j int, value float64) (se, change, naive Float, err error) {
		if !chosen[j] {
			return none, none, none, nil
		}
		unit[j] = 1
		defer func() { unit[j] = 0 }()
		a, b, err := v.Errors(ctx, unit, value/s)
		if err != nil {
			return none, none, none, err
		}
		c, _, err := v.Errors(ctx, unit, 0)
		return Float(s * a), Float(s * c), Float(s * b), err
	}
	fit := objective.NewTapered(len(f.terms))
	for t := range r.Terms {
		x := &r.Terms[t]
		x.EffectiveGames = v.Games[t]
		fit.MG[t], fit.EG[t] = x.FitMG, x.FitEG
		mg, eg := f.free.MG[t], f.free.EG[t]
		if mg == objective.Fixed || x.Count == 0 && f.free.Lone(t) {
			continue
		}
		var err error
		if x.SEMG, x.SEChangeMG, x.NaiveMG, err = errors(mg, x.FitMG); err != nil {
			return err
		}
		if x.SEEG, x.SEChangeEG, x.NaiveEG, err = errors(eg, x.FitEG); err != nil {
			return err
		}
		x.DataShare = none
		x.CompareWith(x.StartMG, x.StartEG)
		x.IntervalMG, x.IntervalEG = x.interval(x.FitMG, x.SEMG), x.interval(x.FitEG, x.SEEG)
	}
	if f.s.Pieces != nil {
		r.Pieces = stats.PieceValues(f.s.Pieces, objective.StartOf(f.terms), fit, f.free.Params, v, s)
	}
	return f.calibrate(ctx, r)
}

// Losses below which a fit is too good to be true.
const (
	perfectEntropy = 0.1
	perfectMSE     = 0.02
)

// caution adds the warnings that the finished fit calls for.
func (f *fitting) caution(r *Result) {
	var stuck []string
	for j, name := range f.free.Names(f.terms) {
		switch {
		case f.free.Unbounded(j):
			r.Unbounded = append(r.Unbounded, name)
		case f.free.Stuck(j):
			stuck = append(stuck, name)
		}
	}
	if n := len(r.Unbounded); n > 0 {
		f.warn("%d coefficients have no finite optimum, as that of a term that always wins; they are held at the limit of %g centipawns (give them a prior): %s", n, cmp.Or(f.c.Limit, DefaultLimit), some(r.Unbounded))
	}
	if len(stuck) > 0 {
		f.warn("%d coefficients are held at a bound and have no standard error: %s", len(stuck), some(stuck))
	}
	var unseen, few []string
	for t := range r.Terms {
		x := &r.Terms[t]
		switch {
		case x.Count == 0 && !x.Frozen:
			unseen = append(unseen, x.Name)
		case x.Few() && !x.Frozen && (f.at.cov != nil || f.at.large != nil):
			few = append(few, x.Name)
		}
	}
	if len(unseen) > 0 {
		f.warn("%d terms never occur and keep what the prior says: %s", len(unseen), some(unseen))
	}
	if len(few) > 0 {
		f.warn("%d terms rest on fewer than %d effective games, their errors are too small: %s", len(few), rows.MinClusters, some(few))
	}
	perfect := perfectEntropy
	if f.c.Loss == objective.MSE {
		perfect = perfectMSE
	}
	if f.c.Lambda == 1 && float64(r.Fit.Train) < perfect {
		f.warn("the fit predicts almost every result: separable data, the weights' size is the prior's choice")
	}
	if f.at.cov != nil && f.at.cov.Ridge {
		f.warn("some combinations of coefficients are not determined by data or prior: give every group a prior, or freeze one of them")
	}
	if !f.at.outcome.Converged {
		f.warn("stopped %.2g above the smallest mean loss, after %d steps", f.at.outcome.Gap, f.at.outcome.Iterations)
	}
}

// some lists a few names.
func some(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// interval is the 95 % interval of a coefficient of t.
func (t *TermFit) interval(v float64, se Float) Interval {
	if se == 0 || !se.Known() {
		return Interval{}
	}
	reach := t.Quantile() * float64(se)
	return Interval{v - reach, v + reach}
}
