// Package factor has what assay screen turns on and off: options of engines, patches, groups of weights, sources
// of a fit. It parses them, and says what the player of a subset is made of; selfplay/screen says which subsets play.
//
// Start reading at Parse.
package factor

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/selfplay/screen/play"
)

// Factor is a change with two levels, of one or more kinds.
type Factor struct {
	Name    string
	Options []Option
	Patches []string // git:REF, or the path of a diff
	Groups  []string // of terms whose weights change
	Data    []string // sources that the fit does without
}

// Option is an option of the player with its value at both levels.
type Option struct{ Name, Off, On string }

// Set is the factors of a screen.
type Set struct {
	Factors []Factor
	weights *weights // nil: no factor changes any
	option  string   // by which the player loads weights; empty: by none
}

// Syntax describes a factor in an error.
const Syntax = "want OPTION=OFF,ON, git:REF, FILE.diff, weights=FILE[:GROUP] or data=DATA; NAME= may stand before a " +
	"patch"

// Parse parses factors of a player as a user types them. Groups makes one factor each of several: names with commas
// between them, and spaces between groups. Option, if not empty, is that by which the player loads a weight file.
func Parse(texts []string, base engine.Spec, groups, option string) (*Set, error) {
	s := &Set{option: option}
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
	switch n := len(s.Factors); {
	case n < 2:
		return nil, cli.Usagef("a single factor: want 2 to %d; for one change, assay match is as good", screen.MaxFactors)
	case n > screen.MaxFactors:
		return nil, cli.Usagef("%d factors: want 2 to %d; make one factor of several with --group", n, screen.MaxFactors)
	}
	if n := s.Data().Size(); n > 0 && s.weights != nil {
		return nil, cli.Usagef("weights= and data= both say which weights play: give one of them")
	} else if n == 1 {
		return nil, cli.Usagef("data=: a single source; want two or more that a fit can have or not")
	}
	return s, s.distinct()
}

func (s *Set) parse(text string, base engine.Spec) error {
	name, what, named := strings.Cut(text, "=")
	switch {
	case isPatch(text) && !named, named && isPatch(what):
		if !named {
			what = text
		}
		if !base.FromGit() {
			return cli.Usagef("%s: a patch needs a base from the repository: git:HEAD or git:REF as PLAYER", text)
		}
		s.Factors = append(s.Factors, Factor{Name: name, Patches: []string{what}})
		return nil
	case name == "weights":
		return s.addWeights(what, base)
	case name == "data" && what != "":
		s.Factors = append(s.Factors, Factor{Name: "without-" + what, Data: []string{what}})
		return nil
	}
	off, on, ok := strings.Cut(what, ",")
	switch {
	case name == "" || !ok || strings.Contains(on, ","):
		return cli.Usagef("factor %q: %s", text, Syntax)
	case off == on:
		return cli.Usagef("factor %q: both levels are %q", text, on)
	}
	s.Factors = append(s.Factors, Factor{Name: name, Options: []Option{{name, off, on}}})
	return nil
}

func isPatch(text string) bool {
	return strings.HasPrefix(text, "git:") || strings.HasSuffix(text, ".diff") || strings.HasSuffix(text, ".patch")
}

// group makes one factor of several, in the place of the first.
func (s *Set) group(names []string) error {
	first := -1
	for _, name := range names {
		i := slices.IndexFunc(s.Factors, func(f Factor) bool { return f.Name == name })
		switch {
		case i < 0:
			return cli.Usagef("--group: no factor is named %q; there are: %s", name, strings.Join(s.Names(), ", "))
		case first < 0:
			first = i
			continue
		case i == first:
			return cli.Usagef("--group: %q is there twice", name)
		}
		to, from := &s.Factors[first], s.Factors[i]
		to.Name += "+" + from.Name
		to.Options, to.Patches = append(to.Options, from.Options...), append(to.Patches, from.Patches...)
		to.Groups, to.Data = append(to.Groups, from.Groups...), append(to.Data, from.Data...)
		s.Factors = slices.Delete(s.Factors, i, i+1)
		if i < first {
			first--
		}
	}
	return nil
}

// distinct reports two factors that cannot be told apart: with one name, one option or one patch.
func (s *Set) distinct() error {
	seen := map[string]string{}
	for _, f := range s.Factors {
		keys := append([]string{"the name " + f.Name}, f.Patches...)
		for _, o := range f.Options {
			keys = append(keys, "the option "+strings.ToLower(o.Name))
		}
		for _, key := range keys {
			if other, taken := seen[key]; taken {
				return cli.Usagef("factors %s and %s cannot be told apart: both have %s; leave one of them out", other, f.Name,
					key)
			}
			seen[key] = f.Name
		}
	}
	return nil
}

// Names returns the names of the factors.
func (s *Set) Names() (list []string) {
	for _, f := range s.Factors {
		list = append(list, f.Name)
	}
	return list
}

// Name names a subset.
func (s *Set) Name(of screen.Subset) string {
	var names []string
	for j, f := range s.Factors {
		if of.Has(j) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, "+")
}

// Data returns the factors that are sources of a fit.
func (s *Set) Data() (of screen.Subset) {
	for j, f := range s.Factors {
		if len(f.Data) > 0 {
			of |= 1 << j
		}
	}
	return of
}

// Sources returns what the fit of a subset has, and a name for it: a digit for each source, 1 if the fit has it.
func (s *Set) Sources(of screen.Subset) (list []string, name string) {
	for j, f := range s.Factors {
		for _, path := range f.Data {
			digit := "0"
			if !of.Has(j) {
				list, digit = append(list, path), "1"
			}
			name += digit
		}
	}
	return list, name
}

// Built returns the factors that need builds or fits: patches, weights of engines that are built, and data.
func (s *Set) Built() (of screen.Subset) {
	for j, f := range s.Factors {
		if len(f.Patches)+len(f.Data) > 0 || len(f.Groups) > 0 && s.weights.built {
			of |= 1 << j
		}
	}
	return of
}

// Options returns the options of the player of a subset. Each subset has the same options, since players keep those
// that are not set again.
func (s *Set) Options(of screen.Subset) (list []engine.Option) {
	for j, f := range s.Factors {
		for _, o := range f.Options {
			value := o.Off
			if of.Has(j) {
				value = o.On
			}
			list = append(list, engine.Option{Name: o.Name, Value: value})
		}
	}
	if s.weights != nil && !s.weights.built {
		list = append(list, s.weights.options(s.Factors, of)...)
	}
	return list
}

// Identities returns the factors as a run's configuration has them. Patches have their content's id, which patch
// returns for what was typed.
func (s *Set) Identities(patch func(text string) (id string)) (list []play.Factor) {
	for _, f := range s.Factors {
		x := play.Factor{Name: f.Name}
		join := func(text *string, more string) { *text = strings.TrimPrefix(*text+" "+more, " ") }
		for _, o := range f.Options {
			join(&x.Off, o.Name+"="+o.Off)
			join(&x.On, o.Name+"="+o.On)
		}
		for _, p := range f.Patches {
			join(&x.On, patch(p))
		}
		for _, g := range f.Groups {
			join(&x.Off, g+" of "+s.weights.oldID)
			join(&x.On, g+" of "+s.weights.newID)
		}
		for _, path := range f.Data {
			join(&x.Off, "with "+path)
			join(&x.On, "without "+path)
		}
		list = append(list, x)
	}
	return list
}

// longText is the length from which options have a digest in an identity: data sets do not take long names.
const longText = 500

// Text names the options of a player, for its identity.
func Text(options []engine.Option) (text string) {
	for i, o := range options {
		text += fmt.Sprintf("%c%s=%s", "?&"[min(i, 1)], o.Name, o.Value)
	}
	if len(text) > longText {
		return fmt.Sprintf("?options=%x", sha256.Sum256([]byte(text)))[:len("?options=")+12]
	}
	return text
}
