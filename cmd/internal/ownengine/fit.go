package ownengine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/rows"
	"github.com/assay-chess/assay/tuner/slopes"
)

// Fit is a fit to slopes that were measured at one point.
type Fit struct {
	Headline  string  `json:"headline"`
	Point     string  `json:"point"`           // id of the numbers at which slopes were measured
	Found     string  `json:"found"`           // id of the numbers that the fit found
	Start     float64 `json:"loss_start"`      // on held-out games, at the point
	Predicted float64 `json:"loss"`            // there, under the fit, by the slopes
	Change    float64 `json:"rms_change"`      // of the evaluation, in centipawns
	Error     float64 `json:"rms_error"`       // of that change as the slopes predict it
	Trust     float64 `json:"trust,omitempty"` // centipawns that a number might move; 0: the default
}

// Text says what the fit found.
func (f *Fit) Text() string {
	return fmt.Sprintf("loss %.5f, on held-out games %.5f; the evaluation changes by %.1f centipawns, and "+
		"as predicted to within %.1f", f.Start, f.Predicted, f.Change, f.Error)
}

const (
	// mostFits is how often slopes are measured in a generation: again at the point that the last fit found.
	mostFits = 4
	// mostError is the root mean square error of a predicted change, in centipawns, above which a fit went further
	// than its slopes reach.
	mostError = 4
	// straight is the share of a change that slopes may miss while measuring them again would find the same.
	straight = 0.05
	// mostTries is how often the reach of a fit is halved for that.
	mostTries = 3
	// compared is the number of positions by which a fit's prediction is judged.
	compared = 20000
)

// fitting is the fit of a generation in progress.
type fitting struct {
	l        *loop
	g        int
	champion []float64
	data     []string  // positions
	weights  []float64 // of their rows
	k        float64   // of the first fit: losses of all are compared
}

// run fits numbers to the positions of all generations. Slopes are measured at the champion, and again at what was
// found while that lowers the loss on held-out games.
func (f *fitting) run() ([]float64, error) {
	before, point := f.champion, f.champion
	for m := 1; m <= mostFits; m++ {
		measured := f.l.measuring(f.l.path(learn.Folder(f.g), fmt.Sprintf("slopes-%d", m)), point, f.data...)
		measured.Weights = f.weights
		if err := f.l.measure(measured); err != nil {
			return nil, err
		}
		found, fit, err := f.reach(measured, point)
		if err != nil {
			return nil, err
		}
		fits := &f.l.now.Fits
		switch n := len(*fits); {
		case n > 0 && !(fit.Start < (*fits)[n-1].Start):
			return before, nil // the step that led here was predicted to be better, and is not
		case n > 0 && !(fit.Predicted < fit.Start):
			return point, nil
		}
		*fits = append(*fits, fit)
		if fit.Error <= straight*fit.Change { // nothing moved, too
			return found, nil
		}
		before, point = point, found
	}
	return point, nil
}

// measuring says how slopes at a point are measured.
func (k *workshop) measuring(out string, point []float64, positions ...string) slopes.Config {
	return slopes.Config{Command: slopes.Command{Path: k.builds[settingTag].Path}, Numbers: k.set.Numbers,
		Positions: positions, Out: out, Model: k.author.Name(), Point: point, Workers: k.atOnce(),
		Program: ui.Version()}
}

// measure measures slopes, unless they are complete.
func (k *workshop) measure(c slopes.Config) error {
	progress := ui.NewProgress(k.Stderr, "slopes")
	c.Progress = progress.Update
	r, err := slopes.Measure(k.ctx, c)
	if errors.Is(err, dataset.ErrComplete) {
		return nil
	}
	if err == nil {
		progress.Finish(fmt.Sprintf("%d positions, %d evaluations, %.0f a second", r.Rows, r.Evaluations, r.Speed))
	}
	return err
}

// reach fits, and halves how far a number may move until the slopes predict the change well enough.
func (f *fitting) reach(measured slopes.Config, point []float64) (found []float64, fit Fit, err error) {
	d, set, err := dataset.OpenFeatures(measured.Out)
	if err != nil {
		return nil, fit, err
	}
	source, err := rows.SourceOf(d)
	if err != nil {
		return nil, fit, err
	}
	store, err := rows.Build{}.Features(f.l.ctx, set, []rows.FeatureSource{source})
	if err != nil {
		return nil, fit, err
	}
	defer store.Close()
	trust := 0.
	for try := 1; ; try++ {
		r, err := f.fit(set, store, trust)
		if err != nil {
			return nil, fit, err
		}
		found = f.l.found(&set, r, point)
		moved, err := slopes.Compare(f.l.ctx, measured, found, compared)
		if err != nil {
			return nil, fit, err
		}
		fit = Fit{Headline: r.Headline(), Point: idOf(f.l.set, point), Found: idOf(f.l.set, found),
			Change: moved.Actual,
			Error:  moved.Wrong, Trust: trust}
		if v := r.CrossValidation; v != nil {
			fit.Start, fit.Predicted = v.Start, v.Tuned
		}
		if moved.Wrong <= mostError || try == mostTries || r.Linearization == nil {
			return found, fit, nil
		}
		trust = r.Linearization.Largest / 2
	}
}

// fit fits to measured rows.
func (f *fitting) fit(set dataset.FeatureSet, store *rows.Store, trust float64) (*tuner.Result, error) {
	c := tuner.NewConfig()
	c.Folds, c.ChoosePrior, c.Unit, c.K, c.Trust = 5, true, set.Unit, f.k, trust
	c.Lambda, c.Seed, c.Freeze = f.l.plan.Lambda, f.l.plan.Seed, measuredOf(&set, frozen(&f.l.plan, f.l.set))
	c.Center = centers(set, f.l.set.Numbers, f.champion)
	progress := ui.NewProgress(f.l.Stderr, "fit")
	c.Progress = progress.Update
	r, err := tuner.Fit(f.l.ctx, store, rows.TermsOfFeatures(set), c)
	if err != nil {
		return nil, err
	}
	progress.Finish(fmt.Sprintf("%d steps, validation loss %.5f, before %.5f", r.Steps, float64(r.Rounded.Valid),
		float64(r.Start.Valid)))
	f.k = r.K
	return r, nil
}

// centers returns the champion's numbers as weights of the measured terms.
func centers(set dataset.FeatureSet, list []numbers.Number, champion []float64) (centers []tuner.Coefficient) {
	was := map[string]float64{}
	for i, n := range list {
		was[n.Name] = champion[i]
	}
	for _, t := range set.Terms {
		c := was[t.Name] / t.Number(1)
		centers = append(centers, tuner.Coefficient{MG: c, EG: c})
	}
	return centers
}

// found returns the numbers that a fit found, as literals can be written.
func (k *workshop) found(set *dataset.FeatureSet, r *tuner.Result, point []float64) []float64 {
	byName := map[string]float64{}
	for i, t := range r.Terms {
		byName[t.Name] = set.Terms[i].Number(float64(t.MG))
	}
	values := slices.Clone(point)
	for i, n := range k.set.Numbers {
		if v, ok := byName[n.Name]; ok {
			values[i] = n.Round(v)
		}
	}
	return values
}

// frozen returns the numbers and tables that keep their values: those named, and a tempo, which says nothing of
// positions.
func frozen(p *Plan, set *numbers.Set) []string {
	list := slices.Clone(p.Freeze)
	for _, n := range set.Numbers {
		if strings.EqualFold(n.Table, "tempo") && !slices.Contains(list, n.Name) && !slices.Contains(list, n.Table) {
			list = append(list, n.Name)
		}
	}
	return list
}

// measuredOf returns the names that are terms or groups of the set: what was not measured stays as it is anyway.
func measuredOf(set *dataset.FeatureSet, names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(set.Terms, func(t dataset.FeatureTerm) bool { return t.Name == name || t.Group == name })
	})
}

// sameValues returns an error unless two programs, with files of numbers or without, evaluate the positions of a data
// set alike, or fail at the same ones.
func (k *workshop) sameValues(positions string, a, b *gitbuild.Build, numbersA string) (int, error) {
	fens, err := fensOf(positions, compared)
	if err != nil {
		return 0, err
	}
	want, failedA := k.values(slopes.Command{Path: a.Path, Numbers: numbersA}, fens)
	if want == nil {
		return 0, failedA
	}
	got, failedB := k.values(slopes.Command{Path: b.Path}, fens)
	if got == nil {
		return 0, failedB
	}
	differ, first := 0, -1
	for i := range want {
		if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			if differ++; first < 0 {
				first = i
			}
		}
	}
	if differ > 0 {
		return 0, errors.Join(fmt.Errorf("%d of %d positions have other values, the first one %v and not %v: %s", differ,
			len(fens), got[first], want[first], fens[first]), failedA, failedB)
	}
	return len(fens), nil
}

// values evaluates positions with a program that is started for them, as slopes.Program.Values does.
func (k *workshop) values(c slopes.Command, fens []string) ([]float64, error) {
	p, err := slopes.Start(k.ctx, c)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Values(fens, nil)
}

// fensOf reads the first positions of a data set.
func fensOf(positions string, most int) (fens []string, err error) {
	d, err := dataset.OpenPositions(positions)
	if err != nil {
		return nil, err
	}
	for row, err := range d.All() {
		if err != nil {
			return nil, err
		}
		if fens = append(fens, slopes.FEN(&row.Board)); len(fens) == most {
			break
		}
	}
	return fens, nil
}
