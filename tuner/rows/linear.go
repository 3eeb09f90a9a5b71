package rows

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
)

// linear turns features into rows of the same evaluation.
//
// A row has one pair of factors for all of its terms. Terms that the factors do not touch,
// flat ones, have their counts divided by the factors instead; terms of one half alone become
// terms with one value, whose counts include the half's part of the factors. An endgame factor
// is part of the row's pair. Sides that are scaled on their own have different counts in both halves:
// a tapered term then becomes two, NAME.mg and NAME.eg, whose counts include the phase.
type linear struct {
	set     dataset.FeatureSet
	terms   []Term
	at      []int    // by term of the set: its index in terms
	kinds   []string // by term of the rows: the set's
	entries []Entry  // of the last row
	before  []tally  // by term of the rows: counts that entries have factors in, without them
	divided bool     // counts of flat terms were
	pairs   []int    // by term of the set: the other half of its pair, -1 if there is none
}

// NewLinear returns the conversion of the set's rows.
func NewLinear(set dataset.FeatureSet) *linear {
	l := &linear{set: set, at: make([]int, len(set.Terms))}
	for i, t := range set.Terms {
		group := t.Group
		if group == "" {
			group, _, _ = strings.Cut(t.Name, ".")
		}
		l.at[i] = len(l.terms)
		add := func(name string, tapered bool, mg, eg float64) {
			l.terms = append(l.terms, Term{Name: name, Group: group, Tapered: tapered, Mirror: len(l.terms), MG: mg, EG: eg,
				Fixed: t.Fixed})
			l.kinds = append(l.kinds, t.Kind)
		}
		switch {
		case set.BySide && t.Kind == "":
			add(t.Name+".mg", false, t.MG, t.MG)
			add(t.Name+".eg", false, t.EG, t.EG)
		case t.Kind == "":
			add(t.Name, true, t.MG, t.EG)
		default:
			add(t.Name, false, t.Value(), t.Value())
		}
	}
	l.pairs = pairsOf(set)
	if m := ModelOf(set); m != nil {
		for i, t := range m.Terms {
			l.terms[i].Tapered, l.terms[i].Mirror, l.terms[i].Group, l.terms[i].Own = t.Tapered, t.Mirror, t.Group, true
		}
	}
	l.before = make([]tally, len(l.terms))
	return l
}

// pairsOf returns the other half of each term's pair, -1 where there is none.
func pairsOf(set dataset.FeatureSet) []int {
	out, number := make([]int, len(set.Terms)), make(map[string]int)
	for i, t := range set.Terms {
		number[t.Name] = i
	}
	for i, t := range set.Terms {
		if out[i] = -1; t.Pair != "" {
			out[i] = number[t.Pair]
		}
	}
	return out
}

// tally is the number of counts and the sum of their squares.
type tally struct {
	rows    int64
	squares float64
}

func (t *tally) add(count float32) {
	if count != 0 {
		t.rows++
		t.squares += num.Rounded(float64(count) * float64(count))
	}
}

// count adds a row's counts, as they are before any factor of the row, of the terms whose entries include factors. The
// slopes of a pair's halves include the phase, and add up to the count of the pair.
func (l *linear) count(f *dataset.FeatureRow) {
	for i, t := range f.Terms {
		if other := l.pairs[t]; other >= 0 {
			j, both := slices.BinarySearch(f.Terms, uint16(other))
			if both {
				l.before[l.at[t]].add(f.Counts[i] + f.Counts[j])
			} else {
				l.before[l.at[t]].add(f.Counts[i])
				l.before[l.at[other]].add(f.Counts[i])
			}
			continue
		}
		mg, eg, at, kind := f.Counts[i], f.Counts[i], l.before[l.at[t]:], l.set.Terms[t].Kind
		if l.set.BySide {
			eg = f.EGCounts[i]
		}
		switch {
		case kind == dataset.FlatTerm, kind == dataset.MiddlegameTerm:
			at[0].add(mg)
		case kind == dataset.EndgameTerm:
			at[0].add(eg)
		case kind == "" && l.set.BySide:
			at[0].add(mg)
			at[1].add(eg)
		}
	}
}

// counted returns what count added up, by term of the rows.
func (l *linear) counted() []tally {
	for t := range l.before {
		if l.kinds[t] == dataset.FlatTerm && !l.divided && !l.set.Local {
			l.before[t] = tally{}
		}
	}
	return l.before
}

// errFactors says that flat terms cannot be held beside tapered ones.
var errFactors = errors.New("the factors of both halves cancel each other out")

// row writes the row of f, which must be valid for the set. The entries are overwritten by the next call.
func (l *linear) row(f *dataset.FeatureRow, r *Row) error {
	*r = Row{
		Scale: f.Scale, Offset: f.Offset, Phase: OwnFactors, MG: f.Phase, EG: 1 - f.Phase,
		Result: f.Result, Score: f.Score, Weight: f.Weight, Game: f.Game, Opening: f.Opening,
	}
	l.entries = l.entries[:0]
	if l.set.Version > 1 {
		if l.set.BySide {
			l.bySide(f, r)
		} else if f.EGScale != 1 { // else factors add up to 1, and counts of flat terms stay whole
			r.EG = float32((1 - float64(f.Phase)) * float64(f.EGScale))
		}
	}
	if !l.set.BySide {
		for i, t := range f.Terms {
			l.entries = append(l.entries, Entry{uint16(l.at[t]), f.Counts[i]})
		}
		l.halve(r)
	}
	if err := l.flatten(r); err != nil {
		return err
	}
	r.Entries = slices.DeleteFunc(l.entries, func(e Entry) bool { return e.Count == 0 })
	return nil
}

// bySide writes the entries of a row whose sides are scaled on their own.
func (l *linear) bySide(f *dataset.FeatureRow, r *Row) {
	phase := float64(f.Phase)
	r.Phase = MaxPhase // the factors of a term with one value add up to 1
	for i, t := range f.Terms {
		at, mg, eg := l.at[t], float64(f.Counts[i])*phase, float64(f.EGCounts[i])*(1-phase)
		switch l.set.Terms[t].Kind {
		case dataset.FlatTerm:
			l.entries = append(l.entries, Entry{uint16(at), f.Counts[i]})
		case dataset.SingleTerm:
			l.entries = append(l.entries, Entry{uint16(at), float32(mg + eg)})
		case dataset.MiddlegameTerm:
			l.entries = append(l.entries, Entry{uint16(at), float32(mg)})
		case dataset.EndgameTerm:
			l.entries = append(l.entries, Entry{uint16(at), float32(eg)})
		default:
			l.entries = append(l.entries, Entry{uint16(at), float32(mg)}, Entry{uint16(at + 1), float32(eg)})
		}
	}
}

// halve gives the terms of one half that half's part of the row's factors. Where the factors
// cancel each other out the part is nothing that can be written, and flatten refuses the row.
func (l *linear) halve(r *Row) {
	mg, eg := r.Factors()
	if mg+eg == 0 {
		return
	}
	for i := range l.entries {
		switch e := &l.entries[i]; l.kinds[e.Term] {
		case dataset.MiddlegameTerm:
			e.Count = float32(float64(e.Count) * mg / (mg + eg))
		case dataset.EndgameTerm:
			e.Count = float32(float64(e.Count) * eg / (mg + eg))
		}
	}
}

// own reports whether the entry is of a term with factors other than the row's.
func (l *linear) own(e Entry) bool {
	k := l.kinds[e.Term]
	return k == dataset.FlatTerm || k == dataset.MiddlegameTerm || k == dataset.EndgameTerm
}

// flatten divides the counts of flat terms by the row's factors.
func (l *linear) flatten(r *Row) error {
	mg, eg := r.Factors()
	factor := float64(r.Scale) * (mg + eg)
	if math.Abs(factor-1) < 1e-6 || !slices.ContainsFunc(l.entries, l.own) {
		return nil
	}
	if r.Scale == 0 || mg == 0 && eg == 0 { // only the flat terms are left
		l.entries = slices.DeleteFunc(l.entries, func(e Entry) bool { return l.kinds[e.Term] != dataset.FlatTerm })
		r.Scale, r.Phase, r.MG, r.EG = 1, MaxPhase, 0, 0
		return nil
	}
	if math.Abs(factor) < 1e-3*float64(r.Scale) {
		return fmt.Errorf("%w: phase and eg_scale give %v and %v, "+
			"so that a term of kind flat, mg or eg has no weight beside them", errFactors, r.MG, r.EG)
	}
	l.divided = true
	for i := range l.entries {
		if e := &l.entries[i]; l.kinds[e.Term] == dataset.FlatTerm {
			e.Count = float32(float64(e.Count) / factor)
		}
	}
	return nil
}

// SignChanges counts the rows whose endgame half has another sign under other weights. Where
// the endgame factor belongs to the side that the half favors, their factor may be wrong.
type SignChanges struct {
	Rows    int `json:"rows"`
	Changed int `json:"changed"`
}

// SignChanges compares the endgame halves of a store's rows under two sets of endgame
// values, by term. It returns nil unless the endgame factor follows their sign.
func (l *linear) SignChanges(ctx context.Context, s *Store, before, after []float64) (*SignChanges, error) {
	if l.set.EGScale != dataset.EGScaleBySign {
		return nil, nil
	}
	c := &SignChanges{Rows: s.Rows()}
	err := s.EachRow(ctx, func(chunk, row int, entries []Entry) {
		a, b := 0.0, 0.0
		for _, e := range entries {
			count := float64(e.Count)
			switch l.kinds[e.Term] {
			case dataset.FlatTerm, dataset.MiddlegameTerm:
				continue
			case dataset.EndgameTerm: // undo halve
				mg, eg := s.Chunks[chunk].Factors(row)
				if eg == 0 {
					continue
				}
				count *= (mg + eg) / eg
			}
			a += count * before[e.Term]
			b += count * after[e.Term]
		}
		if a > 0 && b < 0 || a < 0 && b > 0 {
			c.Changed++
		}
	})
	return c, err
}

// ModelOf returns the model of package eval that the features are of: its name and all its terms, in order,
// every one of them tapered or single as the model has it. It returns nil for an external evaluation.
func ModelOf(set dataset.FeatureSet) *eval.Model {
	m, err := eval.Lookup(set.Model)
	if err != nil || len(m.Terms) != len(set.Terms) || set.BySide || m.Nonlinear != nil {
		return nil
	}
	for i := range set.Terms {
		if m.Terms[i].Name != set.Terms[i].Name || set.Terms[i].Kind == dataset.FlatTerm {
			return nil
		}
	}
	return m
}
