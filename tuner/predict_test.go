package tuner

import (
	"math"
	"testing"
)

// TestMeanByGame works out a mean and its standard error by hand: the rows of game 7 are one
// cluster, the row without a game is another.
func TestMeanByGame(t *testing.T) {
	s := &predicted{weight: []float32{1, 1, 2}, game: []uint64{7, 7, 0}}
	m := s.mean([]float64{1, 2, 4})
	// The mean is 11/4. The clusters' sums of deviations are -5/2 and 5/2.
	if want := math.Sqrt((6.25+6.25)*2/1) / 4; m.Mean != 2.75 || math.Abs(m.SE-want) > 1e-12 {
		t.Errorf("mean %v, standard error %v; want 2.75 and %v", m.Mean, m.SE, want)
	}
}
