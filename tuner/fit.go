package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"github.com/assay-chess/assay/tuner/stats"
)

// Fit fits the terms' coefficients to the rows of a store.
//
// A cancelled context ends it early: the best weights so far come back with
// the context's error, without errors and tables (Result.Partial is set).
func Fit(ctx context.Context, s *rows.Store, terms []rows.Term, c Config) (*Result, error) {
	return (&fitting{s: s, terms: terms, c: c}).run(ctx)
}

func (f *fitting) run(ctx context.Context) (*Result, error) {
	for _, stage := range []func(context.Context) error{f.prepare, f.scale, f.parametrize} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	err := f.solve(ctx)
	said := len(f.warnings)
	if err == nil {
		var r *Result
		if r, err = f.result(ctx); err == nil {
			return r, nil
		}
	}
	if ctx.Err() == nil || f.theta == nil {
		return nil, err
	}
	// What is known of an earlier point, or known in part, is not for this one.
	f.cov, f.warnings = nil, f.warnings[:said]
	r, rerr := f.result(context.WithoutCancel(ctx))
	if rerr != nil {
		return nil, errors.Join(err, rerr)
	}
	r.Partial = true
	return r, err
}

// fitting is a fit in progress.
type fitting struct {
	bare      bool // weights and losses only: no statistics
	s         *rows.Store
	terms     []rows.Term
	c         Config
	clusters  *rows.Clusters
	held      []bool // by cluster
	train     *objective.Problem
	start     objective.Measures // of the start weights
	rows      struct{ train, valid int }
	k         float64
	kScore    float64
	tied      bool
	params    *objective.Params
	frozen    []bool
	seen      []int64 // training rows in which a term occurs
	design    float64
	theta     []float64
	outcome   optimize.Outcome
	known     *objective.Known
	knownLoss objective.Loss
	cov       *stats.Covariance
	warnings  []string
}

func (f *fitting) warn(format string, args ...any) {
	f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
}

// prepare checks what it was given and splits the rows.
func (f *fitting) prepare(ctx context.Context) error {
	if f.s.Rows() == 0 {
		return rows.ErrEmpty
	}
	if len(f.terms) != f.s.Terms() {
		return fmt.Errorf("%w: %d terms for rows of %d", objective.ErrConfig, len(f.terms), f.s.Terms())
	}
	if err := f.c.check(len(f.terms)); err != nil {
		return err
	}
	f.clusters = f.s.Clusters()
	if f.clusters.Warning != "" {
		f.warn("%s", f.clusters.Warning)
	}
	if n := f.s.Gameless(); n > 1 {
		f.warn("%d rows name no game: each counts as a game of its own, errors are too small if they are not", n)
	}
	f.train = &objective.Problem{Store: f.s, Loss: f.c.Loss, Workers: f.c.Workers}
	f.split()
	if f.rows.train == 0 {
		return fmt.Errorf("%w left to train on", rows.ErrEmpty)
	}
	if f.c.Valid > 0 && f.rows.valid == 0 {
		f.warn("no game could be held out: there is no validation loss")
	}
	if err := f.countSeen(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// split divides the rows into those trained on, those held out and, with a share
// of the games, those left out.
func (f *fitting) split() {
	f.train.Omega, f.held = f.s.Split(f.clusters, f.c.Valid, f.c.Seed)
	drop := f.clusters.Leave(f.held, f.c.Share, f.c.Seed)
	f.train.Held = make([]bool, len(f.clusters.Of))
	for g, c := range f.clusters.Of {
		f.train.Held[g] = f.held[c]
	}
	for i, c := range f.s.Chunks {
		for j, g := range c.Game {
			switch {
			case f.train.Held[g]:
				f.rows.valid++
			case drop != nil && drop[f.clusters.Of[g]]:
				f.train.Omega[i][j] = 0
			default:
				f.rows.train++
			}
		}
	}
}

// countSeen counts the training rows of each term.
func (f *fitting) countSeen(ctx context.Context) error {
	f.seen = make([]int64, f.s.Terms())
	return f.s.EachRow(ctx, func(chunk, row int, entries []rows.Entry) {
		if f.train.Omega[chunk][row] > 0 {
			for _, e := range entries {
				f.seen[e.Term]++
			}
		}
	})
}

// scale fixes both slopes and the targets.
func (f *fitting) scale(ctx context.Context) error {
	f.train.Target = objective.Targets(f.s, 1, 0)
	if oneClass(f.train.Target, f.train.Omega) {
		return ErrOneClass
	}
	any := false
	for _, n := range f.seen {
		any = any || n > 0
	}
	if !any {
		return ErrNoFeatures
	}
	var err error
	if f.k = f.c.K; f.k == 0 {
		if f.k, err = f.train.FitK(ctx, objective.StartOf(f.terms)); err != nil {
			return fmt.Errorf("fitting K: %w", err)
		}
	}
	if err := f.scaleScores(); err != nil {
		return err
	}
	f.train.K = f.k
	f.train.Target = objective.Targets(f.s, f.c.Lambda, f.kScore)
	if oneClass(f.train.Target, f.train.Omega) {
		return ErrOneClass
	}
	f.start, err = f.train.Measure(ctx, objective.StartOf(f.terms), f.k)
	return err
}

// scaleScores fixes the slope of the search scores where they are used.
func (f *fitting) scaleScores() error {
	if f.c.Lambda == 1 {
		return nil
	}
	k, any, err := f.train.FitScoreK()
	switch {
	case !any:
		return fmt.Errorf("%w: lambda %v, but no row has a score", objective.ErrConfig, f.c.Lambda)
	case f.c.KScore != 0:
		f.kScore = f.c.KScore
	case err != nil:
		return fmt.Errorf("fitting the K of the scores: %w", err)
	default:
		f.kScore = k
	}
	return nil
}

// oneClass reports whether all rows trained on have the same target.
func oneClass(y, omega [][]float32) bool {
	first := float32(-1)
	for i := range omega {
		for j, o := range omega[i] {
			if o == 0 {
				continue
			}
			if first < 0 {
				first = y[i][j]
			}
			if y[i][j] != first {
				return false
			}
		}
	}
	return true
}

// parametrize decides which coefficients are fitted.
func (f *fitting) parametrize(context.Context) error {
	tau, err := objective.Widths(f.terms, f.c.Prior, cmp.Or(f.c.PriorFactor, 1))
	if err != nil {
		return err
	}
	if f.frozen, err = objective.Frozen(f.terms, f.c.Freeze); err != nil {
		return err
	}
	f.tied = f.c.Tie == TieOn || f.c.Tie == TieAuto && f.s.Games() < TieGames
	hold := append([]bool(nil), f.frozen...)
	for t := range f.terms {
		// Without data and prior nothing says where a coefficient belongs.
		if f.seen[t] == 0 && math.IsInf(tau[t], 1) {
			hold[t] = true
		}
	}
	centre := objective.StartOf(f.terms)
	for t, v := range f.c.Center {
		centre.MG[t], centre.EG[t] = v.MG, v.EG
	}
	leader, err := objective.Leaders(f.terms, f.tied, f.c.Ties)
	if err != nil {
		return err
	}
	if f.params = objective.NewParams(f.terms, centre, hold, tau, leader); f.params.N == 0 {
		return ErrAllFrozen
	}
	if len(f.c.Bounds) > 0 {
		return f.params.Bound(f.terms, f.c.Bounds)
	}
	return nil
}

const (
	designFirst  = 10   // a priori, for about 70 positions a game
	designRounds = 3    // estimates of D before the last is taken
	designClose  = 0.05 // |ln ratio| of two estimates that are as good as equal
	defaultGap   = 1e-10
	looseGap     = 1e-6
)

// solve finds the minimum, and with it the design effect: D is estimated at
// the minimum that the last D gave, until it no longer moves.
func (f *fitting) solve(ctx context.Context) error {
	f.design = f.c.Design
	estimate := f.design == 0
	if estimate {
		f.design = designFirst
	}
	theta := make([]float64, f.params.N)
	gap := f.c.Gap
	if gap == 0 {
		gap = defaultGap
	}
	if f.c.Loss == objective.MSE {
		// The valley of MSE is narrow far from its floor: come from above.
		f.train.Loss = objective.CrossEntropy
		if err := f.minimize(ctx, theta, looseGap); err != nil {
			return err
		}
		f.train.Loss = objective.MSE
		theta = f.theta
	}
	if estimate {
		if err := f.minimize(ctx, theta, looseGap); err != nil {
			return err
		}
		if err := f.estimate(ctx); err != nil {
			return err
		}
		theta = f.theta
	}
	for round := 1; ; round++ {
		if err := f.minimize(ctx, theta, gap); err != nil {
			return err
		}
		theta = f.theta
		if f.bare && !estimate {
			return nil
		}
		used := f.design
		if err := f.estimate(ctx); err != nil {
			return err
		}
		moved := math.Abs(math.Log(f.design / used))
		if !estimate || moved < designClose || round == designRounds {
			f.design = used
			return nil
		}
	}
}

// minimize runs the method from theta to a gap in mean loss.
func (f *fitting) minimize(ctx context.Context, theta []float64, gap float64) error {
	method, err := optimize.NewMethod(f.c.Method)
	if err != nil {
		return err
	}
	weight := f.start.Weight[objective.Trained]
	o := f.objective()
	s := optimize.Settings{Gap: gap * weight / f.design, Iterations: f.c.Iterations, Limit: maxWeight}
	s.Step = func(i int, x []float64, value, gap float64) {
		unit := f.design / weight
		f.c.progress(int64(i), 0, "step %d: objective %.6f, gap %.1e", i, value*unit, gap*unit)
		if f.c.Trace != nil {
			f.c.Trace(Step{fmt.Sprintf("%v under D = %.2f", f.train.Loss, f.design), i, value * unit, Float(gap * unit), f.lossesAt(ctx, i, x)})
		}
	}
	out, err := f.params.Box.Minimize(ctx, method, o, theta, s)
	if out.X != nil && optimize.Finite(out.Value, out.X) {
		f.theta = out.X
	}
	out.Iterations += f.outcome.Iterations
	out.Passes += f.outcome.Passes
	out.Curvatures += f.outcome.Curvatures
	out.Gap *= f.design / weight
	f.outcome = out
	if errors.Is(err, optimize.ErrDiverged) {
		return fmt.Errorf("%w: the data separate perfectly; give every group a prior", err)
	}
	return err
}

// lossesAt returns the losses of a point on the way, if this step is one at which they
// are measured.
func (f *fitting) lossesAt(ctx context.Context, step int, theta []float64) Losses {
	none := Losses{Float(math.NaN()), Float(math.NaN())}
	if theta == nil || step > lossSteps && step%lossSteps != 0 {
		return none
	}
	w := objective.NewTapered(len(f.terms))
	f.params.Expand(theta, w)
	m, err := f.train.Measure(ctx, w, f.k)
	if err != nil {
		return none // the context ended, which the method will find out
	}
	return lossesOf(&m)
}

// objective returns what is minimized under the present design effect.
func (f *fitting) objective() *objective.Penalized {
	o := objective.New(f.train, f.params, f.design)
	if f.known == nil || f.knownLoss != f.train.Loss {
		f.known, f.knownLoss = o.Known, f.train.Loss
	}
	o.Known = f.known
	return o
}

// estimate computes the covariance at theta and the design effect from it.
func (f *fitting) estimate(ctx context.Context) error {
	f.c.progress(0, 0, "estimating variances over %d clusters", f.clusters.N())
	o := f.objective()
	var err error
	if f.cov, err = stats.NewCovariance(ctx, o, f.clusters, f.theta); err != nil {
		return err
	}
	d, err := f.cov.Design(ctx, f.train)
	if err != nil {
		return err
	}
	if d > 0 && optimize.Finite(d, nil) {
		f.design = d
	}
	return nil
}
