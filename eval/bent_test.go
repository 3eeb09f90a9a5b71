package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/engine"
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
		e, smooth := setup.Must(m.NewEvaluator(w)), formula.NewMachine(m.Nonlinear.Formula)
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

// TestAssayContact checks the terms that need both sides, on positions made for them.
// Counts are White's and Black's; terms that are not listed are not checked.
func TestAssayContact(t *testing.T) {
	m, _ := Lookup("assay")
	for _, test := range []struct {
		name, fen string
		want      map[string][2]int
	}{
		{"unopposed", "4k3/p1p5/8/8/8/8/P4PP1/4K3 w - - 0 1", map[string][2]int{
			"isolated.unopposed": {0, 1}, "backward.unopposed": {0, 0},
		}},
		{"backward and unopposed", "4k3/8/4p3/2p5/2P1P3/3P4/8/4K3 w - - 0 1", map[string][2]int{
			"backward.unopposed": {1, 0}, "isolated.unopposed": {0, 0},
		}},
		{"outposts", "4k3/p7/8/3N1B2/4P3/8/8/4K3 w - - 0 1", map[string][2]int{
			"outpost.knight": {1, 0}, "outpost.bishop": {1, 0}, "outpost.in-reach": {0, 0},
		}},
		{"outpost a pawn can attack", "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", map[string][2]int{
			"outpost.knight": {0, 0},
		}},
		{"outpost in reach", "4k3/8/8/8/4P3/2N5/8/4K3 w - - 0 1", map[string][2]int{
			"outpost.in-reach": {1, 0},
		}},
		{"passed pawn, blocked", "8/8/3k4/3P4/3K4/8/8/8 w - - 0 1", map[string][2]int{
			"passed.blocked.rank5": {1, 0}, "passed.own-king.rank5.2": {1, 0}, "passed.their-king.rank5.0": {1, 0},
			"passed.free.rank5": {0, 0}, "passed.can-step.rank5": {0, 0},
		}},
		{"passed pawn, free", "7k/8/8/1P6/8/8/8/1R5K w - - 0 1", map[string][2]int{
			"passed.free.rank5": {1, 0}, "passed.can-step.rank5": {1, 0}, "passed.their-king.rank5.5": {1, 0},
			"passed.rook-behind.own": {1, 0}, "passed.rook-behind.their": {0, 0},
		}},
		{"passed pawn, watched", "7k/r7/8/1P6/8/8/8/1r5K w - - 0 1", map[string][2]int{
			"passed.free.rank5": {0, 0}, "passed.can-step.rank5": {1, 0}, "passed.rook-behind.their": {1, 0},
		}},
		{"black passed pawn", "7k/8/8/8/p7/8/8/7K w - - 0 1", map[string][2]int{
			"passed.free.rank5": {0, 1}, "passed.own-king.rank5.5": {0, 1},
		}},
		{"safe checks", "7k/8/8/8/8/2N5/8/QB2R2K w - - 0 1", map[string][2]int{
			"check.queen": {1, 0}, "check.rook": {1, 0}, "check.bishop": {0, 0}, "check.knight": {0, 0},
		}},
		{"check that can be taken", "3r3k/8/8/8/8/8/8/4R2K w - - 0 1", map[string][2]int{
			"check.rook": {0, 0},
		}},
		{"pin", "4k3/4n3/8/8/8/8/4R3/4K3 w - - 0 1", map[string][2]int{"pin": {1, 0}}},
		{"no pin", "4k3/4n3/4p3/8/8/8/4R3/4K3 w - - 0 1", map[string][2]int{"pin": {0, 0}}},
		{"ring", "6k1/8/8/8/8/8/8/1K3R1Q w - - 0 1", map[string][2]int{
			"king-ring.attackers.2": {1, 0},
		}},
		{"threats", "4k3/8/8/2n1r3/3P4/8/1q6/2N1K3 w - - 0 1", map[string][2]int{
			"threat.pawn.knight": {1, 0}, "threat.pawn.rook": {1, 0}, "threat.pawn.queen": {0, 0},
		}},
		{"threats of pieces", "r3k3/1n6/8/8/4B3/8/8/1R2K3 w - - 0 1", map[string][2]int{
			"threat.minor.knight": {1, 0}, "threat.rook.knight": {1, 0}, "hanging.piece": {1, 0},
		}},
		{"guarded by a pawn", "4k3/2p5/1n6/8/8/8/8/1R2K3 w - - 0 1", map[string][2]int{
			"threat.rook.knight": {0, 0}, "hanging.piece": {0, 0},
		}},
		{"pawn push that attacks nothing", "4k3/8/3n4/8/8/4P3/8/4K3 w - - 0 1", map[string][2]int{
			"threat.pawn-step": {0, 0},
		}},
		{"king attacks", "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", map[string][2]int{
			"threat.king": {1, 0}, "hanging.pawn": {1, 0},
		}},
		// Three moves to promotion: the king on e5 catches the pawn if it moves first.
		{"unstoppable", "8/8/8/P3k3/8/8/8/7K w - - 0 1", map[string][2]int{"passed.unstoppable": {1, 0}}},
		{"stoppable", "8/8/8/P3k3/8/8/8/7K b - - 0 1", map[string][2]int{"passed.unstoppable": {0, 0}}},
		{"a piece could stop it", "8/8/8/P6k/8/8/8/n6K w - - 0 1", map[string][2]int{"passed.unstoppable": {0, 0}}},
		{"bare flank", "6k1/pp6/8/8/8/8/PP6/K7 w - - 0 1", map[string][2]int{"king.bare-flank": {1, 0}}},
		{"products of numbers of pieces", "4k3/pp6/8/8/8/8/8/RR2K1N1 w - - 0 1", map[string][2]int{
			"against.rook-pawn": {4, 0}, "against.knight-pawn": {2, 0}, "against.rook-knight": {0, 0},
		}},
		// One attacker of three squares, all unguarded, and a safe check: (9 + 3 + 9 + 10) / 2.
		{"danger", "6k1/8/8/8/8/8/8/5R1K w - - 0 1", map[string][2]int{
			"king-ring.attackers.1": {1, 0}, "king-ring.weak.3": {1, 0}, "check.rook": {1, 0}, "king-danger.3": {1, 0},
		}},
		{"mop-up", "k7/8/1K6/8/8/8/8/7R w - - 0 1", map[string][2]int{
			"mop-up.edge.0": {1, 0}, "mop-up.kings.2": {1, 0},
		}},
		{"not enough material to mate", "k7/8/1K6/8/8/8/8/6B1 w - - 0 1", map[string][2]int{
			"mop-up.edge.0": {0, 0},
		}},
	} {
		checkCounts(t, m, test.name, test.fen, test.want)
	}
}

// FuzzOneEvaluation checks in every legal position, for each model, that the mirrored
// position has the negative value, and that value, features and counts agree.
func FuzzOneEvaluation(f *testing.F) {
	for _, fen := range append([]string{
		board.StartFEN,
		"4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1",
		"QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/2k5/8/K7 w - - 0 1",
		"8/P1P1P1P1/8/4k3/8/4K3/p1p1p1p1/8 b - - 0 1",
		"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
		"r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
		"8/8/8/8/8/5k2/6p1/6K1 w - - 0 1",
		"4k3/8/8/3bB3/8/8/PPP5/4K3 w - - 12 40",
		"4k3/8/8/8/8/8/8/4KBN1 w - - 0 1",
	}, middlegame...) {
		f.Add(fen)
	}
	type pair struct {
		m    *Model
		w    []Coef
		e, d engine.RootedEvaluator // of the position and of its mirror, so that they share no cache
	}
	var pairs []pair
	for _, m := range Models() {
		w := scrambled(m)
		pairs = append(pairs, pair{m, w, setup.Must(m.NewEvaluator(w)), setup.Must(m.NewEvaluator(w))})
	}
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return
		}
		mirror := p.Mirror()
		for _, j := range pairs {
			var x, y Features
			j.m.Features(&p, &x)
			j.m.Features(&mirror, &y)
			v := j.e.Evaluate(&p)
			if got := j.d.Evaluate(&mirror); got != -v {
				t.Errorf("%s: %s has value %d, its mirror %d", j.m.Name, fen, v, got)
			}
			if j.m.Nonlinear == nil && x.sum(j.w) != -y.sum(j.w) || x.Value(j.w) != v ||
				x.ScaleNum*y.ScaleDen != y.ScaleNum*x.ScaleDen {
				t.Errorf("%s: %s: value from features %d, from the evaluator %d; from features of the mirror %d",
					j.m.Name, fen, x.Value(j.w), v, y.Value(j.w))
			}
			if v > MaxScore || v < -MaxScore || x.ScaleNum < 0 || x.ScaleDen <= 0 {
				t.Errorf("%s: %s: value %d, scale %d/%d", j.m.Name, fen, v, x.ScaleNum, x.ScaleDen)
			}
			checkEntries(t, j.m, &p, &x)
			net := make([]int, len(j.m.Terms))
			for _, c := range j.m.Counts(&p) {
				net[c.Term] = c.White - c.Black
			}
			for _, e := range x.Entries {
				net[e.Term] -= int(e.Count) - int(e.Black)
			}
			for i, n := range net {
				if n != 0 {
					t.Errorf("%s: %s: the counts of %s differ by %d more than its feature", j.m.Name, fen, j.m.Terms[i].Name, n)
				}
			}
		}
	})
}
