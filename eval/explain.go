package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

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
		if m.Bend != nil {
			t.Adds = float64(e.Value - m.Bend.without(&f, w, c.Term))
			e.Terms = append(e.Terms, t)
			continue
		}
		t.Adds = float64((t.White-t.Black)*(int(t.MG)*e.Phase+int(t.EG)*(MaxPhase-e.Phase))) / MaxPhase
		e.Terms = append(e.Terms, t)
	}
	return e, nil
}

// TermChange is a term that adds different amounts under two sets of weights, A and B.
type TermChange struct {
	Name  string  `json:"name"`
	White int     `json:"white"`
	Black int     `json:"black"`
	MGA   int32   `json:"mg_a"`
	EGA   int32   `json:"eg_a"`
	MGB   int32   `json:"mg_b"`
	EGB   int32   `json:"eg_b"`
	AddsA float64 `json:"adds_a"` // centipawns, White's view, before the endgame scale
	AddsB float64 `json:"adds_b"`
}

// Change is how much more the term adds under B.
func (t *TermChange) Change() float64 { return t.AddsB - t.AddsA }

// Diff compares two explanations of one position by one model: it returns the terms that
// add different amounts, the largest difference first.
func Diff(a, b *Explanation) []TermChange {
	changes := []TermChange{}
	for i := range a.Terms {
		x, y := &a.Terms[i], &b.Terms[i]
		if x.Adds != y.Adds {
			changes = append(changes, TermChange{x.Name, x.White, x.Black, x.MG, x.EG, y.MG, y.EG, x.Adds, y.Adds})
		}
	}
	slices.SortStableFunc(changes, func(x, y TermChange) int {
		return cmp.Compare(math.Abs(y.Change()), math.Abs(x.Change()))
	})
	return changes
}
