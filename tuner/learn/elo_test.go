package learn

import (
	"slices"
	"testing"
)

// TestChampionElo adds three gates, of which the second was not passed.
func TestChampionElo(t *testing.T) {
	got := ChampionElo([]GateElo{
		{EloEstimate{10, 7, 13}, true},
		{EloEstimate{-5, -9, -1}, false},
		{EloEstimate{20, 16, 24}, true},
	})
	want := []EloEstimate{{10, 7, 13}, {10, 7, 13}, {30, 25, 35}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
