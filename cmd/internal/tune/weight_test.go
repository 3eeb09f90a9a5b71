package tune

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// TestWeight: a weight for a data set is one for each of its rows.
func TestWeight(t *testing.T) {
	dir := t.TempDir()
	var sets [3]string // the third is the second, with rows of half the weight
	for i := range sets {
		sets[i] = filepath.Join(dir, "set-"+string(rune('0'+i)))
		n := min(i, 1)
		writeWalks(t, sets[i], 8, func(r *dataset.PositionRow) {
			r.Game, r.Opening, r.Ply = r.Game+uint64(1000*n), r.Opening+uint64(1000*n), r.Ply+uint16(n)
			if i == 2 {
				r.Weight = 0.5
			}
		})
	}
	terms := func(args ...string) []models.TermWeight {
		t.Helper()
		out := filepath.Join(dir, "w.json")
		if _, err := tune(t, append(args, "--model", "shannon-1950", "--out", out)...); err != nil {
			t.Fatal(err)
		}
		f := setup.Must(models.OpenAny(out))
		return f.Terms
	}
	half := terms(sets[0], sets[2])
	if got := terms(sets[0], sets[1], "--weight", "1,0.5"); !slices.Equal(got, half) {
		t.Errorf("--weight 1,0.5: %v, rows of half the weight: %v", got, half)
	}
	whole := terms(sets[0], sets[1])
	if got := terms(sets[0], sets[1], "--weight", "1,1"); !slices.Equal(got, whole) || slices.Equal(whole, half) {
		t.Errorf("--weight 1,1: %v, without: %v", got, whole)
	}
	for weights, want := range map[string]string{"1": "has 1 numbers for 2 data sets", "1,-1": "want numbers from 0"} {
		if _, err := tune(t, sets[0], sets[1], "--weight", weights); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--weight %s: %v, want %q", weights, err, want)
		}
	}
}
