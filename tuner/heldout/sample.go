package heldout

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/objective"
)

// sample is a set of positions with their results, and the values that evaluators gave.
type sample struct {
	result, weight []float32
	game           []uint64 // 0: unknown, the position is then a cluster of its own
	phase          []uint8
	values         [][]float64 // by candidate: centipawns, White's view
}

// Mean is a mean over positions with its standard error.
type Mean struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

func (m Mean) String() string { return fmt.Sprintf("%.5f +- %.5f", m.Mean, m.SE) }

// Measured is how well an evaluator's values predict results. Each loss is taken under
// the slope K that makes it smallest for this evaluator.
type Measured struct {
	Name         string  `json:"name"`
	KEntropy     float64 `json:"k"`     // of 1/(1+e^(-K x)), x in centipawns
	KMSE         float64 `json:"k_mse"` // of the same, for the squared error
	MSE          Mean    `json:"mse"`
	CrossEntropy Mean    `json:"cross_entropy"`
	// Against is the cross-entropy minus the first evaluator's, on the same positions.
	Against *Mean      `json:"against_first,omitempty"`
	ByPhase []BandLoss `json:"by_phase"`

	entropies []float64 // by position
}

// BandLoss is the cross-entropy of the positions in a band of phases, under the K of all.
type BandLoss struct {
	Lo   int     `json:"lo"`
	Hi   int     `json:"hi"`
	Rows int     `json:"rows"`
	Loss float64 `json:"cross_entropy"`
}

// measure measures an evaluator. first is the one to compare with, nil for the first.
func (s *sample) measure(name string, values []float64, first *Measured) (*Measured, error) {
	m := &Measured{Name: name}
	for _, fit := range []struct {
		loss objective.Loss
		k    *float64
	}{{objective.CrossEntropy, &m.KEntropy}, {objective.MSE, &m.KMSE}} {
		var err error
		if *fit.k, err = objective.FitK(fit.loss, values, s.result, s.weight); errors.Is(err, objective.ErrScale) {
			return nil, fmt.Errorf("%s: no slope K is the best, as its values predict the results of these positions "+
				"perfectly, or not at all: give more positions", name)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	squares := make([]float64, len(values))
	m.entropies = make([]float64, len(values))
	for i, x := range values {
		y := float64(s.result[i])
		d := objective.Sigmoid(m.KMSE*x) - y
		squares[i] = d * d
		m.entropies[i] = crossEntropy(m.KEntropy*x, y)
	}
	m.MSE, m.CrossEntropy = s.mean(squares), s.mean(m.entropies)
	if first != nil {
		difference := make([]float64, len(values))
		for i := range values {
			difference[i] = m.entropies[i] - first.entropies[i]
		}
		mean := s.mean(difference)
		m.Against = &mean
	}
	m.ByPhase = s.byPhase(m.entropies)
	return m, nil
}

// mean returns the weighted mean of v, with a standard error that takes the positions of
// a game as one cluster.
func (s *sample) mean(v []float64) Mean {
	var sum, weight float64
	for i, x := range v {
		sum += float64(float64(s.weight[i]) * x)
		weight += float64(s.weight[i])
	}
	mean := sum / weight
	games := make(map[uint64]float64)
	var squares, clusters float64
	for i, x := range v {
		d := float64(s.weight[i]) * (x - mean)
		if s.game[i] == 0 {
			squares += float64(d * d)
			clusters++
		} else {
			games[s.game[i]] += d
		}
	}
	added := make(map[uint64]bool, len(games)) // in order of reading: sums must not depend on the map's order
	for _, g := range s.game {
		if g != 0 && !added[g] {
			added[g] = true
			squares += float64(games[g] * games[g])
			clusters++
		}
	}
	return Mean{mean, math.Sqrt(squares*clusters/(clusters-1)) / weight}
}

func (s *sample) byPhase(v []float64) (bands []BandLoss) {
	for _, b := range eval.PhaseBands {
		p := BandLoss{Lo: b.Lo, Hi: b.Hi}
		weight := 0.0
		for i, x := range v {
			if int(s.phase[i]) >= b.Lo && int(s.phase[i]) <= b.Hi {
				p.Rows++
				p.Loss += float64(float64(s.weight[i]) * x)
				weight += float64(s.weight[i])
			}
		}
		if weight > 0 {
			p.Loss /= weight
			bands = append(bands, p)
		}
	}
	return bands
}

// meanResult returns the losses of the evaluator that predicts the mean result for every
// position.
func (s *sample) meanResult() (mse, entropy float64) {
	var sum, weight float64
	for i, y := range s.result {
		sum += float64(float64(s.weight[i]) * float64(y))
		weight += float64(s.weight[i])
	}
	p := sum / weight
	z := logit(p)
	for i, y := range s.result {
		d := p - float64(y)
		mse += float64(float64(s.weight[i]) * d * d)
		entropy += float64(float64(s.weight[i]) * crossEntropy(z, float64(y)))
	}
	return mse / weight, entropy / weight
}

// games returns the number of games, and of positions that name none.
func (s *sample) games() (games, without int) {
	seen := map[uint64]bool{}
	for _, g := range s.game {
		if g == 0 {
			without++
		}
		seen[g] = true
	}
	delete(seen, 0)
	return len(seen), without
}

// dropWithoutValue drops the positions without a value from any evaluator, and returns
// their number.
func (s *sample) dropWithoutValue() (dropped int) {
	n := 0
	for i := range s.result {
		if slices.ContainsFunc(s.values, func(v []float64) bool { return math.IsNaN(v[i]) }) {
			continue
		}
		s.result[n], s.weight[n], s.game[n], s.phase[n] = s.result[i], s.weight[i], s.game[i], s.phase[i]
		for _, v := range s.values {
			v[n] = v[i]
		}
		n++
	}
	dropped = len(s.result) - n
	s.result, s.weight, s.game, s.phase = s.result[:n], s.weight[:n], s.game[:n], s.phase[:n]
	for i := range s.values {
		s.values[i] = s.values[i][:n]
	}
	return dropped
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// crossEntropy returns the loss of the prediction 1/(1+e^-z) for the result y.
func crossEntropy(z, y float64) float64 {
	// log(1+e^z) - yz, in the form that cannot overflow
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - float64(y*z)
}
