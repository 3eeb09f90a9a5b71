package features

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
)

// off is what the sums of both halves lack of the engine's, if it gave them.
func (x *example) off(set *dataset.FeatureSet) (mg, eg float64, halves bool) {
	if len(x.rec.halves) != 2 {
		return 0, 0, false
	}
	sums := halvesOf(set, x.rec)
	return float64(x.rec.halves[0]) - sums[0], float64(x.rec.halves[1]) - sums[1], true
}

// lack is what the value lacks of the eval; 0 if there is no eval.
func (x *example) lack(set *dataset.FeatureSet) float64 {
	if x.rec.Eval == dataset.NoEval {
		return 0
	}
	return float64(x.rec.Eval) - set.Value(&x.rec.FeatureRow)
}

// worth is what a count of 1 of a term adds to the value of a record.
func (x *example) worth(set *dataset.FeatureSet, v *dataset.FeatureTerm) float64 {
	if v.Kind == dataset.FlatTerm {
		return v.MG
	}
	p, egScale := set.Parts(&x.rec.FeatureRow).Phase, 1.0
	if set.Version > 1 {
		egScale = float64(x.rec.EGScale)
	}
	return float64(x.rec.Scale) * (p*v.MG + (1-p)*egScale*v.EG)
}

// table is the name of a term up to its first dot.
func (d *diagnosis) table(t int) string {
	name, _, _ := strings.Cut(d.set.Terms[t].Name, ".")
	return name
}

// counted reports which terms occur at all, and which tables.
func (d *diagnosis) counted() (terms []bool, tables map[string]bool) {
	terms, tables = make([]bool, len(d.set.Terms)), map[string]bool{}
	for _, x := range d.examples {
		for _, c := range countsIn(d.set, x.rec) {
			if !terms[c.term] {
				terms[c.term], tables[d.table(int(c.term))] = true, true
			}
		}
	}
	return terms, tables
}

// forgotten suspects a term that is never counted, and whose value, a whole number of times, is what the
// rows lack: the one of the largest value.
func (d *diagnosis) forgotten() {
	const kind = "is never counted, and whole multiples of its value"
	var never []uint16
	terms, tables := d.counted()
	for t, v := range d.set.Terms {
		// Of a table that is counted, some squares may be empty in the whole sample: only halves can tell.
		if !terms[t] && (v.MG != 0 || v.EG != 0) && v.Kind != dataset.ScalarTerm && (!tables[d.table(t)] || d.bad[0].rec.halves != nil) {
			never = append(never, uint16(t))
		}
	}
	size := func(t uint16) float64 { return math.Abs(d.set.Terms[t].MG) + math.Abs(d.set.Terms[t].EG) }
	slices.SortStableFunc(never, func(s, t uint16) int { return cmp.Compare(size(t), size(s)) })
	found := 0.0
	for _, t := range never {
		if size(t) < found {
			return
		}
		v := &d.set.Terms[t]
		s := suspect{rank: 5, what: fmt.Sprintf("term %q %s (%g, %g) are what is missing", v.Name, kind, v.MG, v.EG),
			kind: kind, terms: []uint16{t}, whole: true}
		if s.fits = func(x *example) bool { return x.lacks(d.set, v) }; d.set.Bent() {
			s.fits = nil
			for n := float32(-8); n <= 8; n++ {
				s.edits = append(s.edits, func(_ *example, r *record) bool {
					list := append(countsIn(d.set, r), sideCount{term: t, white: n})
					return !sided(d.set, t) && recount(d.set, r, list)
				})
			}
		}
		if d.try(s, d.set) {
			found = size(t)
		}
	}
}

// lacks reports whether the record would not drift with another whole count of a term.
func (x *example) lacks(set *dataset.FeatureSet, v *dataset.FeatureTerm) bool {
	whole := func(off, unit, slack float64) bool {
		n := math.Round(off / unit)
		return n != 0 && near(off, n*unit, slack)
	}
	if mg, eg, ok := x.off(set); ok && v.Kind != dataset.FlatTerm {
		switch {
		case v.MG != 0 && !whole(mg, v.MG, 1e-3) || v.MG == 0 && mg != 0:
			return false
		case v.MG != 0:
			return near(eg, mg/v.MG*v.EG, 1e-3)
		}
		return whole(eg, v.EG, 1e-3)
	}
	unit := x.worth(set, v)
	if math.Abs(unit) <= 6*set.MaxDrift() { // too many differences would be a multiple
		return false
	}
	return whole(x.lack(set), unit, set.MaxDrift())
}

// neverCounted names tables, or terms of none, that no record counts.
func (d *diagnosis) neverCounted() string {
	never, names := map[string][]uint16{}, []string{}
	_, tables := d.counted()
	for t := range d.set.Terms {
		name := d.table(t)
		if tables[name] {
			continue
		}
		if never[name] == nil {
			names = append(names, name)
		}
		never[name] = append(never[name], uint16(t))
	}
	for i, name := range names {
		names[i] = d.nameOf(never[name])
	}
	if len(never) == 0 {
		return ""
	}
	names = names[:min(5, len(names))]
	return "a term is forgotten; these of the header are never counted: " + strings.Join(names, ", ")
}

// values suspects what the eval has beside the terms, and other values than the header's.
func (d *diagnosis) values() {
	d.exchanged()
	d.headerValues()
	bonus := func(rank int, what string, of func(x *example) float64) {
		var all []float64
		for _, x := range d.bad {
			if w := of(x); w != 0 && x.rec.Eval != dataset.NoEval {
				all = append(all, x.lack(d.set)/w)
			}
		}
		if len(all) == 0 {
			return
		}
		slices.Sort(all)
		k := all[len(all)/2]
		d.add(rank, fmt.Sprintf(what, k), func(x *example, r *record) bool {
			r.Offset += float32(k * of(x))
			return k != 0
		})
	}
	bonus(4, "eval has a bonus of %.4g for the side to move, which is not counted: a tempo term, + 1 for White to "+
		"move and - 1 for Black", func(x *example) float64 {
		if x.black() {
			return -1
		}
		return 1
	})
	bonus(4, "eval has a constant %.4g that no term and no offset has: contempt, or an offset that was left out",
		func(*example) float64 { return 1 })
	bonus(5, "eval is in other units than the values of the terms: %+.4g times the sum of the terms is missing",
		func(x *example) float64 {
			return d.set.Value(&x.rec.FeatureRow)
		})
	for _, k := range []float64{100, 128, 200, 206, 212, 220, 256} {
		d.add(4, fmt.Sprintf("the fifty-move counter damps eval: its factor (%g - counter) / %g belongs into "+
			"scale, and into the counts of flat terms", k, k), func(x *example, r *record) bool {
			n := x.board.Halfmove()
			r.Offset -= float32(d.set.Value(&r.FeatureRow) * float64(n) / k)
			return n > 0
		})
	}
}

// exchanged suspects two terms that are counted for each other.
func (d *diagnosis) exchanged() {
	if len(d.set.Terms) > 2000 || d.set.BySide {
		return
	}
	// What a few rows show leaves hardly a pair.
	type probe struct {
		lack         float64
		count, worth []float64
	}
	var probes []probe
	for _, x := range d.bad[:min(3, len(d.bad))] {
		if x.rec.Eval == dataset.NoEval {
			continue
		}
		p := probe{x.lack(d.set), make([]float64, len(d.set.Terms)), make([]float64, len(d.set.Terms))}
		for _, c := range countsIn(d.set, x.rec) {
			p.count[c.term] = float64(c.white)
		}
		for t := range p.worth {
			p.worth[t] = x.worth(d.set, &d.set.Terms[t])
		}
		probes = append(probes, p)
	}
	for s := range d.set.Terms {
		for t := s + 1; t < len(d.set.Terms); t++ {
			if slices.ContainsFunc(probes, func(p probe) bool {
				return p.count[s] == p.count[t] || !near((p.count[s]-p.count[t])*(p.worth[t]-p.worth[s]), p.lack,
					d.set.MaxDrift())
			}) {
				continue
			}
			u := &unit{terms: []uint16{uint16(s), uint16(t)}, in: make([]bool, len(d.set.Terms))}
			u.in[s], u.in[t] = true, true
			u.name = fmt.Sprintf("terms %q and %q", d.set.Terms[s].Name, d.set.Terms[t].Name)
			d.addUnit(4, u, "are exchanged: each is counted as the other, or has the other's value in the header",
				d.mapped(u, func(c *sideCount) { c.term = uint16(s+t) - c.term }))
		}
	}
}

// headerValues suspects that the engine plays with another value of a term than the header's, and says which.
func (d *diagnosis) headerValues() {
	const kind = "has another value in the header than the engine plays with"
	for _, u := range d.units() {
		if len(u.terms) > 1 {
			break
		}
		v := d.set.Terms[u.terms[0]]
		set := *d.set
		set.Terms = slices.Clone(set.Terms)
		w := &set.Terms[u.terms[0]]
		d.missing(w, u.terms[0])
		d.try(suspect{rank: 4, what: fmt.Sprintf("%s %s: (%g, %g), the engine's is about (%g, %g)", u.name, kind, v.MG,
			v.EG, w.MG, w.EG), kind: kind, terms: u.terms,
			edits: []edit{func(x *example, _ *record) bool { return x.counts(u.terms) }}}, &set)
	}
}

// missing adds to the value of a term what it lacks for all rows that differ to agree, by least squares.
func (d *diagnosis) missing(v *dataset.FeatureTerm, t uint16) {
	mg, eg := &dataset.FeatureTerm{MG: 1}, &dataset.FeatureTerm{EG: 1}
	if v.Kind != "" { // one value
		mg, eg = &dataset.FeatureTerm{MG: 1, EG: 1, Kind: v.Kind}, &dataset.FeatureTerm{}
	}
	var aa, ab, bb, ra, rb float64
	for _, x := range d.bad {
		i := slices.Index(x.rec.Terms, t)
		if i < 0 {
			continue
		}
		n := float64(x.rec.Counts[i])
		if off, offEG, ok := x.off(d.set); ok && v.Kind == "" { // the halves know it exactly
			aa, bb, ra, rb = aa+n*n, bb+n*n, ra+n*off, rb+n*offEG
			continue
		}
		a, b, lack := n*x.worth(d.set, mg), n*x.worth(d.set, eg), x.lack(d.set)
		aa, ab, bb, ra, rb = aa+a*a, ab+a*b, bb+b*b, ra+a*lack, rb+b*lack
	}
	if det := aa*bb - ab*ab; v.Kind == "" && det > 1e-6*aa*bb {
		v.MG, v.EG = math.Round(v.MG+(ra*bb-rb*ab)/det), math.Round(v.EG+(aa*rb-ab*ra)/det)
	} else if aa > 0 && v.Kind != "" {
		v.MG = math.Round(v.MG + ra/aa)
		v.EG = v.MG
	}
}
