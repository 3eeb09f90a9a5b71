package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/roster"
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
// commas between them, and spaces between groups. A space may also be one of a name.
func parseFactors(texts []string, base engine.Spec, groups string) (s factors, err error) {
	for _, text := range texts {
		if err := s.parse(text, base); err != nil {
			return nil, err
		}
	}
	for words := strings.Fields(groups); len(words) > 0; {
		n := len(words)
		names := func() []string { return strings.Split(strings.Join(words[:n], " "), ",") }
		for n > 1 && slices.ContainsFunc(names(), func(name string) bool { return !slices.Contains(s.names(), name) }) {
			n--
		}
		if n == 1 && len(words) > 1 && !slices.Contains(s.names(), names()[0]) {
			return nil, ui.Usagef("--group %s: these are no names of factors; there are: %s", strings.Join(words, " "),
				strings.Join(s.names(), ", "))
		}
		if err := s.group(names()); err != nil {
			return nil, err
		}
		words = words[n:]
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
				return ui.Usagef("factors %s and %s cannot be told apart: both have %s; leave one of them out", other, f.name, key)
			}
			seen[key] = f.name
		}
	}
	return nil
}

func (s factors) names() (list []string) {
	for _, f := range s {
		list = append(list, f.name)
	}
	return list
}

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
		return "?options=" + durable.SumBytes([]byte(text))[:12]
	}
	return text
}

// build makes the builds of the design. It goes on without those that fail, if that leaves effects to estimate.
func (x *screening) build() error {
	var lost []screen.Subset
	failed, all := map[screen.Subset]bool{}, x.design.Builds()
	for _, of := range all {
		key := of & x.built
		if _, known := x.builds[key]; !known && !failed[key] {
			if err := x.buildSubset(key); x.ctx.Err() != nil {
				return err
			} else if err != nil {
				failed[key] = true
				if err := x.keepLog(key, err); err != nil {
					return err
				}
			}
		}
		if failed[key] {
			lost = append(lost, of)
		}
	}
	if lost == nil {
		return nil
	}
	var names []string
	for _, j := range x.design.Drop(lost...) {
		names = append(names, x.factors[j].name)
	}
	if len(names) == x.design.Factors {
		return fmt.Errorf("%w: %d of %d, so that no effect can be estimated", gitbuild.ErrBuild, len(lost), len(all))
	}
	x.warn(fmt.Sprintf("the screen goes on without %d builds that failed, and does not estimate interactions", len(lost)))
	if len(names) > 0 {
		x.warn("without them the effects of these factors are lost: " + strings.Join(names, ", "))
	}
	return nil
}

// keepLog says which subset could not be built, and keeps the output beside the run's folder.
func (x *screening) keepLog(of screen.Subset, failed error) error {
	what := x.factors.name(of)
	if x.Out == "" {
		x.warn(fmt.Sprintf("the build with %s: %v", what, failed))
		return nil
	}
	path := fmt.Sprintf("%s-build-%b.log", filepath.Clean(x.Out), of)
	first, _, _ := strings.Cut(failed.Error(), "\n")
	x.warn(fmt.Sprintf("the build with %s: %s; its output is in %s", what, first, path))
	return errors.Join(durable.MakeDir(filepath.Dir(path)), os.WriteFile(path, []byte(failed.Error()+"\n"), 0o666))
}

// readPatches reads the patches of all factors. Each must apply alone and change something.
func (x *screening) readPatches() (err error) {
	x.patches = map[string]*gitbuild.Patch{}
	if x.source, err = x.git.source(x.spec.Command[0]); err != nil {
		return err
	}
	temp, done, err := x.git.cache.Temp()
	if err != nil {
		return err
	}
	x.temp, x.done = temp, append(x.done, done)
	same := map[string]string{} // names by the files that they make
	for j, f := range x.factors {
		for _, text := range f.patches {
			if x.patches[text], err = x.readPatch(text); err != nil {
				return err
			}
		}
		if len(f.patches) == 0 {
			continue
		}
		s, err := x.applied(1 << j)
		if err != nil {
			return err
		}
		if none, err := s.SameFiles(x.ctx, x.source); none || err != nil {
			return cmp.Or(err, ui.Usagef("factor %s changes no file of %s: leave it out", f.name, x.spec.Shown()))
		}
		if other, taken := same[s.ID]; taken && len(f.options) == 0 {
			return ui.Usagef("factors %s and %s cannot be told apart: they are the same patch", other, f.name)
		}
		same[s.ID] = f.name
	}
	for _, of := range x.design.Builds() { // before the first is built
		if _, err := x.applied(of & x.built); err != nil {
			return err
		}
	}
	return nil
}

func (x *screening) readPatch(text string) (*gitbuild.Patch, error) {
	ref, isCommit := strings.CutPrefix(text, "git:")
	if !isCommit {
		return gitbuild.ReadPatch(text)
	}
	commit, err := x.git.source(ref)
	if err != nil {
		return nil, err
	}
	p, err := commit.Patch(x.ctx, text)
	if err == nil {
		x.git.pin(gitPin{Player: text, Commit: commit.ID, SHA256: p.ID})
	}
	return p, err
}

// applied returns the base with the patches of a subset. If they do not apply, the error names one, or the pair of
// factors that conflicts.
func (x *screening) applied(of screen.Subset) (*gitbuild.Source, error) {
	apply := func(of screen.Subset) (*gitbuild.Source, error) {
		var list []*gitbuild.Patch
		for j, f := range x.factors {
			for _, text := range f.patches {
				if of.Has(j) {
					list = append(list, x.patches[text])
				}
			}
		}
		return x.source.Patched(x.ctx, x.temp, list...)
	}
	s, err := apply(of)
	if !errors.Is(err, gitbuild.ErrPatch) {
		return s, err
	}
	if of.Size() == 1 {
		return nil, fmt.Errorf("factor %s: %w; make a patch that applies to %s", x.factors.name(of), err, x.spec.Shown())
	}
	for j := range x.factors {
		for k := range j {
			pair := screen.Subset(1<<j | 1<<k)
			if of&pair != pair {
				continue
			}
			if _, e := apply(pair); errors.Is(e, gitbuild.ErrPatch) {
				return nil, fmt.Errorf("factors %s and %s conflict: %w; leave one of them out, or make patches that apply in "+
					"any combination", x.factors.name(1<<k), x.factors.name(1<<j), e)
			}
		}
	}
	return nil, fmt.Errorf("the patches of a subset conflict, though each pair of them applies: %w", err)
}

func (x *screening) buildSubset(of screen.Subset) error {
	s, err := x.applied(of)
	if err != nil {
		return err
	}
	b, err := x.git.cache.Build(x.ctx, s, x.Build)
	if err != nil {
		return err
	}
	x.done = append(x.done, b.Close)
	e, err := ui.OpenPlayer(x.Open, x.base.Spec.WithProgram(b.Path))
	if err != nil {
		return err
	}
	e.ID, e.Same, e.Name = roster.IdentifyBuilt(x.base.Spec, s.Short()+" "+x.Build), "", x.factors.name(of)
	x.builds[of] = e
	return nil
}
