// Package eval evaluates chess positions. It declares every evaluation term once; from that
// declaration come the score that a search uses, the features that a tuner fits and the
// explanation that a person reads.
//
// A Model is a named list of terms with start weights. A position has an integer count for
// each term, White's minus Black's, and its value is
//
//	sum(count x (mg x phase + eg x (24 - phase))) x scale / 24
//
// in centipawns from White's view. Model.Features returns the counts and the
// Evaluator of Model.NewEvaluator returns the value; the integer sum before its one
// division is the same in both, for every position. A model that is Nonlinear has channels, each a
// sum of some of its terms, and a formula that makes the value of the sums.
//
// The functions named trace..., in the files of the models, are the only source. They
// report counts to a tracer. "go generate" copies them into score_generated.go as functions
// named score..., which report to a scorer; the scorer adds up weights.
//
// The package does not search and does not read weight files: see engine/search and
// models.
//
// Start reading at Model, then shannon.go, which holds the whole of the smallest model.
package eval

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

//go:generate go run gen.go

// ErrUnknownModel is returned, wrapped, by Lookup.
var ErrUnknownModel = errors.New("unknown model")

// MaxScore bounds every evaluation, in centipawns: |value| <= MaxScore.
const MaxScore = engine.MaxScore

// Model is a named list of terms with start weights. Models are tables: read them,
// do not write to them.
type Model struct {
	Name string
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
func newModel(name string, t *table, trace func(*board.Position, tracer) tracer,
	score func(*board.Position, scorer) scorer) *Model {
	if len(t.terms) > maxTerms {
		panic("eval: model " + name + " has more than maxTerms terms")
	}
	m := &Model{Name: name, Terms: t.terms, Start: t.start, trace: trace, score: score}
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

// Coef is the coefficient of a term, in centipawns: MG in the middlegame (phase 24), EG in
// the endgame (phase 0), interpolated by phase between them. A term that is not tapered has
// MG == EG.
type Coef struct {
	MG int32 `json:"mg"`
	EG int32 `json:"eg"`
}

// MaxCoef bounds both values of every coefficient: |coefficient| <= MaxCoef.
const MaxCoef = 30000

// The groups of terms. A tuner has one prior and a report one section for each.
const (
	GroupMaterial    = "material"
	groupPieceSquare = "piece-square"
	groupMobility    = "mobility"
	groupPawns       = "pawns"
	groupPassed      = "passed"
	groupPieces      = "pieces"
	groupKing        = "king"
	groupThreats     = "threats"
	groupTempo       = "tempo"
	groupEndgame     = "endgame"
)

// Term is one thing a model counts. Its index in Model.Terms is its number.
type Term struct {
	// Name is unique within the model; weight files use it.
	Name string
	// Group is one of the groups above, or any of an external evaluation.
	Group string
	// Tapered reports whether the term has two coefficients or one.
	Tapered bool
	// Source is the paper and section that the term comes from, or "our own".
	Source string
	// Mirror is the index of the term for the file-mirrored square in a table over
	// squares (a2 for h2), and the term's own index everywhere else.
	Mirror int
	// Channel is the one that the term is summed in, of a model with a formula; empty is the
	// first. A term of a plain channel is not tapered.
	Channel string
	// Rooted reports whether the term depends on the position that a search started from.
	// Then it is 0 in a position alone, and only games can tune its weight.
	Rooted bool
}

// Sources of the terms.
const (
	sourceShannon         = "Shannon 1950, section 3"
	sourceShannonPassed   = "Shannon 1950, appendix 2e"
	sourceShannonRooks    = "Shannon 1950, appendix 3b"
	sourceShannon7th      = "Shannon 1950, appendix 3c"
	sourceShannonRing     = "our own, after Shannon 1950, appendix 4c"
	sourceShannonMoves    = "our own, after Shannon 1950, appendix 5"
	sourceShannonKing     = "our own, after Shannon 1950, appendix 2c"
	sourceShannonKnights  = "our own, after Shannon 1950, appendix 3a"
	sourceShannonPins     = "our own, after Shannon 1950, appendix 4d"
	sourceShannonRestless = "our own, after g(P) of Shannon 1950, section 6"
	sourceOurs            = "our own"
)

// table collects the terms of a model and their start weights, at the index constants of
// the model.
type table struct {
	terms []Term
	start []Coef
}

func newTable(n int) *table {
	return &table{terms: make([]Term, n), start: make([]Coef, n)}
}

// set declares the term at an index. Its start weight is the same in both phases.
func (t *table) set(index int, term Term, start int32) {
	if t.terms[index].Name != "" {
		panic("eval: two terms have the index of " + term.Name)
	}
	term.Mirror = index
	t.terms[index] = term
	t.start[index] = Coef{start, start}
}

// pair declares two terms of a piece-square table to be each other's mirror.
func (t *table) pair(a, b int) {
	t.terms[a].Mirror, t.terms[b].Mirror = b, a
}

// maxName bounds the names of models, terms and groups, in bytes.
const maxName = 128

// CheckName reports what cannot be the name of a model, a term or a group, ours or a
// external evaluation's: names reach terminals, file names and source code, so they are
// 1 to maxName bytes of printable characters, with blanks only inside.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("an empty name")
	case len(name) > maxName:
		return fmt.Errorf("the name %.40q... has %d bytes, at most %d are allowed", name, len(name), maxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q is not UTF-8", name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("the name %q begins or ends with a blank", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the name %q has the character %U, which cannot be printed", name, r)
		}
	}
	return nil
}

// Feature is the count of one term in a position: White's count minus Black's. In a channel
// that has a sum for each side, see Nonlinear, Count is White's and Black is Black's.
type Feature struct {
	Term         uint16
	Count, Black int16
}

// Features is what a tuner needs of a position. The value of the position under weights w
// is Sum(w) x ScaleNum / (24 x ScaleDen), truncated toward zero, or what a formula makes of
// the sums of the channels, see Nonlinear.
type Features struct {
	// Entries are the terms whose count is not zero, ascending, each once.
	Entries []Feature
	// Phase is 24 in the middlegame and 0 in the endgame.
	Phase int
	// ScaleNum / ScaleDen is a fixed factor below 1 in endgames that are harder to win
	// than their material suggests; 1 everywhere else.
	ScaleNum, ScaleDen int

	scratch, black *trace
	bend           *Nonlinear // of the model that was counted; nil if it is linear
}

// Features counts the model's terms in a position; those that depend on the root of a search
// are 0. It reuses the memory of f: once f has held a position of this size, nothing is allocated.
func (m *Model) Features(p *board.Position, f *Features) {
	if f.scratch == nil {
		f.scratch = new(trace)
	}
	if f.bend = m.Nonlinear; f.bend != nil {
		m.bentFeatures(p, f)
		return
	}
	m.trace(p, tracer{to: f.scratch, next: f.scratch, sign: -1})
	f.Entries = f.scratch.drain(f.Entries[:0])
	f.Phase = Phase(p)
	f.ScaleNum, f.ScaleDen = 1, 1
	if m.scale != nil {
		f.ScaleNum, f.ScaleDen = m.scale(p, f.Phase), scaleWhole
	}
}

// sum returns, for a model without a formula, the sum of count x (mg x phase + eg x (24 - phase)) over the entries,
// in 1/24 centipawn before any endgame scale.
func (f *Features) sum(w []Coef) int64 {
	var mg, eg int64
	for _, e := range f.Entries {
		mg += int64(e.Count) * int64(w[e.Term].MG)
		eg += int64(e.Count) * int64(w[e.Term].EG)
	}
	return mg*int64(f.Phase) + eg*int64(MaxPhase-f.Phase)
}

// Value returns the position's value in centipawns under weights w, the same number
// that an evaluator with these weights and no root returns.
func (f *Features) Value(w []Coef) int {
	if f.bend != nil {
		return f.bend.of(f, w)
	}
	return value(f.sum(w), int64(f.ScaleNum), int64(f.ScaleDen))
}

// Count is how often a term occurs for each side; Term is its index in Model.Terms.
type Count struct{ Term, White, Black int }

// Counts returns how often each term of the model occurs for each side, in table order,
// terms that do not occur included. Terms that depend on the root of a search are 0.
func (m *Model) Counts(p *board.Position) []Count {
	var white, black trace
	m.trace(p, tracer{to: &black, next: &white, sign: -1})
	counts := make([]Count, len(m.Terms))
	for i := range counts {
		slot := m.slot(i)
		counts[i] = Count{Term: i, White: int(white.counts[slot]), Black: -int(black.counts[slot])}
	}
	return counts
}

// Explanation is the value of a position, taken apart into what each term adds. Value is
// the sum of (White - Black) x (MG x Phase + EG x (24 - Phase)) x Scale / 24 over the
// terms, truncated toward zero; with a formula, its value for the sums of the channels.
type Explanation struct {
	Value int         `json:"value"` // centipawns, White's view
	Phase int         `json:"phase"` // MaxPhase in the middlegame, 0 in the endgame
	Scale [2]int      `json:"scale"` // endgame scale: numerator, denominator
	Terms []TermValue `json:"terms"` // every term of the model, in table order
}

// TermValue is a term with its counts in a position and its coefficient.
type TermValue struct {
	Name  string `json:"name"`
	White int    `json:"white"` // how often it occurs for White
	Black int    `json:"black"`
	Coef
	Group string `json:"-"`
	// Adds is what the term adds to the value, in centipawns from White's view, before
	// the endgame scale. Of a model with a formula it is by how much the value is larger than
	// without the term; these do not add up to the value.
	Adds float64 `json:"-"`
}

// Explain returns the value of a position under weights w, taken apart. Terms that depend
// on the root of a search count nothing. It fails if w cannot be the model's weights.
func (m *Model) Explain(p *board.Position, w []Coef) (*Explanation, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	var f Features
	m.Features(p, &f)
	e := &Explanation{Value: f.Value(w), Phase: f.Phase, Scale: [2]int{f.ScaleNum, f.ScaleDen}}
	for _, c := range m.Counts(p) {
		t := TermValue{Name: m.Terms[c.Term].Name, White: c.White, Black: c.Black, Coef: w[c.Term],
			Group: m.Terms[c.Term].Group}
		if m.Nonlinear != nil {
			t.Adds = float64(e.Value - m.Nonlinear.without(&f, w, c.Term))
			e.Terms = append(e.Terms, t)
			continue
		}
		t.Adds = float64((t.White-t.Black)*(int(t.MG)*e.Phase+int(t.EG)*(MaxPhase-e.Phase))) / MaxPhase
		e.Terms = append(e.Terms, t)
	}
	return e, nil
}
