package heldout

import (
	"context"
	"errors"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner/objective"
)

// Prediction is how well the evaluation that features are of predicts the results of the
// games, beside the best constant. Losses are mean cross-entropies.
type Prediction struct {
	Rows int `json:"rows"`
	// Skipped are the rows that the engine left out, by its reason.
	Skipped dataset.Skipped `json:"skipped,omitempty"`
	Games   int             `json:"games"` // a row that names none counts as one
	// K is the slope per centipawn that makes the loss smallest; 0 if none does.
	K        float64 `json:"k"`
	Loss     float64 `json:"cross_entropy"`
	Constant float64 `json:"constant_cross_entropy"` // of predicting the mean result always
	// Gain is Constant - Loss, with a standard error by game.
	Gain Mean `json:"gain"`
}

// fewGames is the number of games below which a prediction is not judged.
const fewGames = 30

// Judged reports whether there are enough games, with different results, to say anything.
func (p *Prediction) Judged() bool { return p.Games >= fewGames && p.Constant > 1e-9 }

// Useful reports whether the evaluation predicts better than a constant does, by two
// standard errors.
func (p *Prediction) Useful() bool { return p.K > 0 && p.Gain.Mean > 2*p.Gain.SE }

// Predict measures the values of a data set of features with the engine's own weights. Rows
// of weight 0 are left out.
func Predict(ctx context.Context, path string) (*Prediction, error) {
	d, set, err := dataset.OpenFeatures(path)
	if err != nil {
		return nil, err
	}
	var s sample
	var values []float64
	skipped := dataset.Skipped{}
	for row, err := range d.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		skipped.Add(&row)
		if row.Weight > 0 {
			values = append(values, set.Centipawns(set.Value(&row)))
			s.result, s.weight, s.game = append(s.result, row.Result), append(s.weight, row.Weight),
				append(s.game, row.Game)
		}
	}
	p := &Prediction{Rows: len(values), Skipped: skipped}
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
	mean := s.mean(asFloat64(s.result)).Mean
	if mean <= 0 || mean >= 1 {
		return p, nil // all results are equal
	}
	z := logit(mean)
	gains := make([]float64, len(values))
	for i, x := range values {
		y := float64(s.result[i])
		gains[i] = crossEntropy(z, y) - crossEntropy(p.K*x, y)
	}
	_, p.Constant = s.meanResult()
	p.Gain = s.mean(gains)
	p.Loss = p.Constant - p.Gain.Mean
	return p, nil
}

func asFloat64(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
