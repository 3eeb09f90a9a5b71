package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/selfplay/screen"
)

// build makes the builds of the design. It returns those that failed.
func (x *screening) build() (lost []screen.Subset, err error) {
	failed := map[screen.Subset]bool{}
	for _, of := range x.design.Builds() {
		key := of & x.built
		if _, known := x.builds[key]; !known && !failed[key] {
			if err := x.buildSubset(key); x.ctx.Err() != nil {
				return nil, err
			} else if err != nil {
				failed[key] = true
				if err := x.keepLog(key, err); err != nil {
					return nil, err
				}
			}
		}
		if failed[key] {
			lost = append(lost, of)
		}
	}
	if len(lost) > 0 {
		err = x.drop(lost)
	}
	return lost, err
}

// drop goes on without builds that failed, if that leaves effects to estimate.
func (x *screening) drop(lost []screen.Subset) error {
	var names []string
	all := len(x.design.Builds())
	for _, j := range x.design.Drop(lost...) {
		names = append(names, x.factors[j].name)
	}
	if len(names) == x.design.Factors {
		return fmt.Errorf("%w: %d of %d, so that no effect can be estimated", gitbuild.ErrBuild, len(lost), all)
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
	return os.WriteFile(path, []byte(failed.Error()+"\n"), 0o666)
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

// buildSubset builds the player of a subset.
func (x *screening) buildSubset(of screen.Subset) error {
	s, err := x.applied(of)
	if err != nil {
		return err
	}
	b, err := x.git.cache.Build(x.ctx, s, x.Build)
	if err != nil {
		return err
	}
	x.git.built = append(x.git.built, b.Close)
	e, err := ui.OpenPlayer(x.Open, x.base.Spec.WithProgram(b.Path))
	if err != nil {
		return err
	}
	e.ID, e.Same, e.Name = roster.IdentifyBuilt(x.base.Spec, s.Short()+" "+x.Build), "", x.factors.name(of)
	x.builds[of] = e
	return nil
}
