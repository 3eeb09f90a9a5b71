package ownengine

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// take returns the weights of a fit to the champion's games, with a step that can be trusted.
func (l *loop) take(g int, champion *learn.Weights, fit string) (*learn.Weights, error) {
	old, err := tuner.StartWeights(l.set)
	if err != nil {
		return nil, err
	}
	champion.Values = old
	var found tuner.Result
	if err := durable.ReadJSON(filepath.Join(fit, durable.RunResultName), &found); err != nil {
		return nil, err
	}
	l.now.Headline = found.Headline()
	file, err := models.OpenAny(filepath.Join(fit, learn.WeightsName))
	if err != nil {
		return nil, err
	}
	if file, err = l.trust(old, file, l.path(learn.Folder(g), "features-1")); err != nil {
		return nil, err
	}
	return l.candidate(g, learn.WeightsName, champion, file)
}

// trust shortens a step that changes the evaluation by more than half of its own root mean square: so far from where
// it was linear a fit is no guide.
func (l *loop) trust(old, new *models.File, features string) (*models.File, error) {
	change, size, err := changeOf(new, features)
	if err != nil {
		return nil, err
	}
	l.now.Change = change
	if change <= size/2 {
		return new, nil
	}
	l.now.Step = size / 2 / change
	l.now.Change = size / 2
	return between(old, new, l.now.Step), nil
}

// changeRows are enough rows to know by how much weights change an evaluation.
const changeRows = 20000

// changeOf returns by how much weights change the evaluation, and the evaluation as it was, both as root mean squares
// over positions of a data set, in centipawns.
func changeOf(new *models.File, features string) (change, size float64, err error) {
	data, set, err := dataset.OpenFeatures(features)
	if err != nil {
		return 0, 0, err
	}
	tuned, err := tuner.WithWeights(new, &set)
	if err != nil {
		return 0, 0, err
	}
	n := 0
	for row, err := range data.All() {
		if err != nil {
			return 0, 0, err
		}
		was, is := set.Value(&row), tuned.Value(&row)
		if math.IsNaN(was) || math.IsNaN(is) {
			continue
		}
		size += was * was
		change += math.Pow(is-was, 2)
		if n++; n == changeRows {
			break
		}
	}
	root := func(sum float64) float64 { return set.Centipawns(math.Sqrt(sum / float64(max(n, 1)))) }
	return root(change), root(size), nil
}

// between returns the weights a share of the way from old to new ones.
func between(old, new *models.File, share float64) *models.File {
	f := *new
	f.Terms = slices.Clone(new.Terms)
	step := func(a, b int32) int32 { return a + int32(math.Round(share*float64(b-a))) }
	for i := range f.Terms {
		t := &f.Terms[i]
		t.MG, t.EG = step(old.Terms[i].MG, t.MG), step(old.Terms[i].EG, t.EG)
	}
	return &f
}

// candidate keeps weights as a file of a generation and as an engine, and checks that this evaluates as they say.
// Weights that are the champion's are the champion.
func (l *loop) candidate(g int, name string, champion *learn.Weights, file *models.File) (*learn.Weights, error) {
	coefs := func(f *models.File) (list []eval.Coef) {
		for _, t := range f.Terms {
			list = append(list, eval.Coef{MG: t.MG, EG: t.EG})
		}
		return list
	}
	if slices.Equal(coefs(file), coefs(champion.Values)) {
		return champion, nil
	}
	w := &learn.Weights{WeightsRef: learn.WeightsRef{ID: file.ID(), File: learn.Folder(g) + "/" + name, Generation: g},
		Values: file}
	path := l.path(learn.Folder(g), name)
	if err := write(file, path); err != nil {
		return nil, err
	}
	if l.project.Weights == "" && !l.clone.Has(l.ctx, Tag(w.WeightsRef)) {
		if err := l.inSource(path, func() error {
			return l.clone.Keep(l.ctx, "assay: the weights of generation "+fmt.Sprint(g), Tag(w.WeightsRef))
		}); err != nil {
			return nil, err
		}
	}
	return w, l.verify(g, w, path)
}

// verify compares what the engine with new weights evaluates with the rows of the fit.
func (l *loop) verify(g int, w *learn.Weights, path string) error {
	dump, err := l.dumpOf(w)
	if err != nil {
		return err
	}
	rows := l.path(learn.Folder(g), fmt.Sprintf("features-%d", len(l.plan.Added)+g))
	found, err := l.compare(rows, l.data(g), path, dump)
	if err == nil {
		l.now.Changed = found.Changed
	}
	return err
}

// inSource writes weights into the source for as long as then runs.
func (l *loop) inSource(path string, then func() error) error {
	if err := l.clone.Restore(l.ctx, BaseTag); err != nil {
		return err
	}
	if err := l.export(path); err != nil {
		return err
	}
	return errors.Join(then(), l.clone.Restore(l.ctx, BaseTag))
}
