package tuner

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fewGames fits simulated games and returns the fitting with its covariance at
// the minimum.
func fewGames(t *testing.T, syn synthetic) (*fitting, *objective) {
	t.Helper()
	c := NewConfig()
	c.K, c.Valid, c.KeepScale, c.Design, c.Gap = syn.k, 0, true, 4, 1e-15
	c.Prior = map[string]float64{"pieces": 60}
	f := &fitting{s: syn.store(t), terms: syn.list(newHalves(syn.terms)), c: c}
	if _, err := f.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return f, f.objective()
}

// without returns the objective without the rows of a game.
func (o *objective) without(game int) *objective {
	p := *o.p
	p.omega = nil
	for i, c := range p.s.chunks {
		omega := slices.Clone(o.p.omega[i])
		for j, g := range c.game {
			if int(g) == game {
				omega[j] = 0
			}
		}
		p.omega = append(p.omega, omega)
	}
	return newObjective(&p, o.params, o.design)
}

// TestJackknifeSteps: what conjugate gradients find is a Newton step without the
// game, written down, and about where the fit without it ends; the variances follow
// from these.
func TestJackknifeSteps(t *testing.T) {
	ctx := context.Background()
	f, o := fewGames(t, synthetic{games: 24, rows: 40, terms: 7, perRow: 3, shared: 0.7, k: 0.006, seed: 5, persistent: true})
	j := jackknife{o: o, of: f.clusters.of, w: newHalves(f.s.terms), inverse: f.cov.inverse}
	o.params.expand(f.theta, j.w)
	if err := j.solve(ctx, 24); err != nil {
		t.Fatal(err)
	}
	var steps, refits mat.Dense
	steps.Mul(j.sum, f.cov.inverse)
	refits.CloneFrom(&steps)
	for game := range 24 {
		less := o.without(game)
		g := make([]float64, o.params.n)
		if _, err := less.Gradient(ctx, f.theta, g); err != nil {
			t.Fatal(err)
		}
		h, err := less.Curvature(ctx, f.theta)
		if err != nil {
			t.Fatal(err)
		}
		want, err := solve(factorize(h), g)
		if err != nil {
			t.Fatal(err)
		}
		if got := steps.RawRowView(game); floats.Distance(got, want, 2) > 1e-4*floats.Norm(want, 2) {
			t.Errorf("without game %d: step %v, want %v", game, got, want)
		}
		out, err := GaussNewton{}.Minimize(ctx, less, f.theta, Settings{Gap: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		refits.SetRow(game, floats.SubTo(want, out.X, f.theta))
	}
	for k := range o.params.n {
		exact := 0.0
		column := mat.Col(nil, k, &refits)
		mean := floats.Sum(column) / 24
		for _, x := range column {
			exact += (x - mean) * (x - mean) * 23 / 24
		}
		if got := f.cov.at(k, k); math.Abs(got/exact-1) > 0.1 {
			t.Errorf("parameter %d: variance %.3g, of refits %.3g", k, got, exact)
		}
	}
}

// TestFewGamesCover: with few games, too, 95 % intervals hold the truth about that
// often, which the sandwich and the normal distribution alone do not achieve.
func TestFewGamesCover(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation study")
	}
	const runs = 120
	for _, games := range []int{30, 50, 100} {
		hold, all := 0, 0
		for i := range runs {
			syn := synthetic{games: games, rows: 30, terms: 3, perRow: 2, shared: 0.6, k: 0.006, seed: uint64(5000 + i), persistent: true}
			r := simulateWith(t, syn, newHalves(syn.terms), math.Inf(1), 1)
			if !r.Jackknife {
				t.Fatalf("no jackknife for %d games", games)
			}
			truth := syn.truth()
			for j, x := range r.Terms {
				all += 2
				for _, v := range [][3]float64{{x.FitMG, truth.mg[j], x.SEMG}, {x.FitEG, truth.eg[j], x.SEEG}} {
					if math.Abs(v[0]-v[1]) <= x.Quantile()*v[2] {
						hold++
					}
				}
			}
		}
		c := float64(hold) / float64(all)
		t.Logf("%d games: %.3f of %d intervals hold the truth", games, c, all)
		if c < 0.93 || c > 0.97 {
			t.Errorf("%d games: intervals hold the truth %.1f %% of the time", games, 100*c)
		}
	}
}
