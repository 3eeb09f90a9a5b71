package tuner

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestBounds: weights stay within their bounds; those inside are where the fit
// with the others frozen at the bound would put them; a bound that does not
// bind changes nothing.
func TestBounds(t *testing.T) {
	ctx := context.Background()
	syn := synthetic.Games{Games: 300, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 41}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(8))
	c := NewConfig()
	c.K, c.KeepScale = syn.K, true
	fit := func(c Config, terms []rows.Term) *Result {
		t.Helper()
		r, err := Fit(ctx, s, terms, c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	free := fit(c, terms)
	for _, method := range []string{"gauss-newton"} {
		c.Method = method
		c.Bounds = map[string]objective.Bound{"t0": {Lo: -5, Hi: 5}, "t1": {Lo: 10, Hi: 30}, "t2": {Lo: -1000, Hi: 1000}}
		r := fit(c, terms)
		frozen := append([]rows.Term(nil), terms...)
		held := c
		held.Bounds = nil
		held.Design = r.Design
		for i, x := range r.Terms {
			b := c.Bounds[x.Name]
			if i < 2 && (x.FitMG < b.Lo || x.FitMG > b.Hi || x.FitEG < b.Lo || x.FitEG > b.Hi) {
				t.Errorf("%s: %s is at %+v, bounds %+v", method, x.Name, fitOf(x), b)
			}
			if i < 2 {
				at := func(v float64) bool { return v == b.Lo || v == b.Hi }
				if !at(x.FitMG) || !at(x.FitEG) || x.SEMG != 0 {
					t.Fatalf("%s: %s is at %+v (free %+v) and should be held at both bounds; the test does not test", method, x.Name,
						fitOf(x), fitOf(free.Terms[i]))
				}
				frozen[i].MG, frozen[i].EG = x.FitMG, x.FitEG
				held.Freeze = append(held.Freeze, x.Name)
			}
		}
		want := fit(held, frozen)
		for i, x := range r.Terms {
			y := want.Terms[i]
			if math.Abs(x.FitMG-y.FitMG) > 1e-2 || math.Abs(x.FitEG-y.FitEG) > 1e-2 || math.Abs(float64(x.SEMG-y.SEMG)) > 1e-3 {
				t.Errorf("%s: %s is at %+v +- %+v, with the others frozen at %+v +- %+v", method, x.Name, fitOf(x),
					[2]float64{float64(x.SEMG), float64(x.SEEG)}, fitOf(y), [2]float64{float64(y.SEMG), float64(y.SEEG)})
			}
		}
		if text := strings.Join(r.Warnings, " "); !strings.Contains(text, "held at a bound") {
			t.Errorf("no warning in %q", text)
		}
	}
	c.Bounds = map[string]objective.Bound{"pieces": {Lo: -2000, Hi: 2000}}
	c.Method = ""
	if r := fit(c, terms); math.Abs(r.Terms[3].FitMG-free.Terms[3].FitMG) > 1e-6 {
		t.Errorf("bounds that do not bind: %+v, without %+v", r.Terms[3], free.Terms[3])
	}
	for _, bad := range []map[string]objective.Bound{{"t0": {Lo: 5, Hi: -5}}, {"t0": {Lo: math.NaN(), Hi: 1}},
		{"queens": {Lo: 0, Hi: 1}}} {
		c.Bounds = bad
		if _, err := Fit(ctx, s, terms, c); !errors.Is(err, objective.ErrConfig) && !errors.Is(err, objective.ErrName) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

// TestTies: terms tied by name change by the same amount.
func TestTies(t *testing.T) {
	syn := synthetic.Games{Games: 200, Rows: 20, Terms: 8, PerRow: 4, K: 0.006, Seed: 42}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(8))
	terms[5].MG = 30
	c := NewConfig()
	c.K, c.KeepScale, c.Ties = syn.K, true, []string{"t1=t5", "t2=t5", "t0=t7"}
	r, err := Fit(context.Background(), s, terms, c)
	if err != nil {
		t.Fatal(err)
	}
	x := r.Terms
	if fitOf(x[1]) != fitOf(x[2]) || math.Abs(x[5].FitMG-30-x[1].FitMG) > 1e-9 || fitOf(x[0]) != fitOf(x[7]) ||
		x[1].FitMG == 0 || r.Parameters != 10 {
		t.Errorf("%d parameters: %+v %+v %+v, %+v %+v", r.Parameters, fitOf(x[1]), fitOf(x[2]), fitOf(x[5]), fitOf(x[0]),
			fitOf(x[7]))
	}
	for _, bad := range []string{"t1=t99", "t1", "=", "t99=t1"} {
		c.Ties = []string{bad}
		if _, err := Fit(context.Background(), s, terms, c); !errors.Is(err, objective.ErrConfig) &&
			!errors.Is(err, objective.ErrName) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

func fitOf(x TermFit) [2]float64 { return [2]float64{x.FitMG, x.FitEG} }
