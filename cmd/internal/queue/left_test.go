package queue

import (
	"math"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/report"
)

// The time that is left follows from the games that are left, or from how far the LLR still has to go.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		result report.Summary
		want   float64
	}{
		{2, report.Summary{Unit: "games", Done: 100, Total: 400}, 150},
		{2, report.Summary{Unit: "games", Done: 100, LLR: []float64{1, -3, 4}}, 150}, // a quarter of the way up
		{2, report.Summary{Unit: "games", Done: 100, LLR: []float64{-1, -3, 4}}, 100},
		{2, report.Summary{Unit: "games", Done: 100, Total: 400, LLR: []float64{0, -3, 4}}, 150}, // no drift yet
		{0, report.Summary{Unit: "games", Done: 100, Total: 400}, 0},
		{2, report.Summary{Unit: "iterations", Done: 100, Total: 400}, 0},
		{2, report.Summary{Unit: "games", Done: 100}, 0},
	} {
		if got := left(&status{Rate: c.rate, Result: c.result}); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v at %g games/s: %g s left, want %g", c.result, c.rate, got, c.want)
		}
	}
}
