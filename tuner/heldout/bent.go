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
	set.Formula = f.Formula // tune --formula may have had another one than the features
	fitted, err := withWeights(f, &set, true)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	rounded, err := withWeights(f, &set, false)
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

// withWeights returns the set with the values of the weight file: the fitted numbers, or those
// that they were rounded to.
func withWeights(f *models.File, set *dataset.FeatureSet, fitted bool) (*dataset.FeatureSet, error) {
	out := *set
	out.Terms = nil
	by := make(map[string]*models.TermWeight, len(f.Terms))
	for i := range f.Terms {
		by[f.Terms[i].Name] = &f.Terms[i]
	}
	for _, t := range set.Terms {
		w := by[t.Name]
		if w == nil {
			return nil, fmt.Errorf("the features count a term %q, for which the weights have no value", t.Name)
		}
		step := 1.0
		if w.Step > 0 {
			step = w.Step
		}
		t.MG, t.EG = step*float64(w.MG), step*float64(w.EG)
		if fitted && (w.FitMG != 0 || w.SEMG != 0 || w.FitEG != 0 || w.SEEG != 0) {
			t.MG, t.EG = step*w.FitMG, step*w.FitEG
		}
		if set.Single(&t) {
			t.EG = t.MG
		}
		out.Terms = append(out.Terms, t)
	}
	return &out, out.Check()
}
