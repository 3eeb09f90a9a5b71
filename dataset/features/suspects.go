package features

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// negate changes the sign of eval, of the halves, or of both.
func negate(eval, halves bool, when func(x *example) bool) edit {
	return func(x *example, r *record) bool {
		if halves && r.halves == nil {
			return false
		}
		if !when(x) {
			return true
		}
		if eval && r.Eval != dataset.NoEval {
			r.Eval = -r.Eval
		}
		if halves {
			r.halves = negated(r.halves)
		}
		return true
	}
}

// negated returns halves from the other side's view.
func negated(halves []int32) []int32 {
	switch len(halves) {
	case 2:
		return []int32{-halves[0], -halves[1]}
	case 3: // each side's endgame half is positive
		return []int32{-halves[0], halves[2], halves[1]}
	}
	return halves
}

func always(*example) bool { return true }

// wholeRecords suspects views and signs of all of a record.
func (d *diagnosis) wholeRecords() {
	d.try(suspect{rank: 0, what: "a cached score: the record has an eval and counts nothing",
		fits: func(x *example) bool {
			none := len(x.rec.Terms) == 0 && x.rec.Eval != dataset.NoEval
			return none && !near(float64(x.rec.Eval), 0, d.set.MaxDrift())
		}}, d.set)
	black, since := (*example).black, func(x *example) bool { return x.sinceBlack }
	d.add(1, "eval is from the side to move's view, the counts are from White's (or the other way round): want "+
		"White's view in all of a record",
		negate(true, false, black), negate(true, true, black))
	d.add(1, "the halves are from the side to move's view: want White's view in all of a record",
		negate(false, true, black))
	d.add(1, "the sides are swapped: counts are Black's minus White's, or eval is from Black's view; both must be White's",
		negate(true, false, always), negate(true, true, always))
	d.add(1, "the sides of the halves are swapped: both must be White's minus Black's", negate(false, true, always))
	d.add(1, "the sign depends on the positions before: a flag (board flipped, side to move) is set for Black and "+
		"is not reset",
		negate(true, false, since), negate(true, true, since), negate(false, true, since))
	stale := func(x *example) bool { return x.before != nil && x.before.black() != x.black() }
	d.add(1, "the sign is that of the position asked before: the side to move, or a flag of a flipped board, is "+
		"set after it is used",
		negate(true, false, stale), negate(true, true, stale), negate(false, true, stale))
}

// beside is an edit with the record that was asked for before, or after.
func beside(next bool, change func(b, r *record)) edit {
	return func(x *example, r *record) bool {
		b := x.before
		if next {
			b = x.next
		}
		if b == nil || b.rec.Skip != "" {
			return false
		}
		change(b.rec, r)
		return true
	}
}

// state suspects what is left of the position asked before.
func (d *diagnosis) state() {
	d.add(1, "eval is that of the position asked before: a cached score, or one that is printed too late",
		beside(false, func(b, r *record) { eval := r.Eval; *r = *b; r.Eval = eval }),
		beside(false, func(b, r *record) {
			eval, halves := r.Eval, r.halves
			*r = *b
			r.Eval, r.halves = eval, halves
		}))
	counts := func(from, to *record) {
		to.Terms, to.Counts, to.EGCounts, to.Blacks, to.sides = from.Terms, from.Counts, from.EGCounts, from.Blacks,
			from.sides
	}
	d.add(1, "the counts are those of the position asked before: they are printed before the evaluation has run, "+
		"or not counted again",
		beside(false, func(b, r *record) { r.Eval, r.halves = b.Eval, b.halves }),
		beside(false, func(b, r *record) { old := *r; *r = *b; counts(&old, r) }))
	late := beside(false, func(b, r *record) { halves := r.halves; *r = *b; r.halves = halves })
	d.add(1, "the halves are those of the position asked before",
		func(x *example, r *record) bool { return r.halves != nil && late(x, r) })
	d.add(1, "the counts are not cleared: each record also has those of the positions asked before",
		beside(false, func(b, r *record) {
			sum := countsIn(d.set, r)
			for _, c := range countsIn(d.set, b) {
				sum = append(sum, sideCount{c.term, -c.white, -c.black})
			}
			recount(d.set, r, sum)
		}))
	if len(d.set.Columns) > 0 {
		columns := func(b, r *record) { r.Columns = b.Columns }
		d.add(2, "the columns are those of the position asked before", beside(true, columns), beside(false, columns))
	}
	phase := func(b, r *record) { r.Phase = b.Phase }
	d.add(3, "the phase is that of the position asked before", beside(true, phase), beside(false, phase))
}

// halves suspects what is wrong with the halves alone.
func (d *diagnosis) halves() {
	set := func(change func(h []int32, r *record) []int32) edit {
		return func(_ *example, r *record) bool {
			if r.halves == nil {
				return false
			}
			r.halves = change(r.halves, r)
			return true
		}
	}
	if !d.set.BySide {
		d.add(2, "the halves are swapped: want the middlegame half first, then the endgame half",
			set(func(h []int32, _ *record) []int32 { return []int32{h[1], h[0]} }))
	} else {
		d.add(2, "the endgame halves of White and Black are swapped",
			set(func(h []int32, _ *record) []int32 { return []int32{h[0], h[2], h[1]} }))
		d.add(2, "Black's endgame half has the wrong sign: both sides' are positive",
			set(func(h []int32, _ *record) []int32 { return []int32{h[0], h[1], -h[2]} }))
	}
	d.add(2, "the halves include the flat terms, such as tempo: want the sums of what is tapered alone",
		set(func(h []int32, r *record) []int32 {
			flat := int32(math.Round(d.set.Parts(&r.FeatureRow).Flat))
			if out := append([]int32{h[0] - flat, h[1] - flat}, h[2:]...); !d.set.BySide {
				return out
			}
			return h
		}))
}

// factors suspects the phase and the factors in the wrong place, and header values in the wrong half.
func (d *diagnosis) factors() {
	d.add(2, "the phase is turned: 1 is the middlegame and 0 the endgame", func(_ *example, r *record) bool {
		r.Phase = 1 - r.Phase
		return true
	})
	if d.set.Bent() {
		return
	}
	d.add(2, "the endgame factor is in scale, which holds for the whole tapered part: it belongs into eg_scale",
		func(_ *example, r *record) bool {
			r.Scale, r.EGScale = r.EGScale, r.Scale
			return r.Scale != r.EGScale
		})
	d.add(2, "the engine applies the factor in eg_scale to the whole tapered part: it belongs into scale",
		func(_ *example, r *record) bool {
			r.Scale, r.EGScale = r.Scale*r.EGScale, 1
			return true
		})
	d.add(2, "the engine does not apply the factor in scale or eg_scale", func(_ *example, r *record) bool {
		applies := r.Scale != 1 || r.EGScale != 1
		r.Scale, r.EGScale = 1, 1
		return applies
	})
	if d.set.BySide {
		d.add(2, "the factors of the two sides are exchanged: scale_white is that of White's endgame half",
			func(_ *example, r *record) bool {
				r.scaleWhite, r.scaleBlack = r.scaleBlack, r.scaleWhite
				return recount(d.set, r, countsIn(d.set, r))
			})
	}
	for _, k := range []float32{2, 4, 8, 10, 16, 32, 64, 100, 128, 256} {
		d.add(3, fmt.Sprintf("eg_scale is not a factor, but counted in parts of %g: divide it by %g", k, k),
			func(_ *example, r *record) bool {
				r.EGScale /= k
				return true
			})
	}
}

// phases suspects another phase than the record's.
func (d *diagnosis) phases() {
	phase := func(rank int, what string, of func(x *example, p float64) float64) {
		d.add(rank, "the phase: "+what, func(x *example, r *record) bool {
			old := r.Phase
			r.Phase = float32(of(x, float64(r.Phase)))
			return r.Phase != old
		})
	}
	phase(5, "the engine's is the usual one, where knights and bishops count 1, rooks 2 and queens 4 of 24; the "+
		"record has another", func(x *example, _ float64) float64 {
		return float64(eval.Phase(x.counted())) / 24
	})
	if !slices.ContainsFunc(d.examples, func(x *example) bool { return x.rec.Phase != 0 && x.rec.Phase != 1 }) {
		phase(4, "it is 0 or 1 in all records, as where whole numbers are divided: write phase / 24.0",
			func(x *example, _ float64) float64 {
				return float64(eval.Phase(x.counted())) / 24
			})
	}
	phase(3, "it is above 1 where a side has promoted; the engine's is at most 1",
		func(_ *example, p float64) float64 { return min(p, 1) })
	for k := 8.0; k <= 256; k++ {
		for _, q := range [][2]float64{{24, k}, {k, 24}} { // what the record divides by, and the engine
			what := fmt.Sprintf("it is divided by another number than in the engine: by %g for %g, if one of them "+
				"is 24; the engine's is %.4g times the record's", q[0], q[1], q[0]/q[1])
			if k != 24 {
				phase(4, what, func(_ *example, p float64) float64 { return min(1, p*q[0]/q[1]) })
			}
		}
	}
	if d.set.Bent() {
		nudge := func(by float32) edit {
			return func(_ *example, r *record) bool {
				for range 4 {
					r.Phase = math.Nextafter32(r.Phase, by)
				}
				return true
			}
		}
		d.add(3, `the phase is a fraction that float32 cannot hold, such as 7/20, so that a truncated value is `+
			`off by one: send the whole number, 7, in a column n, and write (mg*n + eg*(20 - n))//20 in the formula`,
			nudge(2), nudge(-1))
	}
}
