package objective_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/mat"
)

var update = flag.Bool("update", false, "rewrite testdata")

// weights are near the start, so that no two terms have the same.
func weights(terms []rows.Term) objective.Tapered {
	w := objective.StartOf(terms)
	for t := range w.MG {
		w.MG[t] += 10 * math.Sin(float64(3*t+1))
		w.EG[t] += 10 * math.Cos(float64(5*t+2))
		if !terms[t].Tapered {
			w.EG[t] = w.MG[t]
		}
	}
	return w
}

// problemOf has every third cluster held out.
func problemOf(d synthetic.Data, loss objective.Loss, workers int) *objective.Problem {
	p := &objective.Problem{Store: d.Store, Loss: loss, K: 0.006, Workers: workers}
	clusters := d.Store.Clusters()
	omega, held := d.Store.Split(clusters, 1./3, 5)
	p.Omega = omega
	for _, c := range clusters.Of {
		p.Held = append(p.Held, held[c])
	}
	p.Target = objective.Targets(d.Store, 0.7, 0.005)
	return p
}

// TestSums: every sum over the rows, for each kind of row and both losses, is what testdata has,
// from any number of workers, and whether or not evaluations are kept for K.
func TestSums(t *testing.T) {
	defer objective.SetKeptRows(8 << 20)
	for name, d := range synthetic.Samples(t) {
		for _, loss := range []objective.Loss{objective.CrossEntropy, objective.MSE} {
			for _, workers := range []int{1, 3} {
				objective.SetKeptRows(1000 * (workers - 1)) // of none, then of small samples
				var text synthetic.Text
				sums(t, &text, d, problemOf(d, loss, workers))
				text.Golden(t, fmt.Sprintf("sums-%s-%s.txt", name, loss), *update)
			}
		}
	}
}

func sums(t *testing.T, text *synthetic.Text, d synthetic.Data, p *objective.Problem) {
	ctx, w := t.Context(), weights(d.Terms)
	number := func(name string, f func() (float64, error)) {
		v, err := f()
		if err != nil {
			if !errors.Is(err, objective.ErrScale) {
				t.Fatal(name, err)
			}
			v = math.NaN()
		}
		text.Add(name, v)
	}
	number("K", func() (float64, error) { return p.FitK(ctx, w) })
	number("best K", func() (float64, error) { return p.BestK(ctx, w) })
	number("K of the scores", func() (float64, error) { k, _, err := p.FitScoreK(); return k, err })
	number("RMS", func() (float64, error) { return objective.RMS(ctx, d.Store, p.Workers, w) })
	number("dispersion", func() (float64, error) { return p.Dispersion(ctx, w) })
	m := setup.Must(p.Measure(ctx, w, 0.004))
	train, valid := m.Means()
	text.Add("measures", m.Loss[0], m.Loss[1], m.Weight[0], m.Weight[1], train, valid, m.RMS())
	seen, typical, err := p.CountParts(ctx, w)
	if err == nil {
		var list []float64
		for i := range seen {
			list = append(list, float64(seen[i]), typical[i])
		}
		text.Sums("parts", list)
	}
	g := objective.NewTapered(len(d.Terms))
	for i, f := range []func(context.Context, objective.Tapered, objective.Tapered) (float64, error){p.Gradient,
		p.SquaresGradient} {
		v := setup.Must(f(ctx, w, g))
		text.Add([]string{"loss and its gradient", "squares and their gradient"}[i], v)
		text.Sums("mg", g.MG)
		text.Sums("eg", g.EG)
	}
	var each []float64
	setup.Check(t, p.EachDerivative(ctx, w, func(chunk, row int, slope, curvature float64, parts []objective.Part) {
		each = append(each, float64(chunk), float64(row), slope, curvature)
		for _, part := range parts {
			each = append(each, float64(part.Term), part.MG, part.EG)
		}
	}))
	text.Sums("derivatives", each)
	if d.Store.Nonlinear() != nil {
		rough := setup.Must(p.FindRough(ctx, w, 30, 2))
		text.Add("near jumps", float64(rough.NearJumps))
		text.Add("share, mg", rough.Share.MG...)
		text.Add("share, eg", rough.Share.EG...)
	}
}

// paramsOf ties twins and two terms, freezes, bounds and limits some, and leaves some without a prior.
func paramsOf(t *testing.T, d synthetic.Data) *objective.Params {
	_, typical, err := problemOf(d, objective.CrossEntropy, 1).CountParts(t.Context(), objective.StartOf(d.Terms))
	setup.Check(t, err)
	free := d.Terms[len(d.Terms)-2].Name
	tau := setup.Must(objective.Widths(d.Terms, typical, map[string]float64{free: math.Inf(1), d.Terms[0].Group: 40}, 2))
	frozen := setup.Must(objective.Frozen(d.Terms, []string{d.Terms[len(d.Terms)-1].Name}))
	leader := setup.Must(objective.Leaders(d.Terms, true))
	return objective.NewParams(d.Terms, weights(d.Terms), frozen, tau, leader)
}

// TestPenalized: value, gradient, curvature and information of a fit, and what its parameters are, stand in
// testdata; the gradient agrees with finite differences of the value.
func TestPenalized(t *testing.T) {
	samples := synthetic.Samples(t)
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		d := samples[name]
		q := paramsOf(t, d)
		p := problemOf(d, objective.CrossEntropy, 2)
		q.Limit(300)
		var text synthetic.Text
		theta := setup.Must(q.Pin(t.Context(), p))
		text.Sums("pinned", theta)
		for j := range theta {
			theta[j] += 3 * math.Sin(float64(j))
		}
		var list []float64
		for j, n := range q.Names(d.Terms) {
			list = append(list, q.Precision(j), q.Center[j], float64(len(n)))
			if list = append(list, 0); q.Stuck(j) {
				list[len(list)-1] = 1
			}
			if q.Box != nil {
				list = append(list, max(-1e6, q.Box.Lo[j]), min(1e6, q.Box.Hi[j]))
			}
		}
		text.Sums(fmt.Sprintf("%d parameters, priorless %v", q.N, q.Priorless()), list)
		o := objective.New(p, q, 3)
		g := make([]float64, o.Params.N)
		value := setup.Must(o.Gradient(t.Context(), theta, g))
		text.Add("value", value)
		text.Sums("gradient", g)
		checkGradient(t, name, o, theta, g)
		h := setup.Must(o.Curvature(t.Context(), theta))
		text.Sums("curvature", flat(h))
		text.Sums("held out", flat(q.HoldOut(h)))
		w := objective.NewTapered(len(d.Terms))
		q.Expand(theta, w)
		grams := setup.Must(p.Gram(t.Context(), w, objective.SquaredSlope, objective.Curvature))
		text.Sums("squared slopes", flat(q.FoldGram(grams[0])))
		text.Sums("curvatures", flat(q.FoldGram(grams[1])))
		q.Widen(2)
		text.Add("precision of twice the width", q.Precision(0))
		text.Golden(t, "fit-"+name+".txt", *update)
	}
}

func flat(m *mat.SymDense) (out []float64) {
	for i := range m.SymmetricDim() {
		for j := range i + 1 {
			out = append(out, m.At(i, j))
		}
	}
	return out
}

// checkGradient compares every hundredth part of the gradient, and the first ten, with differences.
func checkGradient(t *testing.T, name string, o *objective.Penalized, theta, g []float64) {
	t.Helper()
	unused := make([]float64, len(g))
	for j := range g {
		if j >= 10 && j%100 > 0 {
			continue
		}
		at := slices.Clone(theta)
		var v [2]float64
		for side, step := range []float64{-1e-3, 1e-3} {
			at[j] = theta[j] + step
			var err error
			if v[side], err = o.Gradient(t.Context(), at, unused); err != nil {
				t.Fatal(err)
			}
		}
		if d := (v[1] - v[0]) / 2e-3; math.Abs(d-g[j]) > 1e-6*(1e-3+math.Abs(g[j])) {
			t.Errorf("%s: parameter %d: gradient %v, by differences %v", name, j, g[j], d)
		}
	}
}

// TestPin: without a prior, what always wins or always loses starts at its limit, and is held there; what the
// games push both ways and what a prior holds are not.
func TestPin(t *testing.T) {
	const winner, loser, both, drawn, held = 0, 1, 2, 3, 4
	b := rows.NewBuilder(5)
	for i, row := range []rows.Row{
		{Result: 1, Entries: []rows.Entry{{Term: winner, Count: 1}, {Term: both, Count: 1}, {Term: held, Count: 1}}},
		{Result: 0, Entries: []rows.Entry{{Term: winner, Count: -2}, {Term: loser, Count: 1}}},
		{Result: 1, Entries: []rows.Entry{{Term: loser, Count: -1}, {Term: both, Count: -1}}},
		{Result: 0.5, Entries: []rows.Entry{{Term: drawn, Count: 1}}},
	} {
		row.Phase, row.Scale, row.Weight, row.Score, row.Game = 12, 1, 1, rows.NoScore, uint64(i+1)
		setup.Check(t, b.Add(&row))
	}
	var terms []rows.Term
	for i, name := range []string{"winner", "loser", "both", "drawn", "held"} {
		terms = append(terms, rows.Term{Name: name, Mirror: i, MG: 10, EG: 700, Tapered: true})
	}
	d := synthetic.Data{Store: synthetic.Finish(t, b), Terms: terms}
	p := &objective.Problem{Store: d.Store, K: 0.005, Target: objective.Targets(d.Store, 1, 0)}
	p.Omega, _ = d.Store.Split(d.Store.Clusters(), 0, 0)
	tau := slices.Repeat([]float64{math.Inf(1)}, len(terms))
	tau[held] = 50
	leader := setup.Must(objective.Leaders(terms, true))
	q := objective.NewParams(terms, objective.StartOf(terms), make([]bool, len(terms)), tau, leader)
	q.Limit(500)
	theta := setup.Must(q.Pin(t.Context(), p))
	for term, want := range map[int][2]float64{
		winner: {490, 0}, loser: {-510, -1400}, both: {}, drawn: {}, held: {},
	} {
		for half, j := range []int{q.MG[term], q.EG[term]} {
			stuck := term == winner || term == loser
			if theta[j] != want[half] || q.Stuck(j) != stuck {
				t.Errorf("%s, half %d: starts %v from its value, held %v; want %v, %v",
					terms[term].Name, half, theta[j], q.Stuck(j), want[half], stuck)
			}
		}
	}
	for term, want := range map[int][2]float64{both: {-510, 490}, held: {math.Inf(-1), math.Inf(1)}} {
		if j := q.MG[term]; q.Box.Lo[j] != want[0] || q.Box.Hi[j] != want[1] {
			t.Errorf("%s: from %v to %v, want %v", terms[term].Name, q.Box.Lo[j], q.Box.Hi[j], want)
		}
	}
}
