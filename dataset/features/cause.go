package features

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// checkRecord returns an error if a record is not valid, if the engine's halves are not the
// sums of its terms, or if its value is not its eval. The last two are dataset.ErrDrift.
func checkRecord(set *dataset.FeatureSet, rec *record) error {
	err := set.CheckRow(&rec.FeatureRow)
	if err != nil || rec.Skip != "" {
		return err
	}
	if i, sum := wrongHalf(set, rec); i >= 0 {
		name := [3]string{"middlegame half", "endgame half", "Black's endgame half"}[i]
		if set.BySide && i == 1 {
			name = "White's endgame half"
		}
		of := "the terms"
		if set.Bent() {
			of = fmt.Sprintf("the terms of channel %q", set.Channels[halvesChannel(set)].Name)
		}
		return fmt.Errorf("%w: %s add up to %.6g for the %s, the engine's is %d%s", dataset.ErrDrift, of, sum, name,
			rec.halves[i], set.Explain(&rec.FeatureRow))
	}
	return nil
}

// wrongHalf returns the first half that is not the engine's, and what it should be; -1 if all are.
func wrongHalf(set *dataset.FeatureSet, rec *record) (i int, sum float64) {
	if rec.halves == nil {
		return -1, 0
	}
	for i, sum := range halvesOf(set, rec) {
		h := float64(rec.halves[i])
		same := func(v float64) bool { return near(v, h, 1e-3+1e-6*math.Abs(h)) }
		if !same(sum) && (rec.lets == nil || !slices.ContainsFunc(rec.lets[i], func(let *dataset.FeatureSet) bool {
			return same(let.Value(&rec.FeatureRow))
		})) {
			return i, sum
		}
	}
	return -1, 0
}

// agrees reports whether a record contradicts neither its eval nor its halves.
func agrees(set *dataset.FeatureSet, rec *record) bool {
	if i, _ := wrongHalf(set, rec); i >= 0 {
		return false
	}
	if rec.Eval == dataset.NoEval {
		return true
	}
	v, err := set.ValueOf(&rec.FeatureRow)
	return err == nil && near(v, float64(rec.Eval), set.MaxDrift())
}

// halvesChannel is the channel whose sums are the halves: the first that is tapered; -1 if there is none.
func halvesChannel(set *dataset.FeatureSet) int {
	return slices.IndexFunc(set.Channels, func(c dataset.Channel) bool { return c.Kind == dataset.TaperedChannel })
}

// halvesOf sums what record.halves has from the engine.
func halvesOf(set *dataset.FeatureSet, rec *record) []float64 {
	if set.Bent() {
		mg, eg, channel := 0.0, 0.0, halvesChannel(set)
		for _, c := range countsIn(set, rec) {
			if v := &set.Terms[c.term]; set.ChannelOf(v) == channel {
				n := float64(c.white) - float64(c.black)
				mg, eg = mg+n*v.MG, eg+n*v.EG
			}
		}
		return []float64{mg, eg}
	}
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

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// suspect is a mistake that may be in a dump.
type suspect struct {
	rank  int    // the most likely mistakes have the lowest; suspects of the same rank tie
	what  string // the likely cause
	kind  string // of the mistake, without the terms
	terms []uint16
	// edits change a copy of a record to what it would be without the mistake, each in another way. An
	// edit returns false where it does not apply.
	edits []edit
	// fits is in place of edits, where it takes more than one record: does the mistake explain the record?
	fits func(x *example) bool

	whole    bool                  // what explains a part of the rows may do so by chance
	explains int                   // rows that differ
	shows    func(x *example) bool // fits, or one of the edits
}

type edit func(x *example, r *record) bool

// diagnosis looks for the mistake in a dump by many records at once.
type diagnosis struct {
	set       *dataset.FeatureSet
	examples  []*example // in the order in which they were asked for
	bad, good []*example
	suspects  []suspect
	list      []*unit // see units
}

func diagnose(set *dataset.FeatureSet, examples []*example) *diagnosis {
	d := &diagnosis{set: set, examples: examples}
	for _, x := range examples {
		switch {
		case x.err != nil && agrees(set, x.rec): // a count that does not fit int8
		case x.err != nil:
			d.bad = append(d.bad, x)
		case x.rec.Skip == "" && (x.rec.Eval != dataset.NoEval || x.rec.halves != nil):
			d.good = append(d.good, x)
		}
	}
	return d
}

// misses is how many of n rows a suspect need not explain: a record may contradict itself in two ways.
func misses(n int) int {
	if n >= 10 {
		return max(1, n/50)
	}
	return 0
}

// add adds a suspect for each of the edits.
func (d *diagnosis) add(rank int, what string, edits ...edit) {
	for _, e := range edits {
		d.try(suspect{rank: rank, what: what, kind: what, edits: []edit{e}}, d.set)
	}
}

// try keeps a suspect that explains at least a third of the rows that differ, and under which the others
// do not differ. It reports whether it does.
func (d *diagnosis) try(s suspect, set *dataset.FeatureSet) bool {
	applies := func(x *example, holds func(r *record) bool) bool {
		return slices.ContainsFunc(s.edits, func(e edit) bool {
			r := *x.rec
			return e(x, &r) && holds(&r)
		})
	}
	fits := s.fits
	if fits == nil {
		fits = func(x *example) bool { return applies(x, func(r *record) bool { return agrees(set, r) }) }
	}
	s.shows = fits
	const probe = 24
	every := max(1, len(d.bad)/probe)
	hits, asked := 0, 0
	for i := 0; i < len(d.bad); i += every {
		if asked++; fits(d.bad[i]) {
			hits++
		}
	}
	if 4*hits < asked || asked == 0 {
		return false
	}
	for _, x := range d.bad {
		if fits(x) {
			s.explains++
		}
	}
	if 3*s.explains < len(d.bad) || s.whole && s.explains < len(d.bad)-misses(len(d.bad)) {
		return false
	}
	broken := 0
	for _, x := range d.good {
		if s.fits == nil && !fits(x) && applies(x, func(*record) bool { return true }) {
			if broken++; broken > misses(len(d.good)) {
				return false
			}
		}
	}
	d.suspects = append(d.suspects, s)
	return true
}

// verdict names the likely cause: the suspect of the lowest rank that explains all rows, two if they tie, or
// those that explain many. It is empty if there is none.
func (d *diagnosis) verdict() (text string, of *suspect) {
	n := len(d.bad)
	slices.SortStableFunc(d.suspects, func(a, b suspect) int {
		byRank, byRows := cmp.Compare(a.rank, b.rank), cmp.Compare(b.explains, a.explains)
		if min(a.explains, b.explains) < n-misses(n) {
			byRank, byRows = byRows, byRank
		}
		return cmp.Or(byRank, byRows, cmp.Compare(len(a.terms), len(b.terms)))
	})
	var list []*suspect
	for i := range d.suspects {
		if s := &d.suspects[i]; !slices.ContainsFunc(list, s.says) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return "", nil
	}
	first := list[0]
	explains := func(s *suspect) string { return fmt.Sprintf("%s (explains %s)", s.what, rowsOf(s.explains, n)) }
	if first.explains >= n-misses(n) {
		if len(list) > 1 && list[1].rank == first.rank && list[1].explains == first.explains {
			return fmt.Sprintf("%s; or %s (each explains %s)", first.what, list[1].what, rowsOf(first.explains, n)), first
		}
		return explains(first), first
	}
	text = "no single cause explains all rows that differ: "
	if 2*first.explains < n {
		text = d.unknown() + ". What explains most of it: "
	}
	text += explains(first)
	if len(list) > 1 {
		text += "; " + explains(list[1])
	}
	return text, first
}

// says reports whether the suspect is another, said of more terms.
func (s *suspect) says(of *suspect) bool {
	if s.what == of.what {
		return true
	}
	return s.kind == of.kind && len(of.terms) > 0 &&
		!slices.ContainsFunc(of.terms, func(t uint16) bool { return !slices.Contains(s.terms, t) })
}

func rowsOf(n, all int) string {
	switch {
	case n == all && n == 1:
		return "the one row that differs"
	case n == all:
		return fmt.Sprintf("all %d rows that differ", n)
	}
	return fmt.Sprintf("%d of %d rows that differ", n, all)
}

// driftCause says what would explain the records that drift, and returns one of them in which it shows.
func driftCause(set *dataset.FeatureSet, examples []*example) (string, *example) {
	d := diagnose(set, examples)
	d.wholeRecords()
	d.state()
	d.halves()
	d.factors()
	d.termSuspects()
	d.phases()
	if set.Bent() {
		d.formulaSuspects()
	} else if !d.certain() {
		d.values()
	}
	d.company()
	text, s := d.verdict()
	if s == nil {
		return d.unknown(), nil
	}
	for _, twin := range []bool{false, true} { // a row of the data first, and one that has the terms
		for _, x := range d.bad {
			if x.twin == twin && (s.terms == nil || x.counts(s.terms) || x.other != nil && !x.counts(s.terms) &&
				x.other.counts(s.terms)) && s.shows(x) {
				return text, x
			}
		}
	}
	return text, nil
}

// certain reports whether a likely suspect explains all rows.
func (d *diagnosis) certain() bool {
	return slices.ContainsFunc(d.suspects, func(s suspect) bool {
		return s.rank <= 3 &&
			s.explains >= len(d.bad)-misses(len(d.bad))
	})
}

// counts reports whether the record counts one of the terms.
func (x *example) counts(terms []uint16) bool {
	return slices.ContainsFunc(x.rec.Terms, func(t uint16) bool { return slices.Contains(terms, t) })
}

// unknown is said where no suspect explains the rows.
func (d *diagnosis) unknown() string {
	if d.set.Bent() {
		text := "the formula is not what the engine computes, a term or a column is not what it uses, or a value " +
			"in the header is not the one that it plays with; a special endgame says skip"
		if idle := idleText(d.set, d.examples); idle != "" {
			text = idle + "; or " + text
		}
		return text
	}
	if never := d.neverCounted(); never != "" {
		return never
	}
	return "a term of the evaluation is not counted (put what is not tuned into offset or a term of its own), or " +
		"a value in the header is not the one that the engine plays with"
}

// bothTerms are the terms that the record or that of the mirrored twin counts.
func (x *example) bothTerms() []uint16 {
	if x.other == nil {
		return x.rec.Terms
	}
	all := slices.Concat(x.rec.Terms, x.other.rec.Terms)
	slices.Sort(all)
	return slices.Compact(all)
}

func (x *example) black() bool { return x.board.SideToMove() == board.Black }
