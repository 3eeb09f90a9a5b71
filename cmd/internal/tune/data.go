package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/convert"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/rows"
)

// tuneTask is what a call of assay tune is about: an evaluation and data.
type tuneTask struct {
	model  *eval.Model // nil for an external evaluation
	name   string      // of the evaluation
	parent string      // id of the start weights; empty for an external evaluation
	terms  []rows.Term
	paths  []string // of the data
	hashes []string // of the data, in order

	positions []rows.Source
	features  []rows.FeatureSource
	set       dataset.FeatureSet // of the features

	test *tuneTask // other data of the same evaluation; nil if there are none

	// ofFeatures reports that the data are features; else they are positions.
	ofFeatures bool

	weights  []float64        // of the rows of each of the paths; nil: 1
	views    []*dataset.Views // of the scores of each of the paths
	noise    noiseSample      // of positions
	reported positions.Noise  // of the positions that became features
	warning  string           // about noisy rows, once they are loaded; empty if there are few

	viewWarning string // about scores
	ruleDraws   int64  // positions left out, see dataset.PositionRow.DrawByRule
}

// newTuneTask opens the data, all positions or all features, and finds out what
// evaluation is to be tuned.
func newTuneTask(f *tuneFlags, paths []string, stderr io.Writer) (*tuneTask, error) {
	t := &tuneTask{paths: paths, weights: f.weights}
	if n := len(f.weights); n != 0 && n != len(paths) {
		return nil, ui.Usagef("--weight has %d numbers for %d data sets: give one for each", n, len(paths))
	}
	if err := t.open(paths, stderr); err != nil {
		return nil, err
	}
	if t.ofFeatures {
		return t, t.foreign(f)
	}
	return t, t.own(f, stderr)
}

// open adds data sets of the kind of those opened before.
func (t *tuneTask) open(paths []string, stderr io.Writer) error {
	for i, path := range paths {
		if f, known := convert.FormatOf(path); known {
			return importAdvice(path, f)
		}
		format, err := dataset.Detect(path)
		if err != nil {
			return err
		}
		first := i == 0 && t.terms == nil
		switch {
		case format == dataset.GamesFormat:
			return fmt.Errorf("%s: %w: games, not positions", path, dataset.ErrFormat)
		case !first && dataset.IsFeatures(format) != t.ofFeatures:
			return fmt.Errorf("%s holds %s, the data before do not: positions and features cannot be tuned on together",
				path, format)
		case dataset.IsFeatures(format):
			t.ofFeatures = true
			err = t.addFeatures(path, stderr)
		default:
			err = t.addPositions(path, stderr)
		}
		if err != nil {
			return err
		}
		if slices.Contains(t.hashes[:i], t.hashes[i]) {
			return fmt.Errorf("%s: %w", path, dataset.ErrDuplicate)
		}
	}
	return nil
}

// importAdvice says how a file of another format becomes data that can be tuned on.
func importAdvice(path string, f convert.Format) error {
	text := fmt.Sprintf("%s is a file of %s; tune reads data sets. First: assay data import %s --out DIR",
		path, f, quote.Word(path))
	if f.Games() {
		text += ", then assay data positions DIR --out POSITIONS"
	}
	return errors.New(text)
}

// openTest returns the task of the data given with --test, of the same evaluation; nil if there
// are none.
func (t *tuneTask) openTest(f *tuneFlags, stderr io.Writer) (*tuneTask, error) {
	if len(f.test) == 0 {
		return nil, nil
	}
	x := &tuneTask{paths: f.test, model: t.model, name: t.name, terms: t.terms, set: t.set, ofFeatures: t.ofFeatures}
	if err := x.open(f.test, stderr); err != nil {
		return nil, fmt.Errorf("--test: %w", err)
	}
	for i, id := range x.hashes {
		if slices.Contains(t.hashes, id) {
			return nil, ui.Usagef("--test %s is also tuned on: give data that the fit has not seen", f.test[i])
		}
	}
	return x, nil
}

// begin notes a data set. It returns the test of its scores, and the factor of its rows' weights.
func (t *tuneTask) begin(path string, verified bool, stderr io.Writer) (views *dataset.Views, weight float32) {
	if !verified {
		fmt.Fprintf(stderr, "tune: %s has no manifest: its contents are unverified\n", path)
	}
	views, weight = &dataset.Views{}, 1
	if t.weights != nil {
		weight = float32(t.weights[len(t.views)])
	}
	t.views = append(t.views, views)
	return views, weight
}

func (t *tuneTask) addPositions(path string, stderr io.Writer) error {
	d, err := dataset.OpenPositions(path)
	if err != nil {
		return err
	}
	views, weight := t.begin(path, d.Verified(), stderr)
	s, err := rows.SourceOf(d)
	t.noise.total += d.Len()
	s.Rows = watched(s.Rows, func(p *dataset.PositionRow) bool {
		p.Weight *= weight
		t.noise.take(&p.Board)
		views.Position(p)
		if p.DrawByRule() {
			t.ruleDraws++
			return false
		}
		return true
	})
	t.positions, t.hashes = append(t.positions, s), append(t.hashes, s.Hash)
	return err
}

func (t *tuneTask) addFeatures(path string, stderr io.Writer) error {
	d, set, err := dataset.OpenFeatures(path)
	if err != nil {
		return err
	}
	views, weight := t.begin(path, d.Verified(), stderr)
	if err := checkNames(&set); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if t.terms == nil && t.features == nil {
		t.set = set
	} else if err := t.set.SameTerms(&set); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t.reported = t.reported.Plus(noiseOf(d.Manifest()))
	s, err := rows.SourceOf(d)
	s.Rows = watched(s.Rows, func(r *dataset.FeatureRow) bool {
		r.Weight *= weight
		views.Feature(r, set.Unit)
		return true
	})
	t.features, t.hashes = append(t.features, s), append(t.hashes, s.Hash)
	return err
}

// checkNames refuses at the start what could not be written at the end.
func checkNames(set *dataset.FeatureSet) error {
	if err := eval.CheckName(set.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for i, t := range set.Terms {
		if err := eval.CheckName(t.Name); err != nil {
			return fmt.Errorf("term %d: %w", i, err)
		}
	}
	return nil
}

// own takes the model and its start weights from the flags.
func (t *tuneTask) own(f *tuneFlags, stderr io.Writer) error {
	x, err := weights.Open(f.model, cmp.Or(f.from, models.StartOf(cmp.Or(f.model, "assay"))))
	if err != nil {
		return err
	}
	t.model, t.name, t.parent = x.Model, x.Model.Name, x.File.ID()
	t.terms, err = rows.TermsOf(x.Model, x.Coefs)
	return err
}

// match is the command that plays the weights of a fit against those that it started from. Another engine's
// stand in its builds.
func (t *tuneTask) match(f *tuneFlags, out string) string {
	players := "./NEW ./OLD"
	if t.model != nil {
		from := cmp.Or(f.from, models.StartOf(t.name))
		players = quote.Word("assay:weights="+out) + " " + quote.Word("assay:weights="+from)
	}
	return "assay match " + players + " --nodes 5000 --sprt 0,10"
}

// unit returns the number of engine units a pawn of the features, 0 if they are centipawns.
func (t *tuneTask) unit() float64 {
	if t.set.Version > 1 && t.set.Unit != dataset.DefaultUnit {
		return t.set.Unit
	}
	return 0
}

// foreign takes the terms from the features, and start values from there or from --from.
func (t *tuneTask) foreign(f *tuneFlags) error {
	t.name, t.terms = t.set.Model, rows.TermsOfFeatures(t.set)
	if f.model != "" && f.model != t.name {
		return ui.Usagef("--model %s: the features are of %q", f.model, t.name)
	}
	t.model = rows.ModelOf(t.set)
	if t.model != nil && t.unit() != 0 {
		return fmt.Errorf("the features are of our own model %s, but have %g units a pawn: its weights are in "+
			"centipawns; give the dump a model name of its own", t.name, t.unit())
	}
	if f.from == "" {
		return nil
	}
	if t.set.Local {
		return fmt.Errorf("--from %s: %s has slopes, which hold near the numbers with which they were measured: measure "+
			"them again with the file's", f.from, t.paths[0])
	}
	x, err := weights.OpenAny(f.from)
	if err != nil {
		return err
	}
	if x.File.Unit != t.unit() {
		return fmt.Errorf("--from %s: its weights are in units of 1/%g pawn, the features in 1/%g pawn",
			f.from, cmp.Or(x.File.Unit, dataset.DefaultUnit), cmp.Or(t.unit(), dataset.DefaultUnit))
	}
	t.parent = x.File.ID()
	if err := tuner.StartFrom(t.terms, x.File); err != nil {
		return fmt.Errorf("--from %s: term %w (features of %q, weights of %q)", f.from, err, t.name, x.File.Model)
	}
	return nil
}

// signChanges counts the rows of features whose endgame factor may be another under the new
// weights.
func (t *tuneTask) signChanges(ctx context.Context, s *rows.Store, r *tuner.Result) (*rows.SignChanges, error) {
	if t.features == nil {
		return nil, nil
	}
	before, after := make([]float64, len(r.Terms)), make([]float64, len(r.Terms))
	for i := range r.Terms {
		before[i], after[i] = r.Terms[i].StartEG, float64(r.Terms[i].EG)
	}
	return rows.NewLinear(t.set).SignChanges(ctx, s, before, after)
}

// checkViews returns an error if the fit would learn from scores or results that are not from White's view.
func (t *tuneTask) checkViews(f *tuneFlags) error {
	for _, err := range dataset.Faults(t.paths, t.views) {
		var fault *dataset.ViewFault
		errors.As(err, &fault)
		results := fault.Kind == dataset.MoverResults || fault.Kind == dataset.MoverBoth
		switch {
		case results:
			return errors.New(ui.FaultText(err))
		case fault.Wrong() && f.c.Lambda < 1:
			return fmt.Errorf("%s (--lambda 1 fits to the results alone)", ui.FaultText(err))
		case fault.Wrong() || f.c.Lambda < 1: // a fit to results alone does not use scores
			t.viewWarning = ui.FaultText(err)
		}
	}
	return nil
}

func (t *tuneTask) warnings() []string {
	draws := ui.If(t.ruleDraws > 0, "%d positions that the rules call a draw have another result and are left out",
		t.ruleDraws)
	return slices.DeleteFunc([]string{t.viewWarning, t.warning, draws}, func(w string) bool { return w == "" })
}

func (t *tuneTask) load(ctx context.Context, f *tuneFlags, stderr io.Writer) (*rows.Store, error) {
	debug.SetGCPercent(25) // a quarter less memory, for a thirtieth more time
	bar := ui.NewProgress(stderr, "features")
	b := rows.Build{Workers: f.c.Workers, Disk: f.disk, Progress: bar.Update}
	var s *rows.Store
	var err error
	if t.ofFeatures {
		s, err = b.Features(ctx, t.set, t.features)
	} else {
		s, err = b.Positions(ctx, t.model, t.positions)
	}
	if err != nil {
		return nil, err
	}
	noise, err := t.noise.count()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := t.checkViews(f); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	t.warning = noiseWarning(&noise, t.paths)
	if w := noiseWarning(&t.reported, []string{"POSITIONS"}); w != "" {
		t.warning = w + ", then run assay features quiet with the same --cmd"
	}
	perRow := float64(s.Bytes()) / float64(max(1, s.Rows()))
	bar.Finish(fmt.Sprintf("%d positions of %d games, %d nonzeros, %.0f bytes a position",
		s.Rows(), s.Games(), s.Entries(), perRow))
	return s, nil
}

// with calls do with the data of a task, unless that is nil.
func (t *tuneTask) with(ctx context.Context, f *tuneFlags, stderr io.Writer, do func(*rows.Store) error) error {
	if t == nil {
		return nil
	}
	s, err := t.load(ctx, f, stderr)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}
