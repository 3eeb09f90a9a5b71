package gameloop

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/rows"
)

// fit fits weights to the positions of the last generations, and writes them.
func (l *loop) fit(ctx context.Context, g int, parent string) (*tuner.Result, *models.File, error) {
	stage := learn.Begin(l.Stage, fmt.Sprintf("generation %d: fit", g))
	c := l.fitConfig()
	c.Progress = stage.Update
	store, terms, err := l.store(ctx, g, func(uint64) bool { return true })
	if err != nil {
		return nil, nil, err
	}
	r, err := tuner.Fit(ctx, store, terms, c)
	if err != nil {
		return nil, nil, err
	}
	l.result.K = r.K
	file, err := r.FileOf(l.Game.Name, nil, tuner.Pedigree{Parent: parent, Program: l.Program})
	if err != nil {
		return nil, nil, err
	}
	text, err := file.Encode()
	if err != nil {
		return nil, nil, err
	}
	doc, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	for name, data := range map[string][]byte{learn.WeightsName: text, FitName: append(doc, '\n')} {
		if err := durable.WriteFile(l.run.Path(learn.Folder(g), name), data); err != nil {
			return nil, nil, err
		}
	}
	stage.Finish(fmt.Sprintf("%d positions of %d games, loss %.5f -> %.5f",
		r.Rows, r.Games, r.Start.Train, r.Rounded.Train))
	return r, file, nil
}

// fitConfig returns how all fits of the run are made. K is found once, under the start weights; if
// these are all 0, no slope suits them, and it is that of weights that were not fitted.
func (l *loop) fitConfig() tuner.Config {
	c := tuner.NewConfig()
	c.Seed, c.Workers, c.KeepScale, c.K = l.Plan.Seed, l.Workers, true, l.result.K
	c.Prior = map[string]float64{"all": prior}
	if !slices.ContainsFunc(l.Start.Terms, func(t models.TermWeight) bool { return t.MG != 0 }) {
		c.K = models.DefaultK
	}
	return c
}

// store collects the positions of the last generations up to g, of the games that are wanted.
func (l *loop) store(ctx context.Context, g int, want func(game uint64) bool) (*rows.Store, []rows.Term, error) {
	set := l.Game.FeatureSet()
	var sources []rows.FeatureSource
	for from := max(1, g-keep+1); from <= g; from++ {
		d, _, err := dataset.OpenFeatures(l.run.Path(learn.Folder(from), "features"))
		if err != nil {
			return nil, nil, err
		}
		s, err := rows.FeatureSourceOf(d)
		if err != nil {
			return nil, nil, err
		}
		s.Name = learn.Folder(from)
		s.Rows = weighted(s.Rows, float32(math.Pow(2, float64(from-g))), want)
		sources = append(sources, s)
	}
	store, err := rows.Build{}.Features(ctx, set, sources)
	if err != nil {
		return nil, nil, err
	}
	terms := rows.TermsOfFeatures(set)
	return store, terms, tuner.StartFrom(terms, l.Start)
}

// weighted multiplies the weights of rows, and leaves out games that are not wanted.
func weighted(all iter.Seq2[dataset.FeatureRow, error], by float32,
	want func(game uint64) bool) iter.Seq2[dataset.FeatureRow, error] {
	return func(yield func(dataset.FeatureRow, error) bool) {
		for row, err := range all {
			row.Weight *= by
			if err == nil && !want(row.Game) {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// groups is the number of parts of the games that the jackknife leaves out in turn.
const groups = 20

// worth returns the coefficients of the terms that the start weights count, in units of the
// first one, from fits in which they alone are free.
func (l *loop) worth(ctx context.Context) ([]Worth, error) {
	var list []Worth
	terms := l.Start.Terms
	for _, t := range terms[1:] {
		if terms[0].MG != 0 && t.MG != 0 {
			list = append(list, Worth{Term: t.Name, Unit: terms[0].Name, Start: float64(t.MG) / float64(terms[0].MG)})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	stage := learn.Begin(l.Stage, "what the terms are worth")
	var values [groups + 1][]float64
	for left := range groups + 1 { // the last leaves none out
		store, terms, err := l.store(ctx, l.Plan.Generations,
			func(game uint64) bool { return game%groups != uint64(left) })
		if err != nil {
			return nil, err
		}
		c := l.fitConfig()
		for _, t := range terms {
			if t.MG == 0 {
				c.Freeze = append(c.Freeze, t.Name)
			}
		}
		r, err := tuner.Fit(ctx, store, terms, c)
		if err != nil {
			return nil, err
		}
		for _, t := range r.Terms {
			if slices.ContainsFunc(list, func(w Worth) bool { return w.Term == t.Name }) {
				values[left] = append(values[left], t.FitMG/r.Terms[0].FitMG)
			}
		}
		stage.Update(int64(left+1), groups+1, "")
	}
	for i := range list {
		list[i].Value, list[i].SE = jackknife(values, i)
	}
	stage.Finish("")
	return list, nil
}

// jackknife returns a value of all games, and its standard error from the values without one
// part of them each.
func jackknife(values [groups + 1][]float64, i int) (value, se float64) {
	mean, sum := 0.0, 0.0
	for _, v := range values[:groups] {
		mean += v[i] / groups
	}
	for _, v := range values[:groups] {
		sum += float64((v[i] - mean) * (v[i] - mean))
	}
	return values[groups][i], math.Sqrt(sum * (groups - 1) / groups)
}
