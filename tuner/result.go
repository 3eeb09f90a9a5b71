package tuner

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Result is what a fit found. Coefficients are in centipawns, losses are means
// over rows by weight, errors are standard errors.
type Result struct {
	Terms []TermFit
	// Pieces are the average marginal values of pawn to queen; empty unless
	// the store was built from positions.
	Pieces []PieceValue
	Tables []Table
	Groups []GroupGain // in order of the table
	// Collinear lists coefficients that the data cannot tell from others,
	// whether or not the prior can.
	Collinear   []Collinear
	Calibration Calibration

	Config  Config
	Sources []SourceInfo // of the store
	// K is the slope used in the fit; FileK is the one that goes with the
	// rescaled weights, K/Rescale. KScore is 0 where scores were not used.
	K, FileK, KScore float64
	Rescale          float64 // the factor between the fit's scale and the weights'
	Tied             bool    // file-mirrored twins shared a parameter

	Rows, RowsTrain, RowsValid int
	Games                      int64
	Clusters, ClustersTrain    int
	ClustersHeld               int
	ByOpening                  bool // clusters are openings, not games

	Start, Fit, Rounded Losses // start weights; the fit; its rounded weights
	// Parameters is the number of free numbers, Effective how many of them
	// the data (rather than the prior) determined: tr(H (H+DP)^-1).
	Parameters int
	Effective  float64
	// Jackknife tells that errors are the jackknife's, because there are few
	// clusters.
	Jackknife bool
	// Design is the D used. It is Clustering x Dispersion, unless given.
	Design, Clustering, Dispersion float64
	Outcome                        Outcome // Gap in mean loss; X in centipawns of change

	Warnings []string
	Partial  bool // ended early: no errors, pieces or tables
}

// Losses are the mean losses of one set of weights; NaN where there are no rows.
type Losses struct{ Train, Valid float64 }

// TermFit is what a fit says of one term.
type TermFit struct {
	Term
	Fit          Coefficient // rescaled, before rounding
	NewMG, NewEG int32
	SE           Coefficient // clustered; 0 where Frozen or never seen
	Naive        Coefficient // as if rows were independent
	Count        int64       // training rows in which it occurs
	Clusters     float64     // effective number of clusters that inform it
	// Share is the part of the term that the data determined, the rest being
	// the prior's: 0..1, the mean of its halves. A standard error says how far
	// the fit would move with other games; where the share is small, the prior
	// lets it move little, and a small error says nothing of the truth.
	Share  float64
	Frozen bool
}

// Quantile returns how many standard errors a 95 % interval of the term
// reaches to either side: that of Student's t with one degree of freedom less
// than clusters inform the term (Liang and Zeger 1986 have the normal's 1.96,
// which is too short for few of them).
func (t *TermFit) Quantile() float64 {
	return distuv.StudentsT{Sigma: 1, Nu: max(1, t.Clusters-1)}.Quantile(0.975)
}

// Few tells whether too few games inform the term for its standard error to
// be believed.
func (t *TermFit) Few() bool { return t.Count > 0 && t.Clusters < minClusters }

// result assembles the Result at theta.
func (f *fitting) result(ctx context.Context) (*Result, error) {
	w := newHalves(len(f.terms))
	f.params.expand(f.theta, w)
	r := &Result{
		Config: f.c, Sources: f.s.sources, K: f.k, KScore: f.kScore, Tied: f.tied, Parameters: f.params.n,
		Rows: f.s.rows, RowsTrain: f.rows.train, RowsValid: f.rows.valid,
		Games: int64(f.s.Games()), Clusters: f.clusters.n(), ByOpening: f.clusters.byOpening,
		Design: f.design, Outcome: f.outcome,
	}
	for _, h := range f.held {
		if h {
			r.ClustersHeld++
		}
	}
	r.ClustersTrain = r.Clusters - r.ClustersHeld
	if err := f.finishWeights(ctx, r, w); err != nil {
		return nil, err
	}
	if f.cov != nil {
		if err := f.statistics(ctx, r); err != nil {
			return nil, err
		}
	}
	f.caution(r)
	r.Warnings = f.warnings
	return r, nil
}

// finishWeights rescales and rounds the weights w of the fit and measures
// the losses of each step.
func (f *fitting) finishWeights(ctx context.Context, r *Result, w halves) error {
	r.Start = f.start.losses()
	fit, err := f.train.measure(ctx, w, f.k)
	if err != nil {
		return err
	}
	r.Fit = fit.losses()
	if r.Rescale, err = f.rescale(ctx, w, fit.rms()); err != nil {
		return err
	}
	if r.FileK = f.k / r.Rescale; r.FileK > 1 { // a pawn would decide every game
		return fmt.Errorf("%w: the data separate almost perfectly; give every group a prior", ErrDiverged)
	}
	rounded := newHalves(len(f.terms))
	for t, term := range f.terms {
		v := TermFit{Term: term, Count: f.seen[t], Frozen: f.frozen[t]}
		v.Fit = Coefficient{w.mg[t] * r.Rescale, w.eg[t] * r.Rescale}
		if !(math.Abs(v.Fit.MG) <= maxWeight && math.Abs(v.Fit.EG) <= maxWeight) {
			return fmt.Errorf("%w: %s is at %g, %g", ErrDiverged, term.Name, v.Fit.MG, v.Fit.EG)
		}
		v.NewMG, v.NewEG = int32(math.Round(v.Fit.MG)), int32(math.Round(v.Fit.EG))
		rounded.mg[t], rounded.eg[t] = float64(v.NewMG), float64(v.NewEG)
		r.Terms = append(r.Terms, v)
	}
	m, err := f.train.measure(ctx, rounded, r.FileK)
	r.Rounded = m.losses()
	return err
}

// rescale returns the factor that brings the root mean square evaluation of
// the reference positions back to what it was under the start weights.
func (f *fitting) rescale(ctx context.Context, w halves, after float64) (float64, error) {
	if f.c.KeepScale {
		return 1, nil
	}
	if len(f.c.Bounds) > 0 {
		f.warn("not rescaled: bounds are in centipawns of the fit")
		return 1, nil
	}
	for t := range f.terms {
		if f.frozen[t] && (w.mg[t] != 0 || w.eg[t] != 0) {
			f.warn("not rescaled: %s is frozen", f.terms[t].Name)
			return 1, nil
		}
	}
	before := f.start.rms()
	if ref := f.c.Reference; ref != nil {
		var err error
		if before, err = ref.rms(ctx, f.c.Workers, startOf(f.terms)); err != nil {
			return 1, err
		}
		if after, err = ref.rms(ctx, f.c.Workers, w); err != nil {
			return 1, err
		}
	}
	if before == 0 || after == 0 {
		f.warn("not rescaled: the root mean square evaluation is %.1f before and %.1f after", before, after)
		return 1, nil
	}
	return before / after, nil
}

// statistics fills in errors, tables and marginal values.
func (f *fitting) statistics(ctx context.Context, r *Result) error {
	v := f.cov
	f.c.progress(0, 0, "errors, tables and calibration")
	r.Jackknife = v.sums.n <= jackknifeClusters && f.params.n > 0
	if err := v.finish(ctx, f.objective(), f.clusters, f.theta, r.Jackknife); err != nil {
		return err
	}
	r.Effective = v.effective
	r.Clustering, r.Dispersion = v.parts.clustering, v.parts.dispersion
	naive := v.naiveErrors()
	fit := newHalves(len(f.terms))
	old := startOf(f.terms)
	for t := range r.Terms {
		x := &r.Terms[t]
		x.Clusters = v.sums.effective[t]
		fit.mg[t], fit.eg[t] = x.Fit.MG, x.Fit.EG
		mg, eg := f.params.mg[t], f.params.eg[t]
		if mg == fixed || x.Count == 0 && f.params.lone(t) {
			continue
		}
		x.Share = (v.share(f, mg) + v.share(f, eg)) / 2
		s := r.Rescale
		x.SE = Coefficient{s * math.Sqrt(max(v.at(mg, mg), 0)), s * math.Sqrt(max(v.at(eg, eg), 0))}
		x.Naive = Coefficient{s * naive[mg], s * naive[eg]}
	}
	var err error
	if r.Tables, err = f.s.findTables(ctx, f.terms); err != nil {
		return err
	}
	incidence, err := f.s.incidence(ctx)
	if err != nil {
		return err
	}
	for i := range r.Tables {
		r.Tables[i].centre(fit, incidence, f.params, v, r.Rescale)
	}
	r.Groups = f.groupGains(v)
	r.Collinear = collinear(f.known.information, f.params.names(f.terms))
	w := newHalves(len(f.terms))
	f.params.expand(f.theta, w)
	sides, err := f.train.calibrate(ctx, old, w)
	if err != nil {
		return err
	}
	r.Calibration = calibration(&sides, max(1, r.Clustering))
	if f.s.pieces != nil {
		r.Pieces = f.s.pieces.values(old, fit, f.params, v, r.Rescale)
	}
	return nil
}

// share is 1 - D P_jj (A^-1)_jj: these add up to tr(H A^-1).
func (v *covariance) share(f *fitting, j int) float64 {
	if f.params.stuck(j) {
		return 0
	}
	return min(1, max(0, 1-f.design*f.params.precision(j)*v.inverse.At(j, j)))
}

// lone tells whether no other term shares a parameter with t.
func (p *params) lone(t int) bool {
	for u, j := range p.mg {
		if u != t && j == p.mg[t] {
			return false
		}
	}
	return true
}

// Losses below which a fit is too good to be true.
const (
	perfectEntropy = 0.1
	perfectMSE     = 0.02
)

// caution adds the warnings that the finished fit calls for.
func (f *fitting) caution(r *Result) {
	var stuck []string
	for j, name := range f.params.names(f.terms) {
		if f.params.stuck(j) {
			stuck = append(stuck, name)
		}
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
		case x.Few() && !x.Frozen && f.cov != nil:
			few = append(few, x.Name)
		}
	}
	if len(unseen) > 0 {
		f.warn("%d terms never occur and keep what the prior says: %s", len(unseen), some(unseen))
	}
	if len(few) > 0 {
		f.warn("%d terms rest on fewer than %d effective games, their errors are too small: %s", len(few), minClusters, some(few))
	}
	perfect := perfectEntropy
	if f.c.Loss == MSE {
		perfect = perfectMSE
	}
	if f.c.Lambda == 1 && r.Fit.Train < perfect {
		f.warn("the fit foretells almost every result: separable data, the weights' size is the prior's choice")
	}
	if f.cov != nil && f.cov.ridge {
		f.warn("some combinations of coefficients are not determined by data or prior: give every group a prior, or freeze one of them")
	}
	if !f.outcome.Converged {
		f.warn("stopped %.2g above the smallest mean loss, after %d steps", f.outcome.Gap, f.outcome.Iterations)
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
