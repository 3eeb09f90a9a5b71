package stats

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// Large is Covariance where matrices of the parameters do not fit into memory. It
// knows the same clustered and naive covariances, but only by solving for one contrast at a
// time. Traces are means over random signs (Hutchinson 1990), the same ones in every call.
type Large struct {
	Parts     DesignParts
	Games     []float64 // effective number of clusters by term
	N         int       // clusters with rows
	Effective float64   // tr(H A^-1)

	o                *objective.Penalized
	a                *objective.Information // A
	of               []uint32               // cluster by game
	slope, root      [][]float64            // of the loss, and the root of its curvature, by chunk and row
	mean             []float64              // of the clusters' scores
	clustered, naive float64                // tr(A^-1 meat)
	factor, small    float64                // for finite numbers of clusters and rows
	w                objective.Tapered
	clusters         int
	scale            []float64 // gradient of the logarithm of the RMS evaluation; nil: not rescaled
}

const (
	Probes  = 16    // random signs of a trace
	exactly = 1e-16 // tolerance of solutions: errors of 1e-8
	roughly = 1e-6  // of traces
)

// NewLarge computes what the variances of parameters at theta need.
func NewLarge(ctx context.Context, o *objective.Penalized, c *rows.Clusters, theta []float64) (*Large, error) {
	p := o.Problem
	l := &Large{o: o, of: c.Of, clusters: c.N(), w: objective.NewTapered(p.Store.Terms())}
	o.Params.Expand(theta, l.w)
	var err error
	if l.a, err = o.Information(ctx, theta, 1, o.Design); err != nil {
		return nil, err
	}
	for _, k := range p.Store.Chunks {
		l.slope, l.root = append(l.slope, make([]float64, k.Rows)), append(l.root, make([]float64, k.Rows))
	}
	err = objective.Evaluate(ctx, p.Store, p.Workers, l.w, func(t *objective.Scratch, i int, _ []uint16) {
		p.Derivatives(t, i)
		for j := range l.slope[i] {
			if s := p.Store.Chunks[i].ScaleOf(j); s != 0 {
				l.slope[i][j], l.root[i][j] = t.X[j]/s, math.Sqrt(max(0, t.Y[j]))/math.Abs(s)
			}
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return nil, err
	}
	if l.Games, l.N, err = effectiveGames(ctx, p, c, o.Params, l.w); err != nil {
		return nil, err
	}
	if l.mean, err = l.sum(ctx, func(i int, out []float64) { copy(out, l.slope[i]) }); err != nil {
		return nil, err
	}
	floats.Scale(1/float64(max(1, l.N)), l.mean)
	return l, l.traces(ctx)
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

// traces estimates tr(A^-1 M) of three matrices M = sum of m m': with signs s of their own,
// the mean of y'A^-1 y for y = sum of s m.
func (l *Large) traces(ctx context.Context) error {
	chunks := l.o.Problem.Store.Chunks
	trace := func(y []float64, sum *float64) error {
		_, energy, err := optimize.SolveCG(ctx, l.a, y, roughly)
		*sum += energy / Probes
		return err
	}
	for probe := range uint64(Probes) {
		r := rand.New(rand.NewPCG(probe, 1))
		sign, balance := make([]float64, l.clusters), 0.0
		seen := make([]bool, l.clusters)
		for c := range sign {
			sign[c] = float64(2*r.IntN(2) - 1)
		}
		for i, k := range chunks {
			for j, g := range k.Game {
				if c := l.of[g]; l.o.Problem.Omega[i][j] > 0 && !seen[c] {
					seen[c] = true
					balance += sign[c]
				}
			}
		}
		y, err := l.sum(ctx, func(i int, out []float64) {
			for j, g := range chunks[i].Game {
				out[j] = sign[l.of[g]] * l.slope[i][j]
			}
		})
		if err != nil {
			return err
		}
		floats.AddScaled(y, -balance, l.mean)
		if err := trace(y, &l.clustered); err != nil {
			return err
		}
		for m, sum := range [2]*float64{&l.naive, &l.Effective} {
			y, err := l.sum(ctx, func(i int, out []float64) {
				r := rand.New(rand.NewPCG(probe, uint64(2+i)))
				of := [2][]float64{l.slope[i], l.root[i]}[m]
				for j := range out {
					out[j] = float64(2*r.IntN(2)-1) * of[j]
				}
			})
			if err != nil {
				return err
			}
			if err := trace(y, sum); err != nil {
				return err
			}
		}
	}
	return nil
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
func (l *Large) Finish(gradient []float64) {
	l.Parts = DesignParts{Clustering: 1, Dispersion: 1}
	if l.Effective > 0 && l.naive > 0 {
		l.Parts = DesignParts{Clustering: l.clustered / l.naive, Dispersion: l.naive / l.Effective}
	}
	l.small, l.factor = finiteSample(l.o.Problem, l.Effective, l.N)
	l.scale = gradient
}

// Errors returns the clustered and the naive standard error of a'theta after the rescaling;
// value is a'w before it.
func (l *Large) Errors(ctx context.Context, a []float64, value float64) (clustered, naive float64, err error) {
	b := append([]float64(nil), a...)
	if len(l.scale) > 0 {
		floats.AddScaled(b, -value, l.scale)
	}
	l.hold(b)
	s, _, err := optimize.SolveCG(ctx, l.a, b, exactly)
	if err != nil {
		return 0, 0, err
	}
	v := objective.NewTapered(len(l.w.MG))
	for t, j := range l.o.Params.MG {
		if j != objective.Fixed {
			v.MG[t], v.EG[t] = s[j], s[l.o.Params.EG[t]]
		}
	}
	store := l.o.Problem.Store
	sums := make([]float64, l.clusters)
	squares := 0.0
	err = objective.Evaluate(ctx, store, l.o.Problem.Workers, v, func(*objective.Scratch, int, []uint16) {}, func(t *objective.Scratch, i int) {
		k := store.Chunks[i]
		for j, g := range k.Game {
			x := t.X[j]
			if k.Offset != nil {
				x -= float64(k.Offset[j])
			}
			x *= l.slope[i][j]
			squares += float64(x * x)
			sums[l.of[g]] += x
		}
	})
	meat, mean := 0.0, floats.Dot(l.mean, s)
	for _, x := range sums {
		meat += float64(x * x)
	}
	meat -= float64(float64(l.N) * mean * mean)
	return math.Sqrt(max(0, l.factor*meat)), math.Sqrt(max(0, l.small*squares)), err
}

// contrast returns the clustered standard error of a'theta; value is a'w. It is NaN after
// an error.
func (l *Large) contrast(a []float64, value float64) float64 {
	se, _, err := l.Errors(context.Background(), a, value)
	if err != nil {
		return math.NaN()
	}
	return se
}
