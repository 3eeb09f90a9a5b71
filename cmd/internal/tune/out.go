package tune

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/tuner"
)

// tuneOut is where a fit goes: a weight file, or a run's folder, which also
// records the steps of the fit.
type tuneOut struct {
	path string
	run  *durable.Run // nil for a weight file

	followed func() // ends the page that follows the run
}

// tuneConfig is everything that decides a fit, for config.json.
type tuneConfig struct {
	Model string   `json:"model"`
	From  string   `json:"from,omitempty"`
	Data  []string `json:"data"`
	Fit   string   `json:"fit"`
	// Folds is -1 for none; left out where it is the default, so that runs of earlier
	// versions have the same configuration.
	Folds   int       `json:"folds,omitempty"`
	Test    []string  `json:"test,omitempty"`
	Weights []float64 `json:"weights,omitempty"`
	Ablate  string    `json:"ablate,omitempty"`
	Program string    `json:"program"`
}

// openTuneOut opens the run's folder if --out names no .json file. A run that is
// complete already comes with its result.
func openTuneOut(f *tuneFlags, t *tuneTask) (*tuneOut, json.RawMessage, error) {
	if strings.HasSuffix(f.out, ".json") {
		return &tuneOut{path: f.out}, nil, nil
	}
	c := tuneConfig{Model: t.name, From: t.parent, Data: t.hashes, Fit: f.c.Text(), Ablate: f.c.Ablate,
		Weights: t.weights, Program: ui.Version()}
	if t.test != nil {
		c.Test = t.test.hashes
	}
	if f.c.Folds != tuneFolds {
		c.Folds = cmp.Or(f.c.Folds, -1)
	}
	run, err := durable.OpenRun(f.out,
		durable.RunInfo{Command: "tune", Resume: f.resume, Program: ui.Version(), Loose: gamelog.Loose}, c)
	if err != nil {
		return nil, nil, err
	}
	result, complete := run.Result()
	if complete {
		return nil, result, run.Close()
	}
	return &tuneOut{path: run.Path("weights.json"), run: run, followed: report.Follow(f.out)}, nil, nil
}

// event adds to the run's events. One that cannot be logged does not end the fit; Finish returns the error.
func (o *tuneOut) event(kind string, data any) {
	if o.run != nil {
		_ = o.run.Event(kind, data)
	}
}

// withoutPath is where the weights without a group of terms are kept.
func withoutPath(dir, group string) string {
	return filepath.Join(dir, "without-"+url.PathEscape(group)+".json")
}

// writeAblated writes the weights without each group of terms, if the fit has them.
func (o *tuneOut) writeAblated(r *tuner.Result, fileOf func(*tuner.Result) (*models.File, error)) error {
	for i := range r.Ablations {
		x := r.Without(i)
		if x == nil {
			continue
		}
		file, err := fileOf(x)
		if err != nil {
			return err
		}
		text, err := file.Encode()
		if err == nil {
			err = durable.WriteFile(withoutPath(o.run.Dir(), r.Ablations[i].Name), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes the weights. What is partial does not make a run complete.
func (o *tuneOut) write(text []byte, report *tuner.Report) error {
	if err := durable.WriteFile(o.path, text); err != nil {
		return err
	}
	if o.run == nil {
		return nil
	}
	o.event("weights", map[string]any{"id": report.ID, "partial": report.Partial})
	if report.Partial {
		return nil
	}
	return o.run.Finish(report)
}

// close closes the run, and then leaves its page: while it is open it counts as running.
func (o *tuneOut) close(stderr io.Writer) error {
	if o.run == nil {
		return nil
	}
	err := o.run.Close()
	o.followed()
	report.Leave(o.run.Dir(), stderr)
	return err
}

// shownPath is how a report names the output.
func (o *tuneOut) shownPath() string { return filepath.ToSlash(o.path) }

// noiseRows is the number of rows, evenly spread, in which noise is looked for.
const noiseRows = 20_000

// noiseSample collects positions while data are read for another purpose.
type noiseSample struct {
	total  int64 // rows of all sources
	row    int64
	boards []board.Position
}

// watched returns the rows that take wants.
func watched[R any](rows iter.Seq2[R, error], take func(*R) bool) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for r, err := range rows {
			if err == nil && !take(&r) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (s *noiseSample) take(p *board.Position) {
	if s.row%max(1, s.total/noiseRows) == 0 {
		s.boards = append(s.boards, *p)
	}
	s.row++
}

// count runs the quiescence search of assay's own weights on the sample.
func (s *noiseSample) count() (n positions.Noise, err error) {
	var c positions.Config
	if err := ui.Quiescence(&c, models.Default); err != nil {
		return n, err
	}
	resolve := c.NewResolver()
	for i := range s.boards {
		n.Add(&s.boards[i], resolve)
	}
	s.boards = nil
	return n, nil
}

type featuresReport struct {
	Noise positions.Noise `json:"noise"` // of the positions that the engine was sent; none if it resolves them
}

// noiseOf returns the noise that the manifest of features reports.
func noiseOf(m *durable.Manifest) (n positions.Noise) {
	var r featuresReport
	if m != nil && json.Unmarshal(m.Report, &r) == nil {
		n = r.Noise
	}
	return n
}

// noiseWarning names noisy rows of the data sets, and the cure; it is empty
// if they are fit for tuning.
func noiseWarning(n *positions.Noise, paths []string) string {
	if !n.Unfit() {
		return ""
	}
	return fmt.Sprintf("%s of the rows say little about the evaluation: %s are in check, in %s a capture or "+
		"promotion changes it by more than %d centipawns (%d rows looked at); "+
		"make quiet rows: assay data positions %s --preset texel --out quiet",
		ui.Share(n.InCheck+n.Noisy, n.Rows), ui.Share(n.InCheck, n.Rows), ui.Share(n.Noisy, n.Rows),
		positions.NoiseLimit, n.Rows, ui.Words(paths))
}

// describe describes a fit, with all of its terms if wanted.
func describe(r *tuner.Report, model string, took time.Duration) *doc.Document {
	d := doc.Tune(r, took)
	if len(r.Ablations) > 0 && r.Without(0) != nil {
		d.Note("%s", ablated(r, model))
	}
	d.Parts = append(d.Parts, doc.Changes(r.Terms), doc.Terms(r.Terms, false),
		doc.Part{Text: collinear(r.Collinear), More: true})
	d.Note("wrote %s", r.Out)
	return d
}

// ablated says how the weights without a group play against those with it.
func ablated(r *tuner.Report, model string) string {
	file := filepath.ToSlash(withoutPath(filepath.Dir(r.Out), "GROUP"))
	if _, err := eval.Lookup(model); err == nil {
		return fmt.Sprintf("Games:     assay match assay:weights=%s assay:weights=%s --nodes 5000 --games 2000", r.Out, file)
	}
	return fmt.Sprintf("Games: let the engine with the weights of %s play the engine with the weights of %s.", r.Out, file)
}

// collinear names coefficients that the data cannot distinguish.
func collinear(list []tuner.Collinear) (text []string) {
	if len(list) == 0 {
		return nil
	}
	text = []string{"Coefficients that the data alone cannot separate from others; the prior does. Freeze\n" +
		"them if it is off, and compare only differences within a table."}
	const lines, names = 3, 3
	for _, c := range list[:min(lines, len(list))] {
		share := fmt.Sprintf("but for %.2g %% of its information", 100*c.Unexplained)
		if c.Exact {
			share = "exactly"
		}
		others := c.Others
		if len(others) > names {
			others = append(slices.Clone(others[:names]), "...")
		}
		text = append(text, fmt.Sprintf("  %s is, %s, %s", c.Coefficient, share, strings.Join(others, ", ")))
	}
	if len(list) > lines {
		text = append(text, fmt.Sprintf("  and %d more; --json lists all", len(list)-lines))
	}
	return text
}
