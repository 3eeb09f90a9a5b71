package spsa

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// regression is a fit of all results.
//
// Where strength is a parabola in each parameter, the mean result of an iteration is
// the sum over the parameters of d (b - h m), with d = plus - minus, m their middle, h
// the curvature and b/h the optimum, exactly: no small steps are assumed. So b and h are
// linear regression's, under weak normal priors. What the results say of an optimum is
// its posterior: uniform between the bounds before the results, with a curvature that
// cannot be below zero. It is right although the values follow the results, since each
// trial depends on earlier results only.
type regression struct {
	b, h []float64 // in units of c_end, from the start
	cov  *mat.SymDense
}

// weakCurvature is the Elo that a parameter may well lose between the middle of its range
// and a bound: the standard deviation of the curvature's prior. An optimum's posterior
// mixes it with smaller ones, since most parameters matter little: with the weak prior
// alone, intervals held the optimum of simulated parameters that lose 3 Elo 77 times in 100.
var weakCurvature = [...]float64{100, 30, 10, 3, 1}

// curvature returns the h, in units of c_end, of a parameter that loses so much Elo between
// the middle of its range and a bound.
func (p *Parameter) curvature(elo float64) float64 {
	half := (p.Max - p.Min) / 2 / p.CEnd
	return 2 * elo / eloPerPoint / (half * half)
}

// regress fits the results, nil if there are too few.
func (t *Tuner) regress() *regression {
	n := len(t.config.Parameters)
	if len(t.trials) < minBatches {
		return nil
	}
	x := make([]float64, 2*n)
	normal, moment, squares := mat.NewSymDense(2*n, nil), mat.NewVecDense(2*n, nil), 0.0
	for k := range t.trials {
		t.regressors(&t.trials[k], x)
		row := mat.NewVecDense(2*n, x)
		normal.SymRankOne(normal, 1, row)
		moment.AddScaledVec(moment, t.trials[k].mean(), row)
		squares += float64(t.trials[k].mean() * t.trials[k].mean())
	}
	if squares == 0 { // every pair was even
		return nil
	}
	// What the parameters explain of a result is small beside its noise.
	variance := squares / float64(len(t.trials))
	for i := range t.config.Parameters {
		p := &t.config.Parameters[i]
		h := p.curvature(weakCurvature[0])
		b := h * (p.Max - p.Min) / p.CEnd
		normal.SetSym(i, i, normal.At(i, i)+variance/(b*b))
		normal.SetSym(n+i, n+i, normal.At(n+i, n+i)+variance/(h*h))
	}
	var chol mat.Cholesky
	var fit mat.VecDense
	cov := mat.NewSymDense(2*n, nil)
	// The priors keep the matrix regular: its condition can only be poor.
	if !chol.Factorize(normal) {
		return nil
	}
	_ = chol.SolveVecTo(&fit, moment)
	_ = chol.InverseTo(cov)
	cov.ScaleSym(variance, cov)
	return &regression{b: fit.RawVector().Data[:n], h: fit.RawVector().Data[n:], cov: cov}
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

// describe fills in the estimates of the regression for parameter i.
func (r *regression) describe(i int, p *Parameter, e *Estimate) {
	n := len(r.b)
	vb, vh, vbh := r.cov.At(i, i), r.cov.At(n+i, n+i), r.cov.At(i, n+i)
	b, h := r.b[i], r.h[i]
	at := (e.Value - p.Start) / p.CEnd
	slope := eloPerPoint * (b - float64(h*at))
	slopeSE := eloPerPoint * math.Sqrt(max(0, vb-float64(2*at*vbh)+float64(at*at*vh)))
	e.Slope, e.SlopeSE = &slope, &slopeSE

	det := float64(vb*vh) - float64(vbh*vbh)
	if !(det > 0) {
		return
	}
	pb, ph, pbh := vh/det, vb/det, -vbh/det // the precision
	effect := math.Exp(-(float64(pb*b*b) + float64(2*pbh*b*h) + float64(ph*h*h)) / 2)
	e.EffectP = &effect
	p.locate(b, h, pb, ph, pbh, e)
}

// locate fills in the posterior of the optimum, from estimates of b and h and their
// precision. For each possible optimum m, b is h m and the curvature is left: it is normal
// with precision a and mean c/a, cut off at zero. The optimum is the m at which the least
// is expected to be lost: the mean, by curvature.
func (p *Parameter) locate(b, h, pb, ph, pbh float64, e *Estimate) {
	const points, widths = 200, len(weakCurvature)
	var log, curvature [points][widths]float64 // of the weight; the mean
	var where, weight [points]float64
	most, weakest := math.Inf(-1), p.curvature(weakCurvature[0])
	for j := range points {
		where[j] = p.Min + float64((float64(j)+0.5)/points*(p.Max-p.Min))
		m := (where[j] - p.Start) / p.CEnd
		c := float64(pb*m*b) + float64(pbh*(b+float64(m*h))) + float64(ph*h)
		for k, elo := range weakCurvature {
			width := p.curvature(elo)
			a := math.Sqrt(float64(pb*m*m) + float64(2*pbh*m) + ph - 1/(weakest*weakest) + 1/(width*width))
			log[j][k], curvature[j][k] = cutNormal(c / a)
			log[j][k] -= math.Log(a * width)
			curvature[j][k] /= a
			most = max(most, log[j][k])
		}
	}
	var sum, mean, square, curved, top float64
	for j, value := range where {
		for k := range widths {
			w := math.Exp(log[j][k] - most)
			weight[j] += w
			curved, top = curved+float64(w*curvature[j][k]), top+float64(w*curvature[j][k]*value)
		}
		sum, mean, square = sum+weight[j], mean+float64(weight[j]*value), square+float64(weight[j]*value*value)
	}
	quantile := func(q float64) *float64 {
		below := 0.0
		for j := range points {
			if below += weight[j]; below >= q*sum {
				return &where[j]
			}
		}
		return &where[points-1]
	}
	top, mean = top/curved, mean/sum
	se := math.Sqrt(max(0, square/sum-float64(mean*mean)))
	e.Optimum, e.OptimumSE = &top, &se
	e.OptimumLo, e.OptimumHi = quantile(0.025), quantile(0.975)
}

// cutNormal returns, of a normal variable with mean z and variance 1, the logarithm of
// exp(z^2/2) times the chance that it is above zero, and its mean if it is.
func cutNormal(z float64) (log, mean float64) {
	if z < -8 { // asymptotically
		return -math.Log(-z * math.Sqrt(2*math.Pi)), -1 / z
	}
	above := math.Erfc(-z/math.Sqrt2) / 2
	return float64(z*z/2) + math.Log(above), z + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)/above
}

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

	// Optimum is where a regression on all results puts the top of a parabola, with its
	// error and 95 % interval (see regression). A wide interval means that the results do
	// not say; in simulated runs it holds the optimum about as often as it should, which
	// that by batch means does not. Null if there are too few results.
	Optimum   *float64 `json:"regression_optimum"`
	OptimumSE *float64 `json:"regression_se"`
	OptimumLo *float64 `json:"regression_lo"`
	OptimumHi *float64 `json:"regression_hi"`

	// EffectP is how often a parameter without any effect shows at least so much by chance.
	// From 0.05 on no effect was seen.
	EffectP *float64 `json:"effect_p"`

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
		squares += float64(x * x)
	}
	return mean, math.Sqrt(squares / (minBatches * (minBatches - 1))), minBatches
}
