package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/tuner/stats"
)

// calibrationFigure draws predicted against actual scores.
func calibrationFigure(id, title, note string, list []stats.ScorePoint) figure {
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
	var points []stats.ScorePoint
	for _, b := range c.ByScore {
		if b.Rows > 0 {
			points = append(points, stats.ScorePoint{Predicted: b.Predicted, Actual: b.Actual, SE: b.SE, N: b.Rows, Score: math.NaN()})
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
