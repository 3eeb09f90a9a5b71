package features

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
)

// bentDifferences names what is not the negative, or not the same, in the answer to the
// mirrored twin of an evaluation with a formula. A channel of both sides may be the same, as
// one that counts for the side that is ahead, so that the value decides.
func bentDifferences(set *dataset.FeatureSet, a, b *record) (differ []string) {
	if a.Skip != "" || b.Skip != "" {
		if a.Skip != b.Skip {
			differ = append(differ, fmt.Sprintf("one is skipped for %q, the other for %q", a.Skip, b.Skip))
		}
		return differ
	}
	mine, twins := countsOf(a), countsOf(b)
	for t, n := range mine {
		differ = appendCounts(differ, set, t, n, twins[t])
	}
	for t, m := range twins {
		if _, ok := mine[t]; !ok {
			differ = appendCounts(differ, set, t, [2]float32{}, m)
		}
	}
	at := 0
	for _, c := range set.Columns {
		if !c.Sides {
			at++
			continue
		}
		if x, y := a.Columns[at:at+2], b.Columns[at:at+2]; x[0] != y[1] || x[1] != y[0] {
			differ = append(differ, fmt.Sprintf("column %q is %g and %g, and then %g and %g", c.Name, x[0], x[1], y[0], y[1]))
		}
		at += 2
	}
	for _, rec := range []*record{a, b} {
		for _, t := range rec.Terms {
			if set.Terms[t].Asymmetric {
				return differ
			}
		}
	}
	if v, w := set.Value(&a.FeatureRow), set.Value(&b.FeatureRow); !(math.Abs(v+w) <= 1e-3) {
		differ = append(differ, fmt.Sprintf("the formula's value is %.6g and then %.6g, want %.6g", v, w, -v))
	}
	switch {
	case (a.Eval == dataset.NoEval) != (b.Eval == dataset.NoEval):
		differ = append(differ, "only one has an eval")
	case a.Eval != dataset.NoEval && !(math.Abs(float64(a.Eval)+float64(b.Eval)) <= set.MaxDrift()):
		differ = append(differ, fmt.Sprintf("eval is %g and then %g, want %g", a.Eval, b.Eval, -a.Eval))
	}
	return differ
}

// countsOf returns the counts of White, or of both sides, and of Black by term.
func countsOf(rec *record) map[uint16][2]float32 {
	out := make(map[uint16][2]float32, len(rec.Terms))
	for i, t := range rec.Terms {
		n := [2]float32{rec.Counts[i]}
		if rec.Blacks != nil {
			n[1] = rec.Blacks[i]
		}
		out[t] = n
	}
	return out
}

func appendCounts(differ []string, set *dataset.FeatureSet, t uint16, n, m [2]float32) []string {
	v := &set.Terms[t]
	if set.Channels[set.ChannelOf(v)].Sides {
		if m != [2]float32{n[1], n[0]} && !v.Asymmetric {
			differ = append(differ, fmt.Sprintf("term %q is counted %g and %g, and then %g and %g", v.Name, n[0], n[1], m[0], m[1]))
		}
		return differ
	}
	if m[0] != n[0] && m[0] != -n[0] && !v.Asymmetric {
		differ = append(differ, fmt.Sprintf("term %q is counted %g and then %g, want %g or %g", v.Name, n[0], m[0], -n[0], n[0]))
	}
	return differ
}

// bentCause says what would explain all records of an evaluation with a formula that drift.
func bentCause(set *dataset.FeatureSet, bad []drift) string {
	tolerance := set.MaxDrift()
	for _, h := range append(causesOfAny(tolerance), []cause{
		{"the sides are swapped: counts are Black's minus White's, or eval is from Black's view; both must be White's",
			func(d *drift) bool { return near(d.value, -d.eval(), tolerance) }},
		{"the differences are small, as where the engine truncates a division that the formula writes as /: say // or trunc(...), or raise --tolerance",
			func(d *drift) bool { return near(d.value, d.eval(), tolerance+3) }},
	}...) {
		if all(bad, h.holds) {
			return h.text
		}
	}
	return "the formula is not what the engine computes, a term or a column is not what it uses, or a value in the header is not the one that it plays with; a special endgame says skip"
}
