package heldout

import (
	"math"
	"testing"
)

// TestMean works out a mean and its standard error by hand: the rows of game 7 are one
// cluster, the row without a game is another.
func TestMean(t *testing.T) {
	s := &sample{weight: []float32{1, 1, 2}, game: []uint64{7, 7, 0}}
	m := s.mean([]float64{1, 2, 4})
	// The mean is 11/4. The clusters' sums of deviations are -5/2 and 5/2.
	if want := math.Sqrt((6.25+6.25)*2/1) / 4; m.Mean != 2.75 || math.Abs(m.SE-want) > 1e-12 {
		t.Errorf("mean %v, standard error %v; want 2.75 and %v", m.Mean, m.SE, want)
	}
}

func TestDropWithoutValue(t *testing.T) {
	nan := math.NaN()
	s := &sample{
		result: []float32{0, 0.5, 1}, weight: []float32{1, 1, 1}, game: []uint64{1, 2, 3}, phase: []uint8{24, 12, 0},
		values: [][]float64{{10, 20, 30}, {1, nan, 3}},
	}
	if n := s.dropWithoutValue(); n != 1 || len(s.result) != 2 || s.game[1] != 3 || s.values[0][1] != 30 ||
		s.values[1][1] != 3 {
		t.Errorf("dropped %d, left %+v", n, s)
	}
}

func TestCentipawns(t *testing.T) {
	for text, want := range map[string]float64{"+1.25": 125, "-30": -30, "0.00": 0, "none": math.NaN(),
		"inf": math.NaN()} {
		if got := centipawns(text); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("centipawns(%q) = %v, want %v", text, got, want)
		}
	}
}
