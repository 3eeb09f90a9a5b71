package historic

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/engine/historic/times"
	"github.com/assay-chess/assay/engine/roster"
)

func TestPrintTimes(t *testing.T) {
	var b strings.Builder
	if err := printTimes(&b, []times.Time{{Program: "a", Work: "work", Text: "15 minutes", Then: 900, Now: 66.1e-6},
		{Program: "b", Work: "more", Text: "1 s", Then: 1, Now: 0.9}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"66.1 us  14,000,000", "900 ms   1.1"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for s, want := range map[float64]string{3e-7: "300 ns", 0.0123: "12.3 ms", 12.34: "12.3 s"} {
		if got := shortTime(s); got != want {
			t.Errorf("shortTime(%v) = %s, want %s", s, got, want)
		}
	}
	for x, want := range map[float64]string{1.44: "1.4", 99.6: "100", 13651: "14,000", 7258064: "7,300,000"} {
		if got := thousands(x); got != want {
			t.Errorf("thousands(%v) = %s, want %s", x, got, want)
		}
	}
}

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
