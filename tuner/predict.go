package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner/internal/objective"
)

// Prediction is how well the evaluation that features are of predicts the results of the
// games, beside the best constant. Losses are mean cross-entropies.
type Prediction struct {
	Rows  int `json:"rows"`
	Games int `json:"games"` // a row that names none counts as one
	// K is the slope per centipawn that makes the loss smallest; 0 if none does.
	K        float64 `json:"k"`
	Loss     float64 `json:"cross_entropy"`
	Constant float64 `json:"constant_cross_entropy"` // of predicting the mean result always
	// Gain is Constant - Loss, with a standard error by game.
	Gain meanOf `json:"gain"`
}

// fewGames is the number of games below which a prediction is not judged.
const fewGames = 30

// Judged reports whether there are enough games, with different results, to say anything.
func (p *Prediction) Judged() bool { return p.Games >= fewGames && p.Constant > 1e-9 }

// Useful reports whether the evaluation predicts better than a constant does, by two
// standard errors.
func (p *Prediction) Useful() bool { return p.K > 0 && p.Gain.Mean > 2*p.Gain.SE }

// meanOf is a mean over rows with its standard error.
type meanOf struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

func (m meanOf) String() string { return fmt.Sprintf("%.5f +- %.5f", m.Mean, m.SE) }

// Predict measures the values of a data set of features with the engine's own weights. Rows
// of weight 0 are left out.
func Predict(ctx context.Context, path string) (*Prediction, error) {
	d, set, err := dataset.OpenFeatures(path)
	if err != nil {
		return nil, err
	}
	var s predicted
	var values []float64
	for row, err := range d.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if row.Weight > 0 {
			values = append(values, set.Centipawns(set.Value(&row)))
			s.result, s.weight, s.game = append(s.result, row.Result), append(s.weight, row.Weight),
				append(s.game, row.Game)
		}
	}
	p := &Prediction{Rows: len(values)}
	if p.Rows == 0 {
		return p, nil
	}
	games, alone := s.games()
	p.Games = games + alone
	k, err := objective.FitK(objective.CrossEntropy, values, s.result, s.weight)
	if err == nil {
		p.K = k
	} else if !errors.Is(err, objective.ErrScale) {
		return nil, err
	}
	results := make([]float64, len(s.result))
	for i, y := range s.result {
		results[i] = float64(y)
	}
	mean := s.mean(results).Mean
	if mean <= 0 || mean >= 1 {
		return p, nil // all results are equal
	}
	z := logit(mean)
	constant, gains := make([]float64, len(values)), make([]float64, len(values))
	for i, x := range values {
		constant[i] = crossEntropy(z, results[i])
		gains[i] = constant[i] - crossEntropy(p.K*x, results[i])
	}
	p.Constant, p.Gain = s.mean(constant).Mean, s.mean(gains)
	p.Loss = p.Constant - p.Gain.Mean
	return p, nil
}

// predicted are the results of rows.
type predicted struct {
	result, weight []float32
	game           []uint64 // 0: unknown, the row is then a cluster of its own
}

// mean returns the weighted mean of v, with a standard error that takes the rows of
// a game as one cluster.
func (s *predicted) mean(v []float64) meanOf {
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
	return meanOf{mean, math.Sqrt(squares*clusters/(clusters-1)) / weight}
}

// games returns the number of games, and of rows that name none.
func (s *predicted) games() (games, without int) {
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

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// crossEntropy returns the loss of the prediction 1/(1+e^-z) for the result y.
func crossEntropy(z, y float64) float64 {
	// log(1+e^z) - yz, in the form that cannot overflow
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - float64(y*z)
}
