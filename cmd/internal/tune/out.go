package tune

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
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
	c := tuneConfig{Model: t.name, From: t.parent, Data: t.identity(), Fit: f.c.Text(), Ablate: f.c.Ablate,
		Weights: t.weights, Program: ui.Version()}
	if t.test != nil {
		c.Test = t.test.identity()
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
