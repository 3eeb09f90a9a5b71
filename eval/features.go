package eval

import "github.com/assay-chess/assay/engine/board"

// Feature is the count of one term in a position: White's count minus Black's. In a channel
// that has a sum for each side, see Bend, Count is White's and Black is Black's.
type Feature struct {
	Term         uint16
	Count, Black int16
}

// Features is what a tuner needs of a position. The value of the position under weights w
// is Sum(w) x ScaleNum / (24 x ScaleDen), truncated toward zero, or what a formula makes of
// the sums of the channels, see Bend.
type Features struct {
	// Entries are the terms whose count is not zero, ascending, each once.
	Entries []Feature
	// Phase is 24 in the middlegame and 0 in the endgame.
	Phase int
	// ScaleNum / ScaleDen is a fixed factor below 1 in endgames that are harder to win
	// than their material suggests; 1 everywhere else.
	ScaleNum, ScaleDen int

	scratch, black *trace
	bend           *Bend // of the model that was counted; nil if it is linear
}

// Features counts the model's terms in a position. It reuses the memory of f: once f
// has held a position of this size, nothing is allocated.
func (m *Model) Features(p *board.Position, f *Features) {
	f.warm()
	if f.bend = m.Bend; f.bend != nil {
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

// SetRoot makes p the root of the features that follow, as engine.Rooted does for values; nil
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

// Sum returns, for a model without a formula, the sum of count x (mg x phase + eg x (24 - phase)) over the entries,
// in 1/24 centipawn before any endgame scale.
func (f *Features) Sum(w []Coef) int64 {
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
	return value(f.Sum(w), int64(f.ScaleNum), int64(f.ScaleDen))
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
