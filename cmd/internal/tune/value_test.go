package tune

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

func TestDataValue(t *testing.T) {
	dir := t.TempDir()
	var sets []string
	for i := range 4 {
		sets = append(sets, filepath.Join(dir, fmt.Sprint("set-", i)))
		writeWalks(t, sets[i], 8, func(r *dataset.PositionRow) {
			r.Game, r.Opening, r.Ply = r.Game+uint64(1000*i), r.Opening+uint64(1000*i), r.Ply+uint16(i)
		})
	}
	mixed := filepath.Join(dir, "mix.json")
	args := []string{"--model", "shannon-1950", "--out", mixed}
	text, err := execute(t.Context(), NewValue(), append(sets, args...)...)
	if err != nil || !strings.Contains(text, "Gain of such a mix") || !strings.Contains(text, "set-3") {
		t.Fatalf("%v in %s", err, text)
	}
	two, err := execute(t.Context(), NewValue(), sets[0], sets[1], "--model", "shannon-1950")
	if err != nil || !strings.Contains(two, "Mixing weights need 4 data sets") {
		t.Errorf("two: %v in %s", err, two)
	}
	_, err = execute(t.Context(), NewValue(), sets[0], sets[0])
	if err == nil || !strings.Contains(err.Error(), "same data") {
		t.Errorf("twice the same: %v", err)
	}
}
