package features

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
)

// lack is what the value lacks of the eval; 0 if there is no eval.
func (x *example) lack(set *dataset.FeatureSet) float64 {
	if x.rec.Eval == dataset.NoEval {
		return 0
	}
	return float64(x.rec.Eval) - set.Value(&x.rec.FeatureRow)
}

// values suspects what the eval has beside the terms.
func (d *diagnosis) values() {
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
		func(x *example) float64 { return d.set.Value(&x.rec.FeatureRow) })
	for _, k := range []float64{100, 128, 200, 206, 212, 220, 256} {
		d.add(4, fmt.Sprintf("the fifty-move counter damps eval: its factor (%g - counter) / %g belongs into "+
			"scale, and into the counts of flat terms", k, k), func(x *example, r *record) bool {
			n := x.board.Halfmove()
			r.Offset -= float32(d.set.Value(&r.FeatureRow) * float64(n) / k)
			return n > 0
		})
	}
	d.general(6, d.otherPhase())
	if d.all(d.truncated) {
		d.general(truncationRank, "truncation: the differences are below one unit a term, as where the engine or the "+
			"dump divides "+
			"term by term, or prints its values without their decimals; add first and divide once, or raise --tolerance")
	}
}

// general adds a suspect, unless it is empty, that explains all rows that differ.
func (d *diagnosis) general(rank int, what string) {
	if what != "" {
		d.suspects = append(d.suspects, suspect{rank: rank, what: what, kind: what, explains: len(d.bad), shows: always})
	}
}

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

// truncated reports whether a row lacks less than one unit a term.
func (d *diagnosis) truncated(x *example) bool {
	most := float64(len(x.rec.Terms) + 4)
	if len(x.rec.halves) == 2 {
		for i, sum := range halvesOf(d.set, x.rec) {
			if !near(float64(x.rec.halves[i]), sum, most) {
				return false
			}
		}
	}
	return near(x.lack(d.set), 0, most)
}

// otherPhase reports whether another phase, the same for all records of one phase, explains all evals.
func (d *diagnosis) otherPhase() string {
	type span struct{ lo, hi float64 }
	spans := map[float32]*span{}
	fits, example := 0, ""
	for _, x := range d.bad {
		row := x.rec.FeatureRow
		row.Phase = 0
		endgame := d.set.Value(&row)
		row.Phase = 1
		slope := d.set.Value(&row) - endgame
		if math.Abs(slope) < 20*d.set.MaxDrift() || x.rec.Eval == dataset.NoEval {
			continue // hardly any phase would matter
		}
		p, slack := (float64(x.rec.Eval)-endgame)/slope, d.set.MaxDrift()/math.Abs(slope)
		s := spans[x.rec.Phase]
		if s == nil {
			s = &span{math.Inf(-1), math.Inf(1)}
			spans[x.rec.Phase] = s
		}
		if s.lo, s.hi = max(s.lo, p-slack), min(s.hi, p+slack); s.lo > s.hi {
			return ""
		}
		if fits++; example == "" {
			example = fmt.Sprintf("where the record has %.3g, the eval has %.3g", x.rec.Phase, p)
		}
	}
	if fits < 10 || fits < 3*len(spans) {
		return ""
	}
	return "the phase: " + example + ", and so on for all records of the same phase; send the one that the " +
		"evaluation uses, not rounded"
}

// The ranks of suspects that say no more than where the rows are that differ, and by how much.
const (
	companyRank    = 10
	truncationRank = 11
)

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
		what := fmt.Sprintf("%s may be counted wrongly, or have another value in the engine than in the header: all "+
			"rows that differ count it, and %d rows that do not count it agree", best.name, len(d.good)-fewest)
		d.suspects = append(d.suspects, suspect{rank: companyRank, what: what, kind: "company", terms: best.terms,
			explains: len(d.bad), shows: always})
	}
}
