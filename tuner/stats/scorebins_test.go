package stats

import (
	"math"
	"testing"

	"github.com/assay-chess/assay/tuner/objective"
)

// TestScoreBins counts games whose results follow a sigmoid exactly.
func TestScoreBins(t *testing.T) {
	const k = 0.005
	var b ScoreBins
	const games = 1000
	for _, score := range []int16{-300, -100, 0, 100, 300} {
		won := int(math.Round(games * objective.Sigmoid(k*float64(score))))
		for i := range games {
			result := float32(0)
			if i < won {
				result = 1
			}
			b.Add(score, result) // two positions a game: they are one observation
			b.Add(score, result)
			b.EndGame(result)
		}
	}
	got, err := b.FitK()
	if err != nil || math.Abs(got-k) > 1e-5 {
		t.Errorf("K %v, %v; want %v", got, err, k)
	}
	points := b.Points(k)
	if len(points) != 5 {
		t.Fatalf("%d points: %v", len(points), points)
	}
	for i, score := range []float64{-300, -100, 0, 100, 300} {
		p := points[i]
		se := math.Sqrt(p.Actual * (1 - p.Actual) / games) // of games, not of positions
		if p.Score != score || p.N != 2*games || math.Abs(p.Predicted-p.Actual) > 1e-3 || math.Abs(p.SE-se) > 1e-9 {
			t.Errorf("%+v, want score %v and standard error %v", p, score, se)
		}
	}
}

func TestScoreBinsEmpty(t *testing.T) {
	var b ScoreBins
	if k, err := b.FitK(); err == nil || len(b.Points(1)) != 0 {
		t.Errorf("K %v without positions", k)
	}
}
