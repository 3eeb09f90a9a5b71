package shannon

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/assay-chess/assay/internal/enginetest"
)

// TestRestless compares g(P) with an independent program and with positions made for it.
func TestRestless(t *testing.T) {
	read := func(name string, v any) {
		data, err := os.ReadFile("../../../eval/testdata/" + name)
		if err == nil {
			err = json.Unmarshal(data, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	type row struct {
		FEN, Term string
		G         *float64 `json:"shannon.g"`
		Expected  any
	}
	var table struct{ Positions []row }
	read("term_table.json", &table)
	var vectors struct{ Vectors []row }
	read("term_vectors.json", &vectors)
	checked := 0
	check := func(fen string, want any) {
		checked++
		p := enginetest.Position(t, fen)
		if got := restless(&p); got != (want == 1.0) {
			t.Errorf("%s: %v, want %v", fen, got, want)
		}
	}
	for _, r := range table.Positions {
		if r.G != nil {
			check(r.FEN, *r.G)
		}
	}
	for _, v := range vectors.Vectors {
		if v.Term == "shannon.g" {
			check(v.FEN, v.Expected)
		}
	}
	if checked < 100 {
		t.Errorf("only %d positions checked", checked)
	}
}
