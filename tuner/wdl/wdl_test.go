package wdl

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/internal/setup"
)

// truth is a model that made the games of a test.
var truth = Model{Target: 58, Low: 17, High: 78, A: [4]float64{-30, 100, -150, 280}, B: [4]float64{10, -20, 30, 50}}

// rates returns the win and the loss rate at a score in centipawns.
func (m *Model) rates(score, value float64) (win, loss float64) {
	x := min(max(value, float64(m.Low)), float64(m.High)) / float64(m.Target)
	a, b := poly(m.A[:], x), poly(m.B[:], x)
	return logistic((score - a) / b), logistic((-score - a) / b)
}

// made returns games of positions whose score and material wander, decided by the model at one of them.
func made(n int) *Games {
	g := NewGames(Kinds[0], 1000)
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		score, material := 150*random.NormFloat64(), 20+random.IntN(58)
		win, loss := truth.rates(score, float64(material))
		result := int32(0)
		switch x := random.Float64(); {
		case x < win:
			result = 1
		case x < win+loss:
			result = -1
		}
		i := int32(len(g.cells))
		g.cells = append(g.cells, cell{score, float64(material) / 58})
		g.games, g.rows = append(g.games, []seen{{i, result}}), g.rows+1
	}
	return g
}

// A fit finds the model that made the games, within its errors.
func TestFitFindsTheTruth(t *testing.T) {
	m := setup.Must(made(10000).Fit(t.Context(), 40, 1))
	pawn, spread, draws := derived(append(truth.A[:], truth.B[:]...))
	for _, c := range []struct {
		name          string
		got, want, se float64
	}{{"pawn", m.Pawn, pawn, m.PawnSE}, {"spread", m.Spread, spread, m.SpreadSE}, {"draws", m.Draws, draws, m.DrawsSE}} {
		if z := (c.got - c.want) / c.se; math.Abs(z) > 3.5 || !(c.se > 0 && c.se < 0.1*c.want) {
			t.Errorf("%s %.2f ± %.2f, want %.2f", c.name, c.got, c.se, c.want)
		}
	}
	for _, at := range [][2]float64{{0, 30}, {150, 58}, {-200, 75}} {
		win, loss := m.rates(at[0], at[1])
		w, l := truth.rates(at[0], at[1])
		if !scalar.EqualWithinAbs(win, w, 0.03) || !scalar.EqualWithinAbs(loss, l, 0.03) {
			t.Errorf("at %v: %.3f, %.3f, want %.3f, %.3f", at, win, loss, w, l)
		}
	}
}

// Gradient and expected curvature agree with differences of the loss.
func TestLossDerivatives(t *testing.T) {
	g := made(300)
	counts := make([][3]float64, len(g.cells))
	for _, list := range g.games {
		counts[list[0].cell][list[0].result+1]++
	}
	c, gradient := append(append([]float64{}, truth.A[:]...), truth.B[:]...), make([]float64, 8)
	information := mat.NewSymDense(8, nil)
	g.loss(counts, 300, c, gradient, information)
	for k := range c {
		const h = 1e-4
		up, down := append([]float64{}, c...), append([]float64{}, c...)
		up[k], down[k] = up[k]+h, down[k]-h
		slope := (g.loss(counts, 300, up, nil, nil) - g.loss(counts, 300, down, nil, nil)) / (2 * h)
		if !scalar.EqualWithinAbsOrRel(gradient[k], slope, 1e-9, 1e-5) {
			t.Errorf("coefficient %d: %g, want %g", k, gradient[k], slope)
		}
	}
	if !new(mat.Cholesky).Factorize(information) {
		t.Error("the expected curvature is not positive")
	}
}

// Games that say nothing are an error.
func TestFitFails(t *testing.T) {
	g := made(50)
	for i := range g.games {
		g.games[i][0].result = 0
	}
	if _, err := g.Fit(t.Context(), 2, 1); err == nil || !strings.Contains(err.Error(), errFit.Error()) {
		t.Errorf("only draws: %v", err)
	}
}

// Samples that cannot be fitted are left out, unless they are half of all.
func TestSamplesThatFail(t *testing.T) {
	if m, err := made(72).Fit(t.Context(), 30, 1); err != nil || m.Resamples == 30 || !(m.PawnSE > 0) {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := made(80).Fit(t.Context(), 30, 1); err == nil || !strings.Contains(err.Error(), " of 30 fits") {
		t.Error(err)
	}
}
