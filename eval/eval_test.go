package eval

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// random is splitmix64: the tests' positions are the same on every machine.
type random uint64

func (r *random) next() uint64 {
	x := board.SplitMix64(uint64(*r))
	*r += board.SplitMix64Gamma
	return x
}

// playouts calls visit with at least n positions of games of random moves. Many have few
// pieces, several queens, or a king in the middle of the board.
func playouts(t testing.TB, n int, visit func(p *board.Position)) {
	t.Helper()
	r := random(1949)
	var buf [board.MaxMoves]board.Move
	for seen := 0; seen < n; {
		p := board.StartPosition()
		for range 200 {
			visit(&p)
			seen++
			moves := p.LegalMoves(buf[:0])
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.next()%uint64(len(moves))])
		}
	}
}

// scrambled returns random weights for the model, so that a count given to the wrong term
// changes the value.
func scrambled(m *Model) []Coef {
	r := random(7)
	w := make([]Coef, len(m.Terms))
	for i := range w {
		w[i].MG = int32(r.next()%4001) - 2000
		w[i].EG = w[i].MG
		if m.Terms[i].Tapered {
			w[i].EG = int32(r.next()%4001) - 2000
		}
	}
	return w
}

// TestGenerated compares the committed scoring functions with what go generate writes.
func TestGenerated(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "generated.go")
	if out, err := exec.Command("go", "run", "gen.go", "-o", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := setup.Must(os.ReadFile(fresh))
	if got, err := os.ReadFile("score_generated.go"); err != nil || string(got) != string(want) {
		t.Errorf("out of date: run go generate ./eval; %v", err)
	}
}

// deep makes tests look at more positions: see soak_test.go.
var deep bool

// TestOneEvaluation checks the promise of the package: the evaluator's sum and the sum over
// the features are equal, for any weights.
func TestOneEvaluation(t *testing.T) {
	positions := 200_000
	if deep {
		positions = 1_000_000
	}
	for _, m := range Models() {
		positions := positions
		if m.Nonlinear != nil && !deep {
			positions /= 4 // it shares most trace functions with the model assay
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			w := scrambled(m)
			e := setup.Must(m.NewEvaluator(w))
			var packed *weights // of a linear model with scoring functions
			if e, ok := e.(*evaluator); ok {
				packed = &e.weights
			}
			var f Features
			playouts(t, positions, func(p *board.Position) {
				m.Features(p, &f)
				if packed != nil {
					mg, eg := unpack(m.score(p, scorer{w: packed}).sum)
					phase := int64(Phase(p))
					if got, want := f.sum(w), mg*phase+eg*(MaxPhase-phase); got != want {
						t.Fatalf("%s: features sum to %d, the score is %d", p.FEN(), got, want)
					}
				}
				if got, want := f.Value(w), e.Evaluate(p); got != want {
					t.Fatalf("%s: value from features %d, from the evaluator %d", p.FEN(), got, want)
				}
				checkEntries(t, m, p, &f)
			})
		})
	}
}

// checkEntries checks the form of the features of a position.
func checkEntries(t *testing.T, m *Model, p *board.Position, f *Features) {
	t.Helper()
	last := -1
	for _, e := range f.Entries {
		if int(e.Term) <= last || int(e.Term) >= len(m.Terms) || e.Count == 0 && e.Black == 0 {
			t.Fatalf("%s: entry %+v after term %d of %d", p.FEN(), e, last, len(m.Terms))
		}
		last = int(e.Term)
	}
}

func TestMirror(t *testing.T) {
	for _, m := range Models() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			e := setup.Must(m.NewEvaluator(scrambled(m)))
			playouts(t, 20_000, func(p *board.Position) {
				mirror := p.Mirror()
				if got, want := e.Evaluate(&mirror), -e.Evaluate(p); got != want {
					t.Fatalf("%s: mirrored value %d, want %d", p.FEN(), got, want)
				}
			})
		})
	}
}

// TestCounts checks the counts for each side against the features.
func TestCounts(t *testing.T) {
	for _, m := range Models() {
		var f Features
		playouts(t, 2_000, func(p *board.Position) {
			m.Features(p, &f)
			net := make([]int, len(m.Terms))
			for _, e := range f.Entries {
				net[e.Term] = int(e.Count) - int(e.Black)
			}
			for i, c := range m.Counts(p) {
				if c.Term != i || c.White < 0 || c.Black < 0 || c.White-c.Black != net[i] {
					t.Fatalf("%s, %s: counts %+v, feature %d", p.FEN(), m.Terms[i].Name, c, net[i])
				}
			}
		})
	}
}

func TestNoAllocation(t *testing.T) {
	for _, m := range Models() {
		e := setup.Must(m.NewEvaluator(m.Start))
		var f Features
		p := setup.Must(board.ParseFEN(middlegame[0]))
		m.Features(&p, &f)
		if n := testing.AllocsPerRun(100, func() { e.Evaluate(&p) }); n != 0 {
			t.Errorf("%s: Evaluate allocates %v times", m.Name, n)
		}
		if n := testing.AllocsPerRun(100, func() { m.Features(&p, &f) }); n != 0 {
			t.Errorf("%s: Features allocates %v times", m.Name, n)
		}
	}
}

// TestBound checks that the largest weights do not overflow and that values are bounded.
func TestBound(t *testing.T) {
	for _, m := range Models() {
		w := make([]Coef, len(m.Terms))
		for i := range w {
			w[i] = Coef{MaxCoef, MaxCoef}
		}
		e := setup.Must(m.NewEvaluator(w))
		p := setup.Must(board.ParseFEN("4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"))
		if got := e.Evaluate(&p); got != MaxScore {
			t.Errorf("%s: value %d, want %d", m.Name, got, MaxScore)
		}
		p = p.Mirror()
		if got := e.Evaluate(&p); got != -MaxScore {
			t.Errorf("%s: mirrored value %d, want %d", m.Name, got, -MaxScore)
		}
	}
}

// middlegame holds positions of master games with queens on the board, for benchmarks.
var middlegame = []string{
	"r1bq1rk1/pp2bppp/2n1pn2/2pp4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 8",
	"r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/P1NBB3/1PP3PP/R2Q1RK1 b - - 0 12",
	"2rq1rk1/pb1n1ppp/1p2pn2/2pp4/1bPP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 4 12",
	"r1b2rk1/2q1bppp/p2ppn2/1pn5/3NPP2/1BN1B3/PPP1Q1PP/R4R1K w - - 2 13",
	"r3r1k1/pp1q1ppp/2pb1n2/3p1b2/3P4/1PN1PN2/PBQ2PPP/R4RK1 w - - 5 14",
	"rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
	"2r2rk1/1bqnbppp/pp1ppn2/8/2PNP3/1PN2P2/PB1QB1PP/2R2R1K b - - 1 15",
	"r2qk2r/pp1nbppp/2p1pn2/3p1b2/2PP4/1Q2PN2/PP1NBPPP/R1B2RK1 b kq - 5 8",
}

func BenchmarkEvaluate(b *testing.B) {
	for _, m := range Models() {
		b.Run(m.Name, func(b *testing.B) {
			e := setup.Must(m.NewEvaluator(m.Start))
			ps := benchPositions(b)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.Evaluate(&ps[i%4096])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}

// benchPositions returns 4,096 positions, mean phase 23 of 24: up to 15 random moves after
// the positions of middlegame, so that the branch predictor cannot learn them.
func benchPositions(tb testing.TB) []board.Position {
	r := random(64)
	var buf [board.MaxMoves]board.Move
	var ps []board.Position
	for len(ps) < 4096 {
		p := setup.Must(board.ParseFEN(middlegame[r.next()%uint64(len(middlegame))]))
		for range r.next() % 16 {
			moves := p.LegalMoves(buf[:0])
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.next()%uint64(len(moves))])
		}
		ps = append(ps, p)
	}
	return ps
}
