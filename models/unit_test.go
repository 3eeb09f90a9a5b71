package models

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// Weights of a foreign evaluation may have a unit of their own. It is not part of the id.
func TestUnit(t *testing.T) {
	text := func(unit string) []byte {
		return []byte(`{"format":"assay.weights/1","model":"mine","unit":"` + unit +
			`","K":1,"provenance":{},"terms":[{"name":"a","mg":3}]}`)
	}
	centipawns, err := ParseAny("w.json", text("centipawn"))
	if err != nil || centipawns.Unit != 0 || centipawns.Units() != "centipawns" ||
		centipawns.UnitName() != "centipawn" {
		t.Fatalf("%v %+v", err, centipawns)
	}
	for unit, want := range map[string]float64{"1/256 pawn": 256, "1/62.5 pawn": 62.5, "1/100 pawn": 0} {
		f, err := ParseAny("w.json", text(unit))
		if err != nil || f.Unit != want || f.ID() != centipawns.ID() {
			t.Errorf("%s: %v, %+v", unit, err, f)
			continue
		}
		encoded, err := f.Encode()
		if want != 0 && !bytes.Contains(encoded, []byte(`"unit": "`+unit+`"`)) {
			t.Errorf("%s: %v %s", unit, err, encoded)
		}
		if again, err := ParseAny("w.json", encoded); err != nil || again.Unit != want {
			t.Errorf("%s: %v %+v", unit, err, again)
		}
	}
	for _, unit := range []string{"pawn", "1/5 pawn", "1/20000 pawn", "1/x pawn", "1/NaN pawn", "256", "1/256"} {
		if _, err := ParseAny("w.json", text(unit)); err == nil ||
			!strings.Contains(err.Error(), "with N from 10 to 10000 engine units, got") {
			t.Errorf("%s: %v", unit, err)
		}
	}
	own := setup.Must(Embedded("shannon-1950"))
	own.Unit = 256
	if _, err := own.Encode(); err == nil || !strings.Contains(err.Error(), "are in centipawns") {
		t.Errorf("our own model: %v", err)
	}
	f := foreignFile(t)
	f.Unit = 256
	var b strings.Builder
	if err := f.Export(&b, "c"); err != nil || !strings.Contains(b.String(), "in engine units; written by") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if f.Unit = 3; f.Export(&b, "c") == nil {
		t.Error("three units a pawn are exported")
	}
}
