package archive

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

// later are the engines of the archive whose fits were played after the model had its form.
var later = []string{"bbc", "publius", "stash"}

// Most matches of engines that the model has never seen are within its 95 % intervals, and it tells what wins.
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
	m, constant := newModel(before, describers[0]), newModel(before, describers[1])
	parts, same := m.without(-1), constant.without(-1)
	within, gain, brier, n := 0, 0.0, 0.0, float64(len(after))
	for i := range after {
		f := &after[i]
		d := m.predict(parts, f, f.SE)
		if d.quantile(0.025) < f.Elo && f.Elo < d.quantile(0.975) {
			within++
		}
		gain += (math.Log(d.density(f.Elo)) - math.Log(constant.predict(same, f, f.SE).density(f.Elo))) / n
		brier += (d.above(0) - f.won()) * (d.above(0) - f.won()) / n
		t.Logf("%-8s change %5.1f cp: expected %+4.0f [%+4.0f, %+4.0f], P %.2f; shown %+4.0f +- %.0f", f.Engine, 10*f.change(),
			d.mean(), d.quantile(0.025), d.quantile(0.975), d.above(0), f.Elo, 1.96*f.SE)
	}
	t.Logf("%d of %d matches within 95 %%, log density over a constant's %+.2f, Brier score %.3f", within, len(after), gain, brier)
	if len(after) < 10 || 10*within < 8*len(after) || !(gain > 0) {
		t.Errorf("%d of %d matches within 95 %%, log density over a constant's %+.2f", within, len(after), gain)
	}
}
