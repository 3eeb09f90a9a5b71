package tuner

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/rows"
)

// featuresOf turns positions into what an engine with the model's evaluation
// would write.
func featuresOf(m *eval.Model, positions []dataset.PositionRow) (dataset.FeatureSet, []dataset.FeatureRow) {
	set := dataset.FeatureSet{Model: "elsewhere"}
	for i, t := range m.Terms {
		set.Terms = append(set.Terms, dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: float64(m.Start[i].MG),
			EG: float64(m.Start[i].EG)})
	}
	var out []dataset.FeatureRow
	var f eval.Features
	for i := range positions {
		p := &positions[i]
		m.Features(&p.Board, &f)
		r := dataset.FeatureRow{
			Phase: float32(f.Phase) / 24, Scale: float32(f.ScaleNum) / float32(f.ScaleDen), Eval: float32(f.Value(m.Start)),
			Score: p.Score, Result: p.Result, Game: p.Game, Opening: p.Opening, Weight: p.Weight,
		}
		for _, e := range f.Entries {
			r.Terms, r.Counts = append(r.Terms, e.Term), append(r.Counts, float32(e.Count))
		}
		out = append(out, r)
	}
	return set, out
}

func featureSource(positions []dataset.FeatureRow) rows.FeatureSource {
	return rows.FeatureSource{Name: "engine", Len: int64(len(positions)),
		Rows: func(yield func(dataset.FeatureRow, error) bool) {
			for _, r := range positions {
				if !yield(r, nil) {
					return
				}
			}
		}}
}

// TestFeaturesAreThePositions: a fit to the features that an engine wrote is the
// fit to the positions.
func TestFeaturesAreThePositions(t *testing.T) {
	ctx := context.Background()
	m := setup.Must(eval.Lookup("shannon-1950"))
	positions := walks(t, 100)
	set, features := featuresOf(m, positions)
	own := setup.Must(rows.Build{Workers: 2}.Positions(ctx, m, []rows.Source{sliceSource(positions)}))
	ownTerms := setup.Must(rows.TermsOf(m, m.Start))
	set.Model = m.Name // known by name: twins and terms without taper
	foreign := setup.Must(rows.Build{}.Features(ctx, set, []rows.FeatureSource{featureSource(features)}))
	a := setup.Must(Fit(ctx, own, ownTerms, NewConfig()))
	b := setup.Must(Fit(ctx, foreign, rows.TermsOfFeatures(set), NewConfig()))
	for i := range a.Terms {
		x, y := a.Terms[i], b.Terms[i]
		if math.Abs(x.FitMG-y.FitMG) > 1e-9 || x.EG != y.EG || x.Name != y.Name || math.Abs(float64(x.SEMG-y.SEMG)) > 1e-9 {
			t.Errorf("from positions %+v, from features %+v", x, y)
		}
	}
}

func TestFeatureErrors(t *testing.T) {
	m := setup.Must(eval.Lookup("shannon-1950"))
	set, good := featuresOf(m, walks(t, 5))
	for _, tt := range []struct {
		name   string
		change func(r *dataset.FeatureRow)
		want   error
		text   string
	}{
		{"drift", func(r *dataset.FeatureRow) { r.Eval += 2 }, dataset.ErrDrift, "row 8"},
		{"offset forgotten", func(r *dataset.FeatureRow) { r.Offset += 30 }, dataset.ErrDrift, "eval is"},
		{"phase", func(r *dataset.FeatureRow) { r.Phase = 1.3 }, rows.ErrRow, "phase 1.3"},
		{"result", func(r *dataset.FeatureRow) { r.Result = float32(math.NaN()) }, rows.ErrRow, "result NaN"},
		{"count", func(r *dataset.FeatureRow) { r.Counts[0] = 1e30 }, rows.ErrRow, "out of range"},
		{"lengths", func(r *dataset.FeatureRow) { r.Counts = r.Counts[1:] }, rows.ErrRow, "counts"},
	} {
		positions := append([]dataset.FeatureRow(nil), good...)
		r := &positions[7]
		r.Counts = append([]float32(nil), r.Counts...)
		tt.change(r)
		_, err := rows.Build{Disk: t.TempDir()}.Features(context.Background(), set,
			[]rows.FeatureSource{featureSource(positions)})
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) ||
			!strings.Contains(err.Error(), "engine: row 8") {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

// TestStartFrom: weights of a file are found by name, and a value for both phases stays one.
func TestStartFrom(t *testing.T) {
	file := &models.File{
		Model:   "elsewhere",
		Terms:   []models.TermWeight{{Name: "b", MG: 7, EG: 7}, {Name: "a", MG: 1, EG: 2}},
		Foreign: []eval.Term{{Name: "b"}, {Name: "a", Tapered: true, Mirror: 1}},
	}
	terms := []rows.Term{{Name: "a", Tapered: true}, {Name: "b", Tapered: true, Mirror: 1}}
	setup.Check(t, StartFrom(terms, file))
	if a, b := terms[0], terms[1]; a.MG != 1 || a.EG != 2 || !a.Tapered || b.MG != 7 || b.EG != 7 || b.Tapered {
		t.Errorf("%+v", terms)
	}
	if err := StartFrom(terms[:1], file); err == nil || !strings.Contains(err.Error(), `"b" is in the weights`) {
		t.Errorf("a term too many: %v", err)
	}
	terms[1].Name = "c"
	if err := StartFrom(terms, file); err == nil || !strings.Contains(err.Error(), `"c" is in the features`) {
		t.Errorf("another term: %v", err)
	}
}

// The unit changes nothing but the numbers: a fit to features of another unit is the same fit,
// in that unit.
func TestUnit(t *testing.T) {
	ctx := context.Background()
	m := setup.Must(eval.Lookup("shannon-1950"))
	set, features := featuresOf(m, walks(t, 60))
	set.Version, set.Evaluation = 2, dataset.Evaluation{Unit: 100, Tolerance: 2}
	var fits []*Result
	const factor = 2.5
	for _, unit := range []float64{100, 100 * factor} {
		set := set
		set.Terms = append([]dataset.FeatureTerm(nil), set.Terms...)
		for i := range set.Terms {
			set.Terms[i].MG *= unit / 100
			set.Terms[i].EG *= unit / 100
		}
		set.Unit = unit
		rescaled := append([]dataset.FeatureRow(nil), features...)
		for i := range rescaled {
			rescaled[i].Eval *= float32(unit / 100)
			rescaled[i].EGScale = 1
		}
		s := setup.Must(rows.Build{}.Features(ctx, set, []rows.FeatureSource{featureSource(rescaled)}))
		c := NewConfig()
		c.Unit, c.KeepScale = unit, true
		r := setup.Must(Fit(ctx, s, rows.TermsOfFeatures(set), c))
		fits = append(fits, r)
	}
	for i := range fits[0].Terms {
		a, b := fits[0].Terms[i], fits[1].Terms[i]
		if math.Abs(b.FitMG-factor*a.FitMG) > 1e-3*(1+math.Abs(b.FitMG)) ||
			math.Abs(float64(b.SEEG-factor*a.SEEG)) > 1e-3*(1+math.Abs(float64(b.SEEG))) {
			t.Errorf("%s: %v +- %v, in units of %v %v +- %v", a.Name, a.FitMG, a.SEEG, factor, b.FitMG, b.SEEG)
		}
	}
}
