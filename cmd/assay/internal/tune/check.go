package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/weights"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/features"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/heldout"
)

// checkEngine compares an engine with new weights with the rows of their fit.
func checkEngine(ctx context.Context, path string, args []string, c *features.Config, tolerance bool, asJSON bool, stdout, stderr io.Writer) error {
	x, err := weights.OpenAny(path)
	if err != nil {
		return err
	}
	fits, err := fitData(x.File, path, args)
	if err != nil {
		return err
	}
	var sum features.Compared
	for _, fit := range fits {
		p := cli.NewProgress(stderr, "check")
		found, err := features.Compare(ctx, features.Comparison{
			Command: c.Command, Timeout: c.Timeout, Features: fit.features, Positions: fit.positions, Progress: p.Update,
			Expect: func(set dataset.FeatureSet) (*dataset.FeatureSet, error) {
				if set.Model != x.File.Model {
					return nil, fmt.Errorf("the features are of %q, the weights of %q", set.Model, x.File.Model)
				}
				if unit := cmp.Or(x.File.Unit, dataset.DefaultUnit); set.Version > 1 && unit != set.Unit {
					return nil, fmt.Errorf("the features are in units of 1/%g pawn, the weights of 1/%g", set.Unit, unit)
				}
				if tolerance && set.Version > 1 {
					set.Tolerance = c.Tolerance
				}
				return heldout.WithWeights(x.File, &set, false)
			},
		})
		if err != nil {
			return featuresAdvice(err)
		}
		p.Finish(fmt.Sprintf("%d positions of %s", found.Rows, fit.features))
		sum.Rows, sum.Apart, sum.Largest = sum.Rows+found.Rows, sum.Apart+found.Apart, max(sum.Largest, found.Largest)
	}
	if asJSON {
		return cli.PrintJSON(stdout, map[string]any{"weights": x.File.ID(), "check": sum})
	}
	fmt.Fprintf(stdout, "the engine evaluates %d positions of the fit as %s (id %s) says; the largest difference is %.2g centipawns\n", sum.Rows, x.Name, x.File.ID(), sum.Largest)
	if sum.Apart > 0 {
		fmt.Fprintf(stdout, "of %d of them only the sum of the engine's own terms was compared, not that of the fit's row: it resolves positions, or another side is ahead in the endgame half\n", sum.Apart)
	}
	return nil
}

// fitted is a data set of features and the positions that it was made of.
type fitted struct {
	features  string
	positions []string
}

// fitData finds the data of a fit by their ids: among the arguments, beside them, beside the weights, and here.
func fitData(f *models.File, path string, args []string) (fits []fitted, err error) {
	byID := map[string]string{}
	note := func(dir string) {
		if m, err := durable.LoadManifest(dir); err == nil && m.Complete {
			if id, err := m.ID(); err == nil && byID[id] == "" {
				byID[id] = dir
			}
		}
	}
	places := []string{".", filepath.Dir(path), filepath.Dir(filepath.Dir(path))}
	var wanted []string
	for _, dir := range args {
		m, err := durable.LoadManifest(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: want a data set: %w", dir, err)
		}
		note(dir)
		places = append(places, filepath.Dir(filepath.Clean(dir)))
		if id, err := m.ID(); err == nil && dataset.IsFeatures(m.Schema) {
			wanted = append(wanted, id)
		}
	}
	if len(wanted) == 0 {
		wanted = f.Provenance.Data
	}
	for _, place := range places {
		note(place)
		found, _ := filepath.Glob(filepath.Join(place, "*", durable.ManifestName))
		for _, name := range found {
			note(filepath.Dir(name))
		}
	}
	return fitsOf(wanted, byID, path)
}

// fitsOf finds features by their ids, and the positions that they were made of.
func fitsOf(wanted []string, byID map[string]string, path string) (fits []fitted, err error) {
	if len(wanted) == 0 {
		return nil, errors.New("the weights do not say which features they were fitted to: name the features, and the positions that they were made of")
	}
	for _, id := range wanted {
		dir := byID[id]
		if dir == "" {
			return nil, fmt.Errorf("the features of the fit (id %.12s) are not here: name their folder, and the positions that they were made of", id)
		}
		m, err := durable.LoadManifest(dir)
		if err != nil {
			return nil, err
		}
		if !dataset.IsFeatures(m.Schema) {
			return nil, fmt.Errorf("the weights were fitted to %s, which holds %s: only a fit to features of an engine can be checked", dir, m.Schema)
		}
		x := fitted{features: dir}
		for _, parent := range m.Parents {
			if byID[parent] == "" {
				return nil, fmt.Errorf("%s was made of positions (id %.12s) that are not here: name their folder: assay features POSITIONS --check %s --cmd COMMAND", dir, parent, path)
			}
			x.positions = append(x.positions, byID[parent])
		}
		fits = append(fits, x)
	}
	return fits, nil
}
