package stats

import (
	"context"
	"math"

	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Bin compares predictions with results over a set of rows. Losses and means are by weight.
type Bin struct {
	Lo        float64 `json:"lo"` // predicted scores from Lo to below Hi, or phases from Lo to Hi
	Hi        float64 `json:"hi"`
	Rows      int64   `json:"rows"`
	Predicted float64 `json:"predicted"` // mean prediction, 0..1, White's view
	Actual    float64 `json:"actual"`    // mean target: results, mixed with scores where lambda < 1
	// SE is the standard error of Actual - Predicted where the prediction is right: the spread of rows, times
	// the root of the design effect's part that is due to clusters.
	SE    float64 `json:"se"`
	Start float64 `json:"loss_start"` // mean loss under the start weights
	Loss  float64 `json:"loss_fit"`   // mean loss under the fit
}

// Calibration compares what a fit predicts with the results, on the rows held out
// or, if there are none, on those trained on.
type Calibration struct {
	HeldOut bool  `json:"held_out"`
	ByScore []Bin `json:"by_score"` // by prediction, tenths
	ByPhase []Bin `json:"by_phase"` // 0-4, 5-9, 10-14, 15-19, 20-24
	Rows    int64 `json:"rows"`
}

const (
	scoreBins = 10
	phaseBins = 5
)

// binSums are the sums of a Bin.
type binSums struct {
	rows                                           int64
	weight, predicted, actual, spread, start, loss float64
}

func (b *binSums) add(o *binSums) {
	b.rows += o.rows
	b.weight += o.weight
	b.predicted += o.predicted
	b.actual += o.actual
	b.spread += o.spread
	b.start += o.start
	b.loss += o.loss
}

// bin returns the means; clustering is by how much rows of a cluster inflate a variance.
func (b *binSums) bin(lo, hi, clustering float64) Bin {
	w := b.weight
	return Bin{
		Lo: lo, Hi: hi, Rows: b.rows, Predicted: objective.Ratio(b.predicted, w), Actual: objective.Ratio(b.actual, w),
		SE: objective.Ratio(math.Sqrt(b.spread*clustering), w), Start: objective.Ratio(b.start,
			w), Loss: objective.Ratio(b.loss, w),
	}
}

type calibrationSums struct {
	score [scoreBins]binSums
	phase [phaseBins]binSums
}

// Calibrate compares the predictions of coefficients w with the targets, beside
// as are the start weights'. Both sides of the split are taken in one pass.
func Calibrate(ctx context.Context, p *objective.Problem, start, w objective.Tapered) (sides [2]calibrationSums,
	err error) {
	s := p.Store
	losses := make([][]float32, len(s.Chunks)) // under the start weights
	err = objective.Evaluate(ctx, s, p.Workers, start, func(t *objective.Scratch, i int) {
		losses[i] = make([]float32, s.Chunks[i].Rows)
		for j := range losses[i] {
			v, _, _ := p.Loss.At(p.K, t.X[j], float64(p.Target[i][j]))
			losses[i][j] = float32(v)
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return sides, err
	}
	parts := make([]*[2]calibrationSums, len(s.Chunks))
	err = objective.Evaluate(ctx, s, p.Workers, w, func(t *objective.Scratch, i int) {
		parts[i] = new([2]calibrationSums)
		for j := range losses[i] {
			calibrateRow(p, parts[i], i, j, t.X[j], float64(losses[i][j]))
		}
	}, func(_ *objective.Scratch, i int) {
		for side := range sides {
			for b := range sides[side].score {
				sides[side].score[b].add(&parts[i][side].score[b])
			}
			for b := range sides[side].phase {
				sides[side].phase[b].add(&parts[i][side].phase[b])
			}
		}
		parts[i] = nil
	})
	return sides, err
}

func calibrateRow(p *objective.Problem, to *[2]calibrationSums, i, j int, x, start float64) {
	c, y := p.Store.Chunks[i], float64(p.Target[i][j])
	side, o := p.Side(i, j)
	if o == 0 {
		return
	}
	v, _, _ := p.Loss.At(p.K, x, y)
	q := objective.Sigmoid(p.K * x)
	b := binSums{1, o, o * q, o * y, o * o * (y - q) * (y - q), o * start, o * v}
	to[side].score[min(scoreBins-1, int(q*scoreBins))].add(&b)
	to[side].phase[min(phaseBins-1, c.PhaseOf(j)*phaseBins/(rows.MaxPhase+1))].add(&b)
}

// calibration returns the held-out side, or that trained on.
func NewCalibration(sides *[2]calibrationSums, clustering float64) Calibration {
	out := Calibration{HeldOut: true}
	side := &sides[objective.HeldOut]
	for _, b := range side.phase {
		out.Rows += b.rows
	}
	if out.Rows == 0 {
		out.HeldOut, side = false, &sides[objective.Trained]
		for _, b := range side.phase {
			out.Rows += b.rows
		}
	}
	for i := range side.score {
		out.ByScore = append(out.ByScore, side.score[i].bin(float64(i)/scoreBins, float64(i+1)/scoreBins, clustering))
	}
	for i := range side.phase {
		const width = (rows.MaxPhase + 1) / phaseBins
		out.ByPhase = append(out.ByPhase, side.phase[i].bin(float64(i*width), float64(i*width+width-1), clustering))
	}
	return out
}
