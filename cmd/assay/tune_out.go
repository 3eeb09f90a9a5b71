package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// tuneWeightsName is the weight file in a run's folder.
const tuneWeightsName = "weights.json"

// tuneOut is where a fit goes: a weight file, or a run's folder that also tells how
// it came about.
type tuneOut struct {
	path string
	run  *store.Run // nil for a weight file
}

// tuneConfig is everything that decides a fit, for config.json.
type tuneConfig struct {
	Model   string   `json:"model"`
	From    string   `json:"from,omitempty"`
	Data    []string `json:"data"`
	Fit     string   `json:"fit"`
	Curve   bool     `json:"learning_curve"`
	Program string   `json:"program"`
}

// openTuneOut opens the run's folder if --out names no .json file. A run that is
// complete already comes with its result.
func openTuneOut(f *tuneFlags, t *tuneTask, args []string) (*tuneOut, json.RawMessage, error) {
	if strings.HasSuffix(f.out, ".json") {
		return &tuneOut{path: f.out}, nil, nil
	}
	c := tuneConfig{Model: t.name, From: t.parent, Data: t.identity(), Fit: f.c.Text(), Curve: f.curve, Program: programVersion()}
	run, err := store.OpenRun(f.out, store.RunInfo{Command: "tune", Resume: f.resume(args), Program: programVersion()}, c)
	if err != nil {
		var changed *store.ConfigChangedError
		if errors.As(err, &changed) || errors.Is(err, store.ErrNotRun) {
			err = fmt.Errorf("%w; name another folder with --out", err)
		}
		return nil, nil, err
	}
	result, complete := run.Result()
	if complete {
		return nil, result, run.Close()
	}
	return &tuneOut{path: run.Path(tuneWeightsName), run: run}, nil, nil
}

// resume returns the command line that repeats the call.
func (f *tuneFlags) resume(args []string) string {
	return "assay tune " + strings.Join(append(args, f.given...), " ")
}

// trace writes a step of the method to the run's events.
func (o *tuneOut) trace(s tuner.Step) {
	if o.run == nil {
		return
	}
	type step struct {
		Stage     string   `json:"stage"`
		Iteration int      `json:"iteration"`
		Objective float64  `json:"objective"`
		Gap       *float64 `json:"gap"`
	}
	// A diary that cannot be written must not end the fit; finish will say so.
	_ = o.run.Event("step", step{s.Stage, s.Iteration, s.Objective, finiteOrNull(s.Gap)})
}

func (o *tuneOut) event(kind string, data any) {
	if o.run != nil {
		_ = o.run.Event(kind, data)
	}
}

// write writes the weights. What is partial does not make a run complete.
func (o *tuneOut) write(text []byte, report *tuneJSON) error {
	if err := store.WriteFile(o.path, text); err != nil {
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

func (o *tuneOut) close() error {
	if o.run == nil {
		return nil
	}
	return o.run.Close()
}

// weightFile returns the fit as a weight file and its text.
func (t *tuneTask) weightFile(r *tuner.Result) (*models.File, []byte, error) {
	p := tuner.Pedigree{Parent: t.parent, Program: programVersion(), Time: time.Now()}
	if t.model == nil {
		file := r.ForeignFile(t.name, p)
		text, err := foreignText(file)
		return file, text, err
	}
	file, err := r.File(t.model, p)
	if err != nil {
		return nil, nil, err
	}
	text, err := file.Encode()
	return file, text, err
}

// foreignText writes the weights of an evaluation that is none of our models, in the
// format of all weight files. Every term is written as tapered.
func foreignText(f *models.File) ([]byte, error) {
	type term struct {
		Name  string  `json:"name"`
		MG    int32   `json:"mg"`
		EG    int32   `json:"eg"`
		FitMG float64 `json:"fit_mg,omitempty"`
		FitEG float64 `json:"fit_eg,omitempty"`
		SEMG  float64 `json:"se_mg,omitempty"`
		SEEG  float64 `json:"se_eg,omitempty"`
		Count int64   `json:"count,omitempty"`
	}
	type provenance struct {
		Parent    string   `json:"parent"`
		Data      []string `json:"data"`
		Rows      int64    `json:"rows"`
		Games     int64    `json:"games"`
		Split     string   `json:"split"`
		LossTrain float64  `json:"loss_train"`
		LossValid float64  `json:"loss_valid"`
		Method    string   `json:"method"`
		Seed      uint64   `json:"seed"`
		Program   string   `json:"program"`
		Config    string   `json:"config"`
		Time      string   `json:"time"`
	}
	terms := make([]term, len(f.Terms))
	for i, t := range f.Terms {
		for _, v := range []float64{t.FitMG, t.FitEG, t.SEMG, t.SEEG} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("term %q: %v is not a number that a file can hold", t.Name, v)
			}
		}
		terms[i] = term(t)
	}
	text, err := json.MarshalIndent(struct {
		Format     string     `json:"format"`
		Model      string     `json:"model"`
		Unit       string     `json:"unit"`
		K          float64    `json:"K"`
		Provenance provenance `json:"provenance"`
		Terms      []term     `json:"terms"`
	}{models.Format, f.Model, models.Unit, f.K, provenance(f.Provenance), terms}, "", "  ")
	return append(text, '\n'), err
}

// shownPath is how a report names the output.
func (o *tuneOut) shownPath() string { return filepath.ToSlash(o.path) }
