//go:build experiment

package archive

import "testing"

// How often the model is used, by the size of the archive and the effect of one covariate; 0 is the rate of
// errors. The table of TUNER.md.
func TestJudgeTable(t *testing.T) {
	const archives = 100
	t.Log("engines fits games | Elo a unit | used | matches within 95 %")
	for _, size := range []world{{engines: 5, fits: 10, games: 300}, {engines: 8, fits: 10, games: 300},
		{engines: 12, fits: 8, games: 1000}, {engines: 20, fits: 20, games: 300}} {
		for _, effect := range []float64{0, 4, 8, 16, 32} {
			w := size
			w.effect, w.tau, w.sigma = effect, 10, 10
			used, covered := w.used(t, archives, uint64(effect)+1)
			t.Logf("%7d %4d %5d | %10.0f | %4.3f | %.3f", w.engines, w.fits, w.games, effect,
				float64(used)/archives, covered)
			if effect == 0 && used > 9 { // 2 standard errors above 5 %
				t.Errorf("a useless model is used in %d of %d archives", used, archives)
			}
		}
	}
}
