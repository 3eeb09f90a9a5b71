package tune

import (
	"fmt"
	"os"
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
	out := filepath.Join(dir, "w.json")
	fit := append(sets[:3:3], "--model", "shannon-1950", "--mix", mixed, "--out", out)
	if _, err := tune(t, fit...); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(mixed)
	if err != nil {
		t.Fatal(err)
	}
	weights := func(text string) (id string) {
		if err := os.WriteFile(mixed, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := tune(t, fit...)
		if err != nil {
			return err.Error()
		}
		return got[strings.LastIndex(got, "(id "):]
	}
	same := weights(string(content))
	if other := weights(strings.Replace(string(content), `"weight": 1`, `"weight": 9`, 2)); other == same {
		t.Errorf("other weights change nothing: %s", other)
	}
	for text, want := range map[string]string{
		"{}": "is no file of mixing weights",
		`{"format":"assay.mix/1","data":{"x":{"name":"a","weight":-1}}}`: "want a number from 0",
		`{"format":"assay.mix/1","data":{"x":{"name":"a","weight":1}}}`:  "has no weight for " + sets[0],
	} {
		if got := weights(text); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", text, got, want)
		}
	}
}
