package rows

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
)

// Bend says how the rows of a store are evaluated that are not linear: which sums of terms
// the entries of a row make, and what the formula does with them. The entries of such a store
// name counted terms: a term of a channel that counts each side is two of them.
type Bend struct {
	Program  *dataset.Program
	Machines *autodiff.Pool
	Slots    []Slot
	// Counted has what a counted term stands for.
	Counted []Counted
	// Scalars are the inputs that are terms of their own in every row, and those that are entries of tables.
	Scalars []ScalarInput
	Columns []int       // the inputs that are columns, in the order of Chunk.Columns
	Jumps   []int       // where the value may jump, see formula.Machine.Near
	Kinks   []int       // where its slope may
	scalar  map[int]int // of Scalars, by input
	at      [][2]int    // counted terms by term: White's or both sides', and Black's; -1
}

// Slot is a sum of terms, or two: of middlegame values and of endgame values. MG and EG are
// the inputs of the formula that read them, -1 if none does.
type Slot struct{ MG, EG int }

// Counted is a term as entries count it.
type Counted struct {
	Term uint16
	Slot uint16
}

// ScalarInput is an input whose value is Step times the coefficient of a term.
type ScalarInput struct {
	Input int
	Term  int
	Step  float64
	Table bool // an entry of a table
}

// newBend describes the rows of a set that is not linear.
func newBend(set *dataset.FeatureSet) (*Bend, error) {
	p, err := set.Program()
	if err != nil {
		return nil, err
	}
	b := &Bend{Program: p, Machines: autodiff.NewPool(p.Formula), Jumps: p.Formula.Jumps(), Kinks: p.Formula.Kinks(),
		scalar: map[int]int{}}
	slots := make([][2]int, len(set.Channels))
	for c, ch := range set.Channels {
		slots[c] = [2]int{len(b.Slots), -1}
		b.Slots = append(b.Slots, Slot{-1, -1})
		if ch.Sides {
			slots[c][1] = len(b.Slots)
			b.Slots = append(b.Slots, Slot{-1, -1})
		}
	}
	for i := range p.Inputs {
		x := &p.Inputs[i]
		switch x.Kind {
		case formula.Channel:
			s := &b.Slots[slots[x.Channel][min(1, max(0, int(x.Side)-1))]]
			if x.Half == formula.Endgame {
				s.EG = i
			} else {
				s.MG = i
			}
		case formula.Column:
			b.Columns = append(b.Columns, i)
		default:
			b.scalar[i] = len(b.Scalars)
			b.Scalars = append(b.Scalars, ScalarInput{i, x.Term, set.Terms[x.Term].StepOf(), x.Kind == formula.Table})
		}
	}
	for t := range set.Terms {
		at := [2]int{-1, -1}
		if c := set.ChannelOf(&set.Terms[t]); c >= 0 {
			for side, slot := range slots[c] {
				if slot >= 0 {
					at[side] = len(b.Counted)
					b.Counted = append(b.Counted, Counted{uint16(t), uint16(slot)})
				}
			}
		}
		b.at = append(b.at, at)
	}
	if len(b.Counted) > 1<<16 {
		return nil, fmt.Errorf("%w: %d terms counted for each side are more than %d", ErrRow, len(b.Counted), 1<<16)
	}
	return b, nil
}

// SetOf returns a model with a formula as the set of features that it is; text, if not empty,
// is another formula of its channels.
func SetOf(m *eval.Model, text string) (dataset.FeatureSet, error) {
	set := dataset.FeatureSet{Version: 2, Model: m.Name, Evaluation: dataset.Evaluation{Unit: dataset.DefaultUnit,
		Tolerance: 1}}
	set.Formula = cmp.Or(text, m.Bend.Formula)
	for _, c := range m.Bend.Channels {
		kind := dataset.PlainChannel
		if c.Tapered {
			kind = dataset.TaperedChannel
		}
		set.Channels = append(set.Channels, dataset.Channel{Name: c.Name, Kind: kind, Sides: c.Sides})
	}
	for i, t := range m.Terms {
		x := dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: float64(m.Start[i].MG), EG: float64(m.Start[i].EG),
			Channel: t.Channel}
		if !t.Tapered {
			x.Kind = dataset.SingleTerm
		}
		set.Terms = append(set.Terms, x)
	}
	return set, set.Check()
}

// countedBy writes the counts of a position by a model with a formula into a row.
func countedBy(f *eval.Features, r *dataset.FeatureRow) {
	r.Phase, r.Scale, r.EGScale, r.Eval = float32(f.Phase)/MaxPhase, 1, 1, dataset.NoEval
	r.Terms, r.Counts, r.Blacks = r.Terms[:0], r.Counts[:0], r.Blacks[:0]
	for _, e := range f.Entries {
		r.Terms, r.Counts, r.Blacks = append(r.Terms, e.Term), append(r.Counts, float32(e.Count)), append(r.Blacks,
			float32(e.Black))
	}
}

// Scalar returns what an input is that is a scalar or an entry of a table.
func (b *Bend) Scalar(input int) *ScalarInput { return &b.Scalars[b.scalar[input]] }

// row writes a row of features.
func (b *Bend) row(f *dataset.FeatureRow, number int64, r *Row) {
	*r = Row{
		Scale: 1, Phase: OwnFactors, MG: f.Phase, EG: 1 - f.Phase, Entries: r.Entries[:0], Columns: make([]float64,
			len(b.Columns)), Number: number,
		Result: f.Result, Score: f.Score, Weight: f.Weight, Game: f.Game, Opening: f.Opening,
	}
	for i, t := range f.Terms {
		counts := [2]float32{f.Counts[i], 0}
		if f.Blacks != nil {
			counts[1] = f.Blacks[i]
		}
		for side, at := range b.at[t] {
			if at >= 0 && counts[side] != 0 {
				r.Entries = append(r.Entries, Entry{uint16(at), counts[side]})
			}
		}
	}
	for k, i := range b.Columns {
		if x := &b.Program.Inputs[i]; x.Column >= 0 {
			r.Columns[k] = float64(f.Columns[x.Column])
		} else {
			r.Columns[k] = f.FactorValue(x.Factor)
		}
	}
}

// count makes entries of counted terms ones of terms, White's minus Black's, in place.
func (b *Bend) count(entries []Entry) []Entry {
	out := entries[:0]
	for _, e := range entries {
		c := b.Counted[e.Term]
		if int(e.Term) == b.at[c.Term][1] {
			e.Count = -e.Count
		}
		e.Term = c.Term
		if n := len(out); n > 0 && out[n-1].Term == e.Term {
			out[n-1].Count += e.Count
			continue
		}
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e Entry) bool { return e.Count == 0 })
}

// linearOf returns the formula of a set that is linear, of one channel that does not count each side, and uses
// no scalars; else nil. Such rows need no formula: the factors of both halves follow from the columns.
func linearOf(set *dataset.FeatureSet) (*straight, error) {
	p, err := set.Program()
	if err != nil {
		return nil, err
	}
	if p.Formula.Order() != 1 || len(set.Channels) != 1 || set.Channels[0].Sides ||
		slices.ContainsFunc(p.Inputs, func(x dataset.FormulaInput) bool {
			return x.Kind == formula.Scalar || x.Kind == formula.Table
		}) {
		return nil, nil
	}
	return &straight{p: p, m: formula.NewMachine(p.Formula, formula.Smooth), in: make([]float64, len(p.Inputs)),
		tapered: set.Channels[0].Kind == dataset.TaperedChannel}, nil
}

// straight finds the factors of rows whose formula is linear.
type straight struct {
	p       *dataset.Program
	m       *formula.Machine
	in      []float64
	tapered bool
}

// value is the formula's for given sums.
func (s *straight) value(f *dataset.FeatureRow, mg, eg float64) (float64, error) {
	for i := range s.p.Inputs {
		switch x := &s.p.Inputs[i]; {
		case x.Channel >= 0 && x.Half == formula.Endgame:
			s.in[i] = eg
		case x.Channel >= 0:
			s.in[i] = mg
		case x.Column >= 0:
			s.in[i] = float64(f.Columns[x.Column])
		default:
			s.in[i] = f.FactorValue(x.Factor)
		}
	}
	return s.m.Value(s.in)
}

// row writes offset and factors.
func (s *straight) row(f *dataset.FeatureRow, r *Row) error {
	none, err := s.value(f, 0, 0)
	if err != nil {
		return err
	}
	mg, err := s.value(f, 1, 0)
	if err != nil {
		return err
	}
	eg, err := s.value(f, 0, 1)
	if err != nil {
		return err
	}
	if mg, eg = mg-none, eg-none; !s.tapered {
		eg = 0
	}
	r.Scale, r.Offset, r.Phase, r.MG, r.EG = 1, float32(none), OwnFactors, float32(mg), float32(eg)
	if n, ok := f.Phase24(); ok && n >= 0 && n <= MaxPhase && near(mg, float64(n)/MaxPhase) &&
		near(eg, float64(MaxPhase-n)/MaxPhase) {
		r.Phase = n
	}
	return nil
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
