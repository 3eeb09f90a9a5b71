package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/stats"
)

// bins collects scores and the results of their games. All positions of a game have one
// result, so standard errors are clustered by game, and need sums by game.
type bins struct {
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

func (b *bins) add(score int16, y float64) {
	if score == dataset.NoScore {
		return
	}
	i := 0
	for i < len(edges) && score >= edges[i] {
		i++
	}
	b.game[i]++
	at := max(-fineLimit, min(fineLimit, int(score)))
	b.coarse[i].scores += float64(at)
	b.fine[(at+fineLimit+fineWidth/2)/fineWidth][int(2*y+0.5)]++
}

func (b *bins) endGame(y float64) {
	for i, n := range b.game {
		if n == 0 {
			continue
		}
		n := float64(n)
		c := &b.coarse[i]
		c.n, c.ny, c.nn, c.nny, c.nnyy = c.n+n, c.ny+n*y, c.nn+n*n, c.nny+n*n*y, c.nnyy+n*n*y*y
		b.game[i] = 0
	}
}

// point compares predicted and actual results of the positions in one bin.
type point struct {
	Score             float64 // mean, centipawns
	Predicted, Actual float64
	SE                float64 // of Actual, clustered by game
	N                 int64
}

// fitK fits the slope of the sigmoid to the scores and results.
func (b *bins) fitK() (float64, error) {
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

// points returns predicted and actual results under the slope k.
func (b *bins) points(k float64) (list []point) {
	predicted, weight := [len(edges) + 1]float64{}, [len(edges) + 1]float64{}
	for i, counts := range b.fine {
		score := i*fineWidth - fineLimit
		n := float64(counts[0] + counts[1] + counts[2])
		bin := 0
		for bin < len(edges) && score >= int(edges[bin]) {
			bin++
		}
		predicted[bin] += n * objective.Sigmoid(k*float64(score))
		weight[bin] += n
	}
	for i := range b.coarse {
		c := &b.coarse[i]
		if c.n == 0 || weight[i] == 0 {
			continue
		}
		mean := c.ny / c.n
		v := max(0, c.nnyy-2*mean*c.nny+mean*mean*c.nn) / (c.n * c.n)
		list = append(list, point{Score: c.scores / c.n, Predicted: predicted[i] / weight[i], Actual: mean, SE: math.Sqrt(v), N: int64(c.n)})
	}
	return list
}

// calibrationFigure draws predicted against actual scores.
func calibrationFigure(id, title, note string, list []point) figure {
	s := series{name: "actual, 95 % interval", points: true}
	f := figure{ID: id, Title: title, Note: note, Header: []string{"mean score (cp)", "predicted", "actual", "± SE by game", "positions"}}
	for _, p := range list {
		s.x, s.y = append(s.x, p.Predicted), append(s.y, p.Actual)
		s.lo, s.hi = append(s.lo, max(0, p.Actual-1.96*p.SE)), append(s.hi, min(1, p.Actual+1.96*p.SE))
		score := ""
		if !math.IsNaN(p.Score) {
			score = fmt.Sprintf("%+.0f", p.Score)
		}
		f.Rows = append(f.Rows, []string{score, fmt.Sprintf("%.3f", p.Predicted), fmt.Sprintf("%.3f", p.Actual), fmt.Sprintf("%.3f", p.SE), fmt.Sprint(p.N)})
	}
	guide := series{name: "perfect calibration", x: []float64{0, 1}, y: []float64{0, 1}, guide: true}
	return chart(f, "predicted score", "actual score", guide, s)
}

// fitCalibrations draws the calibration of a fit. The remark says which fit it is.
func fitCalibrations(c *stats.Calibration, remark string) []figure {
	on := "On the training games, since none were held out: the fit looks better here than it is."
	if c.HeldOut {
		on = "On held-out games, which the fit has not seen."
	}
	note := strings.TrimSpace(on + " White's view. " + remark)
	var points []point
	for _, b := range c.ByScore {
		if b.Rows > 0 {
			points = append(points, point{Predicted: b.Predicted, Actual: b.Actual, SE: b.SE, N: b.Rows, Score: math.NaN()})
		}
	}
	s := series{name: "actual − predicted, 95 % interval", points: true}
	for _, b := range c.ByPhase {
		if b.Rows > 0 {
			d := b.Actual - b.Predicted
			s.x, s.y = append(s.x, (b.Lo+b.Hi)/2), append(s.y, d)
			s.lo, s.hi = append(s.lo, d-1.96*b.SE), append(s.hi, d+1.96*b.SE)
		}
	}
	zero := series{name: "no error", x: []float64{0, 24}, y: []float64{0, 0}, guide: true}
	return []figure{
		calibrationFigure("", "Predicted against actual score of the evaluation", note, points),
		chart(figure{Title: "Error of the prediction by phase", Note: "24 is the middlegame, 0 the endgame. " + note}, "phase", "actual − predicted", zero, s),
	}
}
