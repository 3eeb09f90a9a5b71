package features

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

// curved is an engine in Go whose evaluation is not linear: king danger counts by its square.
type curved struct {
	set    dataset.FeatureSet
	total  int // of the phase
	dump   func(p *board.Position, r *record, m *memory)
	memory memory
}

const curvedFormula = "let m = main.mg + balance(max(danger, 0)^2//divisor); let e = main.eg + " +
	"balance(max(danger, 0)//20); " +
	"value = (2*m*n + e*(24 - n)*if(e < 0, f.black, f.white))//48"

// Terms of the curved engine.
const (
	curvedMobility = 5
	curvedNear     = 9
	curvedBase     = 12
	curvedDivisor  = 13
)

func newCurved() *curved {
	e := &curved{total: 24}
	e.set = dataset.FeatureSet{Version: 2, Model: "curved", Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 0.5},
		Bend: dataset.Bend{
			Channels: []dataset.Channel{{Name: "main", Kind: dataset.TaperedChannel},
				{Name: "danger", Kind: dataset.PlainChannel, Sides: true}},
			Columns: []dataset.Column{{Name: "n"}, {Name: "f", Sides: true}}, Formula: curvedFormula,
		}}
	for i, v := range [][2]float64{{82, 94}, {337, 281}, {365, 297}, {477, 512}, {1025, 936}, {5, 9}, {6, 8}, {7, 7},
		{8, 6}} {
		name := "material." + string(rune('0'+i))
		if i >= curvedMobility {
			name = "mobility." + string(rune('0'+i-curvedMobility))
		}
		e.set.Terms = append(e.set.Terms, dataset.FeatureTerm{Name: name, MG: v[0], EG: v[1]})
	}
	for i, v := range []float64{40, 55, 90, -60} {
		name := "near." + string(rune('0'+i))
		if i == 3 {
			name = "base"
		}
		e.set.Terms = append(e.set.Terms, dataset.FeatureTerm{Name: name, MG: v, EG: v, Channel: "danger"})
	}
	e.set.Terms = append(e.set.Terms, dataset.FeatureTerm{Name: "divisor", Kind: dataset.ScalarTerm, MG: 720, EG: 720,
		Step: 10})
	return e
}

// answer evaluates in whole numbers, as C does.
func (e *curved) answer(p *board.Position) *record {
	var counts [2][curvedDivisor]int
	for side, c := range []board.Color{board.White, board.Black} {
		king := p.Pieces(1-c, board.King).First()
		around := board.KingAttacks(king)
		for t := board.Pawn; t <= board.Queen; t++ {
			for b := p.Pieces(c, t); b != 0; {
				at := b.PopFirst()
				counts[side][t]++
				if t == board.Pawn {
					continue
				}
				a := board.Attacks(t, at, p.Occupied())
				counts[side][curvedMobility+int(t)-1] += a.Count()
				if kind := max(0, int(t)-2); a&around != 0 {
					counts[side][curvedNear+kind]++
				}
			}
		}
		counts[side][curvedBase] = 1
	}
	values := newCurved().set.Terms
	mg, eg, danger := 0, 0, [2]int{}
	for t := range curvedNear {
		n := counts[0][t] - counts[1][t]
		mg, eg = mg+n*int(values[t].MG), eg+n*int(values[t].EG)
	}
	halves := []int32{int32(mg), int32(eg)}
	for side, sign := range []int{1, -1} {
		for t := curvedNear; t <= curvedBase; t++ {
			danger[side] += counts[side][t] * int(values[t].MG)
		}
		d := max(danger[side], 0)
		mg, eg = mg+sign*(d*d/720), eg+sign*(d/20)
	}
	f := [2]int{2, 2}
	for side, c := range []board.Color{board.White, board.Black} {
		if p.Pieces(c, board.Pawn).Count() < 5 {
			f[side] = 1
		}
	}
	n := min(e.total, eval.Phase(p))
	value, strong := 0, 0
	if eg < 0 {
		strong = 1
	}
	value = (2*mg*n + eg*f[strong]*(e.total-n)) / (2 * e.total)
	r := &record{FeatureRow: dataset.FeatureRow{Phase: float32(n) / float32(e.total), Scale: 1, EGScale: 1,
		Eval:    float32(value),
		Columns: []float32{float32(n), float32(f[0]), float32(f[1])}}, halves: halves, scaleWhite: 1, scaleBlack: 1}
	for t := range counts[0] {
		w, b := float32(counts[0][t]), float32(counts[1][t])
		if t < curvedNear {
			w, b = w-b, 0
		}
		r.append(false, true, sideCount{uint16(t), w, b})
	}
	if e.dump != nil {
		e.dump(p, r, &e.memory)
	}
	return r
}

// TestPlantedInFormula: mistakes in the dump of an evaluation with a formula, or in the formula.
func TestPlantedInFormula(t *testing.T) {
	text := func(from, to string) func(e *curved) {
		return func(e *curved) {
			if !strings.Contains(e.set.Formula, from) {
				panic(from)
			}
			e.set.Formula = strings.Replace(e.set.Formula, from, to, 1)
		}
	}
	dump := func(how func(p *board.Position, r *record, m *memory)) func(e *curved) {
		return func(e *curved) { e.dump = how }
	}
	recounted := func(how func(c *sideCount)) func(e *curved) {
		return func(e *curved) {
			e.dump = func(_ *board.Position, r *record, _ *memory) {
				list := countsIn(&e.set, r)
				for i := range list {
					how(&list[i])
				}
				recount(&e.set, r, list)
			}
		}
	}
	_, rows := positions(t, 250)
	if e := newCurved(); judgeAll(&e.set, rows, e.answer) != nil {
		t.Fatalf("without a mistake: %v", judgeAll(&e.set, rows, newCurved().answer))
	}
	e := newCurved()
	e.set.Formula = strings.Replace(strings.ReplaceAll(e.set.Formula, "let e = main.eg", "let e = 0 # ;\n + main.eg"),
		"(2*m*n", "(m*n + m*n", 1)
	setup.Check(t, e.set.Check())
	lets := e.set.HalfLets()
	for late, drifts := range []bool{false, true} { // the halves with king danger, and one more
		e.dump = func(p *board.Position, r *record, _ *memory) {
			r.lets, r.halves = &lets, []int32{int32(lets[0][0].Value(&r.FeatureRow)), int32(lets[1][0].Value(&r.FeatureRow)) +
				int32(late)}
		}
		if err := judgeAll(&e.set, rows, e.answer); (err != nil) != drifts {
			t.Errorf("halves of lets: %v", err)
		}
	}
	mistakes := []struct {
		name, want string
		change     func(e *curved)
	}{
		{"forgotten max", "a max is forgotten", text("max(danger, 0)^2", "danger^2")},
		{"forgotten max in the endgame", "a max is forgotten", text("max(danger, 0)//20", "danger//20")},
		{"truncated square", "truncates the division", text("^2//divisor", "^2/divisor")},
		{"truncated value", "truncates", text(")//48", ")/48")},
		{"truncated twice", "truncates all divisions",
			func(e *curved) { text(")//48", ")/48")(e); text("^2//divisor", "^2/divisor")(e) }},
		{"halves exchanged in the formula", "main.eg in place of main.mg", text("let e = main.eg", "let e = main.mg")},
		{"sides of the factor", "f.white in place of f.black|f.black in place of f.white|comparison is the other way round",
			text("e < 0", "e > 0")},
		{"sign of the danger", "sign", text("main.mg + balance", "main.mg - balance")},
		{"phase in 20ths", "float32|whole number", func(e *curved) {
			e.total = 20
			text("(2*m*n + e*(24 - n)*if(e < 0, f.black, f.white))//48", "trunc(m*phase + e*(1 - phase)*if(e < 0, f.black, "+
				"f.white)/2) + 0*n")(e)
		}},
		{"sign of Black in mobility", `table "mobility"|for Black`, func(e *curved) {
			e.dump = func(p *board.Position, r *record, _ *memory) {
				q := p.Mirror()
				other := countsBySide(&e.set, (&curved{set: e.set, total: 24}).answer(&q))
				list := countsIn(&e.set, r)
				for i := range list {
					if c := &list[i]; c.term >= curvedMobility && c.term < curvedNear {
						c.white = max(c.white, other[c.term][0]) + 4 // as many on either side
					}
				}
				recount(&e.set, r, list)
			}
		}},
		{"assay_add of a term of each side", "assay_add_sides", recounted(func(c *sideCount) {
			if c.term >= curvedNear {
				c.white, c.black = c.white-c.black, 0
			}
		})},
		{"Black's danger negative", "both are positive", recounted(func(c *sideCount) { c.black = -c.black })},
		{"sides of the danger exchanged", "exchanged", recounted(func(c *sideCount) {
			if c.term >= curvedNear {
				c.white, c.black = c.black, c.white
			}
		})},
		{"knight's sign", `term "material.1"|wrong sign`, recounted(func(c *sideCount) {
			if c.term == 1 {
				c.white = -c.white
			}
		})},
		{"forgotten rooks", `term "material.3" is never counted`, recounted(func(c *sideCount) {
			if c.term == 3 {
				c.white = 0
			}
		})},
		{"mover's view", "side to move's view", dump(func(p *board.Position, r *record, _ *memory) {
			if blackToMove(p) {
				r.Eval, r.halves = -r.Eval, negated(r.halves)
			}
		})},
		{"halves swapped", "halves are swapped", dump(func(_ *board.Position, r *record, _ *memory) {
			r.halves[0], r.halves[1] = r.halves[1], r.halves[0]
		})},
		{"columns of the position before", "columns are those of the position asked before",
			dump(func(_ *board.Position, r *record, m *memory) {
				now := slices.Clone(r.Columns)
				if m.rec != nil {
					r.Columns = m.rec.Columns
				}
				m.rec = &record{FeatureRow: dataset.FeatureRow{Columns: now}}
			})},
		{"column that is not set", `column "n" is 0`,
			dump(func(_ *board.Position, r *record, _ *memory) { r.Columns[0] = 0 })},
	}
	if !datatest.Soak {
		mistakes = mistakes[:5]
	}
	right := 0
	for _, c := range mistakes {
		e := newCurved()
		c.change(e)
		err := judgeAll(&e.set, rows, e.answer)
		if err == nil {
			t.Errorf("%s: not stopped", c.name)
			continue
		}
		_, cause, _ := strings.Cut(err.Error(), "likely cause: ")
		has := func(w string) bool { return strings.Contains(cause, w) }
		words := strings.Split(c.want, "|")
		if named := !slices.ContainsFunc(words, func(w string) bool { return !has(w) }) ||
			strings.HasPrefix(c.name, "sides of the factor") && slices.ContainsFunc(words, has); named {
			right++
			t.Logf("%s: %s", c.name, cause)
		} else {
			t.Logf("not %q: %s:\n%v", c.want, c.name, err)
		}
	}
	if t.Logf("%d of %d causes are right", right, len(mistakes)); 100*right < 85*len(mistakes) {
		t.Errorf("%d of %d causes are right", right, len(mistakes))
	}
}
