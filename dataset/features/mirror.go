package features

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// errMirror says that an engine does not evaluate a position and its mirrored twin alike.
var errMirror = errors.New("the mirrored position is evaluated differently")

// errRepeat says that an engine answers the same position in two ways.
var errRepeat = errors.New("the same position got another answer the second time")

const (
	mirrorRows = 1000    // positions that the check asks for
	mirrorRead = 100_000 // rows that they are taken from
)

// example is a position that the engine was asked for before the data set is written.
type example struct {
	source string
	row    int64 // in the source, from 1
	board  board.Position
	twin   bool // it is the mirrored position of one in the data
	other  *example
	rec    *record
	err    error // of checkRecord

	// What was asked before and after it, and whether Black was to move in it or in one before.
	before, next *example
	sinceBlack   bool
}

func (x *example) String() string {
	text := fmt.Sprintf("%s, row %d (%s)", x.source, x.row, x.board.FEN())
	if x.twin {
		return "mirrored twin of " + text
	}
	return text
}

// mirror returns the mirrored twin.
func (x *example) mirror() *example {
	x.other = &example{source: x.source, row: x.row, board: x.board.Mirror(), twin: true, other: x}
	return x.other
}

// sample takes positions from the beginning of the data, half of them with Black to move
// where there are as many, each followed by its mirrored twin.
func (r *run) sample(ctx context.Context) ([]*example, error) {
	every := max(1, min(r.total, mirrorRead)/mirrorRows)
	var out []*example
	n := int64(0)
	for _, src := range r.sources {
		row := int64(0)
		for p, err := range src.All() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			row++
			want := board.Color(len(out) / 2 % 2)
			slot := n/every - int64(len(out)/2) // slots behind: then either side will do
			n++
			if slot < 0 || slot == 0 && every > 1 && p.Board.SideToMove() != want {
				continue
			}
			x := &example{source: src.Path(), row: row, board: p.Board}
			out = append(out, x, x.mirror())
			if len(out) == 2*mirrorRows {
				return out, nil
			}
		}
	}
	return out, nil
}

// examine asks an engine for a sample of the positions, for their mirrored twins, and again
// for the positions. The errors are dataset.ErrDrift, errRepeat and errMirror (wrapped),
// with the cause where all answers together show one.
func (r *run) examine(ctx context.Context, p *process) error {
	examples, err := r.sample(ctx)
	if err != nil {
		return err
	}
	shuffle(examples)
	defer context.AfterFunc(ctx, p.kill)()
	err = p.ask(examples, func(x *example, rec *record) error {
		x.rec, x.err = rec, checkRecord(&r.set, rec)
		if errors.Is(x.err, dataset.ErrDrift) || errors.Is(x.err, dataset.ErrCountRange) {
			return nil
		}
		return x.err
	})
	if err != nil {
		return err
	}
	if err := judge(&r.set, examples); err != nil {
		return err
	}
	if text := idleText(&r.set, examples); text != "" && r.Notice != nil {
		r.Notice(text)
	}
	return p.ask(examples, func(x *example, rec *record) error { return compareAgain(x.rec, rec) })
}

// drifted is the error for examples that drift, nil if none does.
func drifted(set *dataset.FeatureSet, examples []*example) error {
	first := failed(examples, dataset.ErrDrift)
	if first == nil {
		return nil
	}
	cause, shown := driftCause(set, examples)
	x := cmp.Or(shown, first)
	return fmt.Errorf("%s: %w\nlikely cause: %s", x, x.err, cause)
}

// failed returns an example with an error, nil if there is none: a row of the data first.
func failed(examples []*example, as error) (found *example) {
	for _, x := range examples {
		if errors.Is(x.err, as) && (found == nil || found.twin && !x.twin) {
			found = x
		}
	}
	return found
}

// counted is the position that the record is about.
func (x *example) counted() *board.Position {
	if x.rec.leaf != nil {
		return x.rec.leaf
	}
	return &x.board
}

// idleText names columns that the formula does not use, or that are 0 in all examples; it is empty if there are none.
func idleText(set *dataset.FeatureSet, examples []*example) string {
	var parts []string
	if idle := set.IdleColumns(); len(idle) > 0 {
		parts = append(parts, "the formula does not use the columns "+strings.Join(idle, ", "))
	}
	at := 0
	for _, c := range set.Columns {
		from := at
		if at++; c.Sides {
			at++
		}
		if !slices.ContainsFunc(examples, func(x *example) bool {
			return x.rec.Skip == "" && slices.ContainsFunc(x.rec.Columns[from:at], func(v float32) bool { return v != 0 })
		}) {
			parts = append(parts, fmt.Sprintf("column %q is 0 in all %d positions of the sample: does the dump set it "+
				"(assay_set, assay_set_sides)?", c.Name, len(examples)))
		}
	}
	return strings.Join(parts, "; ")
}

// shuffle mixes the examples but the first, so that a position says nothing about the one before, and notes
// their order. With White to move first, a flag that is set for Black and not reset shows.
func shuffle(examples []*example) {
	if len(examples) > 0 && examples[0].black() {
		examples[0], examples[1] = examples[1], examples[0]
	}
	if rest := examples[min(1, len(examples)):]; len(rest) > 0 {
		rand.New(rand.NewPCG(13, 14)).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	link(examples)
}

// link notes the order in which examples were asked for.
func link(examples []*example) {
	for i, x := range examples {
		x.sinceBlack = x.black()
		if i > 0 {
			x.before, examples[i-1].next = examples[i-1], x
			x.sinceBlack = x.sinceBlack || x.before.sinceBlack
		}
	}
}

// judge returns an error if the answers to all examples contradict themselves or each other.
func judge(set *dataset.FeatureSet, examples []*example) error {
	skipped := dataset.Skipped{}
	for _, x := range examples {
		skipped.Add(&x.rec.FeatureRow)
	}
	if n := int64(len(examples)); 10*skipped.Total() > 9*n { // what is nearer to half is counted at the end
		return fmt.Errorf("of a sample and its mirrored twins %w", skipped.Check(n))
	}
	if err := drifted(set, examples); err != nil {
		return err
	}
	if x := failed(examples, dataset.ErrCountRange); x != nil {
		return fmt.Errorf("%s: %w", x, x.err)
	}
	for _, x := range examples {
		if !x.twin {
			if err := compareTwins(set, examples, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareAgain compares two answers to one position.
func compareAgain(first, second *record) error {
	a, b := &first.FeatureRow, &second.FeatureRow
	what := ""
	switch {
	case a.Eval != b.Eval:
		what = fmt.Sprintf("eval %g, then %g", a.Eval, b.Eval)
	case !slices.Equal(a.Terms, b.Terms) || !slices.Equal(a.Counts, b.Counts) || !slices.Equal(a.EGCounts, b.EGCounts) ||
		!slices.Equal(first.sides, second.sides):
		what = fmt.Sprintf("%d terms, then %d or other counts", len(a.Terms), len(b.Terms))
	case a.Skip != b.Skip || !slices.Equal(a.Blacks, b.Blacks) || !slices.Equal(a.Columns, b.Columns):
		what = "other counts of Black, columns or reason to skip"
	case a.Phase != b.Phase || a.Scale != b.Scale || a.EGScale != b.EGScale || a.Offset != b.Offset ||
		!slices.Equal(first.halves, second.halves):
		what = "another phase, factor, offset or half"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s\nlikely cause: an evaluation or pawn cache (a cached score skips the counting): turn "+
		"caches off, or clear them before each position; or a value that is not reset", errRepeat, what)
}

// compareTwins compares the answers to a position and to its mirrored twin.
func compareTwins(set *dataset.FeatureSet, examples []*example, x *example) error {
	a, b := x.rec, x.other.rec
	if !sameLeaf(a, b) {
		return nil
	}
	differ := twinDifferences(set, a, b)
	if len(differ) == 0 {
		return nil
	}
	if len(differ) > 5 {
		differ = append(differ[:5], fmt.Sprintf("and %d more", len(differ)-5))
	}
	return fmt.Errorf("%s: %w: mirrored, %s, want the same with the colors exchanged: %s\nlikely cause: %s",
		x, errMirror, x.other.board.FEN(), strings.Join(differ, "; "), mirrorCause(set, examples, a, b))
}

// twinDifferences names what is not the negative, or not the same, in the answer to the mirrored
// twin. With a formula a channel of both sides may be the same, as one that counts for the side that is
// ahead, so that the value decides.
func twinDifferences(set *dataset.FeatureSet, a, b *record) (differ []string) {
	if a.Skip != b.Skip {
		return []string{fmt.Sprintf("one is skipped for %q, the other for %q", a.Skip, b.Skip)}
	}
	if a.Skip != "" {
		return nil
	}
	add := func(name string, x, y, want float64) {
		differ = append(differ, fmt.Sprintf("%s is %.6g and then %.6g, want %.6g", name, x, y, want))
	}
	negative := func(name string, x, y, tolerance float64) {
		if !near(x, -y, tolerance+1e-6*math.Abs(x)) {
			add(name, x, y, -x)
		}
	}
	for _, c := range factorsOf(set, a, b) {
		if !close32(c.x, c.y) {
			add(c.name, float64(c.x), float64(c.y), float64(c.x))
		}
	}
	if !set.Bent() {
		negative("offset", float64(a.Offset), float64(b.Offset), 1e-3)
	}
	differ = append(differ, countDifferences(set, a, b)...)
	slices.Sort(differ)
	differ = append(differ, columnDifferences(set, a, b)...)
	asymmetric := func(t uint16) bool { return set.Terms[t].Asymmetric }
	any := slices.ContainsFunc(a.Terms, asymmetric) || slices.ContainsFunc(b.Terms, asymmetric)
	switch {
	case any && set.Bent():
		return differ
	case any:
	case set.Bent():
		tolerance := 1e-3
		if set.Float { // rounded sums may be truncated in another way
			tolerance = set.MaxDrift()
		}
		negative("the formula's value", set.Value(&a.FeatureRow), set.Value(&b.FeatureRow), tolerance)
	case a.halves != nil && b.halves != nil:
		for i, want := range negated(a.halves) {
			if b.halves[i] != want {
				name := [3]string{"the middlegame half", "the endgame half", "Black's endgame half"}[i]
				add(name, float64(a.halves[i]), float64(b.halves[i]), float64(want))
			}
		}
	}
	if (a.Eval == dataset.NoEval) != (b.Eval == dataset.NoEval) {
		differ = append(differ, "only one has an eval")
	} else if a.Eval != dataset.NoEval {
		negative("eval", float64(a.Eval)-asymmetricPart(set, a), float64(b.Eval)-asymmetricPart(set, b), set.MaxDrift())
	}
	return differ
}

// factor is a number that must be the same in the mirrored position.
type factor struct {
	name string
	x, y float32
}

func factorsOf(set *dataset.FeatureSet, a, b *record) []factor {
	if set.Bent() {
		return nil // a formula may use them, and decides
	}
	list := []factor{{"phase", a.Phase, b.Phase}, {"scale", a.Scale, b.Scale},
		{"White's scale and Black's", a.scaleWhite, b.scaleBlack}, {"Black's scale and White's", a.scaleBlack, b.scaleWhite}}
	// Where neither side is favored, any factor will do.
	if set.EGScale != dataset.EGScaleBySign || !near(halvesOf(set, a)[1], 0, 1e-3) {
		list = append(list, factor{"eg_scale", a.EGScale, b.EGScale})
	}
	return list
}

// columnDifferences names the columns of each side that are not exchanged in the mirrored position.
func columnDifferences(set *dataset.FeatureSet, a, b *record) (differ []string) {
	at := 0
	for _, c := range set.Columns {
		if !c.Sides {
			at++
			continue
		}
		if x, y := a.Columns[at:at+2], b.Columns[at:at+2]; !close32(x[0], y[1]) || !close32(x[1], y[0]) {
			differ = append(differ, fmt.Sprintf("column %q is %g and %g, and then %g and %g",
				c.Name, x[0], x[1], y[0], y[1]))
		}
		at += 2
	}
	return differ
}

// countsBySide returns the counts by term; Black's are 0 where White's are those of both sides.
func countsBySide(set *dataset.FeatureSet, rec *record) map[uint16][2]float32 {
	out := make(map[uint16][2]float32, len(rec.Terms))
	for _, c := range countsIn(set, rec) {
		out[c.term] = [2]float32{c.white, c.black}
	}
	return out
}

// asymmetricPart is what the asymmetric terms of a record add to its value.
func asymmetricPart(set *dataset.FeatureSet, rec *record) float64 {
	row := dataset.FeatureRow{Phase: rec.Phase, Scale: rec.Scale, EGScale: rec.EGScale}
	for i, t := range rec.Terms {
		if set.Terms[t].Asymmetric {
			row.Terms, row.Counts = append(row.Terms, t), append(row.Counts, rec.Counts[i])
			if set.BySide {
				row.EGCounts = append(row.EGCounts, rec.EGCounts[i])
			}
		}
	}
	if len(row.Terms) == 0 {
		return 0
	}
	return set.Value(&row)
}
