package search

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

func TestConform(t *testing.T) {
	// one of each model
	for _, weights := range []string{"assay-1", "assay-4", "machack-1967", "shannon-1950", "shannon-appendix"} {
		t.Run(weights, func(t *testing.T) {
			enginetest.Conform(t, func() engine.Player { return New(evaluator(t, weights), 1) })
		})
	}
}

func TestOptions(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	limit := strconv.Itoa(maxHashMB())
	for _, o := range [][2]string{{"Hash", "2"}, {"hash", "1"}, {"Clear Hash", ""},
		{"Move Overhead", "0"}, {"move overhead", "5000"}} {
		if err := e.SetOption(o[0], o[1]); err != nil {
			t.Errorf("%v: %v", o, err)
		}
	}
	for _, o := range [][2]string{
		{"Hash", "0"}, {"Hash", limit + "0"}, {"Hash", "many"}, {"Hash", "99999999999999999999"}, {"Hash", "-1"},
		{"Hash", ""},
		{"Move Overhead", "-1"}, {"Move Overhead", "5001"}, {"Move Overhead", "1.5"}, {"", ""},
	} {
		before, overhead := len(e.table.buckets), e.overhead
		if err := e.SetOption(o[0], o[1]); !errors.Is(err, ErrOption) {
			t.Errorf("%v: error %v, want ErrOption", o, err)
		}
		if len(e.table.buckets) != before || e.overhead != overhead {
			t.Errorf("%v changed the engine, though it is refused", o)
		}
	}
	if !slices.Contains(e.Options(), "option name Hash type spin default 16 min 1 max "+limit) {
		t.Errorf("options %q lack the maximum of Hash, %s", e.Options(), limit)
	}
	// The maximum leaves some of the machine's memory.
	if mb := int(machine.Memory() >> 20); mb > 0 && maxHashMB() >= mb {
		t.Errorf("a hash of %d MB on a machine of %d MB", maxHashMB(), mb)
	}
}

func TestHash(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	size := func() int { return len(e.table.buckets) * bucketSize * 16 }
	g := board.NewGame(position(t, middlegame))
	for _, mb := range []int{1, 7, 3, 1, 1} {
		run(t, e, g, engine.Limits{Nodes: 5000})
		if err := e.SetOption("Hash", strconv.Itoa(mb)); err != nil || size() != mb<<20 || e.table.full() != 0 {
			t.Errorf("Hash %d: %v, %d bytes, %d per mille full", mb, err, size(), e.table.full())
		}
	}
	p := g.Position()
	run(t, e, g, engine.Limits{Nodes: 50000})
	if _, found := e.table.probe(p.Key()); !found || e.table.full() == 0 {
		t.Errorf("the root is not in the table after a search: %v, %d per mille full", found, e.table.full())
	}
	setup.Check(t, e.SetOption("Clear Hash", ""))
	if _, found := e.table.probe(p.Key()); found || e.table.full() != 0 {
		t.Errorf("the root is in the table after it was cleared: %v, %d per mille full", found, e.table.full())
	}
}

func TestSetEvaluator(t *testing.T) {
	g := board.NewGame(position(t, middlegame))
	answer := func(e *Engine) string {
		setup.Check(t, e.NewGame(0))
		return answerOf(run(t, e, g, engine.Limits{Nodes: 5000}))
	}
	e := New(evaluator(t, "shannon-1950"), 1)
	old, want := answer(e), answer(New(evaluator(t, "assay-start"), 1))
	e.SetEvaluator(evaluator(t, "assay-start"))
	if got := answer(e); got != want || got == old {
		t.Errorf("with other weights %s, want %s; with the old ones %s", got, want, old)
	}
}

// answerOf describes an answer, without its time.
func answerOf(r engine.Result) string {
	return fmt.Sprintf("%v %d depth %d nodes %d pv %v", r.Move, r.Score, r.Depth, r.Nodes, r.PV)
}

// play returns the game of the moves from the position.
func play(t testing.TB, fen string, moves ...string) *board.Game {
	t.Helper()
	g := board.NewGame(position(t, fen))
	for _, uci := range moves {
		m := setup.Must(g.Position().ParseUCI(uci))
		g.Push(m)
	}
	return g
}

func TestDrawScores(t *testing.T) {
	tests := []struct{ name, fen string }{
		{"bare kings", "8/8/4k3/8/8/4K3/8/8 w - - 0 1"},
		{"a knight cannot mate", "8/8/4k3/8/8/4K3/3N4/8 w - - 0 1"},
		{"every move ends the fifty moves", "7k/8/8/8/8/8/R7/K7 w - - 99 120"},
		{"perpetual check", "6k1/6p1/5p2/7Q/8/8/rq6/7K w - - 0 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := New(evaluator(t, "assay-start"), 1)
			if r := run(t, e, play(t, tt.fen), engine.Limits{Depth: 8}); r.Score != 0 {
				t.Errorf("score %d, PV %v", r.Score, r.PV)
			}
		})
	}
}

// The third occurrence of a position is a draw; without the game's history it is not.
func TestRepetition(t *testing.T) {
	const fen = "7k/5ppp/8/8/8/8/1q3PPP/3Q2K1 w - - 0 1"
	shuffle := []string{"g1f1", "h8g8", "f1g1", "g8h8"}
	g := play(t, fen, append(shuffle, shuffle[:3]...)...)
	e := New(evaluator(t, "shannon-1950"), 1)
	p := g.Position()
	back := setup.Must(p.ParseUCI("g8h8"))
	r := run(t, e, g, engine.Limits{Depth: 6, SearchMoves: []board.Move{back}})
	if r.Score != 0 {
		t.Errorf("score %d of the third occurrence, want 0", r.Score)
	}
	r = run(t, New(evaluator(t, "shannon-1950"), 1), board.NewGame(*p),
		engine.Limits{Depth: 6, SearchMoves: []board.Move{back}})
	if r.Score == 0 {
		t.Error("without its history the position is a draw too")
	}
}

// answers plays from the position and returns all answers. Each depends on what the
// searches before it have left in the engine.
func answers(t *testing.T, e *Engine, fen string) (list []string) {
	t.Helper()
	setup.Check(t, e.NewGame(0))
	g := board.NewGame(position(t, fen))
	for _, lim := range []engine.Limits{{Nodes: 8000}, {Nodes: 3000, HardNodes: true},
		{Depth: 5, MultiPV: 2}, {Nodes: 5000}} {
		r := run(t, e, g, lim)
		list = append(list, answerOf(r))
		if r.Move == board.NullMove {
			break
		}
		g.Push(r.Move)
	}
	return list
}

// disturbances change the state of an engine; NewGame must undo that.
var disturbances = []struct {
	name string
	do   func(t *testing.T, e *Engine, rng *rand.Rand)
}{
	{"another game", func(t *testing.T, e *Engine, _ *rand.Rand) {
		run(t, e, board.NewGame(board.StartPosition()), engine.Limits{Nodes: 20000})
	}},
	{"a search stopped somewhere", func(t *testing.T, e *Engine, rng *rand.Rand) {
		run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 1 + rng.Uint64N(30000), HardNodes: true})
	}},
	{"an infinite search stopped", func(t *testing.T, e *Engine, rng *rand.Rand) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(20))*time.Millisecond)
		defer cancel()
		setup.Must(e.Search(ctx, board.NewGame(position(t, middlegame)), engine.Limits{Infinite: true}))
	}},
	{"pondering", func(t *testing.T, e *Engine, rng *rand.Rand) {
		hit := make(chan struct{})
		time.AfterFunc(time.Duration(rng.IntN(10))*time.Millisecond, func() { close(hit) })
		run(t, e, board.NewGame(position(t, middlegame)),
			engine.Limits{Ponder: true, PonderHit: hit, Clock: [2]time.Duration{time.Second, time.Second}})
	}},
	{"many lines", func(t *testing.T, e *Engine, _ *rand.Rand) {
		run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 20000, MultiPV: 7})
	}},
	{"few moves, a mate", func(t *testing.T, e *Engine, _ *rand.Rand) {
		p := position(t, rootPositions[3])
		run(t, e, board.NewGame(p), engine.Limits{Mate: 2, SearchMoves: p.LegalMoves(nil)[:9], Depth: 9})
	}},
	{"other sizes of the table", func(t *testing.T, e *Engine, rng *rand.Rand) {
		for _, mb := range []string{"5", "2", "1"} {
			setup.Check(t, e.SetOption("Hash", mb))
			run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 5000 + rng.Uint64N(5000)})
		}
	}},
	{"other weights", func(t *testing.T, e *Engine, _ *rand.Rand) {
		for _, weights := range []string{"shannon-1950", "assay-start"} {
			e.SetEvaluator(evaluator(t, weights))
			run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 5000})
		}
	}},
	{"a table cleared often", func(t *testing.T, e *Engine, _ *rand.Rand) {
		for range 1 << 16 {
			e.table.clear()
		}
		run(t, e, board.NewGame(position(t, middlegame)), engine.Limits{Nodes: 50000})
	}},
	{"random state everywhere", func(_ *testing.T, e *Engine, rng *rand.Rand) {
		for i := range e.frames {
			f := &e.frames[i]
			f.move, f.piece, f.eval = board.NewMove(board.A1, board.Square(rng.IntN(64))), board.NewPiece(board.Black,
				board.Knight), rng.IntN(999)
			f.killers = [2]board.Move{board.NewMove(8, 16), board.NewMove(6, 21)}
			f.threat, f.reversible, f.pvLen = rng.IntN(2) == 0, rng.IntN(40), rng.IntN(maxPly)
		}
		for i := range e.keys {
			e.keys[i] = rng.Uint64()
		}
		for i := range e.history.quiet {
			for j := range e.history.quiet[i] {
				e.history.quiet[i][j] = int16(rng.IntN(999))
			}
		}
		e.nodes, e.pollAt, e.stopped, e.selDepth, e.depth, e.nullFrom = rng.Uint64(), rng.Uint64(), true, 99, 77, 55
		e.pace, e.root.n = pace{scale: 9, stable: 3}, 200
	}},
}

// After NewGame, searches with limits in nodes or depth answer as in a fresh
// engine, whatever ran before.
func TestAnswersDoNotDependOnThePast(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	starts := []string{board.StartFEN, rootPositions[6], rootPositions[5], rootPositions[8]}
	var fresh [][]string
	for _, fen := range starts {
		fresh = append(fresh, answers(t, New(evaluator(t, "assay-start"), 1), fen))
	}
	e := New(evaluator(t, "assay-start"), 1)
	for i, d := range disturbances {
		t.Run(d.name, func(t *testing.T) {
			d.do(t, e, rng)
			n := i % len(starts)
			if got := answers(t, e, starts[n]); !slices.Equal(got, fresh[n]) {
				t.Errorf("%s\nfresh %q\nafter %q", starts[n], fresh[n], got)
			}
		})
	}
	for range 8 {
		var names []string
		for range 1 + rng.IntN(3) {
			d := disturbances[rng.IntN(len(disturbances))]
			names = append(names, d.name)
			d.do(t, e, rng)
		}
		n := rng.IntN(len(starts))
		if got := answers(t, e, starts[n]); !slices.Equal(got, fresh[n]) {
			t.Fatalf("%s after %q\nfresh %q\nafter %q", starts[n], names, fresh[n], got)
		}
	}
}

var rewrite = flag.Bool("update", false, "rewrite the signature")

// A failure means that the engine now plays differently. If that is intended, run the test
// with -update and say in the commit what changed.
func TestSignature(t *testing.T) {
	r := setup.Must(Bench(context.Background(), evaluator(t, models.Default), nil))
	t.Logf("%d positions, %d nodes, %.0f nodes/s", r.Positions, r.Nodes, r.NPS())
	if *rewrite {
		writeSignature(t, r.Nodes)
	} else if r.Nodes != Signature {
		t.Errorf("bench visits %d nodes, the signature is %d", r.Nodes, Signature)
	}
}

// writeSignature changes the constant in bench.go.
func writeSignature(t *testing.T, nodes uint64) {
	t.Helper()
	source := setup.Must(os.ReadFile("bench.go"))
	line := regexp.MustCompile(`(?m)^const Signature uint64 = \d+$`)
	if !line.Match(source) {
		t.Fatal("bench.go has no line that declares the signature")
	}
	source = line.ReplaceAll(source, fmt.Appendf(nil, "const Signature uint64 = %d", nodes))
	setup.Check(t, os.WriteFile("bench.go", source, 0o644))
}

func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{models.Default, "shannon-1950"} {
		b.Run(name, func(b *testing.B) {
			ev := evaluator(b, name)
			var nodes, ns float64
			for b.Loop() {
				r := setup.Must(Bench(context.Background(), ev, nil))
				nodes += float64(r.Nodes)
				ns += float64(r.Time)
			}
			b.ReportMetric(nodes/ns*1e9, "nodes/s")
		})
	}
}

// Every parameter has an effect: at one end of its range, the search of some bench position
// visits another number of nodes.
func TestEveryParameterHasAnEffect(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	nodes := func(fen string, most uint64) uint64 {
		setup.Check(t, e.NewGame(0))
		return run(t, e, board.NewGame(position(t, fen)), engine.Limits{Depth: 11, Nodes: most, HardNodes: true}).Nodes
	}
	before := map[string]uint64{}
	for _, fen := range benchPositions {
		before[fen] = nodes(fen, 1<<32)
	}
	// Small trees first: most parameters show an effect there.
	positions := slices.SortedFunc(maps.Keys(before), func(a, b string) int {
		return cmp.Compare(before[a], before[b])
	})
	for i := range parameters {
		p := &parameters[i]
		moves := func(fen string) bool {
			for _, value := range []int{p.least, p.most} {
				setup.Check(t, e.SetOption(p.name, strconv.Itoa(value)))
				if nodes(fen, before[fen]+1) != before[fen] {
					return true
				}
			}
			return false
		}
		if !slices.ContainsFunc(positions, moves) {
			t.Errorf("%s: %d and %d have no effect", p.name, p.least, p.most)
		}
		setup.Check(t, e.SetOption(p.name, strconv.Itoa(p.preset)))
	}
	if fen := benchPositions[1]; nodes(fen, before[fen]+1) != before[fen] {
		t.Errorf("%d nodes after all defaults were restored, want %d", nodes(fen, before[fen]+1), before[fen])
	}
}

// With all parameters at an end of their ranges, the search still ends, plays legal moves
// and finds a mate.
func TestParametersAtTheirLimits(t *testing.T) {
	for _, end := range []struct {
		name string
		of   func(*parameterInfo) int
	}{
		{"least", func(p *parameterInfo) int { return p.least }},
		{"most", func(p *parameterInfo) int { return p.most }},
	} {
		t.Run(end.name, func(t *testing.T) {
			e := New(evaluator(t, "assay-start"), 1)
			for i := range parameters {
				setup.Check(t, e.SetOption(parameters[i].name, strconv.Itoa(end.of(&parameters[i]))))
			}
			for _, fen := range benchPositions {
				p := position(t, fen)
				r := run(t, e, board.NewGame(p), engine.Limits{Nodes: 5000, HardNodes: true})
				if !p.IsLegal(r.Move) || r.Nodes > 5000 {
					t.Errorf("%s: move %v after %d nodes", fen, r.Move, r.Nodes)
				}
			}
			mate := run(t, e, board.NewGame(position(t, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")), engine.Limits{Depth: 6})
			if mate.Score != engine.MateScore-1 {
				t.Errorf("a mate in one scores %d", mate.Score)
			}
		})
	}
}

func TestParameterTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range parameters {
		if p.name == "" || strings.ContainsAny(p.name, " :=?&.") || p.about == "" || p.least >= p.most ||
			p.preset < p.least || p.preset > p.most {
			t.Errorf("%+v", p)
		}
		if name := strings.ToLower(p.name); seen[name] {
			t.Errorf("%s is listed twice", p.name)
		} else {
			seen[name] = true
		}
		if !IsParameter(strings.ToUpper(p.name)) {
			t.Errorf("%s is not found in capitals", p.name)
		}
	}
	if IsParameter("Hash") || IsParameter("") {
		t.Error("Hash or an empty name is a parameter")
	}
}

func TestParametersAreOptions(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	preset := parameters[reverseMargin].preset
	line := fmt.Sprintf("option name ReverseMargin type spin default %d min 10 max 300", preset)
	if slices.Contains(e.Options(), line) {
		t.Error("parameters are listed before ShowParameters")
	}
	if !e.ShowParameters() || !slices.Contains(e.Options(), line) {
		t.Errorf("options %q lack %q", e.Options(), line)
	}
	for _, value := range []string{"9", "301", "", "eighty", "80.5", "-80"} {
		err := e.SetOption("reversemargin", value)
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "ReverseMargin") ||
			!strings.Contains(err.Error(), "from 10 to 300") {
			t.Errorf("%q: %v", value, err)
		}
	}
	if v := e.params.values[reverseMargin]; v != preset {
		t.Errorf("refused values changed it to %d", v)
	}
	if err := e.SetOption("reversemargin", "90"); err != nil || e.params.values[reverseMargin] != 90 {
		t.Errorf("set to %d, %v", e.params.values[reverseMargin], err)
	}
}
