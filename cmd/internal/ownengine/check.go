package ownengine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// checkGames is how many games the check plays. More would only cost time: it asks whether everything works.
const checkGames = 10

// checker is a check in progress.
type checker struct {
	tools
	built []*gitbuild.Build // the engine as it is, and with the weights of the fit
	plan  Plan
}

// Check builds the engine, plays ten games, collects the features of their positions, finds the numbers in the
// source, fits, and builds and compares the engine with new weights. It prints a line for each stage, and what a run
// would play.
func Check(ctx context.Context, c Config) error {
	k := &checker{tools: tools{Config: c, ctx: ctx}}
	defer k.close()
	progress := ui.NewProgress(c.Stderr, "check")
	if err := k.open(progress); err != nil {
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
		progress.Update(0, 0, stage.name)
		k.lastCommand, k.notes = "", nil
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
	progress.Finish(fmt.Sprintf("all %d stages work", len(stages)))
	fmt.Fprint(c.Stdout, "\na run plays:\n", k.plan.Text())
	return os.RemoveAll(k.dir)
}

// failed says how a person repeats what failed, and where its files are.
func (k *checker) failed(stage string, err error) error {
	text := strings.TrimPrefix(k.tools.failed(err).Error(), stage+": ")
	return fmt.Errorf("%s: %s\nits files are in %s", stage, text, k.dir)
}

// open reads the repository and its assay.toml.
func (k *checker) open(p *ui.Progress) (err error) {
	if k.dir, err = os.MkdirTemp("", "assay-check-"); err != nil {
		return err
	}
	if err := k.find(k.dir); err != nil {
		return err
	}
	if err := k.source.Checkout(k.ctx, k.path(SourceName)); err != nil {
		return err
	}
	log := func(format string, args ...any) { p.Say(fmt.Sprintf(format, args...)) }
	if err := k.describe(log); err != nil {
		return err
	}
	k.plan, err = newPlan(&k.Config, k.project.Learn)
	return err
}

func (k *checker) close() {
	for _, b := range k.built {
		b.Close()
	}
}

// build builds a source, and runs the bench of the engine as it is.
func (k *checker) build(s *gitbuild.Source) (string, error) {
	b, err := k.cache.Build(k.ctx, s, k.project.Build())
	if err != nil {
		return "", err
	}
	k.built = append(k.built, b)
	bench := "without its bench"
	if s == k.source {
		found, err := b.Bench(k.ctx)
		if err != nil {
			return "", err
		}
		bench = found.String()
	}
	how := "; built before"
	if b.New {
		how = ""
	}
	return fmt.Sprintf("%s, %s%s", s.Short(), bench, how), nil
}

func (k *checker) games() (string, error) {
	start := time.Now()
	err := k.try(k.built[0], checkGames, k.path("games"), &k.plan)
	k.plan.Split(checkGames/time.Since(start).Seconds(), k.atOnce())
	return fmt.Sprintf("%d games of the engine against itself, %s", checkGames, k.plan.LimitsText()), err
}

func (k *checker) positions() (string, error) {
	_, err := k.run("data", "positions", k.path("games"), "--preset", "texel", "--out", k.path("positions"))
	if err != nil {
		return "", err
	}
	m, err := durable.LoadManifest(k.path("positions"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d quiet positions", m.Rows), nil
}

// features collects features. Ten games are too few to say whether an evaluation predicts anything.
func (k *checker) features() (string, error) {
	if _, err := k.run(k.collect(k.path("positions"), "--cmd", k.dump(k.built[0].Path, ""), "--out",
		k.path("features"), "--force")...); err != nil {
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
		fmt.Sprint(k.plan.Lambda)}
	for _, name := range k.plan.Freeze {
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
	return fmt.Sprintf("%d terms; the next stages move each a good deal further, so that a number which stays behind "+
		"shows", moved), write(f, k.tuned())
}

// shake moves all weights that a fit may change, up and down in turn, by an eighth and a little more: after ten games
// a fit moves few. It returns how many it moved.
func shake(f *models.File) (moved int) {
	step := func(v int32, sign int32) int32 { return v + sign*(max(v, -v)/8+4) }
	for i := range f.Terms {
		t := &f.Terms[i]
		sign := int32(i%2*2 - 1)
		switch {
		case f.Held(t):
			continue
		default:
			if t.MG, t.EG = step(t.MG, sign), step(t.EG, -sign); !f.Foreign[i].Tapered {
				t.EG = t.MG
			}
		}
		moved++
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
	k.lastCommand, k.notes = "", uses(k.notes)
	changed, err := k.source.Changed(k.ctx, k.path(SourceName), k.dir)
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
	found, err := k.tools.compare(k.path("features"), k.path("positions"), weights, k.dump(b.Path, loaded))
	if err != nil {
		return "", err
	}
	if found.Changed > 0 {
		k.notes = append(k.notes, fmt.Sprintf("%d of them are counted otherwise than in the fit's rows: %s", found.Changed,
			found.Change))
	}
	return fmt.Sprintf("it evaluates %d positions as the weights say; largest difference %.2g centipawns", found.Rows,
		found.Largest), nil
}

// match lets the two engines play each other.
func (k *checker) match() (string, error) {
	loaded := ""
	if k.project.Weights != "" {
		loaded = k.tuned()
	}
	_, err := k.run(slices.Concat([]string{"match", "name=new:" + k.player(k.built[1].Path, loaded), "name=old:" +
		k.player(k.built[0].Path, ""), "--games", "2"}, k.plan.Limits(), k.Playing)...)
	return "2 games of the new weights against the old", err
}
