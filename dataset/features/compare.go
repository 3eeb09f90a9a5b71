package features

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset"
)

// errWeights says that an engine does not evaluate as its weights say.
var errWeights = errors.New("the engine does not evaluate as the fit expects")

// Comparison configures Compare.
type Comparison struct {
	Command []string      // the engine and its arguments
	Timeout time.Duration // for one answer; 0: a minute
	// Features is the data set that was fitted, and Positions are those that it was made of.
	Features  string
	Positions []string
	// Expect returns the features' set with the values of the fit.
	Expect   func(set dataset.FeatureSet) (*dataset.FeatureSet, error)
	Progress func(done, total int64, note string)
}

// Compared is what Compare found where all is well.
type Compared struct {
	Rows    int64   `json:"rows"`
	Largest float64 `json:"largest_difference"` // of the values: centipawns
	// Apart are rows where only the engine's own sum was checked: those that resolve to another
	// position, or whose factor depends on which side is ahead, under the new weights.
	Apart int64 `json:"apart"`
	// Changed are rows that the new engine counts otherwise, since what it counts depends on numbers that were
	// tuned; its own counts add up to its value. Change is the first, and Shift how far the value of one is at most
	// from that of the fit's row: centipawns.
	Changed int64   `json:"changed"`
	Change  string  `json:"change,omitempty"`
	Shift   float64 `json:"largest_shift,omitempty"`
}

// Add adds what was found in another part of the rows.
func (c *Compared) Add(o Compared) {
	c.Rows, c.Apart, c.Changed = c.Rows+o.Rows, c.Apart+o.Apart, c.Changed+o.Changed
	c.Largest, c.Shift, c.Change = max(c.Largest, o.Largest), max(c.Shift, o.Shift), cmp.Or(c.Change, o.Change)
}

// changes is the share of rows that may change: more have another cause than terms at a limit, such as a phase that
// is computed from the values of pieces.
const changes = 0.1

// Compare asks an engine with new weights for the positions of a fit, and compares its answers with the
// fit's own rows under the new weights: values, counts, phase, factors and offset. Rows that changed with the
// weights, and add up as the engine now counts them, are counted. More than a tenth of them, and any other
// difference, is errWeights (wrapped); the error names the first term that differs.
func Compare(ctx context.Context, c Comparison) (*Compared, error) {
	data, old, err := dataset.OpenFeatures(c.Features)
	if err != nil {
		return nil, err
	}
	want, err := c.Expect(old)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Features, err)
	}
	p, err := start(ctx, c.Command, cmp.Or(c.Timeout, time.Minute))
	if err != nil {
		return nil, fmt.Errorf("features: %s: %w", c.Command[0], err)
	}
	k := &comparer{want: want, old: &old, features: c.Features}
	if err := k.header(p.header.set()); err != nil {
		return nil, p.end(err)
	}
	if err := k.all(ctx, p, data, c); err != nil {
		return nil, p.end(err)
	}
	return &k.found, p.end(nil)
}

// comparer compares the answers of an engine with the rows of a fit.
type comparer struct {
	want, old *dataset.FeatureSet
	features  string
	found     Compared
	bad       []badRow
	change    *badRow // the first row that changed
}

// badRow is a row that the engine evaluates otherwise.
type badRow struct {
	row   dataset.FeatureRow // of the fit
	text  string             // place and position
	what  string             // differs; empty if only the value does
	extra float64            // the engine's value minus that which is expected
}

// maxBad is the number of bad rows from which a cause is found.
const maxBad = 500

// header compares the terms and values that the engine prints with those of the weights.
func (k *comparer) header(got dataset.FeatureSet) error {
	same := got
	same.Terms = slices.Clone(got.Terms)
	for i := range min(len(same.Terms), len(k.want.Terms)) {
		same.Terms[i].MG, same.Terms[i].EG = k.want.Terms[i].MG, k.want.Terms[i].EG
	}
	if err := k.want.SameTerms(&same); err != nil {
		return fmt.Errorf("%w: its dump is not that of the fit: %w", errWeights, err)
	}
	var first string
	n, kept := 0, 0
	for i := range got.Terms {
		g, w, o := &got.Terms[i], &k.want.Terms[i], &k.old.Terms[i]
		if near(g.MG, w.MG, 1e-6) && near(g.EG, w.EG, 1e-6) {
			continue
		}
		if n++; g.MG == o.MG && g.EG == o.EG {
			kept++
		}
		if first == "" {
			first = fmt.Sprintf("the first is %q, %s, and the weights have %s", g.Name, valuesOf(g), valuesOf(w))
		}
	}
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d terms have other values in its dump: %s", n, len(got.Terms), first)
	if kept > 0 {
		text += fmt.Sprintf("; %d have the values from before the fit: is this the new engine, and was each source file "+
			"that defines terms written?", kept)
	}
	return fmt.Errorf("%w: %s", errWeights, text)
}

func valuesOf(t *dataset.FeatureTerm) string {
	if t.Kind == "" {
		return fmt.Sprintf("%g/%g", t.MG, t.EG)
	}
	return fmt.Sprintf("%g", t.Value())
}

// all compares all rows, until there are enough bad ones.
func (k *comparer) all(ctx context.Context, p *process, data *dataset.Reader[dataset.FeatureRow], c Comparison) error {
	defer context.AfterFunc(ctx, p.kill)()
	next, stop := iter.Pull2(data.All())
	defer stop()
	for _, path := range c.Positions {
		src, err := dataset.OpenPositions(path)
		if err != nil {
			return err
		}
		var examples []*example
		var rows []dataset.FeatureRow
		flush := func() error {
			err := k.block(p, examples, rows)
			if examples, rows = nil, nil; c.Progress != nil {
				c.Progress(k.found.Rows, data.Len(), "positions")
			}
			return errors.Join(ctx.Err(), err)
		}
		n := int64(0)
		for pos, err := range src.All() {
			if err != nil {
				return err
			}
			row, err, ok := next()
			if err != nil {
				return err
			}
			if !ok || row.Game != pos.Game || row.Result != pos.Result {
				return fmt.Errorf("%s does not have the positions of %s: name those that it was made of", path, k.features)
			}
			n++
			examples = append(examples, &example{source: path, row: n, board: pos.Board})
			if rows = append(rows, row); len(rows) == askBlock {
				if err := flush(); err != nil {
					return err
				}
			}
			if len(k.bad) >= maxBad || k.found.Changed >= maxBad && k.tooMany(data.Len()) {
				return k.verdict()
			}
		}
		if err := flush(); err != nil {
			return err
		}
	}
	if _, err, more := next(); err != nil || more {
		return errors.Join(err, fmt.Errorf("%s has more rows than the positions: name all that it was made of, in their "+
			"order", k.features))
	}
	return k.verdict()
}

// block asks for a block of positions, whose rows of the fit are rows.
func (k *comparer) block(p *process, examples []*example, rows []dataset.FeatureRow) error {
	if len(rows) == 0 {
		return nil
	}
	i := 0
	return p.ask(examples, func(x *example, rec *dataset.FeatureRow) error {
		k.found.Rows++
		row := &rows[i]
		i++
		what := k.difference(row, rec)
		own := what != "" || k.apart(row, rec)
		if own {
			row = rec
		}
		extra := k.off(row, rec)
		switch {
		case extra != 0:
			k.bad = append(k.bad, badRow{rows[i-1], x.String(), what, extra})
		case what != "":
			k.found.Changed++
			k.found.Shift = max(k.found.Shift, k.shift(&rows[i-1], rec))
			if k.change == nil {
				k.change = &badRow{row: rows[i-1], text: x.String(), what: what}
			}
		case own:
			k.found.Apart++
		}
		return nil
	})
}

// apart reports whether the row of the fit says nothing about the engine's answer.
func (k *comparer) apart(row *dataset.FeatureRow, rec *dataset.FeatureRow) bool {
	return k.want.EGScale == dataset.EGScaleBySign && rec.EGScale != row.EGScale
}

// difference returns what the engine counts otherwise than in the fit's row.
func (k *comparer) difference(row *dataset.FeatureRow, rec *dataset.FeatureRow) (what string) {
	if k.apart(row, rec) {
		return ""
	}
	same := func(name string, a, b float32) {
		if what == "" && !close32(a, b) {
			what = fmt.Sprintf("%s is %.6g, in the fit's row %.6g", name, a, b)
		}
	}
	same("the phase", rec.Phase, row.Phase)
	same("the factor of the tapered part", rec.Scale, row.Scale)
	same("the endgame factor", rec.EGScale, row.EGScale)
	same("the offset", rec.Offset, row.Offset)
	return cmp.Or(what, k.counts(rec, row))
}

// off returns by how much the engine's value differs from that of a row, if it is more than the tolerance.
func (k *comparer) off(row *dataset.FeatureRow, rec *dataset.FeatureRow) float64 {
	want := k.want
	value := want.Value(row)
	got := float64(rec.Eval)
	if rec.Eval == dataset.NoEval {
		got = want.Value(rec)
	}
	off := math.Abs(got - value)
	if !(off <= want.MaxDrift()) {
		return got - value
	}
	k.found.Largest = max(k.found.Largest, off*want.Centipawns(1))
	return 0
}

// shift is how far the value of a row that changed is from that of the fit's row.
func (k *comparer) shift(row, now *dataset.FeatureRow) float64 {
	return math.Abs(k.want.Value(now)-k.want.Value(row)) * k.want.Centipawns(1)
}

// counts names the first term that is counted otherwise.
func (k *comparer) counts(a, b *dataset.FeatureRow) string {
	if slices.Equal(a.Terms, b.Terms) && slices.Equal(a.Counts, b.Counts) && slices.Equal(a.EGCounts, b.EGCounts) {
		return ""
	}
	for t := range k.want.Terms {
		for _, l := range [][2][]float32{{a.Counts, b.Counts}, {a.EGCounts, b.EGCounts}} {
			if x, y := countAt(a, l[0], t), countAt(b, l[1], t); !close32(x, y) {
				return fmt.Sprintf("term %q is counted %.6g, in the fit's row %.6g", k.want.Terms[t].Name, x, y)
			}
		}
	}
	return ""
}

// countAt is the count of a term in one of the row's lists; 0 if the list does not have it.
func countAt(r *dataset.FeatureRow, list []float32, t int) float32 {
	if i, ok := slices.BinarySearch(r.Terms, uint16(t)); ok && i < len(list) {
		return list[i]
	}
	return 0
}

// tooMany reports whether more rows changed than may.
func (k *comparer) tooMany(rows int64) bool { return float64(k.found.Changed) > changes*float64(rows) }

// verdict is the error of the bad rows, or of too many that changed; nil if all is well.
func (k *comparer) verdict() error {
	count, first := fmt.Sprintf("%d of %d positions differ", len(k.bad), k.found.Rows), k.change
	switch {
	case len(k.bad) > 0:
		first = &k.bad[0]
	case first == nil:
		return nil
	case !k.tooMany(k.found.Rows):
		k.found.Change = first.text + ": " + first.what
		return nil
	default:
		count = fmt.Sprintf("%d of %d positions are counted otherwise", k.found.Changed, k.found.Rows)
	}
	if first.what != "" {
		cause := "it is computed from numbers that were tuned, and changed with them: give it numbers of its own, the " +
			"old ones"
		if strings.HasPrefix(first.what, "term ") {
			cause = "what is counted depends on numbers that were tuned, or the dump or the evaluation was changed beside them"
		}
		return fmt.Errorf("%w: %s; the first is %s: %s\nlikely cause: %s", errWeights, count, first.text, first.what, cause)
	}
	return fmt.Errorf("%w: %s; the first is %s: its value is %.6g, the fit's %.6g%s\n%s",
		errWeights, count, first.text, k.want.Value(&first.row)+first.extra, k.want.Value(&first.row),
		k.want.Explain(&first.row), k.suspect())
}

// indices are those at the end of a term's name.
var indices = regexp.MustCompile(`(?:[._\[](?:[a-h][1-8]|[0-9]+)\]?)+$`)

// suspect says which terms with their old values explain most differences: all of them, or those of
// one side, which an engine with a second table for Black forgets.
func (k *comparer) suspect() string {
	const all = "~" // sorts last
	groups := map[string][]bool{}
	for i, t := range k.want.Terms {
		if t.MG == k.old.Terms[i].MG && t.EG == k.old.Terms[i].EG {
			continue
		}
		for _, name := range []string{indices.ReplaceAllString(t.Name, ""), all} {
			if groups[name] == nil {
				groups[name] = make([]bool, len(k.want.Terms))
			}
			groups[name][i] = true
		}
	}
	best, text := 0, ""
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		for i, who := range []string{"Black", "either side", "White"} {
			side := float64(i - 1)
			n, term := 0, ""
			for i := range k.bad {
				b := &k.bad[i]
				if first, ok := k.stale(&b.row, groups[name], side, b.extra); ok {
					n, term = n+1, cmp.Or(term, first)
				}
			}
			if n <= best {
				continue
			}
			best, text = n, fmt.Sprintf("likely cause: the first term that differs is %q: old values of %s for %s explain "+
				"%d of them; "+
				"is there a second table that was not written?", term, strings.Replace(name, all, "all changed terms", 1), who, n)
		}
	}
	if text != "" {
		return text
	}
	for i, t := range k.bad[0].row.Terms {
		if w := &k.want.Terms[t]; w.MG != k.old.Terms[t].MG || w.EG != k.old.Terms[t].EG {
			return fmt.Sprintf("the first term in it that the fit changed is %q, counted %g, from %s to %s",
				w.Name, k.bad[0].row.Counts[i], valuesOf(&k.old.Terms[t]), valuesOf(w))
		}
	}
	return "no term that the fit changed is in it"
}

// stale reports whether the value of a row is off because terms have their old values for a side, 0 for
// both, and names the first. Of a term that both sides have, the counts say only the difference.
func (k *comparer) stale(row *dataset.FeatureRow, terms []bool, side, off float64) (first string, ok bool) {
	set := *k.want
	set.Terms = slices.Clone(k.want.Terms)
	for i, t := range row.Terms {
		if terms[t] && (side == 0 || side*float64(row.Counts[i]) > 0) {
			set.Terms[t] = k.old.Terms[t]
			first = cmp.Or(first, set.Terms[t].Name)
		}
	}
	return first, first != "" && near(off, set.Value(row)-k.want.Value(row), k.want.MaxDrift())
}

// close32 reports whether two numbers are equal but for rounding.
func close32(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) <= 1e-3+1e-6*math.Abs(float64(b))
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
