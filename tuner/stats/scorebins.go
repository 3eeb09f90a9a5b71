package stats

import (
	"math"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
)

// ScoreBins collects the scores of a search and the results of their games. All positions of a game have one
// result, so standard errors are clustered by game, and need sums by game.
type ScoreBins struct {
	fine   [fineBins][3]int64 // by score, and by result 0, 1/2, 1
	coarse [len(edges) + 1]cell
	game   [len(edges) + 1]int64 // positions of the current game
}

const (
	fineBins  = 2*fineLimit/fineWidth + 1
	fineLimit = 2000 // centipawns; larger scores count as this one
	fineWidth = 10
)

// edges are the boundaries between the bins of scores, in centipawns, White's view.
var edges = [...]int16{-1000, -600, -350, -200, -110, -50, -15, 15, 50, 110, 200, 350, 600, 1000}

// cell sums positions n of games with result y.
type cell struct{ n, ny, nn, nny, nnyy, scores float64 }

// Add counts a position with its score in centipawns, White's view, and the result of its game: 1, 1/2 or 0.
func (b *ScoreBins) Add(score int16, result float32) {
	i := 0
	for i < len(edges) && score >= edges[i] {
		i++
	}
	b.game[i]++
	at := max(-fineLimit, min(fineLimit, int(score)))
	b.coarse[i].scores += float64(at)
	b.fine[(at+fineLimit+fineWidth/2)/fineWidth][int(2*result+0.5)]++
}

// EndGame ends the game that the positions since the last call belong to.
func (b *ScoreBins) EndGame(result float32) {
	y := float64(result)
	for i, n := range b.game {
		if n == 0 {
			continue
		}
		n := float64(n)
		c := &b.coarse[i]
		c.n += n
		c.ny += num.Rounded(n * y)
		c.nn += num.Rounded(n * n)
		c.nny += num.Rounded(n * n * y)
		c.nnyy += num.Rounded(n * n * y * y)
		b.game[i] = 0
	}
}

// ScorePoint compares predicted and actual results of the positions in one bin.
type ScorePoint struct {
	Score             float64 // mean, centipawns
	Predicted, Actual float64
	SE                float64 // of Actual, clustered by game
	N                 int64
}

// FitK fits the slope of the sigmoid to the scores and results. The error is
// objective.ErrScale if they determine none.
func (b *ScoreBins) FitK() (float64, error) {
	var x []float64
	var y, omega []float32
	for i, counts := range b.fine {
		for result, n := range counts {
			if n > 0 {
				x = append(x, float64(i*fineWidth-fineLimit))
				y, omega = append(y, float32(result)/2), append(omega, float32(n))
			}
		}
	}
	if len(x) == 0 {
		return 0, objective.ErrScale
	}
	return objective.FitK(objective.CrossEntropy, x, y, omega)
}

// Points returns predicted and actual results under the slope k.
func (b *ScoreBins) Points(k float64) (list []ScorePoint) {
	predicted, weight := [len(edges) + 1]float64{}, [len(edges) + 1]float64{}
	for i, counts := range b.fine {
		score := i*fineWidth - fineLimit
		n := float64(counts[0] + counts[1] + counts[2])
		bin := 0
		for bin < len(edges) && score >= int(edges[bin]) {
			bin++
		}
		predicted[bin] += num.Rounded(n * objective.Sigmoid(k*float64(score)))
		weight[bin] += n
	}
	for i := range b.coarse {
		c := &b.coarse[i]
		if c.n == 0 || weight[i] == 0 {
			continue
		}
		mean := c.ny / c.n
		v := max(0, c.nnyy-num.Rounded(2*mean*c.nny)+num.Rounded(mean*mean*c.nn)) / (c.n * c.n)
		list = append(list, ScorePoint{Score: c.scores / c.n, Predicted: predicted[i] / weight[i], Actual: mean,
			SE: math.Sqrt(v), N: int64(c.n)})
	}
	return list
}
