// Package models reads and writes weight files, and holds the weight files that are built
// into the program.
//
// A weight file (assay.weights/1) is one JSON object: the name of the model, the integer
// coefficients of all its terms, the fitted numbers they were rounded from with their
// standard errors, and the provenance: the data, seed, configuration and program that made
// it. Reading is strict, because an engine with a missing coefficient plays worse without
// a sign: unknown, missing and repeated terms and fields, numbers out of range and wrong
// types are errors that name the file, the line and the term.
//
// Package eval defines what a term counts; package tuner fits weights.
//
// Start reading at File, then Parse.
package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/assay-chess/assay/eval"
)

const (
	// formatName is the field "format" of every file.
	formatName = "assay.weights/1"
	// defaultK is the slope of the sigmoid 1/(1+e^(-K x)), x in centipawns, of weights
	// that were not fitted. With it 400 centipawns predict the same score as 400 Elo.
	defaultK = math.Ln10 / 400
	// maxSize bounds the size of a weight file, in bytes.
	maxSize = 16 << 20
	// maxTerms bounds the number of terms of any evaluation, as in data sets of features.
	maxTerms = 65536
)

// File is the content of a weight file.
type File struct {
	// Model is the name of the model, as in eval.Models, or of an external evaluation.
	Model string
	// External is the term table of an external evaluation, one that package eval does not
	// have: name, group, and whether a term is tapered. It is nil for models of eval.
	External []eval.Term
	// Unit is the number of units a pawn of an external evaluation whose weights are in its own
	// engine's units; 0 is 100, and weights are in centipawns.
	Unit float64
	// Formula is the text that makes an evaluation of its terms, of a model of eval its own;
	// empty if it is linear.
	Formula string
	// K is the slope of the sigmoid that belongs to the weights, per centipawn or engine unit.
	K float64
	// Terms holds every term of the model, in the order of its table.
	Terms      []TermWeight
	Provenance Provenance
}

// TermWeight is the coefficient of one term, in centipawns or engine units (File.Unit).
type TermWeight struct {
	Name string
	// MG and EG are the values that the evaluation uses, equal where the term is not tapered.
	MG, EG int32
	// FitMG and FitEG are the fitted numbers they were rounded from, SEMG and SEEG their
	// standard errors; all zero where nothing was fitted.
	FitMG, FitEG, SEMG, SEEG float64
	// Count is the number of positions of the fit in which the term occurred.
	Count int64
}

// Provenance says where weights come from. Fields that do not apply are empty.
type Provenance struct {
	Parent    string   `json:"parent"`     // id of the weights that the fit started from
	Data      []string `json:"data"`       // hashes of the data sets
	Rows      int64    `json:"rows"`       // in the fit
	Games     int64    `json:"games"`      // in the fit
	Split     string   `json:"split"`      // how rows were divided into training and validation
	LossTrain float64  `json:"loss_train"` // 0: not measured; LossValid too
	LossValid float64  `json:"loss_valid"`
	Method    string   `json:"method"`
	Seed      uint64   `json:"seed"`
	Program   string   `json:"program"` // program and version
	Config    string   `json:"config"`  // hash or text of the configuration
	Time      string   `json:"time"`    // RFC 3339; the only field that differs between equal runs
}

// New returns a file with the given weights of the model, K defaultK and an empty
// provenance. w must have one coefficient for each term.
func New(m *eval.Model, w []eval.Coef) *File {
	f := &File{Model: m.Name, Formula: formulaOf(m), K: defaultK, Terms: make([]TermWeight, len(m.Terms))}
	for i := range f.Terms {
		f.Terms[i] = TermWeight{Name: m.Terms[i].Name, MG: w[i].MG, EG: w[i].EG}
	}
	return f
}

// formulaOf returns the formula of a model, empty if its value is the sum of its terms.
func formulaOf(m *eval.Model) string {
	if m.Nonlinear == nil {
		return ""
	}
	return m.Nonlinear.Formula.Text
}

// Table returns the term table, in the order of f.Terms: the model's, or the one of a foreign
// evaluation. It fails if f.Terms does not match the table.
func (f *File) Table() ([]eval.Term, error) {
	if f.External == nil {
		if f.Unit != 0 {
			return nil, fmt.Errorf("the unit is 1/%g pawn, but weights of %s are in centipawns", f.Unit, f.Model)
		}
		m, _, err := f.Weights()
		if err != nil {
			return nil, err
		}
		return m.Terms, nil
	}
	if len(f.External) != len(f.Terms) {
		return nil, fmt.Errorf("evaluation %s: %d terms, but %d in the term table", f.Model, len(f.Terms), len(f.External))
	}
	if err := checkForeignNames(f); err != nil {
		return nil, err
	}
	if f.Unit != 0 && !validUnit(f.Unit) {
		return nil, fmt.Errorf("evaluation %s: %v engine units a pawn, want %d to %d", f.Model, f.Unit, leastUnit, mostUnit)
	}
	for i := range f.Terms {
		t, about := &f.Terms[i], &f.External[i]
		switch {
		case t.Name != about.Name || t.Name == "":
			return nil, fmt.Errorf("evaluation %s: term %d is %q, in the term table %q", f.Model, i, t.Name, about.Name)
		case !about.Tapered && t.MG != t.EG:
			return nil, fmt.Errorf("term %q is not tapered, its weights %d and %d differ", t.Name, t.MG, t.EG)
		case max(t.MG, -t.MG, t.EG, -t.EG) > eval.MaxCoef:
			return nil, fmt.Errorf("term %q: weight %d/%d is beyond %d", t.Name, t.MG, t.EG, eval.MaxCoef)
		}
	}
	return f.External, nil
}

// checkForeignNames checks the names of an external evaluation, its terms and its groups.
func checkForeignNames(f *File) error {
	if err := eval.CheckName(f.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for i := range f.External {
		t := &f.External[i]
		if err := eval.CheckName(t.Name); err != nil {
			return fmt.Errorf("term %d: %w", i, err)
		}
		if err := eval.CheckName(t.Group); t.Group != "" && err != nil {
			return fmt.Errorf("term %q: group: %w", t.Name, err)
		}
	}
	return nil
}

// ID identifies the weights: it is the first 12 hex digits of the SHA-256 of the model's
// name, its formula if it has one, and the lines "name mg eg" in table order. K, fitted numbers and the provenance are
// not part of it.
func (f *File) ID() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", f.Model)
	if f.Formula != "" {
		fmt.Fprintf(h, "%s\n", f.Formula)
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		fmt.Fprintf(h, "%s %d %d\n", t.Name, t.MG, t.EG)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Weights returns the model and its coefficients in table order. It fails if the terms are
// not exactly the model's; the error names the first that is not. An external
// evaluation is eval.ErrUnknownModel.
func (f *File) Weights() (*eval.Model, []eval.Coef, error) {
	if f.External != nil {
		return nil, nil, fmt.Errorf("%w: %s is an external evaluation, only its own engine can evaluate with it",
			eval.ErrUnknownModel, f.Model)
	}
	m, err := eval.Lookup(f.Model)
	if err != nil {
		return nil, nil, err
	}
	switch own := formulaOf(m); {
	case own == "" && f.Formula != "":
		return nil, nil, fmt.Errorf("there is a formula, but the value of model %s is the sum of its terms", f.Model)
	case own != f.Formula:
		return nil, nil, fmt.Errorf("the formula of these weights differs from this program's model %s: fit "+
			"them again with assay tune", f.Model)
	}
	w := make([]eval.Coef, len(f.Terms))
	for i := range f.Terms {
		t := &f.Terms[i]
		if i >= len(m.Terms) || m.Terms[i].Name != t.Name {
			return nil, nil, fmt.Errorf("term %q is not term %d of model %s", t.Name, i, m.Name)
		}
		w[i] = eval.Coef{MG: t.MG, EG: t.EG}
	}
	if err := m.Check(w); err != nil {
		return nil, nil, err
	}
	return m, w, nil
}
