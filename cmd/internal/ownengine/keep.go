package ownengine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/screen/play"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// group is a group of the screen: one of the fit's, or several small ones.
type group struct {
	enginerun.Group
	names []string
}

// compose returns the champion with the groups of a fit that games, or without them the fit, speak for.
func (l *loop) compose(g int, champion *learn.Weights, fit string) (*learn.Weights, error) {
	old, err := tuner.StartWeights(l.set)
	if err != nil {
		return nil, err
	}
	champion.Values = old
	var found tuner.Result
	if err := durable.ReadJSON(filepath.Join(fit, durable.RunResultName), &found); err != nil {
		return nil, err
	}
	refit, err := tuner.ReadRefit(filepath.Join(fit, tuner.RefitName))
	if err != nil {
		return nil, err
	}
	l.now.Headline = found.Headline()
	groups := changed(refit, &found)
	if err := l.screen(g, champion, fit, groups); err != nil {
		return nil, err
	}
	if err := l.whole(g, champion, fit); err != nil {
		return nil, err
	}
	on := map[string]bool{}
	for _, x := range groups {
		l.now.Groups = append(l.now.Groups, x.Group)
		for _, name := range x.names {
			on[name] = x.Kept
		}
	}
	file, err := models.OpenAny(filepath.Join(fit, learn.WeightsName))
	if err != nil {
		return nil, err
	}
	for i, c := range refit.Hold(func(t tuner.RefitTerm) bool { return !on[t.Group] }) {
		file.Terms[i].MG, file.Terms[i].EG = c.MG, c.EG
	}
	if file, err = l.trust(champion.Values, file, l.path(learn.Folder(g), "features-1")); err != nil {
		return nil, err
	}
	return l.candidate(g, learn.WeightsName, champion, file)
}

// changed returns the groups of terms that a fit changed, at most enginerun.MaxGroups: the smallest are joined.
func changed(refit *tuner.Refit, found *tuner.Result) (list []group) {
	for _, t := range refit.Terms {
		if t.Start == t.Fit || slices.ContainsFunc(list, func(x group) bool { return x.Name == t.Group }) {
			continue
		}
		x := group{enginerun.Group{Name: t.Group, Kept: true}, []string{t.Group}}
		for _, gain := range found.Groups {
			if gain.Name == t.Group {
				x.Net = gain.Net
			}
		}
		list = append(list, x)
	}
	for len(list) > enginerun.MaxGroups {
		bySize := slices.SortedFunc(slices.Values(list), func(a, b group) int {
			return cmp.Compare(math.Abs(a.Net), math.Abs(b.Net))
		})
		least, next := bySize[0].Name, bySize[1].Name
		i := slices.IndexFunc(list, func(x group) bool { return x.Name == least || x.Name == next })
		j := i + 1 + slices.IndexFunc(list[i+1:], func(x group) bool { return x.Name == least || x.Name == next })
		list[i].Name += "+" + list[j].Name // as assay screen --group names them
		list[i].Net += list[j].Net
		list[i].names = append(list[i].names, list[j].names...)
		list = slices.Delete(list, j, j+1)
	}
	return list
}

// screen says which groups to keep: those that games and the fit together expect to gain. Without a screen all are.
func (l *loop) screen(g int, champion *learn.Weights, fit string, groups []group) error {
	switch {
	case l.plan.Screen == 0:
		l.now.Why = "its games were too few, and worth more as self-play"
	case len(groups) < 2:
		l.now.Why = "the fit changed one group of terms at most"
	}
	if l.now.Why != "" {
		return nil
	}
	var joined []string
	for _, x := range groups {
		if len(x.names) > 1 {
			joined = append(joined, strings.Join(x.names, ","))
		}
	}
	player, how, err := l.screened(champion)
	if err != nil {
		return err
	}
	words := slices.Concat([]string{"screen", player, "weights=" + fit}, how, l.games(l.plan.Screen, g, screenStage),
		l.plan.Limits())
	if len(joined) > 0 {
		words = append(words, "--group", strings.Join(joined, " "))
	}
	out, err := l.stage(learn.Folder(g), "screen", words...)
	if err != nil {
		return err
	}
	var r play.Result
	if err := durable.ReadJSON(filepath.Join(out, durable.RunResultName), &r); err != nil {
		return err
	}
	gains := make([]float64, len(r.Factors))
	at := make([]*group, len(r.Factors))
	for j, f := range r.Factors {
		i := slices.IndexFunc(groups, func(x group) bool { return x.Name == f.Name })
		if i < 0 {
			return fmt.Errorf("%s: a factor %q that the fit does not have", out, f.Name)
		}
		at[j], gains[j] = &groups[i], groups[i].Net
	}
	expected := r.Expect(gains)
	if expected == nil {
		l.now.Why = "its games were too few"
		return nil
	}
	l.now.Screened = true
	for j, x := range at {
		x.Effect, x.Expected, x.Kept = r.Effects[j], expected[j], expected[j] > 0
	}
	return nil
}

// screened returns the champion as the base of a screen, and how its weights change: by builds, or by files it loads.
func (l *loop) screened(champion *learn.Weights) (player string, how []string, err error) {
	if l.project.Weights != "" {
		b, err := l.built(enginerun.BaseTag)
		if err != nil {
			return "", nil, err
		}
		return l.player(b.Path, ""), []string{"--weights-option", l.project.Weights}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	build := quote.Word(self) + " weights export {weights}"
	for _, name := range l.project.Sources {
		build += " --into " + quote.Word(name)
	}
	return "git:" + enginerun.Tag(champion.WeightsRef), []string{"--repo", l.clone.Dir, "--no-bench", "--build", build + " && " +
		l.project.Build()}, nil
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
// over positions of a data set, in centipawns. Positions without a value do not count: those that the engine skips, and
// those where a formula has none.
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
	if l.project.Weights == "" && !l.clone.Has(l.ctx, enginerun.Tag(w.WeightsRef)) {
		if err := l.inSource(path, func() error {
			return l.clone.Keep(l.ctx, "assay: the weights of generation "+fmt.Sprint(g), enginerun.Tag(w.WeightsRef))
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
	if err := l.clone.Restore(l.ctx, enginerun.BaseTag); err != nil {
		return err
	}
	if err := l.export(path); err != nil {
		return err
	}
	return errors.Join(then(), l.clone.Restore(l.ctx, enginerun.BaseTag))
}
