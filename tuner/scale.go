package tuner

import (
	"errors"
	"fmt"
	"math"
)

// Bounds of K: a hundred centipawns are worth between 0.06 % and 99.995 %.
const (
	minK = 1e-5
	maxK = 0.1
)

// ErrScale means that no sensible K fits: the evaluations say nothing about
// the results, or foretell them perfectly.
var ErrScale = errors.New("no scale K fits")

// FitK returns the K of the sigmoid for which evaluations x in centipawns
// predict the targets y with the smallest loss, rows weighted by omega, and
// that mean loss. Rows of omega 0 are left out. It is a Newton iteration on
// ln K, kept within a bracket by bisection.
func FitK(loss Loss, x []float64, y, omega []float32) (k, mean float64, err error) {
	slope := func(k float64) (first, second float64) {
		for i, o := range omega {
			if o == 0 {
				continue
			}
			// The derivative with respect to K is that with respect to x
			// times x/K.
			s, c := loss.slopeAt(k, x[i], float64(y[i]))
			first += float64(o) * s * x[i]
			second += float64(o) * c * x[i] * x[i]
		}
		return first, second // both with respect to ln K
	}
	lo, hi := math.Log(minK), math.Log(maxK)
	if d, _ := slope(minK); !(d < 0) {
		return 0, 0, fmt.Errorf("%w: the start weights do not foretell the results at all", ErrScale)
	}
	if d, _ := slope(maxK); !(d > 0) {
		return 0, 0, fmt.Errorf("%w: the start weights foretell every result (is the result encoded in the data?)", ErrScale)
	}
	at := math.Log(0.004) // a pawn is worth about 10 % in most data
	for range 100 {
		d, c := slope(math.Exp(at))
		if d < 0 {
			lo = at
		} else {
			hi = at
		}
		step := -d / c
		if next := at + step; c > 0 && next > lo && next < hi {
			at = next
		} else {
			step = (lo+hi)/2 - at
			at = (lo + hi) / 2
		}
		if math.Abs(step) < 1e-10 {
			break
		}
	}
	k = math.Exp(at)
	return k, meanLoss(loss, k, x, y, omega), nil
}

// meanLoss returns the weighted mean loss of evaluations x against targets y.
func meanLoss(loss Loss, k float64, x []float64, y, omega []float32) float64 {
	total, weight := 0.0, 0.0
	for i, o := range omega {
		if o == 0 {
			continue
		}
		v, _, _ := loss.at(k, x[i], float64(y[i]))
		total += float64(o) * v
		weight += float64(o)
	}
	if weight == 0 {
		return math.NaN()
	}
	return total / weight
}

// rms returns the weighted root mean square.
func rms(x []float64, omega []float32) float64 {
	total, weight := 0.0, 0.0
	for i, o := range omega {
		total += float64(o) * x[i] * x[i]
		weight += float64(o)
	}
	if weight == 0 {
		return 0
	}
	return math.Sqrt(total / weight)
}
