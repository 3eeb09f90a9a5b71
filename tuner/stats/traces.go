package stats

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/dense"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// exactTraces computes the traces from A^-1. Beside it there is never more than one matrix
// over parameters, and one over terms.
func (l *Large) exactTraces(ctx context.Context) error {
	p, q := l.o.Problem, l.o.Params
	folded := func(factor objective.RowFactor) (*mat.SymDense, error) {
		g, err := p.Gram(ctx, l.w, factor)
		if err != nil {
			return nil, err
		}
		return q.HoldOut(q.FoldGram(g[0])), nil
	}
	h, err := folded(objective.Curvature)
	if err != nil {
		return err
	}
	inverse, ridge := invert(h, l.o)
	l.shares = make([]float64, q.N)
	for j := range l.shares {
		l.shares[j] = share(l.o, j, inverse.At(j, j))
	}
	if l.Effective = floats.Sum(l.shares); ridge { // which has a share of its own
		if h, err = folded(objective.Curvature); err != nil {
			return err
		}
		l.Effective = dotSym(inverse, h)
	}
	if h, err = folded(objective.SquaredSlope); err != nil {
		return err
	}
	l.naive = dotSym(inverse, h)
	pass := newClusterPass(p, l.c, q, l.w)
	pass.bare = true
	meat := mat.NewSymDense(q.N, nil)
	merge := func(s *clusterScratch, piece int) {
		u := s.u.RawMatrix()
		u.Rows = min(pass.block, pass.n-piece*pass.block)
		dense.AddSquare(meat.RawSymmetric(), u)
	}
	blocks := (pass.n + pass.block - 1) / pass.block
	if err := rows.Ordered(ctx, p.Workers, blocks, pass.scratch, pass.do, merge); err != nil {
		return err
	}
	meat.SymRankOne(meat, -float64(l.N), mat.NewVecDense(q.N, l.mean))
	l.clustered = dotSym(inverse, q.HoldOut(meat))
	if pass.lonely > 0 {
		h, err = folded(func(chunk, row int, slope, _ float64) float64 {
			if pass.place[p.Store.Chunks[chunk].Game[row]] != single {
				return 0
			}
			return slope * slope
		})
		if err != nil {
			return err
		}
		l.clustered += dotSym(inverse, h)
	}
	return nil
}

// rowProbe returns y = sum of s m, with m the row's derivatives times a factor and s a
// random sign, x = A^-1 y, and x'y, whose mean is tr(A^-1 M) for M = sum of m m'.
func (l *Large) rowProbe(ctx context.Context, probe uint64, of [][]float64) (y, x []float64, trace float64, err error) {
	y, err = l.sum(ctx, func(i int, out []float64) {
		r := rand.New(rand.NewPCG(probe, uint64(2+i)))
		for j := range out {
			out[j] = float64(2*r.IntN(2)-1) * of[i][j]
		}
	})
	if err != nil {
		return nil, nil, 0, err
	}
	x, trace, err = l.solver.Solve(ctx, y, roughly)
	return y, x, trace, err
}

// clusterProbe is rowProbe for the clustered meat: each cluster has its sign.
func (l *Large) clusterProbe(ctx context.Context, probe uint64, with []bool) (trace float64, err error) {
	r := rand.New(rand.NewPCG(probe, 1))
	sign, balance := make([]float64, len(with)), 0.0
	for c := range sign {
		if sign[c] = float64(2*r.IntN(2) - 1); with[c] {
			balance += sign[c]
		}
	}
	chunks := l.o.Problem.Store.Chunks
	y, err := l.sum(ctx, func(i int, out []float64) {
		for j, g := range chunks[i].Game {
			out[j] = sign[l.c.Of[g]] * l.slope[i][j]
		}
	})
	if err != nil {
		return 0, err
	}
	floats.AddScaled(y, -balance, l.mean)
	_, trace, err = l.solver.Solve(ctx, y, roughly)
	return trace, err
}

// traces estimates the traces that the design effect needs, until its error is small enough.
func (l *Large) traces(ctx context.Context) error {
	var clustered, effective []float64
	with := l.withRows()
	l.shares = make([]float64, l.o.Params.N)
	for l.Probes < mostProbes && (l.Probes < fewestProbes || l.DesignError > traceError) {
		of := uint64(l.Probes)
		c, err := l.clusterProbe(ctx, of, with)
		if err != nil {
			return err
		}
		y, x, e, err := l.rowProbe(ctx, of, l.root)
		if err != nil {
			return err
		}
		for j := range l.shares {
			l.shares[j] += float64(x[j] * y[j])
		}
		l.Probes++
		clustered, effective = append(clustered, c), append(effective, e)
		l.clustered, l.Effective = mean(clustered), mean(effective)
		l.EffectiveError = relativeError(effective)
		l.DesignError = math.Hypot(relativeError(clustered), l.EffectiveError)
	}
	floats.Scale(1/float64(l.Probes), l.shares)
	return nil
}

func mean(x []float64) float64 { return floats.Sum(x) / float64(len(x)) }

// relativeError returns the standard error of the mean of x as a share of it.
func relativeError(x []float64) float64 {
	m, squares := mean(x), 0.0
	for _, v := range x {
		squares += float64((v - m) * (v - m))
	}
	n := float64(len(x))
	return objective.Ratio(math.Sqrt(squares/max(1, n-1)/n), math.Abs(m))
}
