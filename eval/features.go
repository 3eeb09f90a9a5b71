package eval

import "github.com/assay-chess/assay/engine/board"

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

// Features counts the model's terms in a position. It reuses the memory of f: once f
// has held a position of this size, nothing is allocated.
func (m *Model) Features(p *board.Position, f *Features) {
	f.warm()
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

// SetRoot makes p the root of the features that follow, as engine.RootedEvaluator does for values; nil
// means no root. A tuner sets none: the terms that depend on a root are then 0, and their
// weights stay as they are.
func (f *Features) SetRoot(p *board.Position) {
	f.warm()
	f.scratch.root.set(p)
}

func (f *Features) warm() {
	if f.scratch == nil {
		f.scratch = new(trace)
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
// that an evaluator with these weights returns.
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
