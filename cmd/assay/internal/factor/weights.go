package factor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/screen"
)

// weights are those of the base and of a file whose groups of terms are factors.
type weights struct {
	model        *eval.Model
	old, new     []eval.Coef
	oldID, newID string
}

// addWeights adds a factor for each group of terms whose weights differ between the player and a file, or for the
// groups that are named.
func (s *Set) addWeights(text string, base engine.Spec) error {
	path, wanted := text, []string(nil)
	if at := strings.LastIndex(text, ":"); at > 0 && !strings.ContainsAny(text[at:], `/\.`) {
		path, wanted = text[:at], strings.Split(text[at+1:], ",")
	}
	if s.weights != nil {
		return cli.Usagef("%s: groups of one weight file at a time", text)
	}
	m, old, err := roster.Weights(base)
	if err != nil {
		return err
	}
	if m == nil {
		return cli.Usagef("%s: %s has no weights that assay can set: only assay and the historic programs with a model have",
			text, base.Shown())
	}
	f, err := models.Open(path)
	if err != nil {
		return err
	}
	other, now, err := f.Weights()
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case other.Name != m.Name:
		return fmt.Errorf("%s: weights of the model %s, but %s plays with %s", path, other.Name, base.Shown(), m.Name)
	}
	s.weights = &weights{model: m, old: old, new: now, oldID: short(models.New(m, old).ID()), newID: short(f.ID())}
	groups := s.weights.groups()
	if len(groups) == 0 {
		return fmt.Errorf("%s: the weights are those of %s", path, base.Shown())
	}
	for _, g := range wanted {
		if !slices.Contains(groups, g) {
			return cli.Usagef("%s: no weight of a group %q differs from those of %s; groups that do: %s", path, g, base.Shown(),
				strings.Join(groups, ", "))
		}
	}
	if len(wanted) > 0 {
		groups = wanted
	}
	for _, g := range groups {
		s.Factors = append(s.Factors, Factor{Name: g, Groups: []string{g}})
	}
	return nil
}

func short(id string) string { return id[:min(len(id), 12)] }

// groups returns the groups of terms whose weights differ, in the order of the model.
func (w *weights) groups() (list []string) {
	for i, t := range w.model.Terms {
		if w.old[i] != w.new[i] && !slices.Contains(list, t.Group) {
			list = append(list, t.Group)
		}
	}
	return list
}

// options returns the terms that change as options, for the player of a subset.
func (w *weights) options(factors []Factor, of screen.Subset) (list []engine.Option) {
	on := map[string]bool{}
	for j, f := range factors {
		for _, g := range f.Groups {
			on[g] = of.Has(j)
		}
	}
	for i, t := range w.model.Terms {
		if w.old[i] == w.new[i] {
			continue
		}
		c := w.old[i]
		if on[t.Group] {
			c = w.new[i]
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
