package spsa

import "math"

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
