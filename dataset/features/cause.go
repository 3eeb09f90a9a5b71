package features

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// checkRecord returns an error if a record is not valid, if the engine's halves are not the
// sums of its terms, or if its value is not its eval. The last two are dataset.ErrDrift.
func checkRecord(set *dataset.FeatureSet, rec *record) error {
	err := set.CheckRow(&rec.FeatureRow)
	if err != nil || rec.halves == nil || rec.Skip != "" {
		return err
	}
	for i, sum := range halvesOf(set, rec) {
		if math.Abs(sum-float64(rec.halves[i])) > 1e-3 {
			name := [3]string{"middlegame half", "endgame half", "Black's endgame half"}[i]
			if set.BySide && i == 1 {
				name = "White's endgame half"
			}
			return fmt.Errorf("%w: the terms add up to a %s of %.6g, the engine's is %d%s", dataset.ErrDrift, name, sum, rec.halves[i], set.Explain(&rec.FeatureRow))
		}
	}
	return nil
}

// halvesOf sums what record.halves has from the engine.
func halvesOf(set *dataset.FeatureSet, rec *record) []float64 {
	p := set.Parts(&rec.FeatureRow)
	if !set.BySide {
		return []float64{p.MG, p.EG}
	}
	white, black := 0.0, 0.0
	for _, c := range rec.sides {
		if v := &set.Terms[c.term]; v.Kind != dataset.FlatTerm {
			white += float64(c.white) * v.EG
			black += float64(c.black) * v.EG
		}
	}
	return []float64{p.MG, white, black}
}

// drift is a record whose value is not its eval, or whose halves are not the engine's.
type drift struct {
	*example
	before *example // what was asked before; nil for the first
	value  float64
	parts  dataset.Parts
}

// driftCause says what would explain all records that drift.
func driftCause(set *dataset.FeatureSet, examples []*example) string {
	var bad []drift
	var before *example
	for _, x := range examples {
		if x.err != nil {
			d := drift{example: x, before: before, value: set.Value(&x.rec.FeatureRow)}
			if !set.Bent() {
				d.parts = set.Parts(&x.rec.FeatureRow)
			}
			bad = append(bad, d)
		}
		before = x
	}
	if set.Bent() {
		return bentCause(set, bad)
	}
	tolerance := set.MaxDrift()
	for _, h := range append(causesOfAny(tolerance), []cause{
		{"eval is that of the position asked before: a cached score, or one that is printed too late",
			func(d *drift) bool {
				return d.before != nil && d.before.rec.Eval != dataset.NoEval && near(d.eval(), float64(d.before.rec.Eval), 0) && !near(d.eval(), 0, 0)
			}},
		{"the phase is turned: 1 is the middlegame and 0 the endgame",
			func(d *drift) bool {
				return near(d.with(set, 1-d.rec.Phase, d.rec.Scale, d.rec.EGScale), d.eval(), tolerance)
			}},
		{"the endgame factor is in scale, which holds for the whole tapered part: it belongs into eg_scale",
			func(d *drift) bool {
				return d.rec.Scale != 1 && near(d.with(set, d.rec.Phase, d.rec.EGScale, d.rec.Scale), d.eval(), tolerance)
			}},
		{"the engine applies the factor in eg_scale to the whole tapered part: it belongs into scale",
			func(d *drift) bool {
				return d.rec.EGScale != 1 && near(d.with(set, d.rec.Phase, d.rec.EGScale, d.rec.Scale), d.eval(), tolerance)
			}},
		{"the engine does not apply the factor in scale or eg_scale",
			func(d *drift) bool { return near(d.with(set, d.rec.Phase, 1, 1), d.eval(), tolerance) }},
	}...) {
		if all(bad, h.holds) {
			return h.text
		}
	}
	if all(bad, func(d *drift) bool { return near(d.value, -d.eval(), tolerance) }) {
		if anyGood(set, examples) {
			return "the sign depends on the positions before: a flag (board flipped, side to move) is not reset"
		}
		return "the sides are swapped: counts are Black's minus White's, or eval is from Black's view; both must be White's"
	}
	for _, cause := range []func() string{
		func() string { return forgottenTerm(set, examples, bad) },
		func() string { return otherPhase(set, bad) },
		func() string { return shiftedPhase(set, bad) },
		func() string { return rounding(set, bad) },
		func() string { return factorRows(set, examples, bad) },
		func() string { return taper(set, bad) },
		func() string { return neverCounted(set, examples) },
	} {
		if text := cause(); text != "" {
			return text
		}
	}
	return "a term of the evaluation is not counted (put what is not tuned into offset or a term of its own), or a value in the header is not the one that the engine plays with"
}

// anyGood reports whether an eval of some size is right.
func anyGood(set *dataset.FeatureSet, examples []*example) bool {
	for _, x := range examples {
		if x.err == nil && x.rec.Eval != dataset.NoEval && math.Abs(float64(x.rec.Eval)) > 2*set.MaxDrift() {
			return true
		}
	}
	return false
}

func (d *drift) eval() float64 { return float64(d.rec.Eval) }

// with is the value of the record with other factors.
func (d *drift) with(set *dataset.FeatureSet, phase, scale, egScale float32) float64 {
	row := d.rec.FeatureRow
	row.Phase, row.Scale, row.EGScale = phase, scale, egScale
	return set.Value(&row)
}

// off is what the sums of both halves lack of the engine's, if it gave them.
func (d *drift) off(set *dataset.FeatureSet) (mg, eg float64, halves bool) {
	if len(d.rec.halves) != 2 {
		return 0, 0, false
	}
	sums := halvesOf(set, d.rec)
	return float64(d.rec.halves[0]) - sums[0], float64(d.rec.halves[1]) - sums[1], true
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// all reports whether a hypothesis explains all records but one in fifty: a record may
// contradict itself in two ways.
func all(bad []drift, holds func(d *drift) bool) bool {
	n := 0
	for i := range bad {
		if holds(&bad[i]) {
			n++
		}
	}
	return n > 0 && n >= len(bad)-len(bad)/50
}

// countedTerms reports which terms occur at all.
func countedTerms(set *dataset.FeatureSet, examples []*example) []bool {
	counted := make([]bool, len(set.Terms))
	for _, x := range examples {
		for _, t := range x.rec.Terms {
			counted[t] = true
		}
	}
	return counted
}

// forgottenTerm looks for a term whose value, a whole number of times, is what all records
// lack: best one that is never counted, then the one of the largest value.
func forgottenTerm(set *dataset.FeatureSet, examples []*example, bad []drift) string {
	counted := countedTerms(set, examples)
	best := -1
	for t := range set.Terms {
		v := &set.Terms[t]
		if v.MG == 0 && v.EG == 0 || !all(bad, func(d *drift) bool { return d.lacks(set, v) }) {
			continue
		}
		if best < 0 || !counted[t] && counted[best] || counted[t] == counted[best] && math.Abs(v.MG)+math.Abs(v.EG) > math.Abs(set.Terms[best].MG)+math.Abs(set.Terms[best].EG) {
			best = t
		}
	}
	switch {
	case best < 0:
		return ""
	case !counted[best]:
		v := &set.Terms[best]
		return fmt.Sprintf("term %q is never counted, and whole multiples of its value (%g, %g) are what is missing", v.Name, v.MG, v.EG)
	}
	v := &set.Terms[best]
	return fmt.Sprintf("whole multiples of the value (%g, %g) of term %q are what is missing: it is counted wrongly, or a term of such a value is forgotten", v.MG, v.EG, v.Name)
}

// neverCounted names terms with a value that no record counts.
func neverCounted(set *dataset.FeatureSet, examples []*example) string {
	var never []string
	for t, counted := range countedTerms(set, examples) {
		if v := &set.Terms[t]; !counted && (v.MG != 0 || v.EG != 0) {
			never = append(never, v.Name)
		}
	}
	if len(never) == 0 {
		return ""
	}
	if len(never) > 5 {
		never = append(never[:5], "...")
	}
	return fmt.Sprintf("a term is forgotten; these of the header are never counted: %s", strings.Join(never, ", "))
}

// taper reports whether the halves agree, so that what comes after them is wrong.
func taper(set *dataset.FeatureSet, bad []drift) string {
	if !all(bad, func(d *drift) bool {
		mg, eg, ok := d.off(set)
		return ok && near(mg, 0, 1e-3) && near(eg, 0, 1e-3)
	}) {
		return ""
	}
	return "the phase, or a factor: the halves are the engine's, so what makes the eval of them is wrong"
}

// fittingPhase is the phase with which the record's value would be its eval; ok is false
// where hardly any phase would matter.
func (d *drift) fittingPhase(set *dataset.FeatureSet) (p, slack float64, ok bool) {
	eg := d.parts.EG
	if !set.BySide && set.Version > 1 {
		eg *= float64(d.rec.EGScale)
	}
	slope := float64(d.rec.Scale) * (d.parts.MG - eg)
	if math.Abs(slope) < 20*set.MaxDrift() {
		return 0, 0, false
	}
	p = ((d.eval()-float64(d.rec.Offset)-d.parts.Flat)/float64(d.rec.Scale) - eg) / (d.parts.MG - eg)
	return p, set.MaxDrift() / math.Abs(slope), true
}

// shiftedPhase reports whether the phases that fit the evals are all above those of the
// records, or all below.
func shiftedPhase(set *dataset.FeatureSet, bad []drift) string {
	if taper(set, bad) == "" {
		return ""
	}
	above, below, example := 0, 0, ""
	for i := range bad {
		d := &bad[i]
		p, slack, ok := d.fittingPhase(set)
		switch {
		case !ok:
			continue
		case p < -0.1-slack || p > 1.5+slack:
			return ""
		case p > float64(d.rec.Phase):
			above++
		default:
			below++
		}
		if example == "" {
			example = fmt.Sprintf("%s would fit with %.3g, the record has %.3g", d, p, d.rec.Phase)
		}
	}
	if few := (above + below) / 50; above+below < 5 || min(above, below) > few {
		return ""
	}
	return "the phase: the halves are the engine's, and " + example
}

// lacks reports whether the record would not drift with another whole count of a term.
func (d *drift) lacks(set *dataset.FeatureSet, v *dataset.FeatureTerm) bool {
	whole := func(off, unit, slack float64) bool {
		n := math.Round(off / unit)
		return n != 0 && near(off, n*unit, slack)
	}
	if mg, eg, ok := d.off(set); ok && v.Kind != dataset.FlatTerm {
		switch {
		case v.MG != 0 && !whole(mg, v.MG, 1e-3) || v.MG == 0 && mg != 0:
			return false
		case v.MG != 0:
			return near(eg, mg/v.MG*v.EG, 1e-3)
		}
		return whole(eg, v.EG, 1e-3)
	}
	unit := v.MG
	if v.Kind != dataset.FlatTerm {
		p, egScale := d.parts.Phase, float64(d.rec.EGScale)
		unit = float64(d.rec.Scale) * (p*v.MG + (1-p)*egScale*v.EG)
	}
	if math.Abs(unit) <= 2*set.MaxDrift() { // any difference would be a multiple
		return false
	}
	return whole(d.eval()-d.value, unit, set.MaxDrift())
}

// otherPhase reports whether another phase, the same for all records of one phase, explains
// all evals.
func otherPhase(set *dataset.FeatureSet, bad []drift) string {
	type span struct{ lo, hi float64 }
	spans := map[float32]*span{}
	fits, example := 0, ""
	for i := range bad {
		d := &bad[i]
		p, slack, ok := d.fittingPhase(set)
		if !ok {
			continue
		}
		s := spans[d.rec.Phase]
		if s == nil {
			s = &span{math.Inf(-1), math.Inf(1)}
			spans[d.rec.Phase] = s
		}
		s.lo, s.hi = max(s.lo, p-slack), min(s.hi, p+slack)
		if fits++; example == "" {
			example = fmt.Sprintf("where the record has %.3g, the eval has %.3g", d.rec.Phase, p)
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
	return "the phase: " + example + ", and so on for all records of the same phase; send the one that the evaluation uses, not rounded"
}

// factorRows reports whether just the records with a factor are wrong.
func factorRows(set *dataset.FeatureSet, examples []*example, bad []drift) string {
	factor := func(rec *record) bool {
		return rec.EGScale != 1 || rec.Scale != 1 || rec.scaleWhite != 1 || rec.scaleBlack != 1
	}
	if !all(bad, func(d *drift) bool { return factor(d.rec) }) {
		return ""
	}
	plain := 0
	for _, x := range examples {
		if !factor(x.rec) {
			plain++
		}
	}
	if plain == 0 {
		return ""
	}
	if set.EGScale == dataset.EGScaleBySign {
		return "only records with a factor are wrong: is eg_scale that of the side that the endgame half favors?"
	}
	return "only records with a factor are wrong: is it the side's that it belongs to, and divided by its denominator without truncation?"
}

// rounding reports whether the differences are of the size that truncated divisions leave.
func rounding(set *dataset.FeatureSet, bad []drift) string {
	if !all(bad, func(d *drift) bool {
		mg, eg, halves := d.off(set)
		limit := float64(len(d.rec.Terms)) + 2
		return near(d.eval(), d.value, limit) && (!halves || near(mg, 0, limit) && near(eg, 0, limit))
	}) {
		return ""
	}
	return "truncation: the differences are below one unit a term, as where the engine or the dump divides term by term, or prints its values without their decimals; add first and divide once, or raise --tolerance"
}

// mirrorCause names the usual cause of an answer to a mirrored position that differs.
func mirrorCause(set *dataset.FeatureSet, a, b *record) string {
	if set.Bent() {
		return "a column, a table or a flag that is not mirrored for Black, a term counted from the side to move's view, or a formula that is not the same for both sides"
	}
	same, tempo := len(a.Terms) == len(b.Terms), true
	for i := range min(len(a.Terms), len(b.Terms)) {
		same = same && a.Terms[i] == b.Terms[i] && a.Counts[i] == b.Counts[i]
	}
	n := countsBySide(set, b)
	wrong := 0
	for t, count := range countsBySide(set, a) {
		want := [2]float32{-count[0]}
		if set.BySide {
			want = [2]float32{count[1], count[0]}
		}
		if n[t] != want && !set.Terms[t].Asymmetric {
			wrong++
			tempo = tempo && n[t] == count
		}
	}
	switch {
	case same && len(a.Terms) > 0:
		return "counts, offset and eval are from the side to move's view: want White's view in all positions (negate them where Black is to move)"
	case wrong == 0 && a.Offset != -b.Offset:
		return "the offset: contempt, a tempo bonus that does not change its sign with the side to move, or damping by the fifty-move counter"
	case wrong == 0:
		return "a flag that is not reset, an evaluation cache, contempt, or damping by the fifty-move counter"
	case wrong == 1 && tempo:
		return "a term that is counted from the side to move's view, as a tempo term: + 1 for White to move, - 1 for Black"
	}
	return `a table that is not mirrored for Black, or a flag that is not reset; a term that is not the same for both sides on purpose says "asymmetric":true in the header`
}

// cause is what would explain the records for which it holds.
type cause struct {
	text  string
	holds func(d *drift) bool
}

// causesOfAny are the causes that evaluations with and without a formula share.
func causesOfAny(tolerance float64) []cause {
	return []cause{
		{"a cached score: the record has an eval and counts nothing",
			func(d *drift) bool { return len(d.rec.Terms) == 0 && !near(d.eval(), 0, tolerance) }},
		{"eval is from the side to move's view, the counts are from White's (or the other way round): want White's view in all of a record",
			func(d *drift) bool { return d.board.SideToMove() == board.Black && near(d.value, -d.eval(), tolerance) }},
	}
}
