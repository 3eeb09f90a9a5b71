package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Fit fits the terms' coefficients to the rows of a store.
//
// A cancelled context ends it early: the best weights so far come back with
// the context's error, without errors and tables (Result.Partial is set).
func Fit(ctx context.Context, s *rows.Store, terms []rows.Term, c Config) (*Result, error) {
	return (&fitting{s: s, terms: terms, c: c}).run(ctx)
}

func (f *fitting) run(ctx context.Context) (*Result, error) {
	for _, stage := range []func(context.Context) error{f.prepare, f.scale, f.parametrize, f.checkMemory} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	err := f.solve(ctx)
	if err == nil && f.c.ChoosePrior && !f.at.large {
		err = f.choosePrior(ctx)
	}
	said := len(f.warnings)
	if err == nil {
		var r *Result
		if r, err = f.result(ctx); err == nil {
			return r, nil
		}
	}
	if ctx.Err() == nil || f.at.theta == nil {
		return nil, err
	}
	// Nothing that is known of an earlier point, or in part, is for this one.
	f.at.cov, f.at.large, f.warnings = nil, false, f.warnings[:said]
	f.c.Ablate = ""
	r, rerr := f.result(context.WithoutCancel(ctx))
	if rerr != nil {
		return nil, errors.Join(err, rerr)
	}
	r.Partial = true
	return r, err
}

// fitting is a fit in progress. Each stage sets the field of its name.
type fitting struct {
	s        *rows.Store
	terms    []rows.Term
	c        Config
	train    *objective.Problem // the rows trained on, with their targets
	split    split
	slope    slopes
	free     freedom
	at       solution
	warnings []string
	nested   *clusterLosses // of a chosen factor on the priors
}

// slopes of the sigmoid: k per unit of the weights, score per centipawn.
type slopes struct {
	k, score float64
	start    objective.Measures // of the start weights under the first k
	moved    bool               // k is another, see keepBentScale
}

// freedom says which coefficients are fitted.
type freedom struct {
	*objective.Params
	frozen []bool    // by term
	tied   bool      // file-mirrored twins share a parameter
	first  []float64 // theta to begin with
	width  []float64 // of the prior of each term's weights
}

// warn notes a warning, once where a second solution has it too.
func (f *fitting) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(f.warnings, w) {
		f.warnings = append(f.warnings, w)
	}
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
	f.train = &objective.Problem{Store: f.s, Loss: f.c.Loss, K: 1, Unit: f.c.unit(), Target: objective.Targets(f.s, 1, 0),
		Workers: f.c.Workers}
	f.split = newSplit(f.train, &f.c)
	if w := f.split.clusters.Warning; w != "" {
		f.warn("%s", w)
	}
	if n := f.s.Gameless(); n > 1 {
		f.warn("%d rows name no game: each counts as a game of its own, errors are too small if they are not", n)
	}
	if f.split.trained == 0 {
		return fmt.Errorf("%w left to train on", rows.ErrEmpty)
	}
	if f.c.Valid > 0 && f.split.valid == 0 {
		f.warn("no game could be held out: there is no validation loss")
	}
	var err error
	if f.s.Nonlinear() != nil {
		f.split.seen, f.split.typical, err = f.train.CountParts(ctx, objective.StartOf(f.terms))
	} else {
		f.split.seen, f.split.typical, err = f.s.CountTerms(ctx, f.train.Omega)
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}

// scale fixes both slopes and the targets.
func (f *fitting) scale(ctx context.Context) error {
	if oneClass(f.train.Target, f.train.Omega) {
		return ErrOneClass
	}
	if !slices.ContainsFunc(f.split.seen, func(n int64) bool { return n > 0 }) {
		return ErrNoFeatures
	}
	var err error
	if f.slope.k = f.c.K; f.slope.k == 0 {
		if f.slope.k, err = f.train.FitK(ctx, objective.StartOf(f.terms)); err != nil {
			return fmt.Errorf("fitting K: %w", err)
		}
	}
	if err := f.scaleScores(); err != nil {
		return err
	}
	f.train.K = f.slope.k
	f.train.Target = objective.Targets(f.s, f.c.Lambda, f.slope.score)
	if oneClass(f.train.Target, f.train.Omega) {
		return ErrOneClass
	}
	f.slope.start, err = f.train.Measure(ctx, objective.StartOf(f.terms), f.slope.k)
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
		f.slope.score = f.c.KScore
	case err != nil:
		return ErrScores
	default:
		f.slope.score = k
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

// maxWeight is the largest coefficient that an evaluation takes; of measured numbers, whose unit may be far smaller, it
// is in centipawns.
func (f *fitting) maxWeight() float64 {
	if f.s.Local() {
		return eval.MaxCoef * max(1, f.c.unit())
	}
	return eval.MaxCoef
}

// parametrize decides which coefficients are fitted.
func (f *fitting) parametrize(ctx context.Context) error {
	tau, err := objective.Widths(f.terms, f.split.typical, f.c.Prior, cmp.Or(f.c.PriorFactor, 1)*f.c.unit())
	if err != nil {
		return err
	}
	if f.free.frozen, err = objective.Frozen(f.terms, f.c.Freeze); err != nil {
		return err
	}
	f.free.tied = f.s.Games() < tieGames
	hold := slices.Clone(f.free.frozen)
	for t := range f.terms {
		// Without data and prior nothing says where a coefficient belongs.
		if f.split.seen[t] == 0 && math.IsInf(tau[t], 1) {
			hold[t] = true
		}
	}
	f.free.width = tau
	centre := objective.StartOf(f.terms)
	for t, v := range f.c.Center {
		centre.MG[t], centre.EG[t] = v.MG, v.EG
	}
	leader, err := objective.Leaders(f.terms, f.free.tied)
	if err != nil {
		return err
	}
	if f.free.Params = objective.NewParams(f.terms, centre, hold, tau, leader); f.free.N == 0 {
		return ErrAllFrozen
	}
	f.free.Limit(cmp.Or(f.c.Limit, DefaultLimit) * f.c.unit())
	if f.s.Local() {
		f.free.Trust(cmp.Or(f.c.Trust, DefaultTrust)*f.c.unit(), f.split.typical)
	}
	f.free.first, err = f.free.Pin(ctx, f.train)
	return err
}

// split divides the rows by cluster into those trained on and those held out.
type split struct {
	clusters       *rows.Clusters
	held           []bool    // by cluster
	trained, valid int       // rows
	seen           []int64   // rows trained on, by term that occurs in them
	typical        []float64 // typical count by term
}

// newSplit splits the rows of the problem, and sets its weights.
func newSplit(p *objective.Problem, c *Config) split {
	s := split{clusters: p.Store.Clusters()}
	p.Omega, s.held = p.Store.Split(s.clusters, c.Valid, c.Seed)
	p.Held = make([]bool, len(s.clusters.Of))
	for g, c := range s.clusters.Of {
		p.Held[g] = s.held[c]
	}
	for _, c := range p.Store.Chunks {
		for _, g := range c.Game {
			if p.Held[g] {
				s.valid++
			} else {
				s.trained++
			}
		}
	}
	return s
}

// clustersHeld counts the clusters held out.
func (s *split) clustersHeld() (n int) {
	for _, h := range s.held {
		if h {
			n++
		}
	}
	return n
}
