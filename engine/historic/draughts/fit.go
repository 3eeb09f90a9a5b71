package draughts

import (
	"fmt"
	"math"
)

type vector = [3]float64
type matrix = [3]vector

// estimate is a fitted logistic regression: coefficients and their covariance.
type estimate struct {
	w   vector
	cov matrix
}

// fit maximizes the likelihood by Newton's method. The covariance is the sandwich
// estimator, clustered by game.
func fit(games [][]row) (e estimate, err error) {
	var inverse matrix
	for range 50 {
		gradient, hessian, _ := e.derivatives(games)
		var ok bool
		if inverse, ok = invert(hessian); !ok {
			return e, fmt.Errorf("%w: the positions do not vary", ErrNoFit)
		}
		step, size := multiply(inverse, gradient), 0.0
		for i := range step {
			e.w[i] += step[i]
			size = max(size, math.Abs(step[i]))
		}
		if size < 1e-10 {
			_, _, meat := e.derivatives(games)
			for i := range 3 {
				for j := range 3 {
					for k := range 3 {
						for l := range 3 {
							e.cov[i][j] += inverse[i][k] * meat[k][l] * inverse[l][j]
						}
					}
				}
			}
			return e, nil
		}
		if size > 1e3 {
			break
		}
	}
	return e, fmt.Errorf("%w: the regression does not converge", ErrNoFit)
}

// derivatives returns the gradient of the log-likelihood, its negative Hessian, and the sum
// over games of the outer products of their gradients.
func (e *estimate) derivatives(games [][]row) (gradient vector, hessian, meat matrix) {
	for _, rows := range games {
		var score vector
		for _, r := range rows {
			z := 0.0
			for i, x := range r.x {
				z += e.w[i] * x
			}
			p := 1 / (1 + math.Exp(-z))
			for i := range 3 {
				score[i] += (r.y - p) * r.x[i]
				for j := range 3 {
					hessian[i][j] += p * (1 - p) * r.x[i] * r.x[j]
				}
			}
		}
		for i := range 3 {
			gradient[i] += score[i]
			for j := range 3 {
				meat[i][j] += score[i] * score[j]
			}
		}
	}
	return gradient, hessian, meat
}

// ratio returns w[a]/w[b] and its standard error by the delta method.
func (e *estimate) ratio(a, b int) (r, se float64) {
	r = e.w[a] / e.w[b]
	v := (e.cov[a][a] - 2*r*e.cov[a][b] + r*r*e.cov[b][b]) / (e.w[b] * e.w[b])
	return r, math.Sqrt(max(v, 0))
}

func multiply(m matrix, v vector) (out vector) {
	for i := range 3 {
		for j := range 3 {
			out[i] += m[i][j] * v[j]
		}
	}
	return out
}

// invert returns the inverse by cofactors; ok is false if the matrix is nearly singular.
func invert(m matrix) (out matrix, ok bool) {
	minor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[a][c]*m[b][d] - m[a][d]*m[b][c]
	}
	det := m[0][0]*minor(0, 0) + m[0][1]*minor(0, 1) + m[0][2]*minor(0, 2)
	if scale := m[0][0] * m[1][1] * m[2][2]; !(math.Abs(det) > 1e-9*scale) {
		return out, false
	}
	for i := range 3 {
		for j := range 3 {
			out[j][i] = minor(i, j) / det
		}
	}
	return out, true
}
