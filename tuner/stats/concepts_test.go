package stats

import (
	"math"
	"testing"

	"github.com/assay-chess/assay/tuner/rows"
)

// TestSlope applies the weights of a slope to tables on lines, whose slopes and means differ.
func TestSlope(t *testing.T) {
	var terms []rows.Term
	var seen []int64
	var value []float64
	add := func(name string, n int64, v float64) {
		terms, seen, value = append(terms, rows.Term{Name: name}), append(seen, n), append(value, v)
	}
	add("mobility.knight.far", 50, 1e6) // not a number
	for i, name := range []string{"mobility.knight.0", "mobility.knight.1", "mobility.knight.2"} {
		add(name, int64(5+3*i), 40+7*float64(i))
	}
	for i, name := range []string{"mobility.rook.0", "mobility.rook.1", "mobility.rook.2", "mobility.rook.3"} {
		add(name, 6, -300+7*float64(i))
	}
	add("mobility.rook.14", 0, 1e6) // never seen
	add("mobile.rook.5", 50, 1e6)
	weights := make([]float64, len(terms))
	if !slope(terms, "mobility.", false, seen, weights) {
		t.Fatal("there is no slope")
	}
	got := 0.0
	for i, w := range weights {
		got += w * value[i]
	}
	if math.Abs(got-7) > 1e-9 {
		t.Errorf("the slope is %v, want 7", got)
	}
	clear(weights)
	if slope(terms, "threat.", false, seen, weights) || slope(terms[:1], "mobility.", false, seen, weights) {
		t.Error("a slope of no table, or of one count")
	}
	// Through the origin: -3 for each attacker.
	terms = []rows.Term{{Name: "king-ring.attackers.1"}, {Name: "king-ring.attackers.2"}}
	clear(weights)
	if !slope(terms, "king-ring.attackers.", true, []int64{9, 4}, weights) ||
		math.Abs(-3*weights[0]-6*weights[1]+3) > 1e-9 {
		t.Errorf("through the origin: weights %v", weights)
	}
}
