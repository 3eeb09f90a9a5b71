package gameloop

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/rows"
)

// fit fits weights to the positions of the last generations, and writes them.
func (l *loop) fit(ctx context.Context, g int, parent string) (*models.File, error) {
	stage := learn.Begin(l.Stage, fmt.Sprintf("generation %d: fit", g))
	r, err := l.fitWithout(ctx, g, groups, stage.Update)
	if err != nil {
		return nil, err
	}
	l.result.K, l.now.Fit = r.K, r
	file, err := r.FileOf(l.Game.Name, nil, tuner.Pedigree{Parent: parent, Program: l.Program})
	if err != nil {
		return nil, err
	}
	if err := learn.WriteFit(l.run.Path(learn.Folder(g)), file, r); err != nil {
		return nil, err
	}
	stage.Finish(fmt.Sprintf("%d positions of %d games, loss %.5f -> %.5f",
		r.Rows, r.Games, r.Start.Train, r.Rounded.Train))
	return file, nil
}

// groups is the number of parts of the games that the jackknife leaves out in turn.
const groups = 20

// fitWithout fits weights to the positions of the last generations up to g, without a part of the games if left is one.
// K is found once, under the start weights; if these are all 0, no slope suits them, and it is that of weights that
// were not fitted. Frozen terms keep their start weights.
func (l *loop) fitWithout(ctx context.Context, g, left int, progress func(done, total int64, note string),
	frozen ...string) (*tuner.Result, error) {
	set := l.Game.FeatureSet()
	var sources []rows.FeatureSource
	for from := max(1, g-keep+1); from <= g; from++ {
		d, _, err := dataset.OpenFeatures(l.run.Path(learn.Folder(from), "features"))
		if err != nil {
			return nil, err
		}
		s, err := rows.FeatureSourceOf(d)
		if err != nil {
			return nil, err
		}
		s.Name = learn.Folder(from)
		s.Rows = func(yield func(dataset.FeatureRow, error) bool) {
			for row, err := range d.All() {
				row.Weight *= float32(math.Pow(2, float64(from-g)))
				if (err != nil || row.Game%groups != uint64(left)) && !yield(row, err) {
					return
				}
			}
		}
		sources = append(sources, s)
	}
	store, err := rows.Build{}.Features(ctx, set, sources)
	if err != nil {
		return nil, err
	}
	terms := rows.TermsOfFeatures(set)
	if err := tuner.StartFrom(terms, l.Start); err != nil {
		return nil, err
	}
	c := tuner.NewConfig()
	c.Seed, c.Workers, c.KeepScale, c.K = l.Plan.Seed, l.Workers, true, l.result.K
	c.Prior, c.Freeze, c.Progress = map[string]float64{"all": prior}, frozen, progress
	if !slices.ContainsFunc(l.Start.Terms, func(t models.TermWeight) bool { return t.MG != 0 }) {
		c.K = models.DefaultK
	}
	return tuner.Fit(ctx, store, terms, c)
}

// worth returns the coefficients of the terms that the start weights count, in units of the
// first one, from fits in which they alone are free, with the standard errors of the jackknife.
func (l *loop) worth(ctx context.Context) (list []Worth, err error) {
	terms := l.Start.Terms
	var frozen []string
	var of []int // the terms of list
	for i, t := range terms {
		if t.MG == 0 {
			frozen = append(frozen, t.Name)
		} else if i > 0 && terms[0].MG != 0 {
			of = append(of, i)
			list = append(list, Worth{Term: t.Name, Unit: terms[0].Name, Start: float64(t.MG) / float64(terms[0].MG)})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	stage := learn.Begin(l.Stage, "what the terms are worth")
	var fits [groups + 1][]tuner.TermFit // the last leaves no games out
	for left := range fits {
		r, err := l.fitWithout(ctx, l.Plan.Generations, left, nil, frozen...)
		if err != nil {
			return nil, err
		}
		fits[left] = r.Terms
		stage.Update(int64(left+1), groups+1, "")
	}
	for i := range list {
		value := func(left int) float64 { return fits[left][of[i]].FitMG / fits[left][0].FitMG }
		mean, sum := 0.0, 0.0
		for left := range groups {
			mean += value(left) / groups
		}
		for left := range groups {
			sum += float64((value(left) - mean) * (value(left) - mean))
		}
		list[i].Value, list[i].SE = value(groups), math.Sqrt(sum*(groups-1)/groups)
	}
	stage.Finish("")
	return list, nil
}
