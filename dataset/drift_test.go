package dataset

import (
	"errors"
	"strings"
	"testing"
)

// A row's terms must make its evaluation, to a centipawn.
func TestDrift(t *testing.T) {
	set := FeatureSet{Model: "m", Terms: []FeatureTerm{{Name: "a", MG: 100, EG: 50}, {Name: "b", MG: -7, EG: -7}}}
	good := FeatureRow{Terms: []uint16{0, 1}, Counts: []float32{2, 3}, Phase: 7. / 24, Scale: 0.5, Offset: 10,
		Eval: NoEval, Score: NoScore, Weight: 1}
	const value = 10 + 0.5*(2*(100*7./24+50*17./24)-21)
	if v := set.Value(&good); v < value-1e-9 || v > value+1e-9 {
		t.Errorf("value %v, want %v", v, value)
	}
	for eval, want := range map[float32]error{NoEval: nil, 64: nil, 65: nil, 63: ErrDrift, 66: ErrDrift,
		-64: ErrDrift} {
		r := good
		r.Eval = eval
		if err := set.CheckRow(&r); !errors.Is(err, want) {
			t.Errorf("eval %g, value %.3f: %v", eval, value, err)
		}
	}
	for want, change := range map[string]func(*FeatureRow){
		"count 200":         func(r *FeatureRow) { r.Counts = []float32{200, 3} },
		"there are 2 terms": func(r *FeatureRow) { r.Terms = []uint16{0, 2} },
	} {
		r := good
		change(&r)
		if err := set.CheckRow(&r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	set.Float = true
	good.Counts = []float32{200.5, 3}
	if err := set.CheckRow(&good); err != nil {
		t.Error(err)
	}
}
