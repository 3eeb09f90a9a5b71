// Package ownengine tunes the engine of an author's repository, as its assay.toml describes it.
//
// The numbers of its evaluation are found in its sources (models/numbers), and one build of a private clone makes them
// settable: that program plays with the numbers of a file, and answers how each number changes the evaluation
// (tuner/slopes). The repository is only read. Run is the loop: self-play, a fit, a gate, and matches at the end that
// decide whether the author gets a patch. Check carries out each stage of it in miniature.
//
// Start reading at Run.
package ownengine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/learn"
)

// Options are the options of assay learn that only an engine of the user's own has.
type Options struct {
	Engine                     string // a folder of the repository, for its working tree, or git:REF in the current folder
	CheckOnly, AcceptNotWeaker bool
	Added                      []string // more positions to learn from
}

// Alone are the flags that Options adds beside --engine.
var Alone = []string{"check", "hours", "clock-games", "clock", "add", "accept-not-weaker"}

// AddFlags adds the options to the flags of a command.
func (o *Options) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Engine, "engine", "", "your own engine: a folder of its git repository, or git:REF")
	fs.BoolVar(&o.CheckOnly, "check", false, "with --engine: try every stage in miniature")
	new(opts.Loop).AddTyped(fs)
	ui.ShortHelp(fs, "engine", "check", "hours")
	fs.StringSliceVar(&o.Added, "add", nil,
		"with --engine: more positions to learn from, as assay data positions makes them")
	fs.BoolVar(&o.AcceptNotWeaker, "accept-not-weaker", false,
		"with --engine: write the patch also if the engine is only shown not to be 10 Elo weaker")
}

// Config says which engine is tuned, and where games are played.
type Config struct {
	Options
	Typed          *pflag.FlagSet // flags that replace settings of assay.toml
	Seed           uint64
	Stdout, Stderr io.Writer
	Runs           string // the folder of runs, which is no part of an engine
	Concurrency    int    // games at once; 0: one a core
	Remote         bool   // games are played on other machines
	// Begin makes games ready to play: it sets their runner and their line of progress. End ends these.
	Begin func(label string, s *selfplay.Setup, players ...selfplay.Player) (p *ui.Progress, end func(), err error)
	// Match plays a match: match.Run, but in tests.
	Match func(context.Context, match.Config) (*match.Result, error)
	// Written is called when there is a result, or a line more of it, in the run's folder; it may be nil.
	Written func()
}

// Tags of a run's clone: the engine as it was, and with settable numbers.
const (
	BaseTag    = "base"
	settingTag = "settable"
)

// base are the weights of the engine as it was.
var base = learn.WeightsRef{ID: BaseTag}

// SourceName is the folder of a run's own clone of the engine, which has each candidate as a tag.
const SourceName = "source"

// workshop is an author's engine, and the copies built of it in a folder.
type workshop struct {
	Config
	ctx     context.Context
	dir     string // of all that is made
	author  *gitbuild.Repo
	source  *gitbuild.Source
	project *opts.Project
	cache   *gitbuild.Cache
	clone   *gitbuild.Clone // the run's own
	own     *gitbuild.Repo  // of the clone
	set     *numbers.Set
	builds  map[string]*gitbuild.Build // by tag
}

func (k *workshop) close() {
	for _, b := range k.builds {
		b.Close()
	}
}

// path returns a path in the folder of all that is made.
func (k *workshop) path(elem ...string) string {
	return filepath.Join(append([]string{k.dir}, elem...)...)
}

// atOnce is how many games this machine plays at once.
func (k *workshop) atOnce() int { return cmp.Or(k.Concurrency, runtime.GOMAXPROCS(0)) }

// say writes a line to the standard error.
func (k *workshop) say(format string, args ...any) {
	fmt.Fprintf(k.Stderr, "learn: "+format+"\n", args...)
}

// find finds the engine. Git objects of a working tree's files are written to the folder temp.
func (k *workshop) find(temp string) (err error) {
	if runtime.GOOS == "windows" {
		return errors.New("--engine needs Linux or macOS; on Windows run assay in WSL")
	}
	dir, ref := k.Engine, gitbuild.WorkTree
	if name, ok := strings.CutPrefix(k.Engine, "git:"); ok {
		dir, ref = ".", cmp.Or(name, "HEAD")
	}
	if k.author, err = gitbuild.OpenRepo(k.ctx, dir); err != nil {
		return fmt.Errorf("%w; --engine names a folder in the repository of your engine, or git:REF", err)
	}
	if ref == gitbuild.WorkTree {
		k.source, err = k.author.Snapshot(k.ctx, temp, k.Runs, k.dir)
	} else {
		k.source, err = k.author.Resolve(k.ctx, ref)
	}
	if err != nil {
		return err
	}
	k.cache, err = gitbuild.OpenCache(k.say)
	return err
}

// openClone makes the clone in the folder of all that is made, unless it is there, and reads its assay.toml.
func (k *workshop) openClone() (err error) {
	if k.clone, err = gitbuild.NewClone(k.ctx, k.path(SourceName), k.source, BaseTag); err != nil {
		return err
	}
	if err := k.clone.Restore(k.ctx, BaseTag); err != nil {
		return err
	}
	if k.own, err = gitbuild.OpenRepo(k.ctx, k.clone.Dir); err != nil {
		return err
	}
	return k.describe()
}

// describe reads assay.toml, and checks that it says all that the loop needs.
func (k *workshop) describe() (err error) {
	if k.project, err = opts.ReadProject(k.clone.Dir); err != nil {
		return err
	}
	for _, need := range []struct{ key, value, example string }{
		{"build", k.project.Build(), `build = "make EXE={out}"`},
		{"numbers", strings.Join(k.project.Numbers, ""), `numbers = ["src/eval.c"]`},
		{"value", k.project.Value, `value = "assay.c"`},
	} {
		if need.value == "" {
			return fmt.Errorf("%s: %s is missing; write for example: %s, or let assay init write the file",
				filepath.Join(k.author.Top, opts.ProjectName), need.key, need.example)
		}
	}
	for _, name := range append(slices.Clone(k.project.Numbers), k.project.Value) {
		if _, err := os.Stat(filepath.Join(k.clone.Dir, name)); err != nil {
			return fmt.Errorf("%s: there is no file %s in %s", opts.ProjectName, name, k.source.Short())
		}
	}
	return nil
}

// prepare finds the numbers, and builds the engine as it is and with settable numbers.
func (k *workshop) prepare() (err error) {
	if _, err := k.built(BaseTag); err != nil {
		return err
	}
	if k.set, err = numbers.Scan(k.clone.Dir, k.project.Numbers, k.taken()); err != nil {
		return err
	}
	if len(k.set.Numbers) == 0 {
		return fmt.Errorf("%s: there are no numbers in %s\n%s", opts.ProjectName,
			strings.Join(k.project.Numbers, ", "), strings.Join(leftOut(k.set.Left), "\n"))
	}
	for _, name := range k.project.Learn.Freeze { // else a fit would say so, after all games
		if !slices.ContainsFunc(k.set.Numbers, func(n numbers.Number) bool { return n.Name == name || n.Table == name }) {
			return fmt.Errorf("%s: freeze: %q is no table or number that is tuned: correct or remove it%s", opts.ProjectName,
				name, strings.Join(append([]string{""}, leftOut(k.set.Left)...), "\n"))
		}
	}
	err = k.keep(settingTag, "numbers that can be set", func() error {
		return k.set.Instrument(k.clone.Dir, k.project.Value)
	})
	if err == nil {
		_, err = k.built(settingTag)
	}
	if errors.Is(err, gitbuild.ErrBuild) {
		err = fmt.Errorf("%w\nwith numbers that can be set the engine does not compile; if these errors are not of %s, leave "+
			"the tables that they name out, with skip in %s", err, k.project.Value, opts.ProjectName)
	}
	return err
}

// taken says which numbers are taken.
func (k *workshop) taken() numbers.Options {
	return numbers.Options{Skip: slices.Clone(k.project.Skip), Take: k.project.Take}
}

// keep keeps a change of the engine's files in the clone as a tag.
func (k *workshop) keep(tag, message string, change func() error) error {
	err := k.clone.Restore(k.ctx, BaseTag)
	if err == nil {
		err = change()
	}
	if err == nil {
		err = k.clone.Keep(k.ctx, message, tag)
	}
	return errors.Join(err, k.clone.Restore(k.ctx, BaseTag))
}

// built returns the build of a tag.
func (k *workshop) built(tag string) (*gitbuild.Build, error) {
	if b := k.builds[tag]; b != nil {
		return b, nil
	}
	s, err := k.own.Resolve(k.ctx, "refs/tags/"+tag)
	if err != nil {
		return nil, err
	}
	b, err := k.cache.Build(k.ctx, s, k.project.Build())
	if err == nil {
		k.builds[tag] = b
	} else if tag == BaseTag && k.source.IsTree { // the clone's commit of its files has no submodules
		err = k.source.Unfilled(k.ctx, err)
	}
	return b, err
}

// startTimeout is generous: builds may be slow to start on a busy machine.
const startTimeout = time.Minute

// player returns a build as a player with the options of assay.toml, and with the numbers of a file unless its name
// is empty. What names those numbers in files.
func (k *workshop) player(name, tag, file, what string) (selfplay.Player, error) {
	b, err := k.built(tag)
	if err != nil {
		return selfplay.Player{}, err
	}
	spec := engine.Spec{Label: name}.WithProgram(b.Path).WithTimeouts(0, startTimeout)
	if file != "" {
		spec.Command = []string{"env", numbers.FileVariable + "=" + file, b.Path}
	}
	for _, o := range k.project.Options {
		spec.Options = append(spec.Options, engine.Option{Name: o.Name, Value: o.Text})
	}
	return selfplay.Player{Spec: spec, Name: name,
		ID: roster.IdentifyBuilt(spec, strings.TrimSpace(k.source.Short()+" "+k.project.Build()+" "+what))}, nil
}

// with returns the engine with weights as a player. On other machines it is a program of its own, since a file of
// numbers is not sent there.
func (k *workshop) with(name string, w learn.WeightsRef) (selfplay.Player, error) {
	switch {
	case w.Generation == 0:
		return k.player(name, settingTag, "", BaseTag)
	case k.Remote:
		return k.player(name, Tag(w), "", w.ID)
	}
	return k.player(name, settingTag, k.path(filepath.FromSlash(w.File)), w.ID)
}

// finalists are the engines of the matches at the end: with weights in the source, and as it was.
func (k *workshop) finalists(w learn.WeightsRef) (new, old selfplay.Player, err error) {
	if new, err = k.player("new", Tag(w), "", "source "+w.ID); err == nil {
		old, err = k.player("old", BaseTag, "", "source "+BaseTag)
	}
	return new, old, err
}
