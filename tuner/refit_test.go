package tuner

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
)

// What a refit predicts is what a fit finds that holds the group at its start: far closer than leaving the others as
// they were. The file that keeps it says the same.
func TestRefit(t *testing.T) {
	syn := synthetic.Games{Games: 400, Rows: 20, Terms: 8, PerRow: 4, Shared: 0.3, K: 0.005, Seed: 5}
	s := syn.Store(t)
	start := objective.NewTapered(syn.Terms)
	truth := syn.Truth()
	for i := range truth.MG { // near the fit, so that the quadratic holds
		start.MG[i], start.EG[i] = math.Round(truth.MG[i]+60), math.Round(truth.EG[i]-50)
	}
	terms := syn.List(start)
	for i := range 3 {
		terms[i].Group = "held"
	}
	c := NewConfig()
	c.K, c.KeepScale, c.Folds = syn.K, true, 0
	whole, err := Fit(context.Background(), s, terms, c)
	if err != nil {
		t.Fatal(err)
	}
	text, err := whole.Refit.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), RefitName)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	kept, err := ReadRefit(path)
	if err != nil {
		t.Fatal(err)
	}
	held := func(x RefitTerm) bool { return x.Group == "held" }
	got := kept.Hold(held)
	if want := whole.Refit.Hold(held); !reflect.DeepEqual(got, want) {
		t.Errorf("read again: %v, want %v", got, want)
	}
	c.Freeze, c.Design = []string{"held"}, whole.Design
	want, err := Fit(context.Background(), s, terms, c)
	if err != nil {
		t.Fatal(err)
	}
	off := func(a eval.Coef, b TermFit) float64 {
		return math.Abs(float64(a.MG-b.MG)) + math.Abs(float64(a.EG-b.EG))
	}
	refitted, left := 0.0, 0.0
	for i := range terms {
		if i < 3 && (float64(got[i].MG) != start.MG[i] || float64(got[i].EG) != start.EG[i]) {
			t.Errorf("%s is held at %v", terms[i].Name, got[i])
		}
		if i >= 3 {
			refitted += off(got[i], want.Terms[i])
			left += off(eval.Coef{MG: whole.Terms[i].MG, EG: whole.Terms[i].EG}, want.Terms[i])
		}
	}
	if refitted > left/3 {
		t.Errorf("refitted weights are %v off those of a fit, weights as they were %v", refitted, left)
	}
	t.Logf("off by %v, without a refit by %v", refitted, left)
	if all := kept.Hold(func(RefitTerm) bool { return false }); all[4] != kept.Terms[4].Fit {
		t.Errorf("nothing held: %v", all)
	}
	for _, bad := range []string{"", "{}\nshort", strings.Replace(string(text), `"mg":0`, `"mg":99`, 1)} {
		if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRefit(path); err == nil || !strings.Contains(err.Error(), RefitName) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

// Whatever a file says, it is refused, or terms can be held.
func FuzzRefit(f *testing.F) {
	for _, rows := range []byte{1, 0, 255} {
		matrix, err := mat.NewDense(1, 1, []float64{1}).MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		matrix[8], matrix[10] = rows, rows>>7 // the last: more rows than there are
		f.Add([]byte(`{"terms":[{"name":"a","group":"a","mg":0,"eg":-1}]}`), matrix)
	}
	f.Add([]byte(`{"terms":[{"mg":-2,"eg":-1}]}`), []byte{})
	f.Fuzz(func(t *testing.T, line, matrix []byte) {
		path := filepath.Join(t.TempDir(), RefitName)
		if err := os.WriteFile(path, slices.Concat(line, []byte("\n"), matrix), 0o666); err != nil {
			t.Fatal(err)
		}
		if x, err := ReadRefit(path); err == nil && len(x.Hold(func(RefitTerm) bool { return true })) != len(x.Terms) {
			t.Error("terms are missing")
		}
	})
}
