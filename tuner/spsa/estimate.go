package spsa

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Estimate is the answer for one parameter. All errors are standard errors, and
// approximate.
type Estimate struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	Final float64 `json:"final"` // after the last iteration

	// Value is the answer: the average over the last third of the iterations. BatchSE
	// is its error by the means of Batches batches of that third. It shows how much the
	// values vary, not whether they have converged; 0 with fewer than minBatches
	// iterations.
	Value   float64 `json:"value"`
	BatchSE float64 `json:"batch_se"`
	Batches int     `json:"batches"`

	// Optimum is where a parabola through all results has its top, with its error, by
	// the regression of the results on the perturbations (see regress). Null where the
	// results show no top (see topIsSeen), or are too few. In simulated runs its interval holds
	// the true optimum about as often as it should; that by batch means, far less often.
	Optimum   *float64 `json:"regression_optimum"`
	OptimumSE *float64 `json:"regression_se"`

	// Slope is the slope at Value by the same regression: the Elo that a player gains if
	// the parameter rises by its c_end. Null if there are too few iterations.
	Slope   *float64 `json:"slope_elo"`
	SlopeSE *float64 `json:"slope_elo_se"`
}

// minBatches is how many batches the error by batch means takes.
const minBatches = 20

// eloPerPoint is the Elo of a mean result of one point a game, at the slope of the
// logistic curve for equals: a result is twice the score less one.
const eloPerPoint = 800 / math.Ln10

// Estimates returns the answer so far, a parameter each.
func (t *Tuner) Estimates() []Estimate {
	list := make([]Estimate, len(t.config.Parameters))
	fit := t.regress()
	for i := range list {
		p := &t.config.Parameters[i]
		e := Estimate{Name: p.Name, Start: p.Start, Final: t.theta[t.Completed()][i]}
		e.Value, e.BatchSE, e.Batches = t.average(i)
		if fit != nil {
			fit.describe(i, p, &e)
		}
		list[i] = e
	}
	return list
}

// average returns the mean of a parameter over the last third, and its error.
func (t *Tuner) average(i int) (mean, se float64, batches int) {
	n := t.Completed()
	if n == 0 {
		return t.theta[0][i], 0, 0
	}
	tail := t.theta[1+2*n/3:]
	for _, theta := range tail {
		mean += theta[i]
	}
	mean /= float64(len(tail))
	if len(tail) < minBatches {
		return mean, 0, 0
	}
	squares := 0.0
	for b := range minBatches {
		batch := tail[b*len(tail)/minBatches : (b+1)*len(tail)/minBatches]
		sum := 0.0
		for _, theta := range batch {
			sum += theta[i] - mean
		}
		x := sum / float64(len(batch))
		squares += x * x
	}
	return mean, math.Sqrt(squares / (minBatches * (minBatches - 1))), minBatches
}

// topIsSeen is how many of its errors a curvature must be above zero. Values that follow
// the noise of the results they are regressed on make every hill look curved, flat
// ground too: this is the 5 % point of Dickey and Fuller, "Distribution of the
// estimators for autoregressive time series with a unit root", JASA 74 (1979).
const topIsSeen = 2.86

// regression is a fit of all results.
//
// Where strength is a parabola in each parameter, the mean result of an iteration is
// the sum over the parameters of d (b - h m), with d = plus - minus, m their middle, h
// the curvature and b/h the top, exactly: no small steps are assumed. So b and h are
// linear regression's. Errors are those of White (1980), which hold whatever the
// variance of each result.
type regression struct {
	b, h []float64 // in units of c_end, from the start
	cov  *mat.SymDense
}

// iterationsPerTerm is how many results a coefficient of the regression takes.
const iterationsPerTerm = 5

// regress fits the results, nil if there are too few.
func (t *Tuner) regress() *regression {
	n := len(t.config.Parameters)
	if len(t.trials) < 2*n*iterationsPerTerm {
		return nil
	}
	x := make([]float64, 2*n)
	normal, moment := mat.NewSymDense(2*n, nil), mat.NewVecDense(2*n, nil)
	for k := range t.trials {
		t.regressors(&t.trials[k], x)
		row := mat.NewVecDense(2*n, x)
		normal.SymRankOne(normal, 1, row)
		moment.AddScaledVec(moment, t.trials[k].mean(), row)
	}
	var chol mat.Cholesky
	if !chol.Factorize(normal) || chol.Cond() > 1e12 {
		return nil // a parameter that never moved, or always with another
	}
	var fit mat.VecDense
	if chol.SolveVecTo(&fit, moment) != nil {
		return nil
	}
	return &regression{b: fit.RawVector().Data[:n], h: fit.RawVector().Data[n:], cov: t.sandwich(&chol, &fit)}
}

// regressors fills in what the coefficients of an iteration are multiplied by.
func (t *Tuner) regressors(trial *outcome, x []float64) {
	n := len(t.config.Parameters)
	for i := range t.config.Parameters {
		p := &t.config.Parameters[i]
		d := (trial.plus[i] - trial.minus[i]) / p.CEnd
		x[i] = d
		x[n+i] = -d * ((trial.plus[i]+trial.minus[i])/2 - p.Start) / p.CEnd
	}
}

// mean is the result of an iteration, points a game.
func (t *outcome) mean() float64 { return t.result / float64(t.games) }

// sandwich returns the coefficients' covariance.
func (t *Tuner) sandwich(chol *mat.Cholesky, fit *mat.VecDense) *mat.SymDense {
	n := fit.Len()
	x := make([]float64, n)
	meat := mat.NewSymDense(n, nil)
	for k := range t.trials {
		t.regressors(&t.trials[k], x)
		row := mat.NewVecDense(n, x)
		e := t.trials[k].mean() - mat.Dot(row, fit)
		meat.SymRankOne(meat, e*e, row)
	}
	var inverse mat.SymDense
	if chol.InverseTo(&inverse) != nil {
		return meat // does not happen: its condition is good
	}
	var half, all mat.Dense
	half.Mul(&inverse, meat)
	all.Mul(&half, &inverse)
	correction := float64(len(t.trials)) / float64(len(t.trials)-n)
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, correction*(all.At(i, j)+all.At(j, i))/2)
		}
	}
	return cov
}

// describe fills in the estimates of the regression for parameter i.
func (r *regression) describe(i int, p *Parameter, e *Estimate) {
	n := len(r.b)
	vb, vh, vbh := r.cov.At(i, i), r.cov.At(n+i, n+i), r.cov.At(i, n+i)
	at := (e.Value - p.Start) / p.CEnd
	slope := eloPerPoint * (r.b[i] - r.h[i]*at)
	slopeSE := eloPerPoint * math.Sqrt(max(0, vb-2*at*vbh+at*at*vh))
	e.Slope, e.SlopeSE = &slope, &slopeSE
	if !(r.h[i] > topIsSeen*math.Sqrt(vh)) {
		return
	}
	top := r.b[i] / r.h[i]
	optimum := p.Start + p.CEnd*top
	se := p.CEnd * math.Sqrt(max(0, vb-2*top*vbh+top*top*vh)) / r.h[i]
	e.Optimum, e.OptimumSE = &optimum, &se
}
