package heldout

import (
	"fmt"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/models"
)

// bentRows evaluates features by the formula of the weights.
func bentRows(f *models.File, path string) (iter.Seq2[valuedRow, error], int64, error) {
	format, err := dataset.Detect(path)
	if err != nil {
		return nil, 0, err
	}
	if !dataset.IsFeatures(format) {
		return nil, 0, fmt.Errorf("%s holds %s, and %s is a foreign evaluation: give the data set of features that it was fitted to", path, format, f.Model)
	}
	d, set, err := featuresOf(f, path)
	if err != nil {
		return nil, 0, err
	}
	if len(set.Channels) == 0 {
		return nil, 0, fmt.Errorf("%s: the features have no channels for the formula of the weights", path)
	}
	fitted, err := WithWeights(f, &set, true)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	rounded, err := WithWeights(f, &set, false)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return func(yield func(valuedRow, error) bool) {
		for row, err := range d.All() {
			if err == nil && row.Weight == 0 {
				continue // skipped rows have no counts
			}
			v := valuedRow{result: float64(row.Result), weight: float64(row.Weight)}
			if err == nil {
				v.fitted, err = fitted.SmoothValue(&row)
			}
			if err == nil {
				v.rounded, err = rounded.SmoothValue(&row)
			}
			if !yield(v, err) {
				return
			}
		}
	}, d.Len(), nil
}

// WithWeights returns the set with the values of the weight file: the fitted numbers, or those
// that they were rounded to. The formula is that of the weights.
func WithWeights(f *models.File, set *dataset.FeatureSet, fitted bool) (*dataset.FeatureSet, error) {
	out := *set
	out.Terms, out.Formula = nil, f.Formula
	by := make(map[string]*models.TermWeight, len(f.Terms))
	for i := range f.Terms {
		by[f.Terms[i].Name] = &f.Terms[i]
	}
	for _, t := range set.Terms {
		mg, eg := by[t.Name], by[t.Name]
		if mg == nil && set.BySide { // halves of their own, see rows.Linear
			mg, eg = by[t.Name+".mg"], by[t.Name+".eg"]
		}
		if mg == nil || eg == nil {
			return nil, fmt.Errorf("the features count a term %q, for which the weights have no value", t.Name)
		}
		step := 1.0
		if mg.Step > 0 {
			step = mg.Step
		}
		t.MG, t.EG = step*float64(mg.MG), step*float64(eg.EG)
		if w := mg; fitted && (w.FitMG != 0 || w.SEMG != 0 || w.FitEG != 0 || w.SEEG != 0) {
			t.MG, t.EG = step*w.FitMG, step*eg.FitEG
		}
		switch {
		case t.Kind == dataset.MiddlegameTerm:
			t.EG = 0
		case t.Kind == dataset.EndgameTerm:
			t.MG, t.EG = 0, t.MG
		case set.Single(&t):
			t.EG = t.MG
		}
		out.Terms = append(out.Terms, t)
	}
	return &out, out.Check()
}
