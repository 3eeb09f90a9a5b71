package archive

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

// later are the engines of the archive whose fits were played after the model had its form.
var later = []string{"bbc", "publius", "stash"}

// Most matches of engines that the model has never seen are within its 95 % intervals, and it knows more of them than
// a constant and than the change alone.
func TestLaterEngines(t *testing.T) {
	rows, err := dataset.ParseFits("the archive of this program", embedded)
	if err != nil {
		t.Fatal(err)
	}
	var before, after []Fit
	for _, f := range Fits(rows) {
		switch {
		case f.Start != dataset.TunedStart:
		case slices.Contains(later, f.Engine):
			after = append(after, f)
		default:
			before = append(before, f)
		}
	}
	var density, brier [4]float64
	within, n := 0, float64(len(after))
	for k, of := range describers {
		m := newModel(before, of)
		parts := m.without(-1)
		for i := range after {
			f := &after[i]
			d := m.predict(parts, f, f.SE)
			density[k] += math.Log(d.density(f.Elo)) / n
			brier[k] += (d.above(0) - f.won()) * (d.above(0) - f.won()) / n
			if k > 0 {
				continue
			}
			lo, hi := d.quantile(0.025), d.quantile(0.975)
			if lo < f.Elo && f.Elo < hi {
				within++
			}
			t.Logf("%-8s change %5.1f cp: expected %+4.0f [%+4.0f, %+4.0f], P %.2f; shown %+4.0f +- %.0f", f.Engine,
				10*f.change(), d.mean(), lo, hi, d.above(0), f.Elo, 1.96*f.SE)
		}
		t.Logf("%-12s log density %.2f, Brier score %.3f", of.name, density[k], brier[k])
	}
	t.Logf("%d of %d matches within 95 %%", within, len(after))
	if len(after) < 10 || 10*within < 9*len(after) {
		t.Errorf("%d of %d matches within 95 %%", within, len(after))
	}
	for k := 1; k < len(describers); k++ {
		if !(density[0] > density[k]) || !(brier[0] < brier[k]) {
			t.Errorf("the model is no better than %s", describers[k].name)
		}
	}
}
