package features

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
)

// close32 reports whether two counts are the same but for the rounding of sums.
func close32(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) <= 1e-5*max(1, math.Abs(float64(a)), math.Abs(float64(b)))
}

func closeSides(a, b [2]float32) bool { return close32(a[0], b[0]) && close32(a[1], b[1]) }

// mirrorOf is what a term is to be counted in the mirrored position.
func mirrorOf(set *dataset.FeatureSet, t uint16, n [2]float32) [2]float32 {
	if sided(set, t) {
		return [2]float32{n[1], n[0]}
	}
	return [2]float32{-n[0]}
}

// sameLeaf reports whether the answer to a mirrored twin is about the mirrored leaf; captures of equal value may
// come in another order.
func sameLeaf(a, b *record) bool {
	if a.leaf == nil {
		return true
	}
	m := a.leaf.Mirror()
	return b.leaf.FEN() == m.FEN()
}

// pair is a position and its mirrored twin.
type pair struct {
	terms []uint16
	n, m  map[uint16][2]float32 // counts in the position and in the twin
}

func newPair(set *dataset.FeatureSet, a, b *record) pair {
	p := pair{n: countsBySide(set, a), m: countsBySide(set, b)}
	p.terms = slices.Concat(slices.Collect(maps.Keys(p.n)), slices.Collect(maps.Keys(p.m)))
	slices.Sort(p.terms)
	p.terms = slices.Compact(p.terms)
	return p
}

// pairOf returns the counts of an example and of its twin; ok is false where they cannot be compared.
func pairOf(set *dataset.FeatureSet, x *example) (p pair, ok bool) {
	if x.other == nil || x.rec.Skip != "" || x.other.rec.Skip != "" || !sameLeaf(x.rec, x.other.rec) {
		return p, false
	}
	return newPair(set, x.rec, x.other.rec), true
}

// alike reports whether a term is counted as it must be in the mirrored position.
func (p *pair) alike(set *dataset.FeatureSet, t uint16) bool {
	return closeSides(p.m[t], mirrorOf(set, t, p.n[t])) || set.Terms[t].Asymmetric
}

// countDifferences names the terms that are not counted as they must be in the mirrored position. With a formula a
// channel may count both sides together.
func countDifferences(set *dataset.FeatureSet, a, b *record) (differ []string) {
	p := newPair(set, a, b)
	for _, t := range p.terms {
		n, m := p.n[t], p.m[t]
		switch {
		case p.alike(set, t) || set.Bent() && !sided(set, t) && p.even(t):
		case sided(set, t):
			differ = append(differ, fmt.Sprintf("term %q is counted %g and %g, and then %g and %g", set.Terms[t].Name,
				n[0], n[1], m[0], m[1]))
		default:
			differ = append(differ, fmt.Sprintf("term %q is counted %g and then %g, want %g", set.Terms[t].Name, n[0],
				m[0], -n[0]))
		}
	}
	return differ
}

func (p *pair) even(t uint16) bool { return closeSides(p.n[t], p.m[t]) }

// lopside is a way not to count alike for both sides.
type lopside struct {
	rank int
	text string
}

// mirrorSuspects suspects tables with terms that are not counted alike for both sides.
func (d *diagnosis) mirrorSuspects() {
	var pairs []pair
	tables := map[string][]uint16{} // the terms that are not counted alike
	negated := map[int]bool{}       // channels with terms that change their sign
	for _, x := range d.examples {
		p, ok := pairOf(d.set, x)
		if !ok || x.twin {
			continue
		}
		pairs = append(pairs, p)
		for _, t := range p.terms {
			name := d.table(int(t))
			switch {
			case !p.alike(d.set, t):
				if !slices.Contains(tables[name], t) {
					tables[name] = append(tables[name], t)
				}
			case d.set.Bent() && !sided(d.set, t):
				negated[d.set.ChannelOf(&d.set.Terms[t])] = true
			}
		}
	}
	found := map[lopside][]uint16{}
	for _, terms := range tables {
		even, l := d.lopsideOf(terms, pairs)
		// With a formula a channel may count both sides together.
		v := &d.set.Terms[terms[0]]
		if even && d.set.Bent() && !sided(d.set, terms[0]) && !negated[d.set.ChannelOf(v)] {
			continue
		}
		found[l] = append(found[l], terms...)
	}
	for l, terms := range found {
		slices.Sort(terms)
		u := d.unit(terms)
		d.try(suspect{rank: l.rank, what: u.name + " " + l.text, kind: l.text, terms: u.terms,
			fits: func(x *example) bool { return d.onlyLopsided(u, x) }}, d.set)
	}
}

// lopsideOf says how terms of a table are not counted alike; even is true if their counts are those of the twins.
func (d *diagnosis) lopsideOf(terms []uint16, pairs []pair) (even bool, l lopside) {
	even, sums, black := true, true, true // in all pairs
	for _, p := range pairs {
		sum := 0.0
		for _, t := range terms {
			n, m := p.n[t], p.m[t]
			want := mirrorOf(d.set, t, n)
			even = even && closeSides(n, m)
			black = black && sided(d.set, t) && n[1] == 0 && m[1] == 0
			sum += float64(m[0]-want[0]) - float64(m[1]-want[1])
		}
		sums = sums && math.Abs(sum) < 1e-3
	}
	switch t := terms[0]; {
	case black:
		return even, lopside{3, "is of each side, but only White's counts are given: assay_add_sides(term, white, black) " +
			"in place of assay_add"}
	case even && !sided(d.set, t) && d.set.Terms[t].Kind == dataset.FlatTerm:
		return even, lopside{3, "is counted from the side to move's view: + 1 for White to move, - 1 for Black, which " +
			"has the wrong sign for Black now"}
	case even && !sided(d.set, t):
		return even, lopside{3, "has the wrong sign for Black: the counts of the mirrored position are the same, want " +
			"White's minus Black's"}
	case sums && len(terms) > 1:
		return even, lopside{3, "is not flipped for Black: its squares are looked up as White's; mirror their ranks " +
			"(square ^ 56)"}
	}
	return even, lopside{6, "is not counted alike for both sides: what Black has is looked up or counted in another way " +
		"than what White has"}
}

// onlyLopsided reports whether a row differs where the unit is not counted alike for both sides, and nothing
// else of it does.
func (d *diagnosis) onlyLopsided(u *unit, x *example) bool {
	p, ok := pairOf(d.set, x)
	if !ok {
		return false
	}
	broken := false
	for _, t := range p.terms {
		switch {
		case u.in[t]:
			broken = broken || !p.alike(d.set, t)
		case !p.alike(d.set, t) && !(d.set.Bent() && p.even(t)):
			return false
		}
	}
	a, b := x.rec, x.other.rec
	return broken && (a.Eval == dataset.NoEval || b.Eval == dataset.NoEval || near(float64(a.Eval), -float64(b.Eval),
		d.set.MaxDrift()+1e-3))
}

// mirrorCause names the usual cause of an answer to a mirrored position that differs.
func mirrorCause(set *dataset.FeatureSet, examples []*example, a, b *record) string {
	d := diagnose(set, examples)
	for _, x := range examples { // all of them agree with their eval; look at those that differ from their twin
		if _, ok := pairOf(set, x); ok && !x.twin && len(twinDifferences(set, x.rec, x.other.rec)) > 0 {
			d.bad = append(d.bad, x)
		}
	}
	d.good = nil
	same := len(a.Terms) == len(b.Terms) && len(a.Terms) > 0
	for i := range min(len(a.Terms), len(b.Terms)) {
		same = same && a.Terms[i] == b.Terms[i] && a.Counts[i] == b.Counts[i]
	}
	if same && a.Eval == b.Eval && a.Eval != 0 && !set.Bent() {
		return "counts, offset and eval are from the side to move's view: want White's view in all positions " +
			"(negate them where Black is to move)"
	}
	if d.mirrorSuspects(); len(d.suspects) > 0 {
		text, _ := d.verdict()
		return text
	}
	switch {
	case set.Bent():
		return "a column, a table or a flag that is not mirrored for Black, a term counted from the side to " +
			"move's view, or a formula that is not the same for both sides"
	case a.Offset != -b.Offset:
		return "the offset: contempt, a tempo bonus that does not change its sign with the side to move, or " +
			"damping by the fifty-move counter"
	}
	return fmt.Sprintf("a flag that is not reset, an evaluation cache, contempt, or damping by the fifty-move "+
		"counter (%s)", rowsOf(len(d.bad), len(examples)/2))
}
