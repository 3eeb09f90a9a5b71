package factor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/tuner"
)

// weights are those of the base and of a file whose groups of terms are factors.
type weights struct {
	terms        []eval.Term
	old, new     []eval.Coef
	refit        *tuner.Refit // how the other groups change where one is old; nil: they do not
	file         *models.File // the new weights
	built        bool         // engines are built with them, or load them; else they are options of a player
	oldID, newID string
}

// addWeights adds a factor for each group of terms whose weights differ between the player and a file, or for the
// groups that are named. In a folder of a fit the file has the refit beside it; the file alone changes no other group.
func (s *Set) addWeights(text string, base engine.Spec) error {
	path, wanted := text, []string(nil)
	if at := strings.LastIndex(text, ":"); at > 0 && !strings.ContainsAny(text[at:], `/\.`) {
		path, wanted = text[:at], strings.Split(text[at+1:], ",")
	}
	if s.weights != nil {
		return cli.Usagef("weights=%s: groups of one weight file at a time", text)
	}
	w := &weights{built: base.FromGit() || s.option != ""}
	folder := filepath.Dir(path)
	info, err := os.Stat(path)
	whole := err == nil && info.IsDir()
	if whole {
		folder, path = path, filepath.Join(path, "weights.json")
	}
	if whole || w.built {
		w.refit, err = tuner.ReadRefit(filepath.Join(folder, tuner.RefitName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := w.read(path, base); err != nil {
		return err
	}
	if !whole {
		w.refit = nil
	}
	groups := w.groups()
	if len(groups) == 0 {
		return fmt.Errorf("%s: the weights are those of %s", path, base.Shown())
	}
	for _, g := range wanted {
		if !slices.Contains(groups, g) {
			return cli.Usagef("%s: no weight of a group %q differs from those of %s; groups that do: %s", path, g,
				base.Shown(),
				strings.Join(groups, ", "))
		}
	}
	if len(wanted) > 0 {
		groups = wanted
	}
	for _, g := range groups {
		s.Factors = append(s.Factors, Factor{Name: g, Groups: []string{g}})
	}
	s.weights = w
	return nil
}

// read reads the new weights, and the old ones: those of the player, or of an engine that is built those that the
// fit started from.
func (w *weights) read(path string, base engine.Spec) (err error) {
	if w.file, err = models.OpenAny(path); err != nil {
		return err
	}
	if w.terms, err = w.file.Table(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range w.file.Terms {
		w.new = append(w.new, eval.Coef{MG: t.MG, EG: t.EG})
	}
	if w.refit != nil {
		for i, t := range w.refit.Terms {
			if len(w.refit.Terms) != len(w.new) || t.Name != w.terms[i].Name || t.Fit != w.new[i] {
				return fmt.Errorf("%s is not of the fit that made %s", tuner.RefitName, path)
			}
			w.old = append(w.old, t.Start)
		}
	}
	if w.built {
		if w.refit == nil {
			return cli.Usagef("weights=%s: groups of an engine that is built, or loads them, need the folder of a fit with "+
				"assay tune --refit, which has the weights that it started from", path)
		}
		w.oldID, w.newID = "the start", short(w.file.ID())
		return nil
	}
	m, old, err := roster.Weights(base)
	switch {
	case err != nil:
		return err
	case m == nil:
		return cli.Usagef("%s: %s has no weights that assay can set: only assay and the historic programs with a model "+
			"have; an engine git:REF is built with them, and another may load them by --weights-option", path, base.Shown())
	case w.file.Model != m.Name:
		return fmt.Errorf("%s: weights of the model %s, but %s plays with %s", path, w.file.Model, base.Shown(), m.Name)
	case w.refit != nil && !slices.Equal(w.old, old):
		return fmt.Errorf("%s: the fit started from other weights than those of %s", path, base.Shown())
	}
	w.old, w.oldID, w.newID = old, short(models.New(m, old).ID()), short(w.file.ID())
	return nil
}

func short(id string) string { return id[:min(len(id), 12)] }

// groups returns the groups of terms whose weights differ, in the order of the model.
func (w *weights) groups() (list []string) {
	for i, t := range w.terms {
		if w.old[i] != w.new[i] && !slices.Contains(list, t.Group) {
			list = append(list, t.Group)
		}
	}
	return list
}

// of returns the weights of a subset: those of groups that are off are old, and so are those that no factor has.
func (w *weights) of(factors []Factor, s screen.Subset) []eval.Coef {
	on := map[string]bool{}
	for j, f := range factors {
		for _, g := range f.Groups {
			on[g] = s.Has(j)
		}
	}
	if w.refit != nil {
		return w.refit.Hold(func(t tuner.RefitTerm) bool { return !on[t.Group] })
	}
	list := slices.Clone(w.old)
	for i, t := range w.terms {
		if on[t.Group] {
			list[i] = w.new[i]
		}
	}
	return list
}

// options returns the terms that change as options, for the player of a subset.
func (w *weights) options(factors []Factor, s screen.Subset) (list []engine.Option) {
	for i, c := range w.of(factors, s) {
		t := &w.terms[i]
		if w.old[i] == w.new[i] && w.refit == nil {
			continue
		}
		value := func(name string, x int32) {
			list = append(list, engine.Option{Name: name, Value: strconv.Itoa(int(x))})
		}
		if t.Tapered {
			value(t.Name+eval.OnlyMG, c.MG)
			value(t.Name+eval.OnlyEG, c.EG)
		} else {
			value(t.Name, c.MG)
		}
	}
	return list
}

// WeightFile returns the weight file that the engine of a subset is built with, or that it loads; nil: there is none.
func (s *Set) WeightFile(of screen.Subset) ([]byte, error) {
	if s.weights == nil || !s.weights.built {
		return nil, nil
	}
	f := *s.weights.file
	f.Terms = slices.Clone(f.Terms)
	for i, c := range s.weights.of(s.Factors, of) {
		f.Terms[i].MG, f.Terms[i].EG = c.MG, c.EG // what was fitted stays: a source may lack a term that was not
	}
	return f.Encode()
}
