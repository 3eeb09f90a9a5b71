package heldout

import (
	"context"
	"fmt"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	tunerows "github.com/assay-chess/assay/tuner/rows"
)

// Rounding is the mean cross-entropy of weights against the games' results, before and
// after they were rounded to integers.
type Rounding struct {
	Rows            int64
	Fitted, Rounded float64
}

// RoundingLoss evaluates the rows of a data set with the fitted numbers of a weight file
// and with its integers; weights that were not fitted are the integers in both. Positions
// are counted by the model of the weights, features by the names of their terms. A formula is
// that of the weights, smooth as the fit saw it. progress is called with the rows read so far; nil for none.
func RoundingLoss(ctx context.Context, f *models.File, path string, progress func(done, total int64, note string)) (r Rounding, err error) {
	rows, total, err := valuedRows(f, path)
	if err != nil {
		return r, err
	}
	var weight, sumFitted, sumRounded float64
	for row, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return r, err
		}
		weight += row.weight
		sumFitted += float64(row.weight * crossEntropy(f.K*row.fitted, row.result))
		sumRounded += float64(row.weight * crossEntropy(f.K*row.rounded, row.result))
		if r.Rows++; r.Rows%4096 == 0 && progress != nil {
			progress(r.Rows, total, "")
		}
	}
	if weight == 0 {
		return r, fmt.Errorf("%s holds no positions: give the data set that the weights were fitted to", path)
	}
	r.Fitted, r.Rounded = sumFitted/weight, sumRounded/weight
	return r, nil
}

// valuedRow is a position with its evaluation by the fitted numbers and by the integers, in
// units of the evaluation.
type valuedRow struct{ fitted, rounded, result, weight float64 }

// valuedRows reads a data set of positions or of features; n is the number of rows.
func valuedRows(f *models.File, path string) (rows iter.Seq2[valuedRow, error], n int64, err error) {
	if f.Formula != "" {
		return bentRows(f, path)
	}
	table, err := f.Table()
	if err != nil {
		return nil, 0, err
	}
	counted, n, err := countedRows(f, path)
	if err != nil {
		return nil, 0, err
	}
	fitted, rounded := coefficients(f, table)
	return func(yield func(valuedRow, error) bool) {
		for r, err := range counted {
			var v valuedRow
			if err == nil {
				v = valuedRow{r.value(fitted), r.value(rounded), r.result, r.weight}
			}
			if !yield(v, err) {
				return
			}
		}
	}, n, nil
}

// coefficients returns the weights, mg and eg by term, as fitted and as integers.
func coefficients(f *models.File, table []eval.Term) (fitted, rounded [][2]float64) {
	for i, t := range f.Terms {
		whole := [2]float64{float64(t.MG), float64(t.EG)}
		fit := whole
		if t.FitMG != 0 || t.SEMG != 0 || t.FitEG != 0 || t.SEEG != 0 {
			fit = [2]float64{t.FitMG, t.FitEG}
			if !table[i].Tapered {
				fit[1] = t.FitMG
			}
		}
		fitted, rounded = append(fitted, fit), append(rounded, whole)
	}
	return fitted, rounded
}

// countedRow is a position as the counts of an evaluation's terms.
type countedRow struct {
	terms          []uint16
	counts         []float32
	mg, eg         float64 // factors of the two values
	scale, offset  float64
	result, weight float64
}

// value returns the evaluation in centipawns under coefficients that need not be integers.
func (r *countedRow) value(w [][2]float64) float64 {
	var mg, eg float64
	for i, t := range r.terms {
		mg += float64(float64(r.counts[i]) * w[t][0])
		eg += float64(float64(r.counts[i]) * w[t][1])
	}
	return r.offset + float64(r.scale*(float64(mg*r.mg)+float64(eg*r.eg)))
}

// countedRows reads a data set of positions or of features; n is the number of rows.
func countedRows(f *models.File, path string) (rows iter.Seq2[*countedRow, error], n int64, err error) {
	format, err := dataset.Detect(path)
	if err != nil {
		return nil, 0, err
	}
	if dataset.IsFeatures(format) {
		return featureRows(f, path)
	}
	if f.Foreign != nil {
		return nil, 0, fmt.Errorf("%s holds %s, and %s is a foreign evaluation: give the data set of features that it was fitted to", path, format, f.Model)
	}
	return positionRows(f, path)
}

func positionRows(f *models.File, path string) (iter.Seq2[*countedRow, error], int64, error) {
	model, _, err := f.Weights()
	if err != nil {
		return nil, 0, err
	}
	if model.Bend != nil {
		return nil, 0, fmt.Errorf("%s: model %s has a formula, under which rounding is not measured", path, model.Name)
	}
	d, err := dataset.OpenPositions(path)
	if err != nil {
		return nil, 0, err
	}
	return func(yield func(*countedRow, error) bool) {
		var f eval.Features
		r := new(countedRow)
		for row, err := range d.All() {
			if err == nil {
				model.Features(&row.Board, &f)
				r.terms, r.counts = r.terms[:0], r.counts[:0]
				for _, e := range f.Entries {
					r.terms, r.counts = append(r.terms, e.Term), append(r.counts, float32(e.Count))
				}
				r.mg = float64(f.Phase) / eval.MaxPhase
				r.eg, r.scale = 1-r.mg, float64(f.ScaleNum)/float64(f.ScaleDen)
				r.result, r.weight = float64(row.Result), float64(row.Weight)
			}
			if !yield(r, err) {
				return
			}
		}
	}, d.Len(), nil
}

// featuresOf opens a data set of features of the evaluation that the weights are of.
func featuresOf(f *models.File, path string) (*dataset.Reader[dataset.FeatureRow], dataset.FeatureSet, error) {
	d, set, err := dataset.OpenFeatures(path)
	switch {
	case err != nil:
	case set.Model != f.Model:
		err = fmt.Errorf("%s holds features of %q, the weights are of %q", path, set.Model, f.Model)
	case set.Bent() && f.Formula == "":
		err = fmt.Errorf("%s: the features have a formula, the weights of %q have none: give weights that assay tune fitted to such features", path, f.Model)
	}
	return d, set, err
}

func featureRows(f *models.File, path string) (iter.Seq2[*countedRow, error], int64, error) {
	d, set, err := featuresOf(f, path)
	if err != nil {
		return nil, 0, err
	}
	index := make(map[string]uint16, len(f.Terms))
	for i := range f.Terms {
		index[f.Terms[i].Name] = uint16(i)
	}
	linear := tunerows.NewLinear(set)
	to := make([]uint16, len(linear.Terms()))
	for i, t := range linear.Terms() {
		at, ok := index[t.Name]
		if !ok {
			return nil, 0, fmt.Errorf("%s counts a term %q, for which the weights have no value", path, t.Name)
		}
		to[i] = at
	}
	return func(yield func(*countedRow, error) bool) {
		r, line := new(countedRow), new(tunerows.Row)
		for row, err := range d.All() {
			if err == nil {
				err = linear.Row(&row, line)
			}
			if err == nil {
				r.terms, r.counts = r.terms[:0], r.counts[:0]
				for _, e := range line.Entries {
					r.terms, r.counts = append(r.terms, to[e.Term]), append(r.counts, e.Count)
				}
				if r.mg, r.eg = float64(line.MG), float64(line.EG); line.Phase != tunerows.OwnFactors {
					r.mg = float64(line.Phase) / tunerows.MaxPhase
					r.eg = 1 - r.mg
				}
				r.scale, r.offset = float64(line.Scale), float64(line.Offset)
				r.result, r.weight = float64(row.Result), float64(row.Weight)
			}
			if !yield(r, err) {
				return
			}
		}
	}, d.Len(), nil
}
