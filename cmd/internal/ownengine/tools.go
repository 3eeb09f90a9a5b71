// Package ownengine tunes the engine of an author's repository, as its assay.toml describes it.
//
// It runs the commands that a person would type, in a folder of its own; the repository is only read. Check carries
// out each stage of the loop in miniature. Run is the loop: self-play, a fit, a gate, and matches at the end that
// decide whether the author gets a patch.
//
// Start reading at Run.
package ownengine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/features"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/models"
)

// Options are the options of assay learn that only an engine of the user's own has.
type Options struct {
	Engine                     string // a folder of the repository, for its working tree, or git:REF in the current folder
	CheckOnly, AcceptNotWeaker bool
	Added                      []string // more positions to learn from
}

// Alone are the flags that Options adds beside --engine.
var Alone = []string{"check", "hours", "deep-games", "clock-games", "clock", "add", "accept-not-weaker"}

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

// Config says which engine is tuned, and how commands are run.
type Config struct {
	Options
	Typed          *pflag.FlagSet // flags that replace settings of assay.toml
	Seed           uint64
	Stdout, Stderr io.Writer
	Concurrency    int      // games at once; 0: one a core
	Playing        []string // flags of each command that plays, such as --concurrency
	// Written is called when there is a result, or a line more of it, in the run's folder; nil: by nobody.
	Written func()
	// Command runs a command of assay, and returns what it prints to the standard output.
	Command func(ctx context.Context, words []string, stderr io.Writer) (stdout string, err error)
}

// tools is the engine, and the commands for it.
type tools struct {
	Config
	ctx         context.Context
	dir         string // of all that is made
	repo        *gitbuild.Repo
	source      *gitbuild.Source
	project     *opts.Project
	cache       *gitbuild.Cache
	lastCommand string   // the last command, as a person types it
	said        []string // by that command, to the standard error
	notes       []string // of a stage, for the author to read
}

// find finds the engine. Git objects of a working tree's files are written to the folder temp.
func (k *tools) find(temp string) error {
	dir, ref := k.Engine, gitbuild.WorkTree
	if name, ok := strings.CutPrefix(k.Engine, "git:"); ok {
		dir, ref = ".", cmp.Or(name, "HEAD")
	}
	var err error
	if k.repo, err = gitbuild.OpenRepo(k.ctx, dir); err != nil {
		return fmt.Errorf("%w; --engine names a folder in the repository of your engine, or git:REF", err)
	}
	if ref == gitbuild.WorkTree {
		k.source, err = k.repo.Snapshot(k.ctx, temp)
	} else {
		k.source, err = k.repo.Resolve(k.ctx, ref)
	}
	return err
}

// describe reads the assay.toml of the engine's files, and checks that it says all that the loop needs.
func (k *tools) describe(log func(format string, args ...any)) (err error) {
	if k.project, err = opts.ReadProject(k.path(SourceName)); err != nil {
		return err
	}
	for _, need := range []struct{ key, value, example string }{
		{"build", k.project.Build(), `build = "make EXE={out}"`},
		{"dump", k.project.Dump, `dump = "{exe} dump"`},
		{"sources or weights", strings.Join(k.project.Sources, "") + k.project.Weights, `sources = ["src/eval.c"]`},
	} {
		if need.value == "" {
			return fmt.Errorf("%s: %s is missing; write for example: %s (assay guide tune-my-engine)",
				filepath.Join(k.repo.Top, opts.ProjectName), need.key, need.example)
		}
	}
	if _, err := k.texts(); err != nil {
		return err
	}
	k.cache, err = gitbuild.OpenCache(log)
	return err
}

// path returns a path in the folder of all that is made.
func (k *tools) path(elem ...string) string {
	return filepath.Join(append([]string{k.dir}, elem...)...)
}

// show sets the last command.
func (k *tools) show(words []string) {
	k.lastCommand = "assay"
	for _, w := range words {
		k.lastCommand += " " + quote.Word(w)
	}
}

// run runs a command of assay in silence, and returns its standard output.
func (k *tools) run(words ...string) (string, error) {
	k.show(words)
	var said strings.Builder
	text, err := k.Command(k.ctx, words, &said)
	short := strings.NewReplacer(k.path(SourceName)+string(filepath.Separator), "",
		k.path()+string(filepath.Separator), "")
	k.said = strings.Split(strings.TrimSpace(short.Replace(said.String())), "\n")
	return text, err
}

// atOnce is how many games this machine plays at once.
func (k *tools) atOnce() int {
	return cmp.Or(k.Concurrency, runtime.GOMAXPROCS(0))
}

// player returns a build as a player, with the options of assay.toml and a weight file if there is one.
func (k *tools) player(path, weights string) string {
	spec := engine.Spec{}.WithProgram(path)
	for _, o := range k.project.Options {
		spec.Options = append(spec.Options, engine.Option{Name: o.Name, Value: o.Text})
	}
	if weights != "" {
		spec.Options = append(spec.Options, engine.Option{Name: k.project.Weights, Value: weights})
	}
	return spec.String()
}

// collect returns the words of a command that has an engine print features.
func (k *tools) collect(words ...string) []string {
	words = append([]string{"features"}, words...)
	if own := k.project.Learn; own.Flags.Changed("tolerance") {
		words = append(words, "--tolerance", fmt.Sprint(own.Tolerance))
	}
	return words
}

// dump returns the command that prints features.
func (k *tools) dump(path, weights string) string {
	var words []string
	for w := range strings.FieldsSeq(k.project.Dump) {
		w = strings.ReplaceAll(strings.ReplaceAll(w, opts.Exe, quote.Word(path)), opts.WeightFile,
			quote.Word(weights))
		if w != "" && w != quote.Word("") {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// texts reads the sources.
func (k *tools) texts() (list [][]byte, err error) {
	for _, name := range k.project.Sources {
		text, err := os.ReadFile(k.path(SourceName, name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s, sources: there is no file %s in %s", opts.ProjectName, name, k.source.Short())
		}
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// export writes values into the sources. What it says about other code that uses them stays in the notes.
func (k *tools) export(from string) error {
	words := []string{"weights", "export", from}
	for _, name := range k.project.Sources {
		words = append(words, "--into", k.path(SourceName, name))
	}
	_, err := k.run(words...)
	k.notes = slices.DeleteFunc(k.said, func(line string) bool {
		return strings.HasPrefix(line, "rounding moved ") || strings.HasPrefix(line, "last step: ")
	})
	return err
}

// failed says how a person repeats what failed.
func (k *tools) failed(err error) error {
	text := ui.Plain(err.Error())
	if k.lastCommand != "" {
		text += "\nthe command was: " + k.lastCommand
	}
	return errors.New(text)
}

func write(f *models.File, path string) error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// uses leaves out of the notes of an export the old values that stand elsewhere: where all numbers moved they say
// little.
func uses(notes []string) (list []string) {
	equal := false
	for _, line := range notes {
		if !strings.HasPrefix(line, " ") {
			equal = strings.HasPrefix(line, "not written, but equal")
		}
		if !equal {
			list = append(list, line)
		}
	}
	return list
}

// try lets a build play a few games against itself. It is an error if it plays at other limits than it should.
func (k *tools) try(b *gitbuild.Build, games int, out string, p *Plan) error {
	_, err := k.run(slices.Concat([]string{"selfplay", "--players", k.player(b.Path, ""), "--games", fmt.Sprint(games),
		"--out", out}, p.Limits(), k.Playing)...)
	for _, line := range k.said {
		if err == nil && strings.Contains(line, `does not seem to know "go nodes"`) {
			err = fmt.Errorf("%s; add go nodes to the engine, or set tc in [learn]",
				strings.TrimPrefix(line, "selfplay: warning: "))
		}
	}
	return err
}

// compare compares what an engine evaluates with the rows of a fit under weights.
func (k *tools) compare(rows, positions, weights, dump string) (*features.Compared, error) {
	text, err := k.run(k.collect(rows, positions, "--check", weights, "--cmd", dump, "--json")...)
	if err != nil {
		return nil, err
	}
	var said struct{ Check features.Compared }
	return &said.Check, json.Unmarshal([]byte(text), &said)
}
