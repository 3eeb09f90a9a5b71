package app

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/screen"
)

// factor is a change of a player with two levels: options, patches or both.
type factor struct {
	name    string
	options []factorOption
	patches []string // git:REF, or the path of a diff
}

// factorOption is an option of the player with its value at both levels.
type factorOption struct{ name, off, on string }

// factors are what a screen judges.
type factors []factor

// parseFactors parses factors of a player as a user types them. Groups makes one factor each of several: names with
// commas between them, and spaces between groups.
func parseFactors(texts []string, base engine.Spec, groups string) (s factors, err error) {
	for _, text := range texts {
		if err := s.parse(text, base); err != nil {
			return nil, err
		}
	}
	for _, names := range strings.Fields(groups) {
		if err := s.group(strings.Split(names, ",")); err != nil {
			return nil, err
		}
	}
	switch n := len(s); {
	case n < 2:
		return nil, ui.Usagef("a single factor: want 2 to %d; for one change, assay match is as good", screen.MaxFactors)
	case n > screen.MaxFactors:
		return nil, ui.Usagef("%d factors: want 2 to %d; make one factor of several with --group", n, screen.MaxFactors)
	}
	return s, s.distinct()
}

func (s *factors) parse(text string, base engine.Spec) error {
	name, what, named := strings.Cut(text, "=")
	switch {
	case isPatch(text) && !named, named && isPatch(what):
		if !named {
			what = text
		}
		if !base.FromGit() {
			return ui.Usagef("%s: a patch needs a base from the repository: git:HEAD or git:REF as PLAYER", text)
		}
		*s = append(*s, factor{name: name, patches: []string{what}})
		return nil
	}
	off, on, ok := strings.Cut(what, ",")
	switch {
	case name == "" || !ok || strings.Contains(on, ","):
		return ui.Usagef("factor %q: want OPTION=OFF,ON, git:REF or FILE.diff; NAME= may stand before a patch", text)
	case off == on:
		return ui.Usagef("factor %q: both levels are %q", text, on)
	}
	*s = append(*s, factor{name: name, options: []factorOption{{name, off, on}}})
	return nil
}

func isPatch(text string) bool {
	return strings.HasPrefix(text, "git:") || strings.HasSuffix(text, ".diff") || strings.HasSuffix(text, ".patch")
}

// group makes one factor of several, in the place of the first.
func (s *factors) group(names []string) error {
	first := -1
	for _, name := range names {
		i := slices.IndexFunc(*s, func(f factor) bool { return f.name == name })
		switch {
		case i < 0:
			return ui.Usagef("--group: no factor is named %q; there are: %s", name, strings.Join(s.names(), ", "))
		case first < 0:
			first = i
			continue
		case i == first:
			return ui.Usagef("--group: %q is there twice", name)
		}
		to, from := &(*s)[first], (*s)[i]
		to.name += "+" + from.name
		to.options, to.patches = append(to.options, from.options...), append(to.patches, from.patches...)
		*s = slices.Delete(*s, i, i+1)
		if i < first {
			first--
		}
	}
	return nil
}

// distinct reports two factors that cannot be told apart: with one name, one option or one patch.
func (s factors) distinct() error {
	seen := map[string]string{}
	for _, f := range s {
		keys := append([]string{"the name " + f.name}, f.patches...)
		for _, o := range f.options {
			keys = append(keys, "the option "+strings.ToLower(o.name))
		}
		for _, key := range keys {
			if other, taken := seen[key]; taken {
				return ui.Usagef("factors %s and %s cannot be told apart: both have %s; leave one of them out", other, f.name,
					key)
			}
			seen[key] = f.name
		}
	}
	return nil
}

// names returns the names of the factors.
func (s factors) names() (list []string) {
	for _, f := range s {
		list = append(list, f.name)
	}
	return list
}

// name names a subset.
func (s factors) name(of screen.Subset) string {
	var names []string
	for j, f := range s {
		if of.Has(j) {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, "+")
}

// built returns the factors that need builds: patches.
func (s factors) built() (of screen.Subset) {
	for j, f := range s {
		if len(f.patches) > 0 {
			of |= 1 << j
		}
	}
	return of
}

// set returns the options of the player of a subset. Each subset has the same options, since players keep those that
// are not set again.
func (s factors) set(of screen.Subset) (list []engine.Option) {
	for j, f := range s {
		for _, o := range f.options {
			value := o.off
			if of.Has(j) {
				value = o.on
			}
			list = append(list, engine.Option{Name: o.name, Value: value})
		}
	}
	return list
}

// identities returns the factors as a run's configuration has them. Patches have their content's id, which patch
// returns for what was typed.
func (s factors) identities(patch func(text string) (id string)) (list []screen.Factor) {
	for _, f := range s {
		x := screen.Factor{Name: f.name}
		join := func(text *string, more string) { *text = strings.TrimPrefix(*text+" "+more, " ") }
		for _, o := range f.options {
			join(&x.Off, o.name+"="+o.off)
			join(&x.On, o.name+"="+o.on)
		}
		for _, p := range f.patches {
			join(&x.On, patch(p))
		}
		list = append(list, x)
	}
	return list
}

// longText is the length from which options have a digest in an identity: data sets do not take long names.
const longText = 500

// optionsText names the options of a player, for its identity.
func optionsText(options []engine.Option) (text string) {
	for i, o := range options {
		text += fmt.Sprintf("%c%s=%s", "?&"[min(i, 1)], o.Name, o.Value)
	}
	if len(text) > longText {
		return fmt.Sprintf("?options=%x", sha256.Sum256([]byte(text)))[:len("?options=")+12]
	}
	return text
}
