package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/tuner"
)

// labelled are positions with their results, and what evaluators say of them.
type labelled struct {
	result, weight []float32
	game           []uint64 // 0: unknown, the position then stands for itself
	phase          []uint8
	values         [][]float64 // by evaluator: centipawns, White's view
}

// measured is a mean over positions with its standard error.
type measured struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

func (m measured) String() string { return fmt.Sprintf("%.5f +- %.5f", m.Mean, m.SE) }

// judged is how well an evaluator's values foretell results. Each loss is taken under the
// slope K that makes it smallest for this evaluator.
type judged struct {
	Name         string   `json:"name"`
	KEntropy     float64  `json:"k"`     // of 1/(1+e^(-K x)), x in centipawns
	KMSE         float64  `json:"k_mse"` // of the same, for the squared error
	MSE          measured `json:"mse"`
	CrossEntropy measured `json:"cross_entropy"`
	// Against is the cross-entropy minus the first evaluator's, on the same positions.
	Against *measured   `json:"against_first,omitempty"`
	ByPhase []phaseLoss `json:"by_phase"`

	entropies []float64 // by position
}

// phaseLoss is the cross-entropy of the positions of some phases, under the K of all.
type phaseLoss struct {
	Lo   int     `json:"lo"`
	Hi   int     `json:"hi"`
	Rows int     `json:"rows"`
	Loss float64 `json:"cross_entropy"`
}

// phaseBands are those of assay data stat.
var phaseBands = [][2]int{{24, 24}, {18, 23}, {12, 17}, {6, 11}, {0, 5}}

// assess measures an evaluator. first is the one to compare with, nil for itself.
func (l *labelled) assess(name string, values []float64, first *judged) (*judged, error) {
	j := &judged{Name: name}
	for loss, k := range map[tuner.Loss]*float64{tuner.CrossEntropy: &j.KEntropy, tuner.MSE: &j.KMSE} {
		var err error
		if *k, err = tuner.FitK(loss, values, l.result, l.weight); errors.Is(err, tuner.ErrScale) {
			return nil, fmt.Errorf("%s: no slope K is the best, as its values foretell the results of these positions without an error, or not at all: give more positions", name)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	squares := make([]float64, len(values))
	j.entropies = make([]float64, len(values))
	for i, x := range values {
		y := float64(l.result[i])
		d := tuner.Sigmoid(j.KMSE*x) - y
		squares[i] = d * d
		j.entropies[i] = crossEntropy(j.KEntropy*x, y)
	}
	j.MSE, j.CrossEntropy = l.mean(squares), l.mean(j.entropies)
	if first != nil {
		difference := make([]float64, len(values))
		for i := range values {
			difference[i] = j.entropies[i] - first.entropies[i]
		}
		m := l.mean(difference)
		j.Against = &m
	}
	j.ByPhase = l.byPhase(j.entropies)
	return j, nil
}

// mean returns the weighted mean of v, with a standard error that takes the positions of
// a game as one cluster.
func (l *labelled) mean(v []float64) measured {
	var sum, weight float64
	for i, x := range v {
		sum += float64(l.weight[i]) * x
		weight += float64(l.weight[i])
	}
	mean := sum / weight
	games := make(map[uint64]float64)
	var squares, clusters float64
	for i, x := range v {
		d := float64(l.weight[i]) * (x - mean)
		if l.game[i] == 0 {
			squares += d * d
			clusters++
		} else {
			games[l.game[i]] += d
		}
	}
	inOrder := make(map[uint64]bool, len(games)) // sums do not depend on the map's order
	for _, g := range l.game {
		if g != 0 && !inOrder[g] {
			inOrder[g] = true
			squares += games[g] * games[g]
			clusters++
		}
	}
	return measured{mean, math.Sqrt(squares*clusters/(clusters-1)) / weight}
}

func (l *labelled) byPhase(v []float64) (bands []phaseLoss) {
	for _, b := range phaseBands {
		p := phaseLoss{Lo: b[0], Hi: b[1]}
		weight := 0.0
		for i, x := range v {
			if int(l.phase[i]) >= b[0] && int(l.phase[i]) <= b[1] {
				p.Rows++
				p.Loss += float64(l.weight[i]) * x
				weight += float64(l.weight[i])
			}
		}
		if weight > 0 {
			p.Loss /= weight
			bands = append(bands, p)
		}
	}
	return bands
}

// ignorant returns the losses of whoever knows the mean result and nothing of the
// position.
func (l *labelled) ignorant() (mse, entropy float64) {
	var sum, weight float64
	for i, y := range l.result {
		sum += float64(l.weight[i]) * float64(y)
		weight += float64(l.weight[i])
	}
	p := sum / weight
	z := math.Log(p / (1 - p))
	for i, y := range l.result {
		d := p - float64(y)
		mse += float64(l.weight[i]) * d * d
		entropy += float64(l.weight[i]) * crossEntropy(z, float64(y))
	}
	return mse / weight, entropy / weight
}

// games returns the number of games, and of positions that name none.
func (l *labelled) games() (games, without int) {
	seen := map[uint64]bool{}
	for _, g := range l.game {
		if g == 0 {
			without++
		}
		seen[g] = true
	}
	delete(seen, 0)
	return len(seen), without
}

// keep drops the positions that any evaluator has no value for, and says how many.
func (l *labelled) keep() (dropped int) {
	n := 0
	for i := range l.result {
		if l.unjudged(i) {
			continue
		}
		l.result[n], l.weight[n], l.game[n], l.phase[n] = l.result[i], l.weight[i], l.game[i], l.phase[i]
		for _, v := range l.values {
			v[n] = v[i]
		}
		n++
	}
	dropped = len(l.result) - n
	l.result, l.weight, l.game, l.phase = l.result[:n], l.weight[:n], l.game[:n], l.phase[:n]
	for i := range l.values {
		l.values[i] = l.values[i][:n]
	}
	return dropped
}

func (l *labelled) unjudged(i int) bool {
	for _, v := range l.values {
		if math.IsNaN(v[i]) {
			return true
		}
	}
	return false
}
