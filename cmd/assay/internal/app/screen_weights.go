package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/tune"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/screen"
)

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
			text, err = withoutTime(spec.Weights)
			spec.Weights = ""
		}
	}
	if text == nil || err != nil {
		return spec, x.Build, err
	}
	if !strings.Contains(x.Build, weightsWord) {
		return spec, "", cli.Usagef("the build command %q has no %s: that is the file with the weights, for assay weights "+
			"export --into", x.Build, weightsWord)
	}
	path := filepath.Join(os.TempDir(), fmt.Sprintf("assay-weights-%.12x.json", sha256.Sum256(text)))
	return spec, strings.ReplaceAll(x.Build, weightsWord, quote.Word(path)), durable.WriteFile(path, text)
}

// withoutTime returns a weight file without the time of its fit.
func withoutTime(path string) ([]byte, error) {
	f, err := models.OpenAny(path)
	if err != nil {
		return nil, err
	}
	f.Provenance.Time = ""
	return f.Encode()
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
