package features

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
)

// countsIn returns the counts of a record by term, White's (or both sides') and Black's.
func countsIn(set *dataset.FeatureSet, rec *record) []sideCount {
	if set.BySide {
		return slices.Clone(rec.sides)
	}
	out := make([]sideCount, len(rec.Terms))
	for i, t := range rec.Terms {
		out[i] = sideCount{term: t, white: rec.Counts[i]}
		if rec.Blacks != nil {
			out[i].black = rec.Blacks[i]
		}
	}
	return out
}

// recount gives a record other counts; those of a term that is listed twice are added up.
func recount(set *dataset.FeatureSet, rec *record, counts []sideCount) bool {
	slices.SortStableFunc(counts, func(a, b sideCount) int { return int(a.term) - int(b.term) })
	rec.Terms, rec.Counts, rec.EGCounts, rec.Blacks, rec.sides = nil, nil, nil, nil, nil
	for i := 0; i < len(counts); {
		sum := sideCount{term: counts[i].term}
		for ; i < len(counts) && counts[i].term == sum.term; i++ {
			sum.white, sum.black = sum.white+counts[i].white, sum.black+counts[i].black
		}
		rec.append(set.BySide, set.Bent() && set.BySides(), sum)
	}
	return true
}

// sided reports whether the records count a term for each side.
func sided(set *dataset.FeatureSet, t uint16) bool {
	if !set.Bent() {
		return set.BySide
	}
	c := set.ChannelOf(&set.Terms[t])
	return c >= 0 && set.Channels[c].Sides
}

// unit is a number of terms that one loop of an evaluation counts: one, a table, or all.
type unit struct {
	name  string
	terms []uint16
	in    []bool // by term
}

func (d *diagnosis) unit(terms []uint16) *unit {
	u := &unit{terms: terms, in: make([]bool, len(d.set.Terms))}
	for _, t := range terms {
		u.in[t] = true
	}
	u.name = d.nameOf(terms)
	return u
}

// nameOf names terms as short as it can: a table, a group, or all.
func (d *diagnosis) nameOf(terms []uint16) string {
	all := d.set.Terms
	if len(terms) == 1 {
		return fmt.Sprintf("term %q", all[terms[0]].Name)
	}
	if len(terms) == len(all) {
		return "each term"
	}
	prefix := all[terms[0]].Name
	for i := strings.LastIndexByte(prefix, '.'); i > 0; i = strings.LastIndexByte(prefix, '.') {
		prefix = prefix[:i]
		if !slices.ContainsFunc(terms, func(t uint16) bool { return !strings.HasPrefix(all[t].Name, prefix+".") }) {
			return fmt.Sprintf("table %q", prefix)
		}
	}
	group := all[terms[0]].Group
	if group != "" && !slices.ContainsFunc(terms, func(t uint16) bool { return all[t].Group != group }) {
		return fmt.Sprintf("group %q", group)
	}
	var names []string
	for _, t := range terms[:min(3, len(terms))] {
		names = append(names, fmt.Sprintf("%q", all[t].Name))
	}
	return fmt.Sprintf("each of %d terms (%s, ...)", len(terms), strings.Join(names, ", "))
}

// units returns terms, tables, groups and all, the small ones first: those that may be counted in a third of
// the rows that differ.
func (d *diagnosis) units() []*unit {
	if d.list != nil {
		return d.list
	}
	lists := map[string][]uint16{}
	for i := range d.set.Terms {
		t, v := uint16(i), &d.set.Terms[i]
		lists["all"] = append(lists["all"], t)
		lists["1 "+v.Name] = []uint16{t}
		if v.Group != "" {
			lists["group "+v.Group] = append(lists["group "+v.Group], t)
		}
		for at, c := range v.Name {
			if c == '.' && at > 0 {
				lists["table "+v.Name[:at]] = append(lists["table "+v.Name[:at]], t)
			}
		}
	}
	hits := make([]int, len(d.set.Terms)) // rows that count a term, in the position or in its twin
	for _, x := range d.bad {
		for _, t := range x.bothTerms() {
			hits[t]++
		}
	}
	var out []*unit
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		n, id := 0, fmt.Sprint(lists[key])
		for _, t := range lists[key] {
			n += hits[t]
		}
		if !seen[id] && 3*n >= len(d.bad) {
			seen[id], out = true, append(out, d.unit(lists[key]))
		}
	}
	slices.SortStableFunc(out, func(a, b *unit) int { return len(a.terms) - len(b.terms) })
	d.list = out
	return out
}

// addUnit suspects a mistake in a unit's counts.
func (d *diagnosis) addUnit(rank int, u *unit, kind string, edits ...edit) {
	for _, e := range edits {
		d.try(suspect{rank: rank, what: u.name + " " + kind, kind: kind, terms: u.terms, edits: []edit{e}}, d.set)
	}
}

// mapped is an edit that changes the counts of a unit.
func (d *diagnosis) mapped(u *unit, change func(c *sideCount)) edit {
	return func(_ *example, r *record) bool {
		list := countsIn(d.set, r)
		any := false
		for i := range list {
			if u.in[list[i].term] {
				change(&list[i])
				any = true
			}
		}
		return any && recount(d.set, r, list)
	}
}

// borrowed is an edit that takes the counts of a unit from another record.
func (d *diagnosis) borrowed(u *unit, next bool) edit {
	return beside(next, func(b, r *record) {
		list := slices.DeleteFunc(countsIn(d.set, r), func(c sideCount) bool { return u.in[c.term] })
		for _, c := range countsIn(d.set, b) {
			if u.in[c.term] {
				list = append(list, c)
			}
		}
		recount(d.set, r, list)
	})
}

// termSuspects suspects the counts of one term, or of one table.
func (d *diagnosis) termSuspects() {
	d.mirrorSuspects()
	for _, u := range d.units() {
		if len(u.terms) < len(d.set.Terms) || len(d.set.Terms) == 1 {
			d.addUnit(3, u, "is counted with the wrong sign for both sides, or has the wrong sign in the header",
				d.mapped(u, func(c *sideCount) { c.white, c.black = -c.white, -c.black }))
			d.addUnit(3, u, "is counted, but is not in the engine's value (or is in it elsewhere)",
				d.mapped(u, func(c *sideCount) { c.white, c.black = 0, 0 }))
			d.addUnit(3, u, "is that of the position asked before: a value that is set after it is used",
				d.borrowed(u, true), d.borrowed(u, false))
		}
		d.addUnit(3, u, "is counted twice, or its value in the header is doubled",
			d.mapped(u, func(c *sideCount) { c.white, c.black = c.white/2, c.black/2 }))
		d.addUnit(3, u, "is counted half as often as the engine counts it, or its value in the header is half the engine's",
			d.mapped(u, func(c *sideCount) { c.white, c.black = 2*c.white, 2*c.black }))
		d.addUnit(3, u, "counts White alone, or Black alone: want White's minus Black's",
			func(x *example, r *record) bool {
				if x.other == nil || d.set.BySide || !x.counts(u.terms) && !x.other.counts(u.terms) {
					return false
				}
				list := countsIn(d.set, r)
				for _, c := range countsIn(d.set, x.other.rec) {
					if u.in[c.term] && !sided(d.set, c.term) {
						list = append(list, sideCount{c.term, -c.white, 0})
					}
				}
				return recount(d.set, r, list)
			})
		if d.set.BySide || d.set.Bent() && d.set.BySides() {
			d.addUnit(3, u, "has Black's counts with the wrong sign: where each side is counted, both are positive",
				d.mapped(u, func(c *sideCount) { c.black = -c.black }))
			d.addUnit(3, u, "has the counts of White and Black exchanged", d.mapped(u, func(c *sideCount) {
				if sided(d.set, c.term) {
					c.white, c.black = c.black, c.white
				}
			}))
		}
		d.turned(u)
		d.otherValues(u)
	}
	d.forgotten()
}

// otherValues suspects the values of a unit in the header.
func (d *diagnosis) otherValues(u *unit) {
	set := *d.set
	set.Terms = slices.Clone(set.Terms)
	changed := false
	for _, t := range u.terms {
		if v := &set.Terms[t]; v.Kind == "" && v.MG != v.EG {
			v.MG, v.EG, changed = v.EG, v.MG, true
		}
	}
	if !changed {
		return
	}
	_ = set.Check() // it keeps the formula
	rank := 3
	if len(u.terms) == len(d.set.Terms) {
		rank = 2
	}
	const kind = "has middlegame and endgame value swapped in the header"
	d.try(suspect{rank: rank, what: u.name + " " + kind, kind: kind, terms: u.terms,
		edits: []edit{func(x *example, r *record) bool { return x.counts(u.terms) }}}, &set)
}

// turned suspects that the counts of a table are in the wrong place: upside down, left to right, or moved by one.
func (d *diagnosis) turned(u *unit) {
	n := len(u.terms)
	if n < 3 || n == len(d.set.Terms) {
		return
	}
	place := func(to func(i int) int) edit {
		at := make([]uint16, len(d.set.Terms))
		for i, t := range u.terms {
			at[t] = u.terms[min(n-1, max(0, to(i)))]
		}
		return d.mapped(u, func(c *sideCount) { c.term = at[c.term] })
	}
	for _, size := range []int{64, 48, 32, n} {
		if n%size != 0 {
			continue
		}
		width := 8
		switch {
		case size == 32:
			width = 4
		case size <= 16 || size%8 != 0:
			width = 1
		}
		d.addUnit(3, u, "is upside down: the ranks are counted from the other end", place(func(i int) int {
			at := i % size
			return i - at + (size/width-1-at/width)*width + at%width
		}))
		if width > 1 {
			d.addUnit(3, u, "is turned left to right", place(func(i int) int { return i - i%width + width - 1 - i%width }))
		}
	}
	moved := func(by int) edit {
		return func(_ *example, r *record) bool {
			list := countsIn(d.set, r)
			for i := range list {
				if at := int(list[i].term) - by; at >= 0 && at < len(u.in) && u.in[at] {
					list[i].term = uint16(at)
				}
			}
			return recount(d.set, r, list)
		}
	}
	d.addUnit(3, u, "is counted one place beside its index (off by one)", moved(1), moved(-1))
}

// table is the name of a term up to its first dot.
func (d *diagnosis) table(t int) string {
	name, _, _ := strings.Cut(d.set.Terms[t].Name, ".")
	return name
}

// uncounted returns the terms that no record counts, by table, and which tables are counted at all.
func (d *diagnosis) uncounted() (never map[string][]uint16, tables map[string]bool) {
	counted := make([]bool, len(d.set.Terms))
	for _, x := range d.examples {
		for _, c := range countsIn(d.set, x.rec) {
			counted[c.term] = true
		}
	}
	never, tables = map[string][]uint16{}, map[string]bool{}
	for t := range d.set.Terms {
		if name := d.table(t); counted[t] {
			tables[name] = true
		} else {
			never[name] = append(never[name], uint16(t))
		}
	}
	return never, tables
}

// forgotten suspects a term that is never counted, and whose value, a whole number of times, is what the
// rows lack: the one of the largest value. Of a table that is counted, some squares may be empty in the sample.
func (d *diagnosis) forgotten() {
	const kind = "is never counted, and whole multiples of its value"
	var never []uint16
	size := func(t uint16) float64 { return math.Abs(d.set.Terms[t].MG) + math.Abs(d.set.Terms[t].EG) }
	uncounted, tables := d.uncounted()
	for table, terms := range uncounted {
		if !tables[table] || len(terms) == 1 {
			never = append(never, terms...)
		}
	}
	never = slices.DeleteFunc(never, func(t uint16) bool { // too much is a multiple of a small value
		return d.set.Terms[t].Kind == dataset.ScalarTerm || d.set.Bent() && sided(d.set, t) ||
			d.bad[0].rec.halves == nil && size(t) < 12*d.set.MaxDrift()
	})
	slices.SortFunc(never, func(s, t uint16) int { return cmp.Or(cmp.Compare(size(t), size(s)), cmp.Compare(s, t)) })
	found := 0.0
	for _, t := range never {
		if size(t) < found {
			return
		}
		v := &d.set.Terms[t]
		var edits []edit
		for n := float32(0); n <= 8; n++ {
			less := sideCount{t, -n, 0}
			if d.set.BySide {
				less = sideCount{t, 0, n}
			}
			for _, c := range []sideCount{{t, n, 0}, less} {
				edits = append(edits, func(_ *example, r *record) bool {
					return recount(d.set, r, append(countsIn(d.set, r), c))
				})
			}
		}
		what := fmt.Sprintf("term %q %s (%g, %g) are what is missing", v.Name, kind, v.MG, v.EG)
		if d.try(suspect{rank: 5, what: what, kind: kind, terms: []uint16{t}, whole: true, edits: edits}, d.set) {
			found = size(t)
		}
	}
}

// neverCounted names tables, or terms of none, that no record counts.
func (d *diagnosis) neverCounted() string {
	var names []string
	never, tables := d.uncounted()
	for _, terms := range never {
		if !tables[d.table(int(terms[0]))] {
			names = append(names, d.nameOf(terms))
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "a term is forgotten; these of the header are never counted: " + strings.Join(names[:min(5, len(names))], ", ")
}
