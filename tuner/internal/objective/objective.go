// Package objective is the function that a fit minimizes: the loss of the rows under
// an evaluation, and a prior that holds its parameters, as [Penalized].
//
// [Problem] has the sums over rows: value, gradient, Gauss-Newton matrix, means. [Params] says which
// coefficients are fitted, tied, frozen or bounded, and translates between coefficients and parameters. All
// sums are taken over fixed chunks in order, so that they do not depend on the number of goroutines.
//
// Start reading at Penalized, then Problem (pass.go), where the time goes.
//
// No promise of stability.
package objective

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"

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

// Gradient implements Objective.
func (o *Penalized) Gradient(ctx context.Context, theta, g []float64) (float64, error) {
	o.Params.Expand(theta, o.w)
	clear(o.g.MG)
	clear(o.g.EG)
	value, err := o.Problem.Gradient(ctx, o.w, o.g)
	if errors.Is(err, autodiff.ErrRow) { // a step into what the formula does not have
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	value /= o.Design
	o.Params.Fold(o.g, g)
	for j := range g {
		g[j] /= o.Design
	}
	for j, x := range theta {
		d, prec := x-o.Params.Center[j], o.Params.Precision(j)
		value += num.Rounded(0.5 * prec * d * d)
		g[j] += num.Rounded(prec * d)
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

// ownWidth returns the width of the prior of a group of our own models: the standard deviation of a weight in
// centipawns. Measured on real games with the assay model, mean cross-entropy of 1,000 held-out games with all widths
// multiplied by a factor (start weights: 0.6139):
//
//	games   0.25    0.5     1       2       4       free
//	  100   0.6103  0.6061  0.6049  0.6159  0.6456  0.8102
//	  200   0.6077  0.6045  0.6037  0.6076  0.6208  diverges
//	  800   0.6033  0.6002  0.5986  0.5995  0.6034  diverges
//	1,600   0.6006  0.5970  0.5948  0.5952  0.5967  0.6025
//	3,000   0.5983  0.5944  0.5923  0.5919  0.5921  0.5935
func ownWidth(group string) float64 {
	switch {
	case strings.Contains(group, "material"):
		return 100
	case strings.Contains(group, "piece-square"):
		return 20
	case strings.Contains(group, "mobility"):
		return 15
	}
	return 25
}

// lookup is a table indexed by a uint16 code or term without a bounds check.
// Only its first elements are ever touched.
type lookup = [1 << 16]float64

// dots writes the sums of w over each row's codes to out. Two rows of equal
// length are summed side by side and codes are read four at a time, because
// reading is what bounds this loop. Rows that are not wanted may be left out; nil wants all.
func dots(codes []uint16, runs []rows.Run, w *lookup, out []float64, wanted []bool) {
	at := 0
	for _, r := range runs {
		n := int(r.Length)
		rows := out[:r.Rows]
		out = out[r.Rows:]
		for ; len(rows) >= 2; at += 2 {
			if wanted != nil && !wanted[at] && !wanted[at+1] {
				codes, rows = codes[2*n:], rows[2:]
				continue
			}
			one := codes[:n]
			two := codes[n : 2*n][:len(one)]
			codes = codes[2*n:]
			var a, b, c, d float64
			j := 0
			for ; j+4 <= n; j += 4 {
				x, y := four(one, j), four(two, j)
				a += w[uint16(x)]
				b += w[uint16(x>>16)]
				c += w[uint16(y)]
				d += w[uint16(y>>16)]
				a += w[uint16(x>>32)]
				b += w[x>>48]
				c += w[uint16(y>>32)]
				d += w[y>>48]
			}
			for ; j < n; j++ {
				a += w[one[j]]
				c += w[two[j]]
			}
			rows[0], rows[1] = a+b, c+d
			rows = rows[2:]
		}
		if len(rows) > 0 {
			a := 0.0
			for _, c := range codes[:n] {
				a += w[c]
			}
			codes = codes[n:]
			rows[0] = a
			at++
		}
	}
}

// four returns codes[j:j+4] in one word, in the order of the machine, which is
// of no matter where they are added up. The caller has made sure of j+4.
func four(codes []uint16, j int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(codes)), 2*j))
}

// scatter adds each row's v to g at the row's codes.
func scatter(codes []uint16, runs []rows.Run, v []float64, g *lookup) {
	for _, r := range runs {
		n := int(r.Length)
		rows := v[:r.Rows]
		v = v[r.Rows:]
		for _, x := range rows {
			row := codes[:n]
			codes = codes[n:]
			for len(row) >= 4 {
				g[row[0]] += x
				g[row[1]] += x
				g[row[2]] += x
				g[row[3]] += x
				row = row[4:]
			}
			for _, c := range row {
				g[c] += x
			}
		}
	}
}

const (
	nodesPerUnit = 16
	nodeReach    = 40   // beyond, e^-|z| is nothing beside 1
	nodeCount    = 2048 // a power of two above 2*reach*perUnit
)

// node is the Taylor polynomial of ln(1+e^z) around one of the points of a grid. Within half a step of the grid
// its error is below 1e-15, and its derivative's, the logistic function's, below 1e-13.
type node [8]float64

var nodes = func() (t [nodeCount]node) {
	// The k-th derivative of the logistic function s is a polynomial in s, because s' = s - s^2.
	var derivative [8][9]float64
	derivative[1][1] = 1
	for k := 2; k < len(derivative); k++ {
		for j, v := range derivative[k-1][:8] {
			derivative[k][j] += num.Rounded(float64(j) * v)
			derivative[k][j+1] -= num.Rounded(float64(j) * v)
		}
	}
	for i := range 2*nodeReach*nodesPerUnit + 1 {
		z := float64(i)/nodesPerUnit - nodeReach
		s, factorial := Sigmoid(z), 1.0
		t[i][0] = math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
		for k := 1; k < len(derivative); k++ {
			factorial *= float64(k)
			for j := len(derivative[k]) - 1; j >= 0; j-- {
				t[i][k] = num.Rounded(t[i][k]*s) + derivative[k][j]
			}
			t[i][k] /= factorial
		}
	}
	return t
}()

// crossEntropy turns evaluations x in centipawns into the derivatives of the rows' weighted cross-entropies
// with respect to x, and returns the weighted sum of these. It does for many rows what CrossEntropy.at does for
// one: loss and slope of a target y at z = k x are ln(1+e^z) - y z and its derivative, and a table of
// polynomials has neither exponential nor division.
func crossEntropy(k float64, x []float64, y, omega []float32) float64 {
	const big = 3 << 51 // adding it leaves the whole part in the low bits
	total := 0.0
	y, omega = y[:len(x)], omega[:len(x)]
	for i, xi := range x {
		z := k * xi
		near, beyond := z, 0.0
		if z > nodeReach {
			near, beyond = nodeReach, z-nodeReach
		} else if z < -nodeReach {
			near = -nodeReach
		}
		t := num.Rounded(near*nodesPerUnit) + big
		c := &nodes[(math.Float64bits(t)+nodeReach*nodesPerUnit)%nodeCount]
		d := near - num.Rounded((t-big)*(1.0/nodesPerUnit))
		d2 := d * d
		d4 := d2 * d2
		ln := (c[0] + num.Rounded(c[1]*d)) + num.Rounded(d2*(c[2]+num.Rounded(c[3]*d))) +
			num.Rounded(d4*((c[4]+num.Rounded(c[5]*d))+num.Rounded(d2*(c[6]+num.Rounded(c[7]*d))))) + beyond
		p := (c[1] + num.Rounded(2*c[2]*d)) + num.Rounded(d2*(num.Rounded(3*c[3])+num.Rounded(4*c[4]*d))) +
			num.Rounded(d4*((num.Rounded(5*c[5])+num.Rounded(6*c[6]*d))+num.Rounded(d2*(7*c[7]))))
		o, target := float64(omega[i]), float64(y[i])
		total += num.Rounded(o * (ln - num.Rounded(target*z)))
		x[i] = o * k * (p - target)
	}
	return total
}

// outerPlain adds h * v v' to the rows of m, the upper triangle of a symmetric
// matrix packed as base says, v given by ascending indices. Two lines of the
// matrix are worked on together, because they read the same part of v.
func outerPlain(index []uint16, value []float64, h float64, m []float64, base []int) {
	value = value[:len(index)]
	i := 0
	for ; i+1 < len(index); i += 2 {
		t, u := index[i], index[i+1]
		f, g := h*value[i], h*value[i+1]
		one := (*lookup)(m[base[t]:])
		two := (*lookup)(m[base[u]:])
		one[t] += num.Rounded(f * value[i])
		one[u] += num.Rounded(f * value[i+1])
		two[u] += num.Rounded(g * value[i+1])
		tail := index[i+2:]
		rest := value[i+2:][:len(tail)]
		for j, c := range tail {
			x := rest[j]
			one[c] += num.Rounded(f * x)
			two[c] += num.Rounded(g * x)
		}
	}
	if i < len(index) {
		t := index[i]
		m[base[t]+int(t)] += num.Rounded(h * value[i] * value[i])
	}
}
