package stats

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fewGames returns simulated games as an objective with its minimum and the
// covariance there.
func fewGames(t *testing.T, syn synthetic.Games) (*objective.Penalized, *rows.Clusters, []float64, *Covariance) {
	t.Helper()
	s, terms := syn.Store(t), syn.List(objective.NewTapered(syn.Terms))
	c := s.Clusters()
	omega, _ := s.Split(c, 0, 0)
	p := &objective.Problem{Store: s, K: syn.K, Target: objective.Targets(s, 1, 0), Omega: omega}
	tau := slices.Repeat([]float64{60}, syn.Terms)
	leader, err := objective.Leaders(terms, objective.TwinsTied)
	if err != nil {
		t.Fatal(err)
	}
	o := objective.New(p, objective.NewParams(terms, objective.StartOf(terms), make([]bool, syn.Terms), tau, leader), 4)
	out, err := optimize.GaussNewton{}.Minimize(t.Context(), o, make([]float64, o.Dim()), optimize.Settings{Gap: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewCovariance(t.Context(), o, c, out.X, Final)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o, c, out.X, v
}

// without returns the objective without the rows of a game.
func without(o *objective.Penalized, game int) *objective.Penalized {
	p := *o.Problem
	p.Omega = nil
	for i, c := range p.Store.Chunks {
		omega := slices.Clone(o.Problem.Omega[i])
		for j, g := range c.Game {
			if int(g) == game {
				omega[j] = 0
			}
		}
		p.Omega = append(p.Omega, omega)
	}
	return objective.New(&p, o.Params, o.Design)
}

// TestJackknifeSteps: what conjugate gradients find is a Newton step without the
// game, written down, and about where the fit without it ends; the variances follow
// from these.
func TestJackknifeSteps(t *testing.T) {
	ctx := context.Background()
	o, c, theta, v := fewGames(t, synthetic.Games{Games: 24, Rows: 40, Terms: 7, PerRow: 3, Shared: 0.7, K: 0.006,
		Seed: 5, Persistent: true})
	j := jackknife{o: o, of: c.Of, w: objective.NewTapered(o.Problem.Store.Terms()),
		inverse: mat.DenseCopyOf(v.inverse).RawMatrix()}
	o.Params.Expand(theta, j.w)
	if err := j.solve(ctx, 24); err != nil {
		t.Fatal(err)
	}
	var steps, refits mat.Dense
	steps.Mul(j.sum, v.inverse)
	refits.CloneFrom(&steps)
	for game := range 24 {
		less := without(o, game)
		g := make([]float64, o.Params.N)
		if _, err := less.Gradient(ctx, theta, g); err != nil {
			t.Fatal(err)
		}
		h, err := less.Curvature(ctx, theta)
		if err != nil {
			t.Fatal(err)
		}
		want, err := optimize.Factorize(h).Solve(g)
		if err != nil {
			t.Fatal(err)
		}
		if got := steps.RawRowView(game); floats.Distance(got, want, 2) > 1e-4*floats.Norm(want, 2) {
			t.Errorf("without game %d: step %v, want %v", game, got, want)
		}
		out, err := optimize.GaussNewton{}.Minimize(ctx, less, theta, optimize.Settings{Gap: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		refits.SetRow(game, floats.SubTo(want, out.X, theta))
	}
	for k := range o.Params.N {
		exact := 0.0
		column := mat.Col(nil, k, &refits)
		mean := floats.Sum(column) / 24
		for _, x := range column {
			exact += (x - mean) * (x - mean) * 23 / 24
		}
		if got := v.v.At(k, k); math.Abs(got/exact-1) > 0.1 {
			t.Errorf("parameter %d: variance %.3g, of refits %.3g", k, got, exact)
		}
	}
}
