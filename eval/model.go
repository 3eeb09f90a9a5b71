package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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

	trace func(*board.Position, tracer) tracer
	score func(*board.Position, scorer) scorer
	// scale returns the endgame scale in sixteenths, given the phase; nil: none.
	scale func(*board.Position, int) int
	index map[string]int
}

var models = []*Model{shannonModel(), appendixModel(), machackModel(), assayModel()}

// Models returns all models, the simplest first.
func Models() []*Model { return slices.Clone(models) }

// Lookup finds a model by its name.
func Lookup(name string) (*Model, error) {
	var names []string
	for _, m := range models {
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
func newModel(name, about string, t *table, trace func(*board.Position, tracer) tracer, score func(*board.Position, scorer) scorer) *Model {
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
