package features

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

// toy is an engine in Go, as small as flint, and its dump. Each mistake changes one thing in it.
type toy struct {
	set  dataset.FeatureSet
	real dataset.FeatureSet // what the engine plays with
	// place returns which term a feature is counted as, and how often.
	place func(f feature) (term int, n int)
	// dump changes the record before it is printed; memory is what the engine keeps between positions.
	dump   func(p *board.Position, r *record, memory *memory)
	memory memory
	none   bool // the engine prints neither eval nor halves
}

type memory struct {
	rec   *record
	black bool
	seen  map[uint64]bool
	sum   []sideCount
}

// feature is a term that the engine counts for a piece.
type feature struct {
	term, n int
	black   bool
	square  board.Square // as it is on the board
}

// Terms of the toy.
const (
	toyPST      = 5
	toyMobility = toyPST + 6*64
	toyPassed   = toyMobility + 4
	toyDoubled  = toyPassed + 8
	toyPair     = toyDoubled + 1
	toyTempo    = toyPair + 1
)

func newToy() *toy {
	e := &toy{}
	e.set = dataset.FeatureSet{Version: 2, Model: "toy", Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2,
		EGScale: dataset.EGScaleBySign}}
	add := func(name, group string, mg, eg int) {
		e.set.Terms = append(e.set.Terms, dataset.FeatureTerm{Name: name, Group: group, MG: float64(mg), EG: float64(eg)})
	}
	for i, v := range [][2]int{{82, 94}, {337, 281}, {365, 297}, {477, 512}, {1025, 936}} {
		add(fmt.Sprintf("material.%d", i), "material", v[0], v[1])
	}
	for i := range 6 * 64 {
		add(fmt.Sprintf("pst.%d.%d", i/64, i%64), "pst", (i*37)%61-30, (i*53)%47-20)
	}
	for i := range 4 {
		add(fmt.Sprintf("mobility.%d", i), "mobility", 5+i, 9-i)
	}
	for i := range 8 {
		add(fmt.Sprintf("passed.%d", i), "pawns", 5*i, 12*i+3)
	}
	add("doubled", "pawns", -11, -23)
	add("bishop_pair", "pieces", 31, 57)
	add("tempo", "tempo", 14, 14)
	e.set.Terms[toyTempo].Kind = dataset.FlatTerm
	e.real = e.set
	e.real.Terms = append([]dataset.FeatureTerm(nil), e.set.Terms...)
	e.place = func(f feature) (int, int) {
		if f.black {
			return f.term, -f.n
		}
		return f.term, f.n
	}
	return e
}

// look calls see with all features of a position.
func look(p *board.Position, see func(f feature)) {
	occupied := p.Occupied()
	for _, c := range []board.Color{board.White, board.Black} {
		pawns, theirs := p.Pieces(c, board.Pawn), p.Pieces(1-c, board.Pawn)
		for t := board.Pawn; t <= board.King; t++ {
			for b := p.Pieces(c, t); b != 0; {
				at := b.PopFirst()
				f := feature{n: 1, black: c == board.Black, square: at}
				add := func(term, n int) {
					f.term, f.n = term, n
					see(f)
				}
				own := int(at)
				if f.black {
					own ^= 56
				}
				if t != board.King {
					add(int(t), 1)
				}
				add(toyPST+int(t)*64+own, 1)
				if t >= board.Knight && t <= board.Queen {
					add(toyMobility+int(t)-1, board.Attacks(t, at, occupied).Count())
				}
				if t == board.Pawn {
					file := board.FileA << (own % 8)
					if pawns&file&^(1<<at) != 0 {
						add(toyDoubled, 1)
					}
					if theirs&(file|file.East()|file.West()) == 0 {
						add(toyPassed+own/8, 1)
					}
				}
			}
		}
		if p.Pieces(c, board.Bishop).Many() {
			see(feature{term: toyPair, n: 1, black: c == board.Black})
		}
	}
	see(feature{term: toyTempo, n: 1, black: p.SideToMove() == board.Black})
}

// answer evaluates a position and dumps it.
func (e *toy) answer(p *board.Position) *record {
	real, dumped := make([]int, len(e.real.Terms)), make([]int, len(e.real.Terms))
	look(p, func(f feature) {
		n := f.n
		if f.black {
			n = -n
		}
		real[f.term] += n
		if term, n := e.place(f); term >= 0 {
			dumped[term] += n
		}
	})
	mg, eg := 0, 0
	for t, n := range real[:toyTempo] {
		mg, eg = mg+n*int(e.real.Terms[t].MG), eg+n*int(e.real.Terms[t].EG)
	}
	phase, strong := eval.Phase(p), board.White
	if eg < 0 {
		strong = board.Black
	}
	scale := min(16, 8+2*p.Pieces(strong, board.Pawn).Count())
	value := (mg*phase*16+eg*scale*(24-phase))/(24*16) + int(e.real.Terms[toyTempo].MG)*real[toyTempo]
	r := &record{FeatureRow: dataset.FeatureRow{Phase: float32(phase) / 24, Scale: 1, EGScale: float32(scale) / 16,
		Eval: float32(value)},
		halves: []int32{int32(mg), int32(eg)}, scaleWhite: 1, scaleBlack: 1}
	for t, n := range dumped {
		r.append(false, false, sideCount{uint16(t), float32(n), 0})
	}
	if e.dump != nil {
		e.dump(p, r, &e.memory)
	}
	if e.none {
		r.Eval, r.halves = dataset.NoEval, nil
	}
	return r
}

// examplesOf returns the positions and their mirrored twins, unanswered.
func examplesOf(rows []dataset.PositionRow) (out []*example) {
	for i := range rows {
		x := &example{source: "positions", row: int64(i) + 1, board: rows[i].Board}
		out = append(out, x, x.mirror())
	}
	return out
}

// answered answers the positions and their twins in their shuffled order.
func answered(set *dataset.FeatureSet, rows []dataset.PositionRow,
	answer func(p *board.Position) *record) ([]*example, error) {
	if err := set.Check(); err != nil {
		return nil, err
	}
	examples := examplesOf(rows)
	shuffle(examples)
	for _, x := range examples {
		x.rec = answer(&x.board)
		x.err = checkRecord(set, x.rec)
		if x.err != nil && !errors.Is(x.err, dataset.ErrDrift) && !errors.Is(x.err, dataset.ErrCountRange) {
			return nil, fmt.Errorf("%s: %w", x, x.err)
		}
	}
	return examples, nil
}

// judgeAll judges the answers to the positions and their twins.
func judgeAll(set *dataset.FeatureSet, rows []dataset.PositionRow, answer func(p *board.Position) *record) error {
	examples, err := answered(set, rows, answer)
	if err != nil {
		return err
	}
	return judge(set, examples)
}

// planted is a mistake: what is changed, and what the cause must name.
type planted struct {
	name   string
	want   string // all of the words between bars
	change func(e *toy)
}

// countedAs changes how the terms from one to another are counted.
func countedAs(from, to int, how func(f feature) (term, n int)) func(e *toy) {
	return func(e *toy) {
		right := e.place
		e.place = func(f feature) (int, int) {
			if f.term >= from && f.term < to {
				return how(f)
			}
			return right(f)
		}
	}
}

func side(f feature) int {
	if f.black {
		return -f.n
	}
	return f.n
}

// declared changes the values of terms in the header.
func declared(from, to int, how func(t *dataset.FeatureTerm)) func(e *toy) {
	return func(e *toy) {
		for i := from; i < to; i++ {
			how(&e.set.Terms[i])
		}
	}
}

// dumped changes the record.
func dumped(how func(p *board.Position, r *record, m *memory)) func(e *toy) {
	return func(e *toy) { e.dump = how }
}

func both(f feature) (int, int) { return f.term, f.n }

func blackToMove(p *board.Position) bool { return p.SideToMove() == board.Black }

// someMistakes are all of them in .ci/long, else each sixth.
func someMistakes() (list []planted) {
	for i := range plantedMistakes {
		if datatest.Soak || i%6 == 3 {
			list = append(list, plantedMistakes[i])
		}
	}
	return list
}

var plantedMistakes = []planted{
	{"sign of Black in all tables", `table "pst"|for Black`, countedAs(toyPST, toyMobility, both)},
	{"sign of Black in one table", `table "pst.1"|for Black`, countedAs(toyPST+64, toyPST+128, both)},
	{"sign of Black in mobility", `table "mobility"|for Black`, countedAs(toyMobility, toyPassed, both)},
	{"sign of Black in one term", `term "doubled"|for Black`, countedAs(toyDoubled, toyPair, both)},
	{"sign of Black in material", `table "material"|for Black`, countedAs(0, toyPST, both)},
	{"tempo from the mover's view", `term "tempo"|side to move`, countedAs(toyTempo, toyTempo+1, both)},
	{"tables not flipped for Black", `table "pst"|not flipped`, countedAs(toyPST, toyMobility, func(f feature) (int, int) {
		return f.term + flipped(f), side(f)
	})},
	{"one table not flipped for Black", `table "pst.3"|not flipped`, countedAs(toyPST+3*64, toyPST+4*64,
		func(f feature) (int, int) { return f.term + flipped(f), side(f) })},
	{"passed pawns not flipped for Black", `table "passed"|not flipped`,
		countedAs(toyPassed, toyDoubled, func(f feature) (int, int) {
			return toyPassed + int(f.square)/8, side(f)
		})},
	{"tables upside down", `table "pst"|upside down`,
		countedAs(toyPST, toyMobility, func(f feature) (int, int) { return toyPST + ((f.term - toyPST) ^ 56), side(f) })},
	{"tables left to right", `table "pst"|left to right`,
		countedAs(toyPST, toyMobility, func(f feature) (int, int) { return toyPST + ((f.term - toyPST) ^ 7), side(f) })},
	{"halves swapped", "halves are swapped", dumped(func(_ *board.Position, r *record, _ *memory) {
		r.halves[0], r.halves[1] = r.halves[1], r.halves[0]
	})},
	{"halves swapped, and left out at times", "halves are swapped", dumped(func(p *board.Position, r *record, _ *memory) {
		if r.halves[0], r.halves[1] = r.halves[1], r.halves[0]; p.Key()%3 == 0 {
			r.halves = nil
		}
	})},
	{"halves with tempo", "halves include the flat", dumped(func(p *board.Position, r *record, _ *memory) {
		n := int32(14)
		if blackToMove(p) {
			n = -n
		}
		r.halves[0], r.halves[1] = r.halves[0]+n, r.halves[1]+n
	})},
	{"halves of the mover", "halves|side to move", dumped(func(p *board.Position, r *record, _ *memory) {
		if blackToMove(p) {
			r.halves = negated(r.halves)
		}
	})},
	{"halves of the position before", "halves|position asked before",
		dumped(func(_ *board.Position, r *record, m *memory) {
			h := r.halves
			if m.rec != nil {
				r.halves = m.rec.halves
			}
			m.rec = &record{halves: h}
		})},
	{"values of all terms swapped", "middlegame and endgame value swapped",
		declared(0, toyTempo, func(t *dataset.FeatureTerm) { t.MG, t.EG = t.EG, t.MG })},
	{"values of a table swapped", `table "passed"|middlegame and endgame value swapped`,
		declared(toyPassed, toyDoubled, func(t *dataset.FeatureTerm) { t.MG, t.EG = t.EG, t.MG })},
	{"values of a term swapped", `term "bishop_pair"|middlegame and endgame value swapped`,
		declared(toyPair, toyTempo, func(t *dataset.FeatureTerm) { t.MG, t.EG = t.EG, t.MG })},
	{"another value in the header", `term "material.1"|may be counted wrongly`,
		declared(1, 2, func(t *dataset.FeatureTerm) { t.MG, t.EG = 320, 290 })},
	{"phase turned", "phase is turned", dumped(func(_ *board.Position, r *record,
		_ *memory) {
		r.Phase = 1 - r.Phase
		r.halves = nil
	})},
	{"phase of 22", "the phase|divide", dumped(func(_ *board.Position, r *record, _ *memory) { r.Phase *= 24.0 / 22 })},
	{"phase in 16ths", "the phase", dumped(func(_ *board.Position, r *record,
		_ *memory) {
		r.Phase = float32(math.Floor(float64(r.Phase)*16) / 16)
	})},
	{"queens count 2", "the phase", dumped(func(p *board.Position, r *record, _ *memory) {
		r.Phase -= float32(2*(p.Pieces(board.White, board.Queen)|p.Pieces(board.Black, board.Queen)).Count()) / 24
	})},
	{"phase of the position before", "the phase|position asked before",
		dumped(func(_ *board.Position, r *record, m *memory) {
			phase := r.Phase
			if m.rec != nil {
				r.Phase = m.rec.Phase
			}
			m.rec = &record{FeatureRow: dataset.FeatureRow{Phase: phase}}
		})},
	{"eval from the mover's view", "eval|side to move's view", dumped(func(p *board.Position, r *record, _ *memory) {
		if blackToMove(p) {
			r.Eval = -r.Eval
		}
	})},
	{"side to move of the position before", "position asked before", dumped(func(p *board.Position, r *record, m *memory) {
		if blackToMove(p) != m.black {
			r.Eval = -r.Eval
		}
		m.black = blackToMove(p)
	})},
	{"flag that is not reset", "is not reset", dumped(func(p *board.Position, r *record, m *memory) {
		if m.black = m.black || blackToMove(p); m.black {
			r.Eval = -r.Eval
		}
	})},
	{"eval of the position before", "eval is that of the position asked before",
		dumped(func(_ *board.Position, r *record, m *memory) {
			e := r.Eval
			if m.rec != nil {
				r.Eval = m.rec.Eval
			}
			m.rec = &record{FeatureRow: dataset.FeatureRow{Eval: e}}
		})},
	{"counts of the position before", "counts are those of the position asked before",
		dumped(func(_ *board.Position, r *record, m *memory) {
			now := *r
			if m.rec != nil {
				r.Terms, r.Counts = m.rec.Terms, m.rec.Counts
			}
			m.rec = &now
		})},
	{"tempo of the position before", `term "tempo"|position asked before`,
		dumped(func(p *board.Position, r *record, m *memory) {
			if r.Counts[len(r.Counts)-1] = 1; m.black {
				r.Counts[len(r.Counts)-1] = -1
			}
			m.black = blackToMove(p)
		})},
	{"counts not cleared", "counts are not cleared", func(e *toy) {
		e.set.Float = true
		e.dump = func(_ *board.Position, r *record, m *memory) {
			m.sum = append(m.sum, countsIn(&e.set, r)...)
			recount(&e.set, r, m.sum)
			m.sum = countsIn(&e.set, r)
		}
	}},
	{"sides swapped", "sides are swapped", dumped(func(_ *board.Position, r *record, _ *memory) {
		r.Eval,
			r.halves = -r.Eval, negated(r.halves)
	})},
	{"cached score", "cached score", dumped(func(p *board.Position, r *record, m *memory) {
		if m.seen == nil {
			m.seen = map[uint64]bool{}
		}
		if key := p.Key() % 4; m.seen[key] {
			r.Terms, r.Counts = nil, nil
		}
		m.seen[p.Key()%4] = true
	})},
	{"forgotten bishop pair", `term "bishop_pair"|never counted`,
		countedAs(toyPair, toyTempo, func(feature) (int, int) { return -1, 0 })},
	{"forgotten mobility", "never counted", countedAs(toyMobility, toyPassed, func(feature) (int, int) { return -1, 0 })},
	{"passed pawns of White alone", `table "passed"|White alone`,
		countedAs(toyPassed, toyDoubled, func(f feature) (int, int) {
			if f.black {
				return -1, 0
			}
			return f.term, f.n
		})},
	{"doubled pawns counted twice", `term "doubled"|twice`,
		countedAs(toyDoubled, toyPair, func(f feature) (int, int) { return f.term, 2 * side(f) })},
	{"mobility with the wrong sign", `table "mobility"|wrong sign`,
		countedAs(toyMobility, toyPassed, func(f feature) (int, int) { return f.term, -side(f) })},
	{"mobility off by one", `table "mobility"|one place beside`,
		countedAs(toyMobility, toyPassed, func(f feature) (int, int) { return f.term + 1, side(f) })},
	{"endgame factor in scale", "belongs into eg_scale",
		dumped(func(_ *board.Position, r *record, _ *memory) { r.Scale, r.EGScale = r.EGScale, 1 })},
	{"endgame factor in 16ths", "eg_scale is not a factor",
		dumped(func(_ *board.Position, r *record, _ *memory) { r.EGScale *= 16 })},
	{"no endgame factor in the engine", "does not apply the factor", func(e *toy) {
		e.dump = func(p *board.Position, r *record, _ *memory) {
			r.Eval = float32(e.set.Value(&dataset.FeatureRow{Terms: r.Terms, Counts: r.Counts, Phase: r.Phase, Scale: 1,
				EGScale: 1}))
		}
	}},
	{"terms divided one by one", "truncation", func(e *toy) {
		e.dump = func(_ *board.Position, r *record, _ *memory) {
			sum := 0.0
			for i, t := range r.Terms {
				v := &e.set.Terms[t]
				if n := float64(r.Counts[i]); v.Kind == dataset.FlatTerm {
					sum += n * v.MG
				} else {
					sum += math.Trunc(n * (v.MG*float64(r.Phase) + v.EG*float64(r.EGScale)*float64(1-r.Phase)))
				}
			}
			r.Eval = float32(sum)
		}
	}},
	{"tempo not counted as a term", `side to move`, func(e *toy) {
		e.set.Terms = e.set.Terms[:toyTempo]
		countedAs(toyTempo, toyTempo+1, func(feature) (int, int) { return -1, 0 })(e)
	}},
	{"eval in pawns", "other units", dumped(func(_ *board.Position, r *record, _ *memory) { r.Eval /= 100 })},
	{"damped by the fifty-move counter", "fifty-move", dumped(func(p *board.Position, r *record, _ *memory) {
		r.Eval = float32(int(float64(r.Eval) * float64(100-p.Halfmove()) / 100))
	})},
	{"doubled pawns by another rule", `term "doubled"`,
		countedAs(toyDoubled, toyPair, func(f feature) (int, int) { return f.term, side(f) * (int(f.square) % 3) })},
	{"mobility by another rule", `table "mobility"`,
		countedAs(toyMobility, toyPassed, func(f feature) (int, int) { return f.term, side(f) - side(f)%3 })},
	{"passed pawns counted by files", `table "passed"`, countedAs(toyPassed, toyDoubled, func(f feature) (int, int) {
		return toyPassed + int(f.square)%8, side(f)
	})},
	{"no eval, sign of Black in mobility", `table "mobility"|for Black`,
		func(e *toy) { countedAs(toyMobility, toyPassed, both)(e); e.none = true }},
	{"no eval, tables not flipped", `table "pst"|not flipped`, func(e *toy) {
		countedAs(toyPST, toyMobility, func(f feature) (int, int) { return f.term + flipped(f), side(f) })(e)
		e.none = true
	}},
}

// flipped is how far the index of a table is off if Black's square is not flipped.
func flipped(f feature) int {
	if !f.black {
		return 0
	}
	return int(f.square) - (int(f.square) ^ 56)
}

// TestPlantedMistakes: each mistake in the dump of a small engine is stopped, with and without the engine's
// halves, and in at least 85 % of them the cause is named.
func TestPlantedMistakes(t *testing.T) {
	_, rows := positions(t, 250)
	mistakes := someMistakes()
	for _, halves := range []bool{true, false} {
		e := newToy()
		if err := judgeAll(&e.set, rows, e.answerWith(halves)); err != nil {
			t.Fatalf("without a mistake: %v", err)
		}
		right, all := 0, 0
		for _, c := range mistakes {
			if strings.HasPrefix(c.name, "halves") && !halves {
				continue
			}
			all++
			e := newToy()
			c.change(e)
			err := judgeAll(&e.set, rows, e.answerWith(halves))
			if err == nil {
				t.Errorf("%s: not stopped", c.name)
				continue
			}
			_, cause, _ := strings.Cut(err.Error(), "likely cause: ")
			named := !slices.ContainsFunc(strings.Split(c.want, "|"), func(w string) bool { return !strings.Contains(cause, w) })
			if named {
				right++
				t.Logf("%s: %s", c.name, cause)
			} else {
				t.Logf("not %q: %s:\n%v", c.want, c.name, err)
			}
		}
		if t.Logf("halves %v: %d of %d causes are right", halves, right, all); 100*right < 85*all {
			t.Errorf("halves %v: %d of %d causes are right", halves, right, all)
		}
	}
}

// answerWith answers with or without the halves.
func (e *toy) answerWith(halves bool) func(p *board.Position) *record {
	return func(p *board.Position) *record {
		r := e.answer(p)
		if !halves {
			r.halves = nil
		}
		return r
	}
}

// TestBlame: the row that is shown counts the term that is blamed, unless that is never counted; and two causes
// that explain the same rows are both named.
func TestBlame(t *testing.T) {
	_, rows := positions(t, 250)
	terms := regexp.MustCompile(`term "([a-z0-9_.]+)"`)
	blamed := 0
	for _, c := range someMistakes() {
		e := newToy()
		c.change(e)
		if e.none || !strings.Contains(c.want, "term ") {
			continue
		}
		examples := setup.Must(answered(&e.set, rows, e.answer))
		cause, x := driftCause(&e.set, examples)
		name := terms.FindStringSubmatch(cause)
		if name == nil || strings.Contains(cause, "never counted") {
			continue
		}
		i := uint16(slices.IndexFunc(e.set.Terms, func(v dataset.FeatureTerm) bool { return v.Name == name[1] }))
		if blamed++; x == nil || x.err == nil || !slices.Contains(x.bothTerms(), i) {
			t.Errorf("%s: %s\nis said of %v, which does not count it", c.name, cause, x)
		}
	}
	if blamed == 0 {
		t.Error("no term was blamed")
	}
	e := newToy()
	e.set.Terms = append(e.set.Terms, dataset.FeatureTerm{Name: "ghost", MG: 31, EG: 57})
	countedAs(toyPair, toyTempo, func(feature) (int, int) { return -1, 0 })(e)
	if err := judgeAll(&e.set, rows, e.answer); err == nil ||
		!strings.Contains(err.Error(), `term "bishop_pair" is never counted`) ||
		!strings.Contains(err.Error(), `; or term "ghost"`) || !strings.Contains(err.Error(), "each explains all ") {
		t.Errorf("a tie: %v", err)
	}
}

// TestFloatMirror: counts that are sums of fractions differ in their last bit in the mirrored position.
func TestFloatMirror(t *testing.T) {
	set := dataset.FeatureSet{Version: 2, Float: true, Terms: []dataset.FeatureTerm{{Name: "a", MG: 1000, EG: 900}},
		Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2}}
	answer := func(n float32) *record {
		r := &record{FeatureRow: dataset.FeatureRow{Scale: 1, EGScale: 1, Eval: dataset.NoEval}, scaleWhite: 1, scaleBlack: 1}
		r.append(false, false, sideCount{0, n, 0})
		return r
	}
	n := float32(77.7)
	if d := twinDifferences(&set, answer(n), answer(-math.Nextafter32(n, 100))); len(d) != 0 {
		t.Errorf("the last bit: %q", d)
	}
	if d := twinDifferences(&set, answer(n), answer(-n-0.01)); len(d) != 1 {
		t.Errorf("another count: %q", d)
	}
}
