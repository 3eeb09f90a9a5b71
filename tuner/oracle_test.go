package tuner

import (
	"context"
	"math"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestGradientAgainstAutodiff builds the same loss as a gorgonia graph over
// the dense features and compares its value and gradient with the fused
// sparse pass.
func TestGradientAgainstAutodiff(t *testing.T) {
	for _, loss := range []objective.Loss{objective.CrossEntropy, objective.MSE} {
		o, data := testProblem(t, loss, 2)
		theta := testTheta(o.Dim())
		got := make([]float64, o.Dim())
		value := setup.Must(o.Gradient(context.Background(), theta, got))
		wantValue, want := autodiff(t, o, data, theta)
		if math.Abs(value-wantValue) > 1e-9*math.Abs(wantValue) {
			t.Errorf("%v: value %v, the graph says %v", loss, value, wantValue)
		}
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-9*(1+math.Abs(want[j])) {
				t.Errorf("%v: g[%d] = %v, the graph says %v", loss, j, got[j], want[j])
			}
		}
	}
}

// dense writes the derivatives of every row's evaluation with respect to the
// parameters, the evaluation under the start weights, target and weight.
func dense(o *objective.Penalized, data []rows.Row) (x, base, y, omega []float64) {
	q := o.Params
	where := make([][2]int, len(data)) // chunk and place of each row
	for i, c := range o.Problem.Store.Chunks {
		for j, g := range c.Game {
			where[g] = [2]int{i, j}
		}
	}
	for i := range data {
		r, at := &data[i], where[i]
		line := make([]float64, q.N)
		for _, e := range r.Entries {
			if q.MG[e.Term] == objective.Fixed {
				continue
			}
			mg, eg := synthetic.Factors(r)
			v := float64(e.Count) * float64(r.Scale)
			line[q.MG[e.Term]] += v * mg
			line[q.EG[e.Term]] += v * eg
		}
		x = append(x, line...)
		base = append(base, synthetic.Evaluate(r, q.Start))
		y = append(y, float64(o.Problem.Target[at[0]][at[1]]))
		omega = append(omega, float64(o.Problem.Omega[at[0]][at[1]]))
	}
	return x, base, y, omega
}

func autodiff(t *testing.T, o *objective.Penalized, sample []rows.Row, theta []float64) (float64, []float64) {
	t.Helper()
	x, base, y, omega := dense(o, sample)
	n, d := len(sample), o.Dim()
	g := gorgonia.NewGraph()
	vector := func(name string, v []float64) *gorgonia.Node {
		return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(v)),
			gorgonia.WithValue(tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v))))
	}
	features := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithName("x"), gorgonia.WithShape(n, d),
		gorgonia.WithValue(tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))))
	weights := vector("theta", append([]float64(nil), theta...))
	number := func(name string, v float64) *gorgonia.Node {
		return gorgonia.NewScalar(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithValue(v))
	}
	must := gorgonia.Must
	e := must(gorgonia.Add(must(gorgonia.Mul(features, weights)), vector("base", base)))
	p := must(gorgonia.Sigmoid(must(gorgonia.Mul(e, number("k", o.Problem.K)))))
	target, w := vector("y", y), vector("omega", omega)
	one := number("one", 1)
	var rowLoss *gorgonia.Node
	if o.Problem.Loss == objective.MSE {
		rowLoss = must(gorgonia.Square(must(gorgonia.Sub(p, target))))
	} else {
		yes := must(gorgonia.HadamardProd(target, must(gorgonia.Log(p))))
		no := must(gorgonia.HadamardProd(must(gorgonia.Sub(one, target)), must(gorgonia.Log(must(gorgonia.Sub(one, p))))))
		rowLoss = must(gorgonia.Neg(must(gorgonia.Add(yes, no))))
	}
	data := must(gorgonia.Div(must(gorgonia.Sum(must(gorgonia.HadamardProd(rowLoss, w)))), number("design", o.Design)))
	precision := make([]float64, d)
	for j := range precision {
		precision[j] = o.Params.Precision(j) / 2
	}
	centered := must(gorgonia.Sub(weights, vector("centre", o.Params.Center)))
	prior := must(gorgonia.Sum(must(gorgonia.HadamardProd(must(gorgonia.Square(centered)),
		vector("precision", precision)))))
	cost := must(gorgonia.Add(data, prior))
	if _, err := gorgonia.Grad(cost, weights); err != nil {
		t.Fatal(err)
	}
	vm := gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(weights))
	defer vm.Close()
	setup.Check(t, vm.RunAll())
	grad := setup.Must(weights.Grad())
	return cost.Value().Data().(float64), grad.Data().([]float64)
}
