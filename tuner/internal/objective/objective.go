package objective

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/mat"
)

// objective is a problem with its prior, as a function of the parameters: the
// changes of coefficients in centipawns.
type Penalized struct {
	Problem *Problem
	Params  *Params
	Design  float64 // D
	w, g    Tapered // scratch
	Known   *Known  // the last information, whatever the objective it was taken for
}

// Known is the information at a point: it depends on neither design effect nor
// prior, so that the estimate of the one and the minimization under it share it.
type Known struct {
	Theta       []float64
	Information *mat.SymDense
}

func New(p *Problem, q *Params, design float64) *Penalized {
	return &Penalized{Problem: p, Params: q, Design: design, w: NewTapered(p.Store.Terms()),
		g: NewTapered(p.Store.Terms()), Known: new(Known)}
}

// Dim implements Objective.
func (o *Penalized) Dim() int { return o.Params.N }

// Gradient implements Objective.
func (o *Penalized) Gradient(ctx context.Context, theta, g []float64) (float64, error) {
	o.Params.Expand(theta, o.w)
	var dst Tapered
	if g != nil {
		clear(o.g.MG)
		clear(o.g.EG)
		dst = o.g
	}
	value, err := o.Problem.Gradient(ctx, o.w, dst)
	if errors.Is(err, autodiff.ErrRow) { // a step into what the formula does not have
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	value /= o.Design
	if g != nil {
		o.Params.Fold(o.g, g)
		for j := range g {
			g[j] /= o.Design
		}
	}
	for j, x := range theta {
		d, prec := x-o.Params.Center[j], o.Params.Precision(j)
		value += num.Rounded(0.5 * prec * d * d)
		if g != nil {
			g[j] += num.Rounded(prec * d)
		}
	}
	return value, nil
}

// Curvature implements Objective.
func (o *Penalized) Curvature(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	info, err := o.information(ctx, theta)
	if err != nil {
		return nil, err
	}
	h := mat.NewSymDense(len(theta), nil)
	h.ScaleSym(1/o.Design, info)
	for j := range theta {
		h.SetSym(j, j, h.At(j, j)+o.Params.Precision(j))
	}
	return h, nil
}

// information is the Gauss-Newton matrix of the sum of losses alone, before the design effect and the prior.
func (o *Penalized) information(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	if slices.Equal(o.Known.Theta, theta) {
		return o.Known.Information, nil
	}
	o.Params.Expand(theta, o.w)
	g, err := o.Problem.Gram(ctx, o.w, Curvature)
	if err != nil {
		return nil, err
	}
	o.Known.Set(theta, o.Params.FoldGram(g[0]))
	return o.Known.Information, nil
}

func (k *Known) Set(theta []float64, information *mat.SymDense) {
	k.Theta, k.Information = slices.Clone(theta), information
}

// Loss is the measure of a prediction p of a target y.
type Loss int

const (
	// CrossEntropy is -y ln p - (1-y) ln(1-p), in nats. It is convex in the
	// coefficients, and its Gauss-Newton matrix is its Hessian.
	CrossEntropy Loss = iota
	// MSE is (p-y)^2.
	MSE
)

var lossNames = [...]string{CrossEntropy: "cross-entropy", MSE: "mse"}

func (l Loss) String() string { return lossNames[l] }

// ParseLoss reads "cross-entropy" (or "ce") and "mse".
func ParseLoss(s string) (Loss, error) {
	switch s {
	case "cross-entropy", "ce", "":
		return CrossEntropy, nil
	case "mse":
		return MSE, nil
	}
	return 0, fmt.Errorf("unknown loss %q: cross-entropy or mse", s)
}

// Sigmoid returns 1/(1+e^(-z)) without overflow.
func Sigmoid(z float64) float64 {
	e := math.Exp(-math.Abs(z))
	if z >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

// At returns the loss of an evaluation of x centipawns against target y, its
// slope with respect to x and its Gauss-Newton curvature (never negative).
func (l Loss) At(k, x, y float64) (value, slope, curvature float64) {
	z := k * x
	e := math.Exp(-math.Abs(z))
	q := 1 / (1 + e)
	p, pq := q, e*q*q // pq = p(1-p)
	if z < 0 {
		p = e * q
	}
	if l == MSE {
		d := p - y
		return d * d, 2 * k * d * pq, 2 * k * k * pq * pq
	}
	return math.Log(1+e) + math.Max(z, 0) - num.Rounded(y*z), k * (p - y), k * k * pq
}

// slopeAt is at without the value and its logarithm, for passes that only need derivatives.
func (l Loss) slopeAt(k, x, y float64) (slope, curvature float64) {
	z := k * x
	e := math.Exp(-math.Abs(z))
	q := 1 / (1 + e)
	p, pq := q, e*q*q
	if z < 0 {
		p = e * q
	}
	if l == MSE {
		return 2 * k * (p - y) * pq, 2 * k * k * pq * pq
	}
	return k * (p - y), k * k * pq
}

// defaultEffect is the width of the prior of an external term, in centipawns of effect: the
// standard deviation of what its typical count is worth. See TUNER.md.
const defaultEffect = 15

// defaultTau gives the width of the prior, the standard deviation of a weight in centipawns,
// of the groups of our own models whose name contains the key; the first match counts.
// Measured on real games with the assay model, mean cross-entropy of 1,000 held-out games with
// all of them multiplied by a factor (start weights: 0.6139):
//
//	games   0.25    0.5     1       2       4       free
//	  100   0.6103  0.6061  0.6049  0.6159  0.6456  0.8102
//	  200   0.6077  0.6045  0.6037  0.6076  0.6208  diverges
//	  800   0.6033  0.6002  0.5986  0.5995  0.6034  diverges
//	1,600   0.6006  0.5970  0.5948  0.5952  0.5967  0.6025
//	3,000   0.5983  0.5944  0.5923  0.5919  0.5921  0.5935
var defaultTau = []struct {
	Group string
	Tau   float64
}{
	{"material", 100},
	{"piece-square", 20},
	{"mobility", 15},
	{"passed", 25},
	{"king", 25},
	{"threat", 25},
	{"", 25},
}

// AllTerms is the name of all terms in overrides of widths.
const AllTerms = "all"

// Widths returns the width of the prior of each term's weights, in centipawns. Overrides, of terms, groups or
// AllTerms, are in centipawns of effect: they are divided by the typical counts. Without one, a term of our own
// models has the width of its group, and a foreign one defaultEffect. All are multiplied by the factor.
func Widths(terms []rows.Term, typical []float64, overrides map[string]float64, factor float64) ([]float64, error) {
	names := slices.Sorted(maps.Keys(overrides))
	names = slices.DeleteFunc(names, func(n string) bool { return n == AllTerms })
	if err := checkNames(terms, names); err != nil {
		return nil, err
	}
	out := make([]float64, len(terms))
	for t, term := range terms {
		out[t] = defaultEffect / typical[t]
		if term.Own {
			out[t] = ownWidth(term.Group)
		}
		for _, name := range []string{AllTerms, term.Group, term.Name} {
			if v, ok := overrides[name]; ok {
				out[t] = v / typical[t]
			}
		}
		if !(out[t] > 0) {
			return nil, fmt.Errorf("prior of %s: width %v is not positive (freeze it instead)", term.Name, out[t])
		}
		out[t] *= factor
	}
	return out, nil
}

// ownWidth returns the width of a group of our own models.
func ownWidth(group string) float64 {
	for _, d := range defaultTau {
		if strings.Contains(group, d.Group) {
			return d.Tau
		}
	}
	return defaultEffect
}
