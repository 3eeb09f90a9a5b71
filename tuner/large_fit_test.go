package tuner

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
)

// TestLargeFit: a fit without matrices has the weights, the errors and the piece values of
// one with them; errors that it does not know are NaN.
func TestLargeFit(t *testing.T) {
	syn := synthetic.Games{Games: 400, Rows: 15, Terms: 60, PerRow: 12, K: 0.006, Seed: 71}
	s, terms := syn.Store(t), syn.List(objective.NewTapered(syn.Terms))
	terms[3].Mirror, terms[4].Mirror, terms[7].Tapered = 4, 3, false
	c := NewConfig()
	c.K, c.Gap = syn.K, 1e-16
	c.Bounds = map[string]objective.Bound{"t0": {Lo: -5, Hi: 5}}
	fit := func(memory int64, method string) *Result {
		c.Memory, c.Method = memory, method
		r, err := Fit(context.Background(), s, terms, c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want, got := fit(1<<40, ""), fit(1, "")
	near := func(what string, a, b, tolerance float64) {
		if !(math.Abs(a-b) <= tolerance*max(1, math.Abs(b))) {
			t.Errorf("%s: %v without matrices, %v with them", what, a, b)
		}
	}
	known := 0
	for i, x := range got.Terms {
		y := want.Terms[i]
		near(x.Name, x.FitMG, y.FitMG, 1e-6)
		near(x.Name, x.FitEG, y.FitEG, 1e-6)
		near(x.Name, x.EffectiveGames, y.EffectiveGames, 1e-6)
		for _, e := range [][2]Float{{x.SEMG, y.SEMG}, {x.SEEG, y.SEEG}, {x.NaiveMG, y.NaiveMG}, {x.SEChangeEG, y.SEChangeEG}} {
			if e[0].Known() {
				known++
				near("error of "+x.Name, float64(e[0]), float64(e[1]), 1e-6)
			}
		}
	}
	if known < 2*largestChanges-10 || known > 4*largestChanges {
		t.Errorf("%d errors are known", known)
	}
	near("D", got.Design, want.Design, 1e-6)
	near("effective parameters", got.Effective, want.Effective, 1e-6)
	near("clustering", got.Clustering, want.Clustering, 1e-6)
	for i, g := range got.Groups {
		near("effective parameters of "+g.Name, g.Effective, want.Groups[i].Effective, 1e-6)
		near("gain of "+g.Name, g.Net, want.Groups[i].Net, 1e-6)
	}
	near("loss", float64(got.Fit.Train), float64(want.Fit.Train), 1e-9)
	for _, method := range []string{"lbfgs", "adam"} {
		c.Gap = 1e-7
		if r := fit(1, method); !r.Converged || math.Abs(float64(r.Fit.Train-want.Fit.Train)) > 1e-5 {
			t.Errorf("%s: %+v, want %+v", method, r.Fit, want.Fit)
		}
	}
	defer func(m int64) { smallestMemory = m }(smallestMemory)
	smallestMemory = 0
	got = fit(1, "")
	for _, x := range []struct {
		name           string
		got, se, exact float64
	}{
		{"design effect", got.Design, float64(got.DesignSE), want.Design},
		{"effective parameters", got.Effective, float64(got.EffectiveSE), want.Effective},
		{"effective parameters of the group", got.Groups[0].Effective, float64(got.EffectiveSE), want.Groups[0].Effective},
	} {
		if !(math.Abs(x.got-x.exact) <= 4*x.se && x.se > 0 && x.se < 0.05*x.exact) {
			t.Errorf("%s: %v ± %v from random signs, %v", x.name, x.got, x.se, x.exact)
		}
	}
}

// TestLargeRealFit: of real games too, with tables and piece values.
func TestLargeRealFit(t *testing.T) {
	if testing.Short() {
		t.Skip("TestLargeFit does the same with fewer terms")
	}
	s, terms := scoredStore(t, "assay", scoredPositions(t, "../dataset/testdata/scored.tsv.zst", 1<<30), 2)
	c := NewConfig()
	c.Gap = 1e-14
	var got [2]*Result
	for i := range got {
		c.Memory = []int64{1 << 40, 1}[i]
		started := time.Now()
		var err error
		if got[i], err = Fit(t.Context(), s, terms, c); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v, %d rows, %d parameters", time.Since(started), got[i].Rows, got[i].Parameters)
	}
	near := func(what string, b, a float64) {
		if !(math.Abs(a-b) <= 1e-6*max(1, math.Abs(b))) {
			t.Errorf("%s: %v without matrices, %v with them", what, a, b)
		}
	}
	want, large := got[0], got[1]
	near("loss", float64(want.Fit.Train), float64(large.Fit.Train))
	for i, x := range want.Terms {
		y := large.Terms[i]
		near(x.Name, x.FitMG, y.FitMG)
		near(x.Name, x.FitEG, y.FitEG)
		near("data of "+x.Name, float64(x.DataShare), float64(y.DataShare))
		if y.SEMG.Known() {
			near("error of "+x.Name, float64(x.SEMG), float64(y.SEMG))
			near("error of "+x.Name, float64(x.NaiveMG), float64(y.NaiveMG))
		}
	}
	for i, x := range want.Pieces {
		y := large.Pieces[i]
		near(x.Piece, x.Value, y.Value)
		near("error of "+x.Piece, float64(x.SE), float64(y.SE))
		near("error in pawns of "+x.Piece, float64(x.SEPawns), float64(y.SEPawns))
	}
	for i, x := range want.Groups {
		near("gain of "+x.Name, x.Net, large.Groups[i].Net)
	}
	known := 0
	for i, x := range want.Tables {
		y := large.Tables[i]
		near("mean of "+x.Name, x.MeanMG, y.MeanMG)
		near("error of the mean of "+x.Name, float64(x.MeanSEEG), float64(y.MeanSEEG))
		for k, e := range x.Centered {
			if y.Centered[k].SEMG.Known() {
				known++
				near("error of "+e.Name, float64(e.SEMG), float64(y.Centered[k].SEMG))
			}
		}
	}
	if known == 0 {
		t.Error("no error of an entry of a table")
	}
}
