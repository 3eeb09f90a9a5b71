// Package models is the home of weights: the format of weight files, and the weight
// files that are built into the program, each with its pedigree.
//
// A weight file (assay.weights/1) is one JSON object: the model it is for, the
// coefficients of all its terms as integers, the fitted numbers behind them with
// their standard errors, and the provenance: which data, seed, configuration and
// program made it. Reading is strict, because a coefficient that is silently missing
// plays silently worse: unknown, missing and repeated terms and fields, numbers out
// of range and wrong types are errors that name the file, the line and the term.
//
// What a term counts is not said here but in package eval; fitting is package tuner's.
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
	// Format names the format, as the field "format" of every file.
	Format = "assay.weights/1"
	// Unit is the unit of all coefficients, as the field "unit" of every file.
	Unit = "centipawn"
	// DefaultK is the slope of the sigmoid 1/(1+e^(-K x)), x in centipawns, of
	// weights that no data have been fitted to: 400 centipawns are then worth what
	// 400 Elo are.
	DefaultK = math.Ln10 / 400
	// MaxSize bounds the size of a weight file, in bytes.
	MaxSize = 16 << 20
	// MaxTerms bounds the terms of any evaluation, as data sets of features do.
	MaxTerms = 65536
)

// File is the content of a weight file.
type File struct {
	// Model is the name of the model, as in eval.Models, or of a foreign evaluation.
	Model string
	// Foreign describes the terms, one for one, of an evaluation that is none of our
	// models: name, group, and whether they are tapered. It is nil for our models.
	Foreign []eval.Term
	// K is the slope of the sigmoid that goes with the weights, per centipawn.
	K float64
	// Terms holds every term of the model, in the order of its table.
	Terms      []TermWeight
	Provenance Provenance
}

// TermWeight is the coefficient of one term, in centipawns.
type TermWeight struct {
	Name string
	// MG and EG are what the evaluation uses; equal where the term is not tapered.
	MG, EG int32
	// FitMG and FitEG are what they were rounded from, SEMG and SEEG the standard
	// errors of these; all zero where nothing was fitted.
	FitMG, FitEG, SEMG, SEEG float64
	// Count is the number of positions of the fit in which the term occurred.
	Count int64
}

// Provenance is the pedigree of weights. Fields that do not apply are empty.
type Provenance struct {
	Parent      string   // id of the weights that the fit began with
	Data        []string // hashes of the data sets
	Rows, Games int64    // what the fit saw
	Split       string   // how training and validation were told apart
	LossTrain   float64
	LossValid   float64
	Method      string
	Seed        uint64
	Program     string // program and version
	Config      string // hash or text of the configuration
	Time        string // RFC 3339; the one field that differs between equal runs
}

// New returns a file with the given weights of the model, which must have one
// coefficient for each term, K DefaultK, and no pedigree yet.
func New(m *eval.Model, w []eval.Coef) *File {
	f := &File{Model: m.Name, K: DefaultK, Terms: make([]TermWeight, len(m.Terms))}
	for i := range f.Terms {
		f.Terms[i] = TermWeight{Name: m.Terms[i].Name, MG: w[i].MG, EG: w[i].EG}
	}
	return f
}

// Table returns what is known of the terms, in the order of f.Terms: the model's own
// table, or that of a foreign evaluation. It fails if the terms are not the table's.
func (f *File) Table() ([]eval.Term, error) {
	if f.Foreign == nil {
		m, _, err := f.Weights()
		if err != nil {
			return nil, err
		}
		return m.Terms, nil
	}
	if len(f.Foreign) != len(f.Terms) {
		return nil, fmt.Errorf("evaluation %s: %d terms, and %d described", f.Model, len(f.Terms), len(f.Foreign))
	}
	for i := range f.Terms {
		t, about := &f.Terms[i], &f.Foreign[i]
		switch {
		case t.Name != about.Name || t.Name == "":
			return nil, fmt.Errorf("evaluation %s: term number %d is %q, described as %q", f.Model, i, t.Name, about.Name)
		case !about.Tapered && t.MG != t.EG:
			return nil, fmt.Errorf("term %q is not tapered, its weights %d and %d differ", t.Name, t.MG, t.EG)
		case max(t.MG, -t.MG, t.EG, -t.EG) > eval.MaxCoef:
			return nil, fmt.Errorf("term %q: weight %d/%d is beyond %d centipawns", t.Name, t.MG, t.EG, eval.MaxCoef)
		}
	}
	return f.Foreign, nil
}

// ID identifies the weights: the first 12 hex digits of the SHA-256 of the model's
// name and the lines "name mg eg" in table order. Neither K nor what was fitted nor
// the provenance is part of it.
func (f *File) ID() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", f.Model)
	for i := range f.Terms {
		t := &f.Terms[i]
		fmt.Fprintf(h, "%s %d %d\n", t.Name, t.MG, t.EG)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Weights returns the model and its coefficients in table order. It fails if the
// terms are not exactly those of the model, naming the first that is not.
func (f *File) Weights() (*eval.Model, []eval.Coef, error) {
	if f.Foreign != nil {
		return nil, nil, fmt.Errorf("%w: %s is a foreign evaluation, which only its own engine knows how to count", eval.ErrUnknownModel, f.Model)
	}
	m, err := eval.Lookup(f.Model)
	if err != nil {
		return nil, nil, err
	}
	w := make([]eval.Coef, len(f.Terms))
	for i := range f.Terms {
		t := &f.Terms[i]
		if i >= len(m.Terms) || m.Terms[i].Name != t.Name {
			return nil, nil, fmt.Errorf("term %q is not number %d of model %s", t.Name, i, m.Name)
		}
		w[i] = eval.Coef{MG: t.MG, EG: t.EG}
	}
	if err := m.Check(w); err != nil {
		return nil, nil, err
	}
	return m, w, nil
}
