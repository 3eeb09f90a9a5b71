package stats

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/dense"
	"github.com/assay-chess/assay/tuner/objective"
)

// jackknifeClusters is the number of clusters up to which errors are those of
// the jackknife. Of fewer, each pulls the fit towards itself, which makes its
// own score, and with it the sandwich, too small; see TUNER.md for how much.
const jackknifeClusters = 100

const (
	jackknifeSteps = 60    // most passes of the solver
	jackknifeClose = 1e-12 // squared error, as part of the first, that is none
)

// jackknife replaces the meat of the sandwich by that of the jackknife over clusters (CV3 of MacKinnon, Nielsen
// and Webb 2023, after Bell and McCaffrey 2002). Without cluster c a Newton step from the fit is
//
//	delta_c = (A - H_c)^-1 u_c
//
// and V = (C-1)/C sum_c (delta_c - mean)(delta_c - mean)', which is the sandwich with A delta_c for u_c. All
// clusters are solved for at once by conjugate gradients with A for preconditioner (Hestenes and Stiefel 1952):
// A - H_c is A but for the few directions in which the cluster matters, so that a dozen passes over the rows
// do, and no H_c is ever written down.
func (v *Covariance) jackknife(ctx context.Context) error {
	n := v.o.Params.N
	j := jackknife{o: v.o, of: v.clusters.Of, w: v.w, inverse: mat.DenseCopyOf(v.inverse).RawMatrix()}
	if err := j.solve(ctx, v.clusters.N()); err != nil {
		return err
	}
	sums := &clusterSums{n: v.N, meat: mat.NewSymDense(n, nil), total: make([]float64, n)}
	for c := range v.clusters.N() {
		floats.Add(sums.total, j.sum.RawRowView(c))
	}
	sums.meat.SymOuterK(1, j.sum.T())
	sums.center()
	v.meat = sums.meat
	return nil
}

// jackknife solves (A - H_c) A^-1 y_c = u_c for all clusters c. Its matrices have a row a cluster.
type jackknife struct {
	o       *objective.Penalized
	of      []uint32          // cluster by game
	w       objective.Tapered // coefficients of the fit
	inverse blas64.General    // A^-1, both triangles

	sum       *mat.Dense // y so far
	rest      *mat.Dense // u - (A - H_c) A^-1 y
	step, at  *mat.Dense // direction of the solver, and A times it
	own       *mat.Dense // H_c times the direction
	shrunk    *mat.Dense // A^-1 times the rest
	was, want []float64  // squared length of the rest, and at which to stop
}

func (j *jackknife) solve(ctx context.Context, clusters int) error {
	n := j.o.Params.N
	zeros := func() *mat.Dense { return mat.NewDense(clusters, max(1, n), nil) }
	j.sum, j.rest, j.own, j.shrunk = zeros(), zeros(), zeros(), zeros()
	j.was, j.want = make([]float64, clusters), make([]float64, clusters)
	if err := j.scores(ctx); err != nil {
		return err
	}
	j.shrink()
	j.step, j.at = mat.DenseCopyOf(j.shrunk), mat.DenseCopyOf(j.rest)
	for c := range clusters {
		j.was[c] = floats.Dot(j.rest.RawRowView(c), j.shrunk.RawRowView(c))
		j.want[c] = jackknifeClose * j.was[c]
	}
	for range jackknifeSteps {
		if err := j.information(ctx); err != nil {
			return err
		}
		if !j.advance() {
			break
		}
		j.shrink()
		j.turn()
	}
	return nil
}

// shrink multiplies the rest by A^-1.
func (j *jackknife) shrink() {
	j.shrunk.Zero()
	dense.AddMul(j.shrunk.RawMatrix(), mat.DenseCopyOf(j.rest.T()).RawMatrix(), j.inverse)
}

// advance goes along the directions to where the rest is smallest, and reports
// whether any cluster has a way to go.
func (j *jackknife) advance() bool {
	going := false
	for c, was := range j.was {
		if was <= j.want[c] {
			continue
		}
		step, at, own := j.step.RawRowView(c), j.at.RawRowView(c), j.own.RawRowView(c)
		whole := floats.Dot(step, at)
		left := whole - floats.Dot(step, own)
		if !(left > 1e-9*whole) { // without the cluster nothing is known in this direction
			j.was[c], j.want[c] = 0, 0
			continue
		}
		going = true
		floats.AddScaled(j.sum.RawRowView(c), was/left, at)
		floats.AddScaled(j.rest.RawRowView(c), -was/left, at)
		floats.AddScaled(j.rest.RawRowView(c), was/left, own)
	}
	return going
}

// turn makes the next directions, conjugate to the last.
func (j *jackknife) turn() {
	for c, was := range j.was {
		if was <= j.want[c] {
			continue
		}
		rest, shrunk := j.rest.RawRowView(c), j.shrunk.RawRowView(c)
		j.was[c] = floats.Dot(rest, shrunk)
		ratio := j.was[c] / was
		floats.AddScaledTo(j.step.RawRowView(c), shrunk, ratio, j.step.RawRowView(c))
		floats.AddScaledTo(j.at.RawRowView(c), rest, ratio, j.at.RawRowView(c))
	}
}

// scores writes the clusters' scores to the rest.
func (j *jackknife) scores(ctx context.Context) error {
	q := j.o.Params
	err := j.o.Problem.EachDerivative(ctx, j.w, func(chunk, row int, slope, _ float64, parts []objective.Part) {
		k := j.o.Problem.Store.Chunks[chunk]
		u := j.rest.RawRowView(int(j.of[k.Game[row]]))
		for _, e := range parts {
			if m := q.MG[e.Term]; m != objective.Fixed {
				v := slope * float64(e.Count)
				u[m] += num.Rounded(e.MG * v)
				u[q.EG[e.Term]] += num.Rounded(e.EG * v)
			}
		}
	})
	j.hold(j.rest)
	return err
}

// information writes the products of the clusters' information matrices with their directions.
func (j *jackknife) information(ctx context.Context) error {
	j.own.Zero()
	q := j.o.Params
	err := j.o.Problem.EachDerivative(ctx, j.w, func(chunk, row int, _, curvature float64, parts []objective.Part) {
		k := j.o.Problem.Store.Chunks[chunk]
		c := int(j.of[k.Game[row]])
		step, own := j.step.RawRowView(c), j.own.RawRowView(c)
		dot := 0.0
		for _, e := range parts {
			if m := q.MG[e.Term]; m != objective.Fixed {
				dot += num.Rounded(float64(e.Count) * (num.Rounded(e.MG*step[m]) + num.Rounded(e.EG*step[q.EG[e.Term]])))
			}
		}
		for _, e := range parts {
			if m := q.MG[e.Term]; m != objective.Fixed {
				v := curvature * dot * float64(e.Count)
				own[m] += num.Rounded(e.MG * v)
				own[q.EG[e.Term]] += num.Rounded(e.EG * v)
			}
		}
	})
	j.hold(j.own)
	return err
}

// hold clears what belongs to parameters that a bound holds.
func (j *jackknife) hold(m *mat.Dense) {
	for k := range j.o.Params.N {
		if j.o.Params.Stuck(k) {
			for c := range j.was {
				m.Set(c, k, 0)
			}
		}
	}
}
