package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
	"github.com/assay-chess/assay/tuner/rows"
)

// solution is where a fit has come to.
type solution struct {
	design  float64   // D
	theta   []float64 // nil before the first step
	outcome optimize.Outcome
	cov     *stats.Covariance // nil if not known
	large   bool              // too many parameters for matrices
	known   *objective.Known  // information shared by objectives of one loss; nil before the first
}

const (
	designFirst  = 10   // a priori, for about 70 positions a game
	designRounds = 3    // estimates of D before the last is taken
	designClose  = 0.05 // |ln ratio| of two estimates that are as good as equal
	defaultGap   = 1e-10
	looseGap     = 1e-6
	looserGap    = 1e-4
)

// solve finds the minimum, and with it the design effect: D is estimated at
// the minimum that the last D gave, until it no longer moves.
func (f *fitting) solve(ctx context.Context) error {
	f.at.large = f.s.Nonlinear() == nil && !f.fits()
	f.at.design = cmp.Or(f.c.Design, designFirst)
	estimate := f.c.Design == 0 && !f.at.large
	theta, gap := f.free.first, cmp.Or(f.c.Gap, defaultGap)
	if f.c.Loss == objective.MSE {
		// The valley of MSE is narrow far from its floor: come from above.
		f.train.Loss = objective.CrossEntropy
		near := looseGap
		if f.free.Box != nil { // some coefficients run away, which takes long
			near = looserGap
		}
		err := f.minimize(ctx, theta, near)
		f.train.Loss, f.at.known = objective.MSE, nil // of an interrupted fit's result too
		if err != nil {
			return err
		}
		theta = f.at.theta
	}
	priorless := estimate && f.free.Priorless() // the minimum does not depend on D: one estimate will do
	if estimate && !priorless {
		if err := f.minimize(ctx, theta, looseGap); err != nil {
			return err
		}
		if err := f.estimate(ctx); err != nil {
			return err
		}
		theta = f.at.theta
	}
	theta, err := f.keepBentScale(ctx, theta)
	if err != nil {
		return err
	}
	for round := 1; ; round++ {
		if err := f.minimize(ctx, theta, gap); err != nil {
			return err
		}
		theta = f.at.theta
		if f.at.large {
			return nil
		}
		used := f.at.design
		if err := f.estimate(ctx); err != nil || priorless {
			return err
		}
		moved := math.Abs(math.Log(f.at.design / used))
		if !estimate || moved < designClose || round == designRounds {
			f.at.design = used
			return nil
		}
	}
}

// longestLast is by how much a limited coefficient may change an evaluation in the last
// step, as a multiple of 1/K. The step of one that has no finite optimum is 1/K for ever.
const longestLast = 0.05

// minimize runs the method from theta to a gap in mean loss.
func (f *fitting) minimize(ctx context.Context, theta []float64, gap float64) error {
	name := f.c.Method
	if f.at.large {
		name = "adam" // needs no matrix
	}
	method, err := optimize.NewMethod(name)
	if err != nil {
		return err
	}
	weight := f.slope.start.Weight[objective.Trained]
	o := f.objective()
	s := optimize.Settings{Gap: gap * weight / f.at.design, Iterations: f.c.Iterations, Limit: f.maxWeight(),
		NoCurvature: f.at.large, Box: f.free.Box}
	if f.s.Nonlinear() != nil {
		idle := gap
		if f.c.Gap == 0 {
			idle = max(gap, bentIdle)
		}
		s.Idle = idle * weight / f.at.design
	}
	s.Step = func(i int, x []float64, value, gap float64) {
		unit := f.at.design / weight
		f.c.progress(0, 0, "step %d  objective %.6f  gap %.1e", i, value*unit, gap*unit)
		if f.c.Trace != nil {
			f.c.Trace(Step{fmt.Sprintf("%v under D = %.2f", f.train.Loss, f.at.design), i, value * unit, num.Float(gap * unit),
				f.lossesAt(ctx, i, x)})
		}
	}
	if b := f.free.Box; b != nil {
		b.Reach = 0
		if gap < looseGap {
			b.Reach = longestLast / f.slope.k
		}
	}
	out, err := method.Minimize(ctx, o, theta, s)
	if out.X != nil && optimize.Finite(out.Value, out.X) {
		f.at.theta = out.X
	}
	stuck := err == nil && out.Iterations == 0 && !out.Converged
	out.Iterations += f.at.outcome.Iterations
	out.Gap *= f.at.design / weight
	f.at.outcome = out
	if stuck {
		return fmt.Errorf("%w: %v under D = %.2f, %.2g above its smallest mean", errNoStep, f.train.Loss, f.at.design,
			out.Gap)
	}
	if errors.Is(err, optimize.ErrDiverged) {
		return fmt.Errorf("%w: the data separate perfectly; give every group a prior", err)
	}
	return err
}

// lossesAt returns the losses of a point on the way, if this step is one at which they are measured.
func (f *fitting) lossesAt(ctx context.Context, step int, theta []float64) Losses {
	none := Losses{num.Unknown, num.Unknown}
	if step > lossSteps && step%lossSteps != 0 {
		return none
	}
	w := objective.NewTapered(len(f.terms))
	f.free.Expand(theta, w)
	m, err := f.train.Measure(ctx, w, f.slope.k)
	if err != nil {
		return none // the context ended, which the method will find out
	}
	return lossesOf(&m)
}

// objective returns the function to minimize under the present design effect.
func (f *fitting) objective() *objective.Penalized {
	o := objective.New(f.train, f.free.Params, f.at.design)
	if f.at.known == nil {
		f.at.known = o.Known
	}
	o.Known = f.at.known
	return o
}

// estimate computes the covariance at theta and the design effect from it.
func (f *fitting) estimate(ctx context.Context) (err error) {
	f.c.progress(0, 0, "estimating variances over %d clusters", f.split.clusters.N())
	if f.at.cov, err = stats.NewCovariance(ctx, f.objective(), f.split.clusters, f.at.theta); err != nil {
		return err
	}
	d, err := f.at.cov.Design(ctx)
	if err == nil && d > 0 && optimize.Finite(d, nil) {
		f.at.design = d
	}
	return err
}

// matrixBytes estimates the memory that the matrices of a fit take beside its rows.
// TUNER.md has the real one.
func matrixBytes(parameters, terms int) int64 {
	n, t := int64(parameters), int64(terms)
	const (
		squares   = 8 * 14   // as many as fourteen squares of parameters while errors are computed, some of them garbage
		triangles = 8 * 3    // six packed triangles of terms while the Hessian is summed
		rest      = 32 << 20 // sums over rows and clusters
	)
	return squares*n*n + triangles*t*t + rest
}

// memory returns what the matrices of the fit take and may take, in bytes; the latter is 0 where
// it is not known. The triangles of a formula are over the halves of terms.
func (f *fitting) memory() (need, have int64) {
	terms := f.s.Terms()
	if f.s.Nonlinear() != nil {
		terms *= 2
	}
	return matrixBytes(f.free.N, terms), cmp.Or(f.c.Memory, machine.Memory()/2)
}

// fits reports whether matrices fit into memory.
func (f *fitting) fits() bool {
	need, have := f.memory()
	f.c.progress(0, 0, "%d parameters: matrices take %d MiB of %d MiB", f.free.N, need>>20, have>>20)
	return have == 0 || need <= have
}

// checkMemory refuses a fit with a formula, or with an ablation, that would take more than it may, and an ablation
// without folds.
func (f *fitting) checkMemory(context.Context) error {
	need, have := f.memory()
	what := ""
	switch {
	case f.s.Nonlinear() != nil:
		what = "a fit with a formula"
	case f.c.Ablate != "":
		what = "an ablation"
	}
	if what != "" && have != 0 && need > have {
		return fmt.Errorf("%w: %s needs matrices, for %d parameters about %d MiB, and may take %d: "+
			"allow %d MiB of memory, or freeze terms", objective.ErrConfig, what, f.free.N, need>>20, have>>20, need>>20+1)
	}
	if _, n := f.split.clusters.Folds(max(1, f.c.Folds), f.c.Seed); n < 2 && f.c.Ablate != "" {
		return fmt.Errorf("%w: an ablation needs 2 folds of the games or more, and there are %d: give more folds or more "+
			"games, or leave it out", objective.ErrConfig, n)
	}
	return nil
}

// Scale says what a centipawn of an external evaluation was worth and is now, by the slope K
// per centipawn that suits the weights best, on training rows within nearEqual.
type Scale struct {
	Rows   int     `json:"rows"`
	KStart float64 `json:"k_start"`
	KTuned float64 `json:"k_tuned"` // of the fit, before any rescaling
	// Pawn is what 100 centipawns of the start weights are in the weights as written.
	Pawn float64 `json:"pawn"`
	// Kept reports that the fit was brought back to the old RMS evaluation, because K moved by
	// more than kMoves: by rescaling the weights, or a bent one by another slope.
	Kept bool `json:"kept"`
}

// String says what became of the scale.
func (s *Scale) String() string {
	how := "as fitted"
	if s.Kept {
		how = "kept"
	}
	return fmt.Sprintf("%s: eval scale x%.2f (K %.6f of the start weights, %.6f of the fit, on %d rows within %d "+
		"centipawns)", how, s.Pawn/100, s.KStart, s.KTuned, s.Rows, nearEqual)
}

const (
	// nearEqual bounds the search score of a row, or the start weights' evaluation where it
	// has none: where the margins of a search matter.
	nearEqual = 400
	// kMoves is the change of K up to which an external evaluation keeps the scale of the fit.
	kMoves = 0.1
)

// foreign reports whether the evaluation is none of our own models.
func (f *fitting) foreign() bool {
	return !slices.ContainsFunc(f.terms, func(t rows.Term) bool { return t.Own })
}

// measureScale compares the fit w with the start weights on rows within nearEqual, or on all if there are none.
func (f *fitting) measureScale(ctx context.Context, w objective.Tapered) (*Scale, error) {
	p, s := *f.train, new(Scale)
	p.Omega = make([][]float32, len(f.s.Chunks))
	start, unit := objective.StartOf(f.terms), f.c.unit()
	err := objective.Evaluate(ctx, f.s, f.c.Workers, start, func(t *objective.Scratch, i int) {
		c := f.s.Chunks[i]
		p.Omega[i] = slices.Clone(f.train.Omega[i])
		for j, x := range t.X[:c.Rows] {
			if v := c.ScoreOf(j); v != rows.NoScore {
				x = float64(v) * unit
			}
			if !(math.Abs(x) < nearEqual*unit) {
				p.Omega[i][j] = 0
			}
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return nil, err
	}
	for _, c := range p.Omega {
		for _, o := range c {
			if o > 0 {
				s.Rows++
			}
		}
	}
	if s.Rows == 0 || oneClass(p.Target, p.Omega) {
		p.Omega, s.Rows = f.train.Omega, f.split.trained
	}
	if s.KStart, err = p.BestK(ctx, start); err != nil {
		return nil, err
	}
	s.KTuned, err = p.BestK(ctx, w)
	s.KStart, s.KTuned = s.KStart*unit, s.KTuned*unit
	return s, err
}

// moved reports whether a centipawn means something else than before.
func (s *Scale) moved() bool {
	return math.Abs(s.KTuned/s.KStart-1) > kMoves
}

const (
	// scaleRounds bounds the fits that look for the slope of a bent evaluation.
	scaleRounds = 3
	// scaleClose is a change of the scale that is as good as none.
	scaleClose = 0.005
)

// keepBentScale looks for the slope under which the fit has the root mean square evaluation of the start
// weights, by rough fits from theta on, and returns where they end. A linear evaluation is rescaled by its
// coefficients instead, see rescale. Without it a fit to scores, which predict results better than an
// evaluation does, makes larger evaluations, and the margins of a search no longer suit them.
func (f *fitting) keepBentScale(ctx context.Context, theta []float64) ([]float64, error) {
	if f.s.Nonlinear() == nil || f.c.KeepScale {
		return theta, nil
	}
	for round := 0; ; round++ {
		if err := f.minimize(ctx, theta, looseGap); err != nil {
			return theta, err
		}
		theta = f.at.theta
		w := objective.NewTapered(len(f.terms))
		f.free.Expand(theta, w)
		if round == 0 {
			if moves, err := f.movesScale(ctx, w); err != nil || !moves {
				return theta, err
			}
		}
		m, err := f.train.Measure(ctx, w, f.slope.k)
		if err != nil {
			return theta, err
		}
		ratio, err := f.growth(ctx, w, m.RMS())
		if err != nil || ratio == 0 || math.Abs(ratio-1) < scaleClose || round == scaleRounds {
			return theta, err
		}
		f.slope.k *= ratio
		f.train.K, f.slope.moved, f.at.known = f.slope.k, true, nil
	}
}

// movesScale reports whether the weights w have a scale that has to be brought back, and can be.
func (f *fitting) movesScale(ctx context.Context, w objective.Tapered) (bool, error) {
	if f.foreign() && !f.c.Rescale {
		if s, err := f.measureScale(ctx, w); err != nil || !s.moved() {
			return false, err
		}
	}
	return f.scalable(w), nil // last, because it warns
}
