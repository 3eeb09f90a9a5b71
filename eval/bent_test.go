package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/internal/setup"
)

// playable returns random weights of a size that a fit finds: a multiple of scrambled ones.
func playable(m *Model) []Coef {
	w := scrambled(m)
	for i := range w {
		w[i].MG = m.Start[i].MG + w[i].MG/100
		if w[i].EG = m.Start[i].EG + w[i].EG/100; !m.Terms[i].Tapered {
			w[i].EG = w[i].MG
		}
	}
	return w
}

// formulaInputs returns what a formula reads of a position's features, in its own numbers.
func formulaInputs(m *Model, x *Features, w []Coef, in []float64) {
	clear(in)
	for i, input := range m.Nonlinear.Formula.Inputs {
		if input.Channel == formula.Phase {
			in[i] = float64(x.Phase) / MaxPhase
			continue
		}
		for _, e := range x.Entries {
			if m.Nonlinear.Channel(int(e.Term)) != input.Channel {
				continue
			}
			count, weight := e.Count, w[e.Term].MG
			if input.Black {
				count = e.Black
			}
			if input.Endgame {
				weight = w[e.Term].EG
			}
			in[i] += float64(count) * float64(weight)
		}
	}
}

// TestBentAgrees compares the formula in integers with the formula, as a fit sees it, under
// weights of the size that fits find: within a centipawn.
func TestBentAgrees(t *testing.T) {
	positions := 20_000
	if deep {
		positions = 1_000_000
	}
	m := setup.Must(Lookup("assay-bent"))
	for _, w := range [][]Coef{m.Start, playable(m)} {
		e, smooth := mustEvaluator(t, m, w), formula.NewMachine(m.Nonlinear.Formula)
		in := make([]float64, len(m.Nonlinear.Formula.Inputs))
		var x Features
		worst := 0.0
		playouts(t, positions/2, func(p *board.Position) {
			m.Features(p, &x)
			formulaInputs(m, &x, w, in)
			want, got := smooth.Value(in), e.Evaluate(p)
			if math.Abs(float64(got)-max(-MaxScore, min(want, MaxScore))) > 1 {
				t.Fatalf("%s: %s is %d, its formula %v", m.Name, p.FEN(), got, want)
			}
			worst = max(worst, math.Abs(float64(got)-want))
		})
		t.Logf("%s: %d positions, within %.3f", m.Name, positions/2, worst)
	}
}

// TestBentSums checks that sums and channels have the same indices.
func TestBentSums(t *testing.T) {
	m := assayBentModel()
	for name, want := range map[string]int{"danger": sumDanger, "winning": sumWinning, "complexity": sumComplexity} {
		for i, c := range m.Nonlinear.Channels {
			if c.Name == name && m.Nonlinear.first[i] != want {
				t.Errorf("channel %s: its sums begin at %d, the code has %d", name, m.Nonlinear.first[i], want)
			}
		}
	}
	for i, x := range m.Terms {
		c := m.Nonlinear.Channels[m.Nonlinear.channel[i]]
		if x.Channel != "" && c.Name != x.Channel || x.Tapered != c.Tapered {
			t.Errorf("%s: channel %q is %+v", x.Name, x.Channel, c)
		}
	}
}

// TestBentTerms checks the terms of the bent channels on positions made for them. Counts are
// White's and Black's; of complexity, of both.
func TestBentTerms(t *testing.T) {
	m := assayBentModel()
	for _, test := range []struct {
		name, fen string
		want      map[string][2]int
	}{
		{"start", board.StartFEN, map[string][2]int{
			"danger.base": {1, 1}, "danger.no-queen": {0, 0}, "danger.file.open": {0, 0}, "danger.defender": {1, 1},
			"danger.flank.attacked": {0, 0},
			"winning.pawns.8":       {1, 1}, "winning.one-wing": {0, 0}, "complexity.base": {1, 0}, "complexity.pawns": {16, 0},
			"complexity.both-wings":  {1, 0},
			"complexity.outflanking": {0, 0}, "complexity.infiltration": {0, 0},
		}},
		{"attack", "6k1/8/8/8/8/8/6P1/1K3R1Q w - - 0 1", map[string][2]int{
			"danger.attacker.rook": {1, 0}, "danger.hit.rook": {3, 0}, "danger.attacker.queen": {1, 0},
			"danger.hit.queen": {3, 0},
			"danger.no-queen":  {0, 1}, "danger.file.half-open": {1, 0}, "danger.file.open": {2, 3}, "danger.check.queen": {0,
				0},
		}},
		{"safe checks", "7k/8/8/8/8/2N5/8/QB2R2K w - - 0 1", map[string][2]int{
			"danger.check.queen": {1, 0}, "danger.check.rook": {1, 0}, "danger.check.bishop": {0, 0},
		}},
		{"opposite bishops", "4k3/p3b3/8/8/8/8/P3B3/4K3 w - - 0 1", map[string][2]int{
			"winning.opposite-bishops.alone": {1, 1}, "winning.opposite-bishops.rooks": {0, 0}, "winning.one-wing": {1, 1},
			"winning.last-pawn": {1, 1},
		}},
		{"rooks and no pawns", "4k3/7r/8/8/8/8/8/R3K3 w - - 0 1", map[string][2]int{
			"winning.rook-ending": {1, 1}, "winning.no-pawns": {0, 0}, "winning.pawns.0": {1, 1},
		}},
		{"minor piece up", "4k3/8/8/8/8/8/4N3/4K3 w - - 0 1", map[string][2]int{"winning.no-pawns": {1, 0}}},
		{"wrong bishop", "k7/8/8/8/8/8/P3B3/4K3 w - - 0 1", map[string][2]int{"winning.wrong-bishop": {0, 0}}},
		{"wrong bishop indeed", "k7/8/8/8/8/8/P2B4/4K3 w - - 0 1", map[string][2]int{"winning.wrong-bishop": {1, 0}}},
		{"pawn ending", "8/8/4k3/1p6/1P4P1/4K3/8/8 w - - 0 1", map[string][2]int{
			"complexity.pawn-ending": {1, 0}, "complexity.passed": {1, 0}, "winning.passed": {1, 0},
			"complexity.both-wings": {1, 0}, "complexity.outflanking": {4, 0},
		}},
		{"infiltration", "8/8/4K3/8/8/8/4k3/8 w - - 0 1", map[string][2]int{"complexity.infiltration": {1, 0},
			"complexity.outflanking": {11, 0}}},
	} {
		checkCounts(t, m, test.name, test.fen, test.want)
	}
}

// TestSign checks the sign that the formula uses.
func TestSign(t *testing.T) {
	for v, want := range map[int64]int64{0: 0, 1: 1, -1: -1, math.MaxInt64: 1, -math.MaxInt64: -1, 7 << 40: 1} {
		if got := signOf(v); got != want {
			t.Errorf("sign of %d is %d", v, got)
		}
	}
}

// TestIntegerFormula compares the formula in integers with the formula for random sums, also of
// sizes that no position has.
func TestIntegerFormula(t *testing.T) {
	m := setup.Must(Lookup("assay-bent"))
	r := rand.New(rand.NewPCG(1, 2))
	f := m.Nonlinear.Formula
	smooth := formula.NewMachine(f)
	in := make([]float64, len(f.Inputs))
	for range 20_000 {
		var s sums
		phase := r.IntN(MaxPhase + 1)
		for i := range s {
			spread := int32(1) << (3 + r.IntN(20))
			s[i] = pack(Coef{MG: r.Int32N(2*spread) - spread, EG: r.Int32N(2*spread) - spread})
		}
		for i, x := range f.Inputs {
			if x.Channel == formula.Phase {
				in[i] = float64(phase) / MaxPhase
				continue
			}
			at := m.Nonlinear.first[x.Channel]
			if x.Black {
				at++
			}
			mg, eg := unpack(s[at])
			if in[i] = float64(mg); x.Endgame {
				in[i] = float64(eg)
			}
		}
		want := smooth.Value(in)
		if got := float64(m.Nonlinear.value(&s, int64(phase))); math.Abs(got-want) > 1 {
			t.Fatalf("%v at phase %d: %v, want %v", s, phase, got, want)
		}
	}
}
