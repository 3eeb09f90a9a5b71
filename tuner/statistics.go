package tuner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
	"github.com/assay-chess/assay/tuner/rows"
)

func (f *fitting) result(ctx context.Context) (*Result, error) {
	w := objective.NewTapered(len(f.terms))
	f.free.Expand(f.at.theta, w)
	r := &Result{
		Rows: f.s.Rows(), RowsTrain: f.split.trained, RowsValid: f.split.valid, Games: int64(f.s.Games()),
		Clusters: f.split.clusters.N(), ClustersHeld: f.split.clustersHeld(), ByOpening: f.split.clusters.ByOpening,
		Steps: f.at.outcome.Iterations, Gap: num.Float(f.at.outcome.Gap), Converged: f.at.outcome.Converged,
		K: f.slope.k, KScore: f.slope.score, Tied: f.free.tied, PriorFactor: f.c.PriorFactor,
		Parameters: f.free.N, Design: f.at.design, Config: f.c, Sources: f.s.Sources(),
	}
	r.ClustersTrain = r.Clusters - r.ClustersHeld
	if f.c.unit() != 1 {
		r.Unit = f.c.Unit
	}
	if f.c.Lambda < 1 {
		r.Unscored = f.s.Unscored()
	}
	if err := f.finishWeights(ctx, r, w); err != nil {
		return nil, err
	}
	if f.at.cov != nil {
		if err := f.statistics(ctx, r); err != nil {
			return nil, err
		}
	}
	if f.at.large {
		f.leaveOutErrors(r)
	}
	if f.at.cov != nil || f.at.large {
		if err := f.calibrate(ctx, r); err != nil {
			return nil, err
		}
		if err := f.judge(ctx, r); err != nil {
			return nil, err
		}
	}
	if f.c.Ablate != "" {
		if err := f.ablate(ctx, r); err != nil {
			return nil, fmt.Errorf("ablation: %w", err)
		}
	}
	if err := f.describeNonlinear(ctx, r); err != nil {
		return nil, err
	}
	if err := f.describeLinearization(ctx, r); err != nil {
		return nil, err
	}
	f.caution(r)
	r.Warnings = append([]string{}, f.warnings...)
	r.describe()
	return r, nil
}

// finishWeights rescales and rounds the weights w of the fit and measures the losses of each step.
func (f *fitting) finishWeights(ctx context.Context, r *Result, w objective.Tapered) error {
	r.Start = lossesOf(&f.slope.start)
	fit, err := f.train.Measure(ctx, w, f.slope.k)
	if err != nil {
		return err
	}
	r.Fit = lossesOf(&fit)
	if r.Rescale, err = f.rescale(ctx, r, w, fit.RMS()); err != nil {
		return err
	}
	if r.Scale != nil {
		r.Scale.Pawn = short(100 * r.Scale.KStart * r.Rescale / r.Scale.KTuned)
	}
	if r.FileK == 0 {
		r.FileK = f.slope.k / r.Rescale
	}
	if r.FileK > 1 { // a pawn would decide every game
		return fmt.Errorf("%w: the data separate almost perfectly; give every group a prior", optimize.ErrDiverged)
	}
	for t, term := range f.terms {
		v := TermFit{
			Name: term.Name, Group: term.Group, Tapered: term.Tapered,
			StartMG: term.MG, StartEG: term.EG, FitMG: w.MG[t] * r.Rescale, FitEG: w.EG[t] * r.Rescale,
			Rescale: r.Rescale, Count: f.split.seen[t], Frozen: f.free.frozen[t],
		}
		if v.Count > 0 && !v.Frozen {
			v.TypicalCount = short(f.split.typical[t])
			v.PriorEffect = num.Float(short(f.free.width[t] * f.split.typical[t] / f.c.unit()))
		}
		if !(math.Abs(v.FitMG) <= f.maxWeight() && math.Abs(v.FitEG) <= f.maxWeight()) {
			return fmt.Errorf("%w: %s is at %g, %g", optimize.ErrDiverged, term.Name, v.FitMG, v.FitEG)
		}
		v.MG, v.EG = int32(math.Round(v.FitMG)), int32(math.Round(v.FitEG))
		r.Terms = append(r.Terms, v)
	}
	m, err := f.train.Measure(ctx, r.rounded(), r.FileK)
	r.Rounded = lossesOf(&m)
	return err
}

// rescale returns the factor that brings the root mean square evaluation of the reference positions back to
// what it was under the start weights; 1 for an external evaluation of which a centipawn is worth what it was.
func (f *fitting) rescale(ctx context.Context, r *Result, w objective.Tapered, after float64) (float64, error) {
	if f.foreign() {
		var err error
		if r.Scale, err = f.measureScale(ctx, w); err != nil {
			return 1, err
		}
	}
	if f.s.Nonlinear() != nil { // by its slope, see keepBentScale
		if r.Scale != nil {
			r.Scale.Kept = f.slope.moved
		}
		return 1, nil
	}
	if r.Scale != nil && !f.c.Rescale && !r.Scale.moved() {
		return 1, nil
	}
	if f.c.KeepScale || !f.scalable(w) {
		return 1, nil
	}
	ratio, err := f.growth(ctx, w, after)
	if err != nil || ratio == 0 {
		return 1, err
	}
	factor := 1 / ratio
	if f.hasOffsets() {
		if factor, err = f.offsetFactor(ctx, w, after, after/ratio); err != nil || factor == 0 {
			return 1, err
		}
		r.FileK = f.slope.k * ratio
	}
	if r.Scale != nil {
		r.Scale.Kept = true
	}
	return factor, nil
}

// hasOffsets reports whether a part of the evaluation is not tuned, so that it does not grow with the weights.
func (f *fitting) hasOffsets() bool {
	return slices.ContainsFunc(f.s.Chunks, func(c *rows.Chunk) bool { return c.Offset != nil })
}

// offsetFactor returns the factor of weights w, whose root mean square evaluation is after, that makes that want, where
// rows have offsets. Its square is quadratic in the factor. It is 0, with a warning, if there is none.
func (f *fitting) offsetFactor(ctx context.Context, w objective.Tapered, after, want float64) (float64, error) {
	var squares [2]float64
	for i, factor := range []float64{0, -1} {
		m, err := f.train.Measure(ctx, w.Times(factor), f.slope.k)
		if err != nil {
			return 0, err
		}
		squares[i] = m.RMS() * m.RMS()
	}
	a, b, c := (after*after+squares[1])/2-squares[0], (after*after-squares[1])/2, squares[0]-want*want
	factor := (-b + math.Sqrt(b*b-4*a*c)) / (2 * a)
	if !(factor > 0) || math.IsInf(factor, 1) {
		f.warn("not rescaled: the part of the evaluation that is not tuned is larger than all of it was")
		return 0, nil
	}
	return factor, nil
}

// scalable reports whether the weights may be rescaled, or warns why not.
func (f *fitting) scalable(w objective.Tapered) bool {
	for t := range f.terms {
		if f.free.frozen[t] && (w.MG[t] != 0 || w.EG[t] != 0) {
			f.warn("not rescaled: %s is frozen", f.terms[t].Name)
			return false
		}
	}
	return true
}

// growth returns the root mean square evaluation under w, which is after on the rows trained on, as a multiple
// of that under the start weights, on the reference positions. It is 0, with a warning, if either is 0.
func (f *fitting) growth(ctx context.Context, w objective.Tapered, after float64) (float64, error) {
	before := f.slope.start.RMS()
	if ref := f.c.Reference; ref != nil {
		var err error
		if before, err = objective.RMS(ctx, ref, f.c.Workers, objective.StartOf(f.terms)); err != nil {
			return 0, err
		}
		if after, err = objective.RMS(ctx, ref, f.c.Workers, w); err != nil {
			return 0, err
		}
	}
	if before == 0 || after == 0 {
		f.warn("not rescaled: the root mean square evaluation is %.1f before and %.1f after", before, after)
		return 0, nil
	}
	return after / before, nil
}

// rescaleGradient returns the derivative of ln RMS with respect to the parameters, at the
// fit: RMS over the positions that rescale takes. With offsets it is the error of the logarithm of 1/factor.
func (f *fitting) rescaleGradient(ctx context.Context, factor float64) ([]float64, error) {
	w, g := objective.NewTapered(len(f.terms)), objective.NewTapered(len(f.terms))
	f.free.Expand(f.at.theta, w)
	if f.hasOffsets() {
		w = w.Times(factor)
	}
	p := f.train
	if ref := f.c.Reference; ref != nil {
		p = &objective.Problem{Store: ref, Workers: f.c.Workers}
	}
	squares, err := p.SquaresGradient(ctx, w, g)
	if err != nil {
		return nil, err
	}
	if f.hasOffsets() {
		squares = (floats.Dot(g.MG, w.MG) + floats.Dot(g.EG, w.EG)) / factor
	}
	out := make([]float64, f.free.N)
	f.free.Fold(g, out)
	floats.Scale(1/squares, out)
	return out, nil
}

// statistics fills in errors and tables.
func (f *fitting) statistics(ctx context.Context, r *Result) error {
	v := f.at.cov
	f.c.progress(0, 0, "errors, tables and calibration")
	if err := v.Finish(ctx); err != nil {
		return err
	}
	r.Effective, r.Clustering, r.Dispersion = v.Effective, v.Clustering, v.Dispersion
	if r.Rescale != 1 {
		g, err := f.rescaleGradient(ctx, r.Rescale)
		if err != nil {
			return err
		}
		v.Rescale(g)
	}
	naive := v.NaiveErrors()
	for t := range r.Terms {
		x := &r.Terms[t]
		x.EffectiveGames = v.Games[t]
		if !f.hasErrors(x, t) {
			continue
		}
		mg, eg := f.free.MG[t], f.free.EG[t]
		x.DataShare = num.Float(v.Share(mg)+v.Share(eg)) / 2
		s := r.Rescale
		x.SEMG, x.SEEG = num.Float(s*v.SE(mg, x.FitMG/s)), num.Float(s*v.SE(eg, x.FitEG/s))
		x.SEChangeMG, x.SEChangeEG = num.Float(s*v.SE(mg, 0)), num.Float(s*v.SE(eg, 0))
		x.NaiveMG, x.NaiveEG = num.Float(s*naive(mg, x.FitMG/s)), num.Float(s*naive(eg, x.FitEG/s))
		f.compare(x, t)
	}
	r.Collinear = stats.FindCollinear(f.at.known.Information, f.free.Names(f.terms))
	return f.contrasts(ctx, r)
}

// contrasts fills in tables and groups.
func (f *fitting) contrasts(ctx context.Context, r *Result) (err error) {
	v, fit := f.at.cov, r.fitted()
	if r.Tables, err = stats.FindTables(ctx, f.s, f.terms); err != nil {
		return err
	}
	counts, err := stats.Incidence(ctx, f.s)
	if err != nil {
		return err
	}
	for i := range r.Tables {
		v.Center(&r.Tables[i], f.terms, fit, counts, r.Rescale)
	}
	r.Groups = v.GroupGains(f.terms, f.at.design, f.slope.start.Weight[objective.Trained])
	return nil
}

// calibrate compares predictions with results.
func (f *fitting) calibrate(ctx context.Context, r *Result) (err error) {
	w := objective.NewTapered(len(f.terms))
	f.free.Expand(f.at.theta, w)
	r.Calibration, err = stats.Calibrate(ctx, f.train, objective.StartOf(f.terms), w, max(1, r.Clustering))
	return err
}

// leaveOutErrors makes the standard errors of a fit without matrices unknown.
func (f *fitting) leaveOutErrors(r *Result) {
	for t := range r.Terms {
		if x := &r.Terms[t]; f.hasErrors(x, t) {
			x.SEMG, x.SEChangeMG, x.NaiveMG = num.Unknown, num.Unknown, num.Unknown
			x.SEEG, x.SEChangeEG, x.NaiveEG = num.Unknown, num.Unknown, num.Unknown
			x.DataShare = num.Unknown
			x.compare()
		}
	}
}

// compare fills in what follows from the standard errors of term t. A term of a single game
// that no prior holds has none: the optimum makes that game's score 0.
func (f *fitting) compare(x *TermFit, t int) {
	if x.EffectiveGames == 1 && f.free.Lone(t) && f.free.Precision(f.free.MG[t]) == 0 {
		x.SEMG, x.SEEG, x.SEChangeMG, x.SEChangeEG = num.Unknown, num.Unknown, num.Unknown, num.Unknown
	}
	x.compare()
}

// hasErrors reports whether term t, as fitted, can have standard errors.
func (f *fitting) hasErrors(x *TermFit, t int) bool {
	return f.free.MG[t] != objective.Fixed && (x.Count > 0 || !f.free.Lone(t))
}

// Losses below which a fit is too good to be true.
const (
	perfectEntropy = 0.1
	perfectMSE     = 0.02
)

// caution adds the warnings that the finished fit calls for.
func (f *fitting) caution(r *Result) {
	for j, name := range f.free.Names(f.terms) {
		if f.free.Stuck(j) && !f.s.Local() {
			r.Unbounded = append(r.Unbounded, name)
		}
	}
	if n := len(r.Unbounded); n > 0 {
		f.warn("%d coefficients have no finite optimum, as for a term that always wins; they are held "+
			"at the limit of %g centipawns (give them a prior): %s", n, cmp.Or(f.c.Limit, DefaultLimit), some(r.Unbounded))
	}
	var unseen, few []string
	for t := range r.Terms {
		x := &r.Terms[t]
		switch {
		case x.Count == 0 && !x.Frozen:
			unseen = append(unseen, x.Name)
		case x.Few() && !x.Frozen && f.at.cov != nil:
			few = append(few, x.Name)
		}
	}
	if len(unseen) > 0 {
		f.warn("%d terms never occur and keep what the prior says: %s", len(unseen), some(unseen))
	}
	if v := f.at.cov; v != nil && v.N < stats.FewestClusters {
		f.warn("%d games or openings are too few for standard errors: there are none", v.N)
	} else if len(few) > 0 {
		f.warn("%d terms rest on fewer than %d effective games, their errors are too small: %s", len(few), rows.MinClusters,
			some(few))
	}
	perfect := perfectEntropy
	if f.c.Loss == objective.MSE {
		perfect = perfectMSE
	}
	if f.c.Lambda == 1 && float64(r.Fit.Train) < perfect {
		f.warn("the fit predicts almost every result: separable data, the weights' size is the prior's choice")
	}
	f.cautionRounding(r)
	if f.at.cov != nil && f.at.cov.Ridge {
		f.warn("some combinations of coefficients are not determined by data or prior: " +
			"give every group a prior, or freeze one of them")
	}
	if f.at.large {
		need, have := f.memory()
		f.warn("a large fit: matrices would take %d MiB and may take %d, so there are no standard errors, "+
			"and the design effect is taken to be %g (with %d MiB there are both)", need>>20, have>>20, r.Design, need>>20+1)
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
