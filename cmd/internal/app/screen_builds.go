package app

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/cmd/internal/tune"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/selfplay/screen/play"
)

// makeBest makes the player of the recommended set, if it is none of the design.
func (x *screening) makeBest(best screen.Subset) error {
	if _, known := x.builds[best&x.built]; x.builds == nil || known || x.nothingLeft(best) {
		return nil
	}
	return x.buildSubset(best & x.built)
}

// build makes the builds of the design. It returns those that failed.
func (x *screening) build() (lost []screen.Subset, err error) {
	failed := map[screen.Subset]bool{}
	for _, of := range x.design.Builds() {
		key := of & x.built
		if _, known := x.builds[key]; !known && !failed[key] {
			if err := x.buildSubset(key); x.ctx.Err() != nil || errors.Is(err, errFit) {
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
		names = append(names, x.factors.Factors[j].Name)
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
	what := x.factors.Name(of)
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
	for j, f := range x.factors.Factors {
		for _, text := range f.Patches {
			if x.patches[text], err = x.readPatch(text); err != nil {
				return err
			}
		}
		if len(f.Patches) == 0 {
			continue
		}
		s, err := x.applied(1 << j)
		if err != nil {
			return err
		}
		if none, err := s.SameFiles(x.ctx, x.source); none || err != nil {
			return cmp.Or(err, cli.Usagef("factor %s changes no file of %s: leave it out", f.Name, x.spec.Shown()))
		}
		if other, taken := same[s.ID]; taken && len(f.Options)+len(f.Groups) == 0 {
			return cli.Usagef("factors %s and %s cannot be told apart: they are the same patch", other, f.Name)
		}
		same[s.ID] = f.Name
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
		for j, f := range x.factors.Factors {
			for _, text := range f.Patches {
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
		return nil, fmt.Errorf("factor %s: %w; make a patch that applies to %s", x.factors.Name(of), err, x.spec.Shown())
	}
	for j := range x.factors.Factors {
		for k := range j {
			pair := screen.Subset(1<<j | 1<<k)
			if of&pair != pair {
				continue
			}
			if _, e := apply(pair); errors.Is(e, gitbuild.ErrPatch) {
				return nil, fmt.Errorf("factors %s and %s conflict: %w; leave one of them out, or make patches that apply in "+
					"any combination", x.factors.Name(1<<k), x.factors.Name(1<<j), e)
			}
		}
	}
	return nil, fmt.Errorf("the patches of a subset conflict, though each pair of them applies: %w", err)
}

// buildSubset makes the player of a subset: its fit, and its build.
func (x *screening) buildSubset(of screen.Subset) error {
	spec, command, err := x.withWeights(of)
	if err != nil {
		return err
	}
	if !x.spec.FromGit() {
		e, err := x.entrant(spec, "screen: "+x.factors.Name(of))
		e.Shown, x.builds[of] = x.factors.Name(of), e
		return err
	}
	s, err := x.applied(of)
	if err != nil {
		return err
	}
	b, err := x.git.cache.Build(x.ctx, s, command)
	if err != nil {
		return err
	}
	x.git.built = append(x.git.built, b.Close)
	e, err := cli.Entrant(x.Open, x.base.Spec.WithProgram(b.Path))
	if err != nil {
		return err
	}
	e.Name, e.Shown = roster.IdentifyBuilt(x.base.Spec, s.Short()+" "+command), x.factors.Name(of)
	x.builds[of] = e
	return nil
}

// weightsWord is the place of the weight file in the command that builds an engine.
const weightsWord = "{weights}"

// errFit is wrapped by errors about fits to data.
var errFit = errors.New("the fit failed")

// withWeights returns the player and the command that builds it, with the weights of a subset. The file in a command is
// named by its content, so that equal builds are made once.
func (x *screening) withWeights(of screen.Subset) (spec engine.Spec, command string, err error) {
	text, err := x.factors.WeightFile(of)
	spec = x.spec
	if x.factors.Data() != 0 && err == nil {
		if spec.Weights, err = x.fit(of); err == nil && spec.FromGit() {
			text, err = os.ReadFile(spec.Weights)
			spec.Weights = ""
		}
	}
	if text == nil || err != nil {
		return spec, x.Build, err
	}
	path := filepath.Join(os.TempDir(), fmt.Sprintf("assay-weights-%.12x.json", sha256.Sum256(text)))
	if x.WeightsOption != "" {
		spec.Options = append(slices.Clone(spec.Options), engine.Option{Name: x.WeightsOption, Value: path})
		return spec, x.Build, durable.WriteFile(path, text)
	}
	if !strings.Contains(x.Build, weightsWord) {
		return spec, "", cli.Usagef("the build command %q has no %s: that is the file with the weights, for assay weights "+
			"export --into", x.Build, weightsWord)
	}
	return spec, strings.ReplaceAll(x.Build, weightsWord, quote.Word(path)), durable.WriteFile(path, text)
}

// fitFolder is where the fit of a subset is.
func (x *screening) fitFolder(of screen.Subset) string {
	_, name := x.factors.Sources(of)
	return filepath.Join(x.Out, durable.RunFitsName, name)
}

// fit fits weights to the sources of a subset, from those of the player, and returns their file. A fit that is there
// already is not made again.
func (x *screening) fit(of screen.Subset) (path string, err error) {
	sources, _ := x.factors.Sources(of)
	dir := x.fitFolder(of)
	words, err := quote.Split(x.Tune)
	if err != nil {
		return "", cli.Usagef("--tune: %w", err)
	}
	words = append(slices.Concat(sources, words), "--out", dir)
	if !x.spec.FromGit() {
		m, _, err := roster.Weights(x.spec)
		if err != nil {
			return "", err
		} else if m == nil {
			return "", cli.Usagef("data=: %s has no weights that assay can fit: only assay and the historic programs with a "+
				"model have; an engine git:REF is built with them", x.spec.Shown())
		}
		words = append(words, "--model", m.Name, "--from", roster.WeightsName(x.spec))
	}
	progress := x.stderr
	if gamelog.Complete(dir) {
		progress = io.Discard
	} else {
		fmt.Fprintf(x.stderr, "screen: a fit to %s\n", strings.Join(sources, ", "))
	}
	if err := tune.Fit(x.ctx, words, progress); err != nil {
		return "", fmt.Errorf("%w: to %s: %w", errFit, strings.Join(sources, ", "), err)
	}
	return filepath.Join(dir, tune.WeightsName), nil
}

// nothingLeft reports whether a subset leaves no data to fit to.
func (x *screening) nothingLeft(of screen.Subset) bool {
	data := x.factors.Data()
	return data != 0 && of&data == data
}

// compareSpeeds says before the first game what patches do to the speed.
func (x *screening) compareSpeeds(c *play.Config) error {
	if x.NoBench || !x.spec.FromGit() || runs.Exists(x.Out) {
		return nil
	}
	p := cli.NewProgress(x.stderr, "screen")
	p.Update(0, 1, "comparing nodes/s")
	speeds, err := c.Speeds(x.ctx)
	if err != nil {
		return err
	}
	var list []string
	for j, s := range speeds {
		if s.Log2.Known() {
			list = append(list, x.factors.Factors[j].Name+" "+speedText(s))
		}
	}
	p.Finish("nodes/s: " + strings.Join(list, ", "))
	return nil
}

func speedText(s screen.Speed) string {
	return fmt.Sprintf("%+.1f %% ± %.1f", 100*(math.Exp2(float64(s.Log2))-1), 100*math.Ln2*1.96*float64(s.SE))
}
