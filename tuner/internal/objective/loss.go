package objective

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/engine/num"
)

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
