package historic

import (
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/selfplay/roster"
)

// The list has every player of the papers, by year, and each can explain positions.
func TestHistoricList(t *testing.T) {
	names := roster.Names()
	listed := []string{"assay"}
	for _, p := range historicPrograms {
		if p.Use != asPlayer {
			continue
		}
		listed = append(listed, p.Name)
		player, err := roster.Open(engine.Spec{Name: p.Name})
		if err != nil {
			t.Error(err)
			continue
		}
		if _, ok := player.(historic.Explainer); !ok {
			t.Errorf("%s is no Explainer", p.Name)
		}
		if err := player.Close(); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(names)
	slices.Sort(listed)
	if !slices.Equal(names, listed) {
		t.Errorf("players %v, listed %v", names, listed)
	}
	if !slices.IsSortedFunc(historicPrograms, func(a, b historicProgram) int { return a.Year - b.Year }) {
		t.Error("the list is not sorted by year")
	}
}
