// Package ownengine tunes the engine of an author's repository, as its assay.toml describes it.
//
// Check carries out each stage of a loop in miniature. It runs the commands that a person would type, in a folder of
// its own; the repository is only read.
//
// Start reading at Check.
package ownengine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/assay/internal/settings"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/features"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// Config says what is checked.
type Config struct {
	Engine      string // a folder of the repository, for its working tree, or git:REF in the current folder
	Stdout      io.Writer
	Progress    *cli.Progress
	Concurrency int
	// Command runs a command of assay, and returns what it prints to the standard output and the standard error.
	Command func(ctx context.Context, words []string) (stdout, stderr string, err error)
}

// checkGames is how many games the check plays. More would only cost time: it asks whether everything works.
const checkGames = 10

// checker is a check in progress.
type checker struct {
	Config
	ctx     context.Context
	dir     string // of all that it makes
	project *settings.Project
	cache   *gitbuild.Cache
	source  *gitbuild.Source
	built   []*gitbuild.Build // the engine as it is, and with the weights of the fit
	hand    string            // the last command, as a person types it
	said    []string          // by that command, to the standard error
	notes   []string          // of a stage, for the author to read
}

// Check builds the engine, plays ten games, collects the features of their positions, finds the numbers in the
// source, fits, and builds and compares the engine with new weights. It prints a line for each stage.
func Check(ctx context.Context, c Config) error {
	k := &checker{Config: c, ctx: ctx}
	defer k.close()
	if err := k.open(); err != nil {
		return errors.Join(err, os.RemoveAll(k.dir))
	}
	stages := []struct {
		name string
		do   func() (string, error)
	}{
		{"build", func() (string, error) { return k.build(k.source) }},
		{"games", k.games},
		{"positions", k.positions},
		{"features", k.features},
		{"numbers", k.numbers},
		{"fit", k.fit},
		{"new build", k.rebuild},
		{"new dump", k.compare},
		{"match", k.match},
	}
	for _, stage := range stages {
		c.Progress.Update(0, 0, stage.name)
		k.hand, k.notes = "", nil
		start := time.Now()
		said, err := stage.do()
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), os.RemoveAll(k.dir))
		}
		took := time.Since(start).Seconds()
		if err != nil {
			fmt.Fprintf(c.Stdout, "%-10s %6.1f s  FAILED\n", stage.name, took)
			return k.failed(stage.name, err)
		}
		fmt.Fprintf(c.Stdout, "%-10s %6.1f s  %s\n", stage.name, took, said)
		for _, note := range k.notes {
			fmt.Fprintf(c.Stdout, "%22s%s\n", "", note)
		}
	}
	c.Progress.Finish(fmt.Sprintf("all %d stages work", len(stages)))
	return os.RemoveAll(k.dir)
}

// failed says how a person repeats what failed, and where its files are.
func (k *checker) failed(stage string, err error) error {
	text := stage + ": " + strings.TrimPrefix(cli.Plain(err.Error()), stage+": ")
	if k.hand != "" {
		text += "\nthe command was: " + k.hand
	}
	return errors.New(text + "\nits files are in " + k.dir)
}

// open reads the repository and its assay.toml.
func (k *checker) open() error {
	dir, ref := k.Engine, gitbuild.WorkTree
	if name, ok := strings.CutPrefix(k.Engine, "git:"); ok {
		dir, ref = ".", cmp.Or(name, "HEAD")
	}
	repo, err := gitbuild.OpenRepo(k.ctx, dir)
	if err != nil {
		return fmt.Errorf("%w; --engine names a folder in the repository of your engine, or git:REF", err)
	}
	if k.project, err = settings.ReadProject(repo.Top); err != nil {
		return err
	}
	if err := k.complete(filepath.Join(repo.Top, settings.ProjectName)); err != nil {
		return err
	}
	if k.dir, err = os.MkdirTemp("", "assay-check-"); err != nil {
		return err
	}
	log := func(format string, args ...any) { k.Progress.Say(fmt.Sprintf(format, args...)) }
	if k.cache, err = gitbuild.OpenCache(log); err != nil {
		return err
	}
	if ref == gitbuild.WorkTree {
		k.source, err = repo.Snapshot(k.ctx, k.dir)
	} else {
		k.source, err = repo.Resolve(k.ctx, ref)
	}
	if err != nil || k.project.Weights != "" {
		return err
	}
	if err := k.source.Checkout(k.ctx, k.path("source")); err != nil {
		return err
	}
	_, err = k.texts()
	return err
}

// complete checks that the file says all that the loop needs.
func (k *checker) complete(path string) error {
	for _, need := range []struct{ key, value, example string }{
		{"build", k.project.Build(), `build = "make EXE={out}"`},
		{"dump", k.project.Dump, `dump = "{exe} dump"`},
		{"sources or weights", strings.Join(k.project.Sources, "") + k.project.Weights, `sources = ["src/eval.c"]`},
	} {
		if need.value == "" {
			return fmt.Errorf("%s: %s is missing; write for example: %s (assay guide tune-my-engine)", path, need.key,
				need.example)
		}
	}
	return nil
}

func (k *checker) close() {
	for _, b := range k.built {
		b.Close()
	}
}

// path returns a path in the folder of the check.
func (k *checker) path(elem ...string) string {
	return filepath.Join(append([]string{k.dir}, elem...)...)
}

// run runs a command of assay, and returns its standard output.
func (k *checker) run(words ...string) (string, error) {
	k.hand = "assay"
	for _, w := range words {
		k.hand += " " + quote.Word(w)
	}
	text, said, err := k.Command(k.ctx, words)
	k.said = strings.Split(strings.TrimSpace(strings.ReplaceAll(said, k.path()+string(filepath.Separator), "")), "\n")
	return text, err
}

// build builds a source, and runs its bench.
func (k *checker) build(s *gitbuild.Source) (string, error) {
	b, err := k.cache.Build(k.ctx, s, k.project.Build())
	if err != nil {
		return "", err
	}
	k.built = append(k.built, b)
	bench, err := b.Bench(k.ctx)
	if err != nil {
		return "", err
	}
	how := "; built before"
	if b.New {
		how = ""
	}
	return fmt.Sprintf("%s, %s%s", s.Short(), bench, how), nil
}

// player returns the engine as a player, with a weight file if there is one.
func (k *checker) player(b *gitbuild.Build, weights string) string {
	spec := engine.Spec{}.WithProgram(b.Path)
	for _, o := range k.project.Options {
		spec.Options = append(spec.Options, engine.Option{Name: o.Name, Value: o.Text})
	}
	if weights != "" {
		spec.Options = append(spec.Options, engine.Option{Name: k.project.Weights, Value: weights})
	}
	return spec.String()
}

// limits are those of the games, or a short time if the loop plays by a clock.
func (k *checker) limits() []string {
	s := k.project.Learn
	if s.Clock != "" {
		return []string{"--movetime", "20ms"}
	}
	return []string{"--nodes", fmt.Sprint(cmp.Or(s.Limits.Nodes, settings.DefaultNodes))}
}

// playing is what a stage that plays has beside its players.
func (k *checker) playing() []string {
	return append(k.limits(), "--concurrency", fmt.Sprint(k.Concurrency))
}

func (k *checker) games() (string, error) {
	words := append([]string{"selfplay", "--players", k.player(k.built[0], ""), "--games", fmt.Sprint(checkGames),
		"--out", k.path("games")}, k.playing()...)
	if book := k.project.Learn.Opening.Book; book != "" {
		words = append(words, "--book", book)
	}
	_, err := k.run(words...)
	return fmt.Sprintf("%d games of the engine against itself, %s", checkGames, strings.Join(k.limits(), " ")), err
}

func (k *checker) positions() (string, error) {
	if _, err := k.run("data", "positions", k.path("games"), "--preset", "texel", "--out", k.path("positions")); err != nil {
		return "", err
	}
	m, err := durable.LoadManifest(k.path("positions"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d quiet positions", m.Rows), nil
}

// dump returns the command that prints features.
func (k *checker) dump(b *gitbuild.Build, weights string) string {
	var words []string
	for w := range strings.FieldsSeq(k.project.Dump) {
		w = strings.ReplaceAll(strings.ReplaceAll(w, settings.Exe, quote.Word(b.Path)), settings.WeightFile,
			quote.Word(weights))
		if w != "" && w != quote.Word("") {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// features collects features. Ten games are too few to say whether an evaluation predicts anything.
func (k *checker) features() (string, error) {
	if _, err := k.run("features", k.path("positions"), "--cmd", k.dump(k.built[0], ""), "--out", k.path("features"),
		"--force"); err != nil {
		return "", err
	}
	_, set, err := dataset.OpenFeatures(k.path("features"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d terms; each row adds up to the engine's own value", len(set.Terms)), nil
}

// numbers finds the engine's own values in the source, where writing them must change nothing, or lets the engine
// load them.
func (k *checker) numbers() (string, error) {
	if k.project.Weights != "" {
		return k.ownWeights()
	}
	before, err := k.texts()
	if err != nil {
		return "", err
	}
	if err := k.export(k.path("features")); err != nil {
		return "", err
	}
	k.notes = nil // they follow where values change
	after, err := k.texts()
	if err != nil {
		return "", err
	}
	for i, name := range k.project.Sources {
		if !bytes.Equal(before[i], after[i]) {
			return "", fmt.Errorf("%s changed although its own values were written: the dump prints values that are not "+
				"those of the source", name)
		}
	}
	return "found in " + strings.Join(k.project.Sources, ", ") + "; written back, they change nothing", nil
}

// texts reads the sources.
func (k *checker) texts() (list [][]byte, err error) {
	for _, name := range k.project.Sources {
		text, err := os.ReadFile(k.path("source", name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s, sources: there is no file %s in %s", settings.ProjectName, name, k.source.Short())
		}
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// export writes values into the sources. What it says about other code that uses them stays in the notes.
func (k *checker) export(from string) error {
	words := []string{"weights", "export", from}
	for _, name := range k.project.Sources {
		words = append(words, "--into", k.path("source", name))
	}
	_, err := k.run(words...)
	k.notes = slices.DeleteFunc(k.said, func(line string) bool {
		return strings.HasPrefix(line, "rounding moved ") || strings.HasPrefix(line, "last step: ")
	})
	return err
}

// ownWeights gives the engine a file of its own values.
func (k *checker) ownWeights() (string, error) {
	file, err := k.start()
	if err != nil {
		return "", err
	}
	file.K = models.DefaultK // any: a weight file has one
	if err := write(file, k.path("own.json")); err != nil {
		return "", err
	}
	_, err = k.agrees(k.built[0], k.path("own.json"))
	return "loaded from a file, the engine's own values change nothing", err
}

func (k *checker) fit() (string, error) {
	words := []string{"tune", k.path("features"), "--out", k.path("fit.json"), "--folds", "0", "--lambda",
		fmt.Sprint(k.project.Learn.Lambda)}
	for _, name := range k.project.Learn.Freeze {
		words = append(words, "--freeze", name)
	}
	if _, err := k.run(words...); err != nil {
		return "", err
	}
	f, err := models.OpenAny(k.path("fit.json"))
	if err != nil {
		return "", err
	}
	moved := shake(f)
	if moved == 0 {
		return "", errors.New("it changed no term: are all of them frozen or fixed?")
	}
	return fmt.Sprintf("%d terms; the next stages move each a good deal further, so that a number which stays behind shows",
		moved), write(f, k.tuned())
}

// shake moves all weights that a fit may change, up and down in turn, by an eighth and a little more: after ten games
// a fit moves few. Numbers of a formula stay, because they may be divisors. It returns how many it moved.
func shake(f *models.File) (moved int) {
	step := func(v int32, sign int32) int32 { return v + sign*(max(v, -v)/8+4) }
	for i := range f.Terms {
		t := &f.Terms[i]
		if f.Held(t) || t.Step != 0 {
			continue
		}
		moved++
		sign := int32(i%2*2 - 1)
		if t.MG, t.EG = step(t.MG, sign), step(t.EG, -sign); !f.Foreign[i].Tapered {
			t.EG = t.MG
		}
	}
	return moved
}

// start returns the engine's own values.
func (k *checker) start() (*models.File, error) {
	_, set, err := dataset.OpenFeatures(k.path("features"))
	if err != nil {
		return nil, err
	}
	return tuner.StartWeights(set)
}

func write(f *models.File, path string) error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

func (k *checker) tuned() string { return k.path("weights.json") }

// rebuild builds the engine with the weights of the fit, unless it loads them.
func (k *checker) rebuild() (string, error) {
	if k.project.Weights != "" {
		k.built = append(k.built, k.built[0])
		return "none: the engine loads weights by its option " + k.project.Weights, nil
	}
	if err := k.export(k.tuned()); err != nil {
		return "", err
	}
	k.hand = ""
	changed, err := k.source.Changed(k.ctx, k.path("source"), k.dir)
	if err != nil {
		return "", err
	}
	return k.build(changed)
}

func (k *checker) compare() (string, error) { return k.agrees(k.built[1], k.tuned()) }

// agrees compares what an engine evaluates with the rows of the fit under weights.
func (k *checker) agrees(b *gitbuild.Build, weights string) (string, error) {
	loaded := ""
	if k.project.Weights != "" {
		loaded = weights
	}
	text, err := k.run("features", k.path("features"), k.path("positions"), "--check", weights, "--cmd", k.dump(b, loaded),
		"--json")
	if err != nil {
		return "", err
	}
	var said struct{ Check features.Compared }
	err = json.Unmarshal([]byte(text), &said)
	return fmt.Sprintf("it evaluates %d positions as the weights say; largest difference %.2g centipawns", said.Check.Rows,
		said.Check.Largest), err
}

// match lets the two engines play each other.
func (k *checker) match() (string, error) {
	loaded := ""
	if k.project.Weights != "" {
		loaded = k.tuned()
	}
	_, err := k.run(append([]string{"match", "name=new:" + k.player(k.built[1], loaded), "name=old:" +
		k.player(k.built[0], ""), "--games", "2"}, k.playing()...)...)
	return "2 games of the new weights against the old", err
}
