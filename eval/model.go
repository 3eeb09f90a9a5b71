package eval

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// ErrUnknownModel is returned, wrapped, by Lookup.
var ErrUnknownModel = errors.New("unknown model")

// MaxScore bounds every evaluation, in centipawns: |value| <= MaxScore.
const MaxScore = engine.MaxScore

// Model is a named list of terms with start weights. Models are tables: read them,
// do not write to them.
type Model struct {
	Name string
	// About describes the model in one line.
	About string
	// Terms in table order; a term's index here is its number everywhere.
	Terms []Term
	// Start holds the weights that learning starts from, one for each term.
	Start []Coef

	// Nonlinear says how the value is made of the terms; nil if it is their sum.
	Nonlinear *Nonlinear

	trace func(*board.Position, tracer) tracer
	score func(*board.Position, scorer) scorer // nil: values are made of counts
	// scale returns the endgame scale in sixteenths, given the phase; nil: none.
	scale func(*board.Position, int) int
	index map[string]int
}

// models are made when first asked for: a twentieth of the time that a short command takes.
var models = sync.OnceValue(func() []*Model {
	return []*Model{shannonModel(), appendixModel(), machackModel(), assayModel(), assayBentModel()}
})

// Models returns all models, the simplest first.
func Models() []*Model { return slices.Clone(models()) }

// Lookup finds a model by its name.
func Lookup(name string) (*Model, error) {
	var names []string
	for _, m := range models() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("%w %q (there are: %s)", ErrUnknownModel, name, strings.Join(names, ", "))
}

// Term returns the index of the named term and whether the model has it.
func (m *Model) Term(name string) (int, bool) {
	i, ok := m.index[name]
	return i, ok
}

// slot returns the index of a term in counts and packed weights.
func (m *Model) slot(term int) int {
	if m.Nonlinear != nil {
		return int(m.Nonlinear.slot[term])
	}
	return term
}

// Check returns an error unless w can be the weights of the model: one coefficient for
// each term, none beyond MaxCoef, and both values equal where a term is not tapered. The
// error names the term.
func (m *Model) Check(w []Coef) error {
	if len(w) != len(m.Terms) {
		return fmt.Errorf("model %s has %d terms, the weights have %d", m.Name, len(m.Terms), len(w))
	}
	for i, c := range w {
		t := &m.Terms[i]
		if c.MG > MaxCoef || c.MG < -MaxCoef || c.EG > MaxCoef || c.EG < -MaxCoef {
			return fmt.Errorf("term %q: weight %d/%d is beyond %d centipawns", t.Name, c.MG, c.EG, MaxCoef)
		}
		if !t.Tapered && c.MG != c.EG {
			return fmt.Errorf("term %q is not tapered, its weights %d and %d differ", t.Name, c.MG, c.EG)
		}
	}
	return nil
}

// newModel returns the model of a complete table.
func newModel(name, about string, t *table, trace func(*board.Position, tracer) tracer,
	score func(*board.Position, scorer) scorer) *Model {
	if len(t.terms) > maxTerms {
		panic("eval: model " + name + " has more than maxTerms terms")
	}
	m := &Model{Name: name, About: about, Terms: t.terms, Start: t.start, trace: trace, score: score}
	m.index = make(map[string]int, len(t.terms))
	for i := range t.terms {
		m.index[t.terms[i].Name] = i
	}
	return m
}

// Suffixes of names that mean one value of a tapered term.
const (
	OnlyMG = ".mg"
	OnlyEG = ".eg"
)

// SetWeight returns a copy of the weights with one of them set, as players take it for an
// option: the name of a term sets both of its values, with OnlyMG or OnlyEG appended one of a
// tapered term. The value is a whole number of centipawns. It reports false if the name is
// none of the model's.
func (m *Model) SetWeight(w []Coef, name, value string) ([]Coef, bool, error) {
	term, suffix := m.findWeight(name)
	if term < 0 {
		return w, false, nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return nil, true, fmt.Errorf("bad weight: %q is not a whole number of centipawns", value)
	}
	next := slices.Clone(w)
	if suffix != OnlyEG {
		next[term].MG = int32(n)
	}
	if suffix != OnlyMG {
		next[term].EG = int32(n)
	}
	return next, true, m.Check(next)
}

// findWeight returns the index of the term that a name means, -1 if there is none, and the
// name's suffix.
func (m *Model) findWeight(name string) (term int, suffix string) {
	if i, ok := m.Term(name); ok {
		return i, ""
	}
	for _, suffix := range []string{OnlyMG, OnlyEG} {
		if term, ok := strings.CutSuffix(name, suffix); ok {
			if i, ok := m.Term(term); ok && m.Terms[i].Tapered {
				return i, suffix
			}
		}
	}
	return -1, ""
}
