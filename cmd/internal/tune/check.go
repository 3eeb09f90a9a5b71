package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/features"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// checkEngine compares an engine that was built with new weights with the rows of their fit.
func (f *featuresFlags) checkEngine(ctx context.Context, args []string, to ui.Output) error {
	x, err := weights.OpenAny(f.check)
	if err != nil {
		return err
	}
	fits, err := fitData(x.File, f.check, args)
	if err != nil {
		return err
	}
	expect := func(set dataset.FeatureSet) (*dataset.FeatureSet, error) {
		unit := cmp.Or(x.File.Unit, dataset.DefaultUnit)
		switch {
		case set.Model != x.File.Model:
			return nil, fmt.Errorf("the features are of %q, the weights of %q", set.Model, x.File.Model)
		case set.Version > 1 && unit != set.Unit:
			return nil, fmt.Errorf("the features are in units of 1/%g pawn, the weights of 1/%g", set.Unit, unit)
		case set.Version > 1 && f.tolerance:
			set.Tolerance = f.c.Tolerance
		}
		return tuner.WithWeights(x.File, &set)
	}
	var sum features.Compared
	for _, fit := range fits {
		p := ui.NewProgress(to.Err, "check")
		found, err := features.Compare(ctx, features.Comparison{
			Command: f.c.Command, Timeout: f.c.Timeout, Features: fit.features,
			Positions: fit.positions, Progress: p.Update, Expect: expect,
		})
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		p.Finish(fmt.Sprintf("%d positions of %s", found.Rows, fit.features))
		sum.Add(*found)
	}
	return to.Show(map[string]any{"weights": x.File.ID(), "check": sum},
		func(w io.Writer) error { return printCompared(w, x, &sum) })
}

func printCompared(w io.Writer, x *weights.Opened, sum *features.Compared) error {
	fmt.Fprintf(w, "the engine agrees with the weights on %d positions of the fit: %s (id %s); "+
		"the largest difference is %.2g centipawns\n", sum.Rows, x.Name, x.File.ID(), sum.Largest)
	if sum.Apart > 0 {
		fmt.Fprintf(w, "of %d of them only the sum of the engine's own terms was compared, not that of the "+
			"fit's row: "+
			"it resolves positions, or another side is ahead in the endgame half\n", sum.Apart)
	}
	if sum.Changed > 0 {
		fmt.Fprintf(w, "%d of them, %.2g%%, are counted otherwise than in the fit's row, and add up; that moves a "+
			"value by up to %.3g centipawns\nthe first is %s\nit depends on numbers that were tuned: the fit took it as fixed. "+
			"Give it numbers of its own, the old ones, or tune the features of the new build\n",
			sum.Changed, 100*float64(sum.Changed)/float64(sum.Rows), sum.Shift, sum.Change)
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
	places := []string{".", filepath.Dir(path), filepath.Dir(filepath.Dir(path))}
	folders := slices.Clone(args)
	var wanted []string
	for _, dir := range args {
		m, err := durable.LoadManifest(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: want a data set: %w", dir, err)
		}
		places = append(places, filepath.Dir(filepath.Clean(dir)))
		if id, err := m.ID(); err == nil && dataset.IsFeatures(m.Schema) {
			wanted = append(wanted, id)
		}
	}
	for _, place := range places {
		found, _ := filepath.Glob(filepath.Join(place, "*", durable.ManifestName))
		folders = append(folders, place)
		for _, name := range found {
			folders = append(folders, filepath.Dir(name))
		}
	}
	byID := map[string]string{}
	for _, dir := range folders {
		if m, err := durable.LoadManifest(dir); err == nil && m.Complete {
			if id, err := m.ID(); err == nil {
				byID[id] = cmp.Or(byID[id], dir)
			}
		}
	}
	if len(wanted) == 0 {
		wanted = f.Provenance.Data
	}
	return fitsOf(wanted, byID, path)
}

// fitsOf finds features by their ids, and the positions that they were made of.
func fitsOf(wanted []string, byID map[string]string, path string) (fits []fitted, err error) {
	if len(wanted) == 0 {
		return nil, errors.New("the weights do not name the features that they were fitted to: name the features, " +
			"and their positions")
	}
	for _, id := range wanted {
		dir := byID[id]
		if dir == "" {
			return nil, fmt.Errorf("the features of the fit (id %.12s) are not here: name their folder, and that of "+
				"their positions", id)
		}
		m, err := durable.LoadManifest(dir)
		if err != nil {
			return nil, err
		}
		if !dataset.IsFeatures(m.Schema) {
			return nil, fmt.Errorf("the weights were fitted to %s, which holds %s: only a fit to features of an "+
				"engine can be checked",
				dir, m.Schema)
		}
		x := fitted{features: dir}
		for _, parent := range m.Parents {
			if byID[parent] == "" {
				return nil, fmt.Errorf("%s was made of positions (id %.12s) that are not here: name their folder: "+
					"assay features POSITIONS --check %s --cmd COMMAND", dir, parent, path)
			}
			x.positions = append(x.positions, byID[parent])
		}
		fits = append(fits, x)
	}
	return fits, nil
}
