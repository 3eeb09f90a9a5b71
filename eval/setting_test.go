package eval

import (
	"errors"
	"testing"
)

// TestSetWeight sets weights by the names that players take for options.
func TestSetWeight(t *testing.T) {
	assay, shannon := assayModel(), shannonModel()
	for _, test := range []struct {
		m           *Model
		name, value string
		set, bad    bool
		want        Coef
	}{
		{assay, "queen", "950", true, false, Coef{950, 950}},
		{assay, "queen.mg", "950", true, false, Coef{950, 900}},
		{assay, "queen.eg", "-3", true, false, Coef{900, -3}},
		{shannon, "queen", "1", true, false, Coef{1, 1}},
		{shannon, "queen.mg", "1", false, false, Coef{900, 900}},
		{assay, "queens", "1", false, false, Coef{900, 900}},
		{assay, "queen", "9.5", true, true, Coef{}},
		{assay, "queen", "30001", true, true, Coef{}},
	} {
		w, set, err := test.m.SetWeight(test.m.Start, test.name, test.value)
		if set != test.set || (err != nil) != test.bad || err != nil && !errors.Is(err, ErrWeight) {
			t.Errorf("%s=%s: set %v, %v", test.name, test.value, set, err)
			continue
		}
		queen, _ := test.m.Term("queen")
		if err == nil && w[queen] != test.want {
			t.Errorf("%s=%s: queen %v, want %v", test.name, test.value, w[queen], test.want)
		}
		if test.m.Start[queen] != (Coef{900, 900}) {
			t.Fatal("the weights given were changed")
		}
	}
}
