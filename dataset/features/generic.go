package features

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
)

// generic suspects what no other record says more of: phases, factors and rounding by the size of what is
// missing. Each of them explains all rows or none.
func (d *diagnosis) generic() {
	for rank, text := range []string{6: d.otherPhase(), 7: d.rounding(), 8: d.taper(), 9: d.multiples(),
		companyRank: d.factorRows()} {
		if text != "" {
			d.suspects = append(d.suspects, suspect{rank: rank, what: text, kind: text, explains: len(d.bad),
				shows: always})
		}
	}
}

// companyRank is that of suspects which say no more than where the rows are that differ.
const companyRank = 10

// all reports whether something holds for all rows that differ, but for a few.
func (d *diagnosis) all(holds func(x *example) bool) bool {
	n := 0
	for _, x := range d.bad {
		if holds(x) {
			n++
		}
	}
	return n > 0 && n >= len(d.bad)-misses(len(d.bad))
}

// taper reports whether the halves agree, so that what comes after them is wrong.
func (d *diagnosis) taper() string {
	if !d.all(func(x *example) bool {
		mg, eg, ok := x.off(d.set)
		return ok && near(mg, 0, 1e-3) && near(eg, 0, 1e-3)
	}) {
		return ""
	}
	return "the phase, or a factor: the halves are the engine's, so what makes the eval of them is wrong"
}

// fittingPhase is the phase with which the record's value would be its eval; ok is false
// where hardly any phase would matter.
func (x *example) fittingPhase(set *dataset.FeatureSet) (p, slack float64, ok bool) {
	parts := set.Parts(&x.rec.FeatureRow)
	eg := parts.EG
	if !set.BySide && set.Version > 1 {
		eg *= float64(x.rec.EGScale)
	}
	slope := float64(x.rec.Scale) * (parts.MG - eg)
	if math.Abs(slope) < 20*set.MaxDrift() || x.rec.Eval == dataset.NoEval {
		return 0, 0, false
	}
	p = ((float64(x.rec.Eval)-float64(x.rec.Offset)-parts.Flat)/float64(x.rec.Scale) - eg) / (parts.MG - eg)
	return p, set.MaxDrift() / math.Abs(slope), true
}

// otherPhase reports whether another phase, the same for all records of one phase, explains
// all evals.
func (d *diagnosis) otherPhase() string {
	type span struct{ lo, hi float64 }
	spans := map[float32]*span{}
	fits, example := 0, ""
	for _, x := range d.bad {
		p, slack, ok := x.fittingPhase(d.set)
		if !ok {
			continue
		}
		s := spans[x.rec.Phase]
		if s == nil {
			s = &span{math.Inf(-1), math.Inf(1)}
			spans[x.rec.Phase] = s
		}
		s.lo, s.hi = max(s.lo, p-slack), min(s.hi, p+slack)
		if fits++; example == "" {
			example = fmt.Sprintf("where the record has %.3g, the eval has %.3g", x.rec.Phase, p)
		}
	}
	if fits < 10 || fits < 3*len(spans) {
		return ""
	}
	for _, s := range spans {
		if s.lo > s.hi {
			return ""
		}
	}
	return "the phase: " + example + ", and so on for all records of the same phase; send the one that the " +
		"evaluation uses, not rounded"
}

// factorRows reports whether just the records with a factor are wrong.
func (d *diagnosis) factorRows() string {
	factor := func(x *example) bool {
		return x.rec.EGScale != 1 || x.rec.Scale != 1 || x.rec.scaleWhite != 1 || x.rec.scaleBlack != 1
	}
	plain := 0
	for _, x := range d.good {
		if !factor(x) {
			plain++
		}
	}
	if plain == 0 || !d.all(factor) || d.bad[0].rec.halves != nil && d.taper() == "" {
		return ""
	}
	if d.set.EGScale == dataset.EGScaleBySign {
		return "only records with a factor are wrong: is eg_scale that of the side that the endgame half favors?"
	}
	return "only records with a factor are wrong: is it the side's that it belongs to, and divided by its " +
		"denominator without truncation?"
}

// rounding reports whether the differences are those of divisions that truncate: less than one a term, and
// toward zero, or all down.
func (d *diagnosis) rounding() string {
	toZero, down, rows := 0, 0, 0
	small := d.all(func(x *example) bool {
		up, below := 2.0, 2.0
		for i, t := range x.rec.Terms {
			if n := float64(x.rec.Counts[i]) * x.worth(d.set, &d.set.Terms[t]); n > 0 {
				below++
			} else if n < 0 {
				up++
			}
		}
		lack, all := x.lack(d.set), up+below
		rows++
		if lack < 0 {
			down++
		}
		if lack < 0 == (below >= up) {
			toZero++
		}
		mg, eg, halves := x.off(d.set)
		small := near(lack, 0, all) && (!halves || near(mg, 0, all) && near(eg, 0, all))
		return small && (-below <= lack && lack <= up || lack < 0)
	})
	if !small || 10*toZero < 7*rows && 10*down < 9*rows {
		return ""
	}
	return "truncation: the differences are below one unit a term, as where the engine or the dump divides term " +
		"by term, or prints its values without their decimals; add first and divide once, or raise --tolerance"
}

// multiples names the term with the largest value such that whole multiples of it are missing in all rows that count it.
func (d *diagnosis) multiples() string {
	best := dataset.FeatureTerm{}
	size := func(v *dataset.FeatureTerm) float64 { return math.Abs(v.MG) + math.Abs(v.EG) }
	for _, u := range d.units() {
		if v := &d.set.Terms[u.terms[0]]; len(u.terms) == 1 && size(v) > size(&best) &&
			d.all(func(x *example) bool { return slices.Contains(x.bothTerms(), u.terms[0]) && x.lacks(d.set, v) }) {
			best = *v
		}
	}
	if best.Name == "" {
		return ""
	}
	return fmt.Sprintf("whole multiples of the value (%g, %g) of term %q are what is missing: it is counted "+
		"wrongly, or a term of such a value is forgotten", best.MG, best.EG, best.Name)
}

// company suspects the unit that all rows that differ count, and that the fewest of the others do.
func (d *diagnosis) company() {
	var best *unit
	fewest := len(d.bad) / 2
	for _, u := range d.units() {
		has := func(x *example) bool {
			return slices.ContainsFunc(x.bothTerms(), func(t uint16) bool { return u.in[t] })
		}
		if !d.all(has) {
			continue
		}
		with := 0
		for _, x := range d.good {
			if has(x) {
				with++
			}
		}
		if with < fewest && len(d.good)-with >= 10 {
			best, fewest = u, with
		}
	}
	if best != nil {
		what := fmt.Sprintf("%s may be counted wrongly: all rows that differ count it, and %d rows that do not "+
			"count it agree", best.name, len(d.good)-fewest)
		d.suspects = append(d.suspects, suspect{rank: companyRank, what: what, kind: "company", terms: best.terms,
			explains: len(d.bad), shows: always})
	}
}
