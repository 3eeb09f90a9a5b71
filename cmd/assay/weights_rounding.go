package main

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// roundingCosts are mean losses against the games' results.
type roundingCosts struct {
	rows            int64
	fitted, rounded float64
}

// countedRow is a position as the counts of an evaluation's terms.
type countedRow struct {
	terms          []uint16
	counts         []float32
	phase          float64 // 1 in the middlegame
	scale, offset  float64
	result, weight float64
}

// value returns the evaluation in centipawns under weights that are no integers.
func (r *countedRow) value(w [][2]float64) float64 {
	var mg, eg float64
	for i, t := range r.terms {
		mg += float64(r.counts[i]) * w[t][0]
		eg += float64(r.counts[i]) * w[t][1]
	}
	return r.offset + r.scale*(mg*r.phase+eg*(1-r.phase))
}

// roundingCost evaluates the rows of a data set with the fitted and with the integer
// weights. Weights that were not fitted are the integers in both.
func roundingCost(ctx context.Context, x *openedWeights, path string, bar *progress) (c roundingCosts, err error) {
	rows, total, err := x.countedRows(path)
	if err != nil {
		return c, err
	}
	fitted, rounded := x.unrounded()
	var weight, sumFitted, sumRounded float64
	for row, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return c, err
		}
		weight += row.weight
		sumFitted += row.weight * crossEntropy(x.file.K*row.value(fitted), row.result)
		sumRounded += row.weight * crossEntropy(x.file.K*row.value(rounded), row.result)
		if c.rows++; c.rows%4096 == 0 {
			bar.update(c.rows, total, "")
		}
	}
	if weight == 0 {
		return c, fmt.Errorf("%s holds no positions: give the data set that the weights were fitted to", path)
	}
	c.fitted, c.rounded = sumFitted/weight, sumRounded/weight
	return c, nil
}

// unrounded returns the weights as fitted and as integers, by term.
func (x *openedWeights) unrounded() (fitted, rounded [][2]float64) {
	for i, t := range x.file.Terms {
		whole := [2]float64{float64(t.MG), float64(t.EG)}
		fit := whole
		if t.FitMG != 0 || t.SEMG != 0 || t.FitEG != 0 || t.SEEG != 0 {
			fit = [2]float64{t.FitMG, t.FitEG}
			if !x.terms[i].Tapered {
				fit[1] = t.FitMG
			}
		}
		fitted, rounded = append(fitted, fit), append(rounded, whole)
	}
	return fitted, rounded
}

// countedRows reads a data set through the weights' evaluation: positions through a model
// of ours, features by the names of their terms.
func (x *openedWeights) countedRows(path string) (iter.Seq2[*countedRow, error], int64, error) {
	format, err := dataset.Detect(path)
	if err != nil {
		return nil, 0, err
	}
	if format == dataset.FeaturesFormat {
		return x.featureRows(path)
	}
	if x.model == nil {
		return nil, 0, fmt.Errorf("%s holds %s, and %s is a foreign evaluation: give the data set of features that it was fitted to", path, format, x.file.Model)
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
				x.model.Features(&row.Board, &f)
				r.terms, r.counts = r.terms[:0], r.counts[:0]
				for _, e := range f.Entries {
					r.terms, r.counts = append(r.terms, e.Term), append(r.counts, float32(e.Count))
				}
				r.phase, r.scale = float64(f.Phase)/eval.MaxPhase, float64(f.ScaleNum)/float64(f.ScaleDen)
				r.result, r.weight = float64(row.Result), float64(row.Weight)
			}
			if !yield(r, err) {
				return
			}
		}
	}, d.Len(), nil
}

func (x *openedWeights) featureRows(path string) (iter.Seq2[*countedRow, error], int64, error) {
	d, set, err := dataset.OpenFeatures(path)
	if err != nil {
		return nil, 0, err
	}
	if set.Model != x.file.Model {
		return nil, 0, fmt.Errorf("%s holds features of %q, the weights are of %q", path, set.Model, x.file.Model)
	}
	index := make(map[string]uint16, len(x.terms))
	for i := range x.terms {
		index[x.terms[i].Name] = uint16(i)
	}
	to := make([]uint16, len(set.Terms))
	for i, t := range set.Terms {
		at, ok := index[t.Name]
		if !ok {
			return nil, 0, fmt.Errorf("%s counts a term %q, for which %s has no weight", path, t.Name, x.name)
		}
		to[i] = at
	}
	return func(yield func(*countedRow, error) bool) {
		r := new(countedRow)
		for row, err := range d.All() {
			if err == nil {
				r.terms, r.counts = r.terms[:0], row.Counts
				for _, t := range row.Terms {
					r.terms = append(r.terms, to[t])
				}
				r.phase, r.scale, r.offset = float64(row.Phase), float64(row.Scale), float64(row.Offset)
				r.result, r.weight = float64(row.Result), float64(row.Weight)
			}
			if !yield(r, err) {
				return
			}
		}
	}, d.Len(), nil
}

// crossEntropy returns the loss of the prediction 1/(1+e^-z) for the result y.
func crossEntropy(z, y float64) float64 {
	// log(1+e^z) - yz, in the form that cannot overflow
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y*z
}
