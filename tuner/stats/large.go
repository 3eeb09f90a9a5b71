package stats

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// Large is Covariance where its matrices do not fit into memory. It knows the same
// clustered and naive covariances, but only by solving for one contrast at a time. Traces
// are exact where A^-1 alone fits into memory. Else they are means over random signs
// (Hutchinson 1990), the same signs in every call.
type Large struct {
	Parts          DesignParts
	Games          []float64 // effective number of clusters by term
	N              int       // clusters with rows
	Effective      float64   // tr(H A^-1)
	Exact          bool      // traces are exact
	DesignError    float64   // standard error of Design, relative; 0 if exact
	EffectiveError float64   // of Effective, relative; 0 if exact
	Probes         int       // random signs of a trace
	Chosen         []bool    // parameters whose errors are wanted
	clustered      float64   // tr(A^-1 M), M the clustered meat
	naive          float64   // tr(A^-1 M) of the naive one
	factor, small  float64   // for finite numbers of clusters and rows
	shares         []float64 // (H A^-1)_jj: exact, or estimates of which only sums are of use
	o              *objective.Penalized
	a              *objective.Information // A
	c              *rows.Clusters
	slope, root    [][]float64 // of the loss, and the root of its curvature, by chunk and row
	mean           []float64   // of the clusters' scores
	w              objective.Tapered
	rescale        *direction       // of the rescaling; nil: weights are not rescaled
	solver         *optimize.Solver // of equations with A
	inverse        map[int]float64  // (A^-1)_jj, as far as known
}

// solverBytes is the memory in which solutions leave what makes later ones faster.
const solverBytes = 16 << 20

// Traces by random signs: of one sign a trace has an error of about the root of 2/Effective.
const (
	fewestProbes = 6
	mostProbes   = 32
	traceError   = 0.02  // relative standard error of the design effect that is good enough
	exactly      = 1e-16 // tolerance of solutions: errors of 1e-8
	closely      = 1e-6  // of shares
	roughly      = 1e-4  // of traces: far below traceError
)

// ExactBytes is the memory that the exact traces of a Large take.
func ExactBytes(parameters, terms int) int64 {
	n, t := int64(parameters), int64(terms)
	return 3*8*n*n + 4*8*t*t
}

// NewLarge computes what the variances of parameters at theta need, with exact traces or not.
func NewLarge(ctx context.Context, o *objective.Penalized, c *rows.Clusters, theta []float64, exact bool) (*Large, error) {
	p := o.Problem
	l := &Large{o: o, c: c, w: objective.NewTapered(p.Store.Terms()), Exact: exact, inverse: make(map[int]float64)}
	o.Params.Expand(theta, l.w)
	var err error
	if l.a, err = o.Information(ctx, theta, 1, o.Design); err != nil {
		return nil, err
	}
	l.solver = optimize.NewSolver(l.a, solverBytes/(8*max(1, o.Params.N)))
	l.slope, l.root = l.byRow(), l.byRow()
	err = objective.Evaluate(ctx, p.Store, p.Workers, l.w, func(t *objective.Scratch, i int, _ []uint16) {
		p.Derivatives(t, i, nil)
		for j := range l.slope[i] {
			if s := p.Store.Chunks[i].ScaleOf(j); s != 0 {
				l.slope[i][j], l.root[i][j] = t.X[j]/s, math.Sqrt(max(0, t.Y[j]))/math.Abs(s)
			}
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return nil, err
	}
	for _, with := range l.withRows() {
		if with {
			l.N++
		}
	}
	if l.mean, err = l.sum(ctx, func(i int, out []float64) { copy(out, l.slope[i]) }); err != nil {
		return nil, err
	}
	floats.Scale(1/float64(max(1, l.N)), l.mean)
	if exact {
		return l, l.exactTraces(ctx)
	}
	return l, l.traces(ctx)
}

// byRow returns a number for each row, by chunk.
func (l *Large) byRow() [][]float64 {
	var out [][]float64
	for _, k := range l.o.Problem.Store.Chunks {
		out = append(out, make([]float64, k.Rows))
	}
	return out
}

// withRows reports which clusters have rows that take part.
func (l *Large) withRows() []bool {
	seen := make([]bool, l.c.N())
	for i, k := range l.o.Problem.Store.Chunks {
		for j, g := range k.Game {
			if l.o.Problem.Omega[i][j] > 0 {
				seen[l.c.Of[g]] = true
			}
		}
	}
	return seen
}

// sum returns the weighted sum of the rows' derivatives, by parameter.
func (l *Large) sum(ctx context.Context, weights func(chunk int, out []float64)) ([]float64, error) {
	g := objective.NewTapered(len(l.w.MG))
	if err := l.o.Problem.WeightedSum(ctx, g, weights); err != nil {
		return nil, err
	}
	out := make([]float64, l.o.Params.N)
	l.o.Params.Fold(g, out)
	l.hold(out)
	return out, nil
}

// hold clears what belongs to parameters at a bound: they do not move with the data.
func (l *Large) hold(x []float64) {
	for j := range x {
		if l.o.Params.Stuck(j) {
			x[j] = 0
		}
	}
}

// Design returns the estimate of D, as Covariance does.
func (l *Large) Design(ctx context.Context) (float64, error) {
	spread, err := l.o.Problem.Dispersion(ctx, l.w)
	if err != nil || l.Effective <= 0 {
		return 0, err
	}
	return max(l.clustered/l.Effective, spread), nil
}

// Finish computes what estimating the design effect does not need. The gradient is of the
// logarithm of the RMS evaluation, if the weights are rescaled.
func (l *Large) Finish(ctx context.Context, gradient []float64) error {
	var err error
	if l.Games, err = effectiveGames(ctx, l.o.Problem, l.c, l.w); err != nil {
		return err
	}
	for of := range l.Probes {
		_, _, trace, err := l.rowProbe(ctx, uint64(of), l.slope)
		if err != nil {
			return err
		}
		l.naive += trace / float64(l.Probes)
	}
	l.Parts = DesignParts{Clustering: 1, Dispersion: 1}
	if l.Effective > 0 && l.naive > 0 {
		l.Parts = DesignParts{Clustering: l.clustered / l.naive, Dispersion: l.naive / l.Effective}
	}
	l.small, l.factor = finiteSample(l.o.Problem, l.Effective, l.N)
	if len(gradient) > 0 {
		l.rescale, err = l.direction(ctx, gradient)
	}
	return err
}

// direction is what the rows say of a contrast a'theta.
type direction struct {
	scores   [][]float64 // x_i'A^-1 a times the slope, by chunk and row
	clusters []float64   // their sums by cluster
	total    float64
	inverse  float64 // a'A^-1 a
}

func (l *Large) direction(ctx context.Context, a []float64) (*direction, error) {
	b := append([]float64(nil), a...)
	l.hold(b)
	s, inverse, err := l.solver.Solve(ctx, b, exactly)
	if err != nil {
		return nil, err
	}
	v := objective.NewTapered(len(l.w.MG))
	for t, j := range l.o.Params.MG {
		if j != objective.Fixed {
			v.MG[t], v.EG[t] = s[j], s[l.o.Params.EG[t]]
		}
	}
	store := l.o.Problem.Store
	d := &direction{scores: l.byRow(), clusters: make([]float64, l.c.N()), inverse: inverse}
	err = objective.Evaluate(ctx, store, l.o.Problem.Workers, v, func(t *objective.Scratch, i int, _ []uint16) {
		offset := store.Chunks[i].Offset
		for j, slope := range l.slope[i] {
			x := t.X[j]
			if offset != nil {
				x -= float64(offset[j])
			}
			d.scores[i][j] = slope * x
		}
	}, func(_ *objective.Scratch, i int) {
		for j, g := range store.Chunks[i].Game {
			d.clusters[l.c.Of[g]] += d.scores[i][j]
		}
	})
	d.total = floats.Sum(d.clusters)
	return d, err
}

// ParameterErrors are the standard errors of a parameter.
type ParameterErrors struct {
	SE     float64 // clustered, after the rescaling
	Change float64 // clustered, the rescaling taken for a constant
	Naive  float64 // after the rescaling
}

// Parameter returns a function for the errors of parameter j, of the value of a coefficient
// before the rescaling.
func (l *Large) Parameter(ctx context.Context, j int) (func(w float64) ParameterErrors, error) {
	d, err := l.direction(ctx, l.unit(j))
	if err != nil {
		return nil, err
	}
	l.inverse[j] = d.inverse
	return func(w float64) ParameterErrors {
		change, _ := l.variances(d, 0)
		clustered, naive := l.variances(d, w)
		return ParameterErrors{math.Sqrt(clustered), math.Sqrt(change), math.Sqrt(naive)}
	}, nil
}

func (l *Large) unit(j int) []float64 {
	a := make([]float64, l.o.Params.N)
	a[j] = 1
	return a
}

// Share returns the share of parameter j that the data determine, as Covariance does.
func (l *Large) Share(ctx context.Context, j int) (float64, error) {
	if l.Exact {
		return l.shares[j], nil
	}
	inverse, ok := l.inverse[j]
	if !ok {
		a := l.unit(j)
		l.hold(a)
		var err error
		if _, inverse, err = l.solver.Solve(ctx, a, closely); err != nil {
			return 0, err
		}
		l.inverse[j] = inverse
	}
	return share(l.o, j, inverse), nil
}

// variances returns the clustered and the naive variance of a contrast of that value. The
// clustered one is NaN if there are too few clusters.
func (l *Large) variances(d *direction, value float64) (clustered, naive float64) {
	r := l.rescale
	if value == 0 {
		r = nil
	}
	total := d.total
	for c, x := range d.clusters {
		if r != nil {
			x -= float64(value * r.clusters[c])
		}
		clustered += float64(x * x)
	}
	for i, scores := range d.scores {
		for j, x := range scores {
			if r != nil {
				x -= float64(value * r.scores[i][j])
			}
			naive += float64(x * x)
		}
	}
	if r != nil {
		total -= float64(value * r.total)
	}
	clustered -= float64(total * total / float64(max(1, l.N)))
	if l.N < FewestClusters {
		clustered = math.NaN()
	}
	return max(0, l.factor*clustered), max(0, l.small*naive)
}

// deviation implements Errors. It is not known of parameters that are not Chosen.
func (l *Large) deviation(ctx context.Context, mean []float64) func(j int, value float64) (Float, error) {
	return func(j int, value float64) (Float, error) {
		if j != objective.Fixed && !l.Chosen[j] {
			return unknown, nil
		}
		a := make([]float64, len(mean))
		floats.SubTo(a, a, mean)
		if j != objective.Fixed {
			a[j]++
		}
		se, err := l.contrast(ctx, a, value)
		return Float(se), err
	}
}

// contrast implements Errors.
func (l *Large) contrast(ctx context.Context, a []float64, value float64) (float64, error) {
	d, err := l.direction(ctx, a)
	if err != nil {
		return 0, err
	}
	clustered, _ := l.variances(d, value)
	return math.Sqrt(clustered), nil
}

// share implements Gains.
func (l *Large) share(_ *objective.Penalized, of []int) float64 {
	total := 0.0
	for _, j := range of {
		total += l.shares[j]
	}
	return max(0, total)
}

// wald implements Gains: with R the other parameters, it is the smallest value of x'A x for
// x_S = theta_S.
func (l *Large) wald(ctx context.Context, of []int, theta []float64) (float64, error) {
	x, ax := make([]float64, len(theta)), make([]float64, len(theta))
	rest := &reduced{Operator: l.a, held: of, x: make([]float64, len(theta))}
	for _, j := range of {
		x[j] = theta[j]
	}
	if err := l.a.Multiply(ctx, x, ax); err != nil {
		return 0, err
	}
	alone := floats.Dot(x, ax)
	rest.hold(ax)
	_, saved, err := optimize.SolveCG(ctx, rest, ax, exactly)
	return alone - saved, err
}

// reduced is a matrix without the rows and columns of some parameters.
type reduced struct {
	optimize.Operator
	held []int
	x    []float64
}

func (w *reduced) hold(x []float64) {
	for _, j := range w.held {
		x[j] = 0
	}
}

// Multiply implements optimize.Operator.
func (w *reduced) Multiply(ctx context.Context, x, out []float64) error {
	copy(w.x, x)
	w.hold(w.x)
	err := w.Operator.Multiply(ctx, w.x, out)
	w.hold(out)
	return err
}
