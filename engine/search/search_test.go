package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// evaluator returns the evaluator of embedded weights or a weight file.
func evaluator(t testing.TB, name string) engine.Evaluator {
	t.Helper()
	f := setup.Must(models.Open(name))
	m, w, err := f.Weights()
	setup.Check(t, err)
	return setup.Must(m.NewEvaluator(w))
}

func position(t testing.TB, fen string) board.Position {
	t.Helper()
	return setup.Must(board.ParseFEN(fen))
}

func run(t testing.TB, e *Engine, g *board.Game, lim engine.Limits) engine.Result {
	t.Helper()
	return setup.Must(e.Search(context.Background(), g, lim))
}

func TestNoMoves(t *testing.T) {
	for fen, score := range map[string]int{
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1":     0,
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1":  -engine.MateScore,
		"k7/1Q6/1K6/8/8/8/8/8 b - - 0 1":     -engine.MateScore,
		"5k2/5P2/5K2/8/8/8/8/8 b - - 99 100": 0,
	} {
		e := New(evaluator(t, "shannon-1950"), 1)
		r := run(t, e, board.NewGame(position(t, fen)), engine.Limits{Depth: 3})
		if r.Move != board.NullMove || int(r.Score) != score || len(r.PV) != 0 || r.Nodes != 0 {
			t.Errorf("%s: %+v, want no move and %d", fen, r, score)
		}
	}
}

func TestLeafSearch(t *testing.T) {
	ev := evaluator(t, "shannon-1950")
	// The queen hangs: in the leaf she has been captured.
	p := position(t, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
	leaf, score := NewLeafSearch(ev).Leaf(&p)
	if leaf.ByType(board.Queen) != 0 || score != ev.Evaluate(&leaf) || score <= 0 {
		t.Errorf("leaf %s, score %d", leaf.FEN(), score)
	}
	quiet := board.StartPosition()
	if leaf, score := NewLeafSearch(ev).Leaf(&quiet); leaf != quiet || score != ev.Evaluate(&quiet) {
		t.Errorf("start position: leaf %s, score %d", leaf.FEN(), score)
	}
	mated := position(t, "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
	if leaf, score := NewLeafSearch(ev).Leaf(&mated); leaf != mated || score != engine.MateScore {
		t.Errorf("mated: leaf %s, score %d", leaf.FEN(), score)
	}
	// The search ends even if the board is full of hanging queens.
	wild := position(t, "r1bqkb1r/qqqqqqqq/2n2n2/8/8/2N2N2/QQQQQQQQ/R1BQKB1R w KQkq - 0 1")
	if leaf, score := NewLeafSearch(ev).Leaf(&wild); score != ev.Evaluate(&leaf) {
		t.Errorf("the evaluation of leaf %s is %d, the score %d", leaf.FEN(), ev.Evaluate(&leaf), score)
	}
	l := NewLeafSearch(ev)
	if n := testing.AllocsPerRun(10, func() { l.Leaf(&p) }); n != 0 {
		t.Errorf("Leaf allocates %v times", n)
	}
}

// problem is a position with its best moves.
type problem struct {
	text string
	pos  board.Position
	best []board.Move
}

// problems reads an EPD file of positions with best moves.
func problems(t *testing.T, path string) (list []problem) {
	data := setup.Must(os.ReadFile(path))
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		_, moves, found := strings.Cut(text, " bm ")
		if !found {
			t.Fatalf("%s: no best move in %q", path, text)
		}
		x := problem{text: text, pos: position(t, strings.Join(fields[:4], " ")+" 0 1")}
		moves, _, _ = strings.Cut(moves, ";")
		for _, san := range strings.Fields(moves) {
			m, err := x.pos.ParseSAN(san)
			if err != nil {
				t.Fatalf("%s: %q: %v", path, text, err)
			}
			x.best = append(x.best, m)
		}
		list = append(list, x)
	}
	return list
}

// TestWAC searches some positions of Win at Chess (Reinfeld 1945) with a limit in nodes, two at a time.
func TestWAC(t *testing.T) {
	list := problems(t, "testdata/wac.epd")[:40]
	var solved atomic.Int64
	var wait sync.WaitGroup
	for half := range slices.Chunk(list, len(list)/2) {
		e := New(evaluator(t, "assay"), 64)
		wait.Go(func() {
			for _, x := range half {
				if err := e.NewGame(0); err != nil {
					t.Error(err)
					return
				}
				r, err := e.Search(t.Context(), board.NewGame(x.pos), engine.Limits{Nodes: 30_000, HardNodes: true})
				switch {
				case err != nil:
					t.Errorf("%s: %v", x.text, err)
				case slices.Contains(x.best, r.Move):
					solved.Add(1)
				default:
					t.Logf("missed: %s: played %s (depth %d, score %d)", x.text, x.pos.SAN(r.Move), r.Depth, r.Score)
				}
			}
		})
	}
	wait.Wait()
	if solved.Load() < 35 {
		t.Errorf("only %d of %d solved", solved.Load(), len(list))
	}
}

// rootPositions have many legal moves and few, mates for both sides, and castling in
// standard chess and Chess960.
var rootPositions = []string{
	board.StartFEN,
	middlegame,
	onlyMove,
	"7k/8/R7/1R6/8/8/8/7K w - - 0 1",
	"7k/R7/5K2/8/8/8/8/1R6 b - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
	"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
}

// checkLines checks the number of lines of one iteration, their order, the best first, and
// that no two have the same first move.
func checkLines(t *testing.T, lines []engine.Info, want int, allowed []board.Move) {
	t.Helper()
	if len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	var first []board.Move
	for i, l := range lines {
		switch {
		case l.MultiPV != i+1 || l.Depth != lines[0].Depth || l.Bound != 0 || len(l.PV) == 0:
			t.Errorf("line %d: %+v", i+1, l)
		case i > 0 && l.Score > lines[i-1].Score:
			t.Errorf("line %d has %d, the one before %d", i+1, l.Score, lines[i-1].Score)
		case slices.Contains(first, l.PV[0]):
			t.Errorf("line %d starts with %v, as an earlier one does", i+1, l.PV[0])
		case !slices.Contains(allowed, l.PV[0]):
			t.Errorf("line %d starts with %v, which is not in %v", i+1, l.PV[0], allowed)
		}
		first = append(first, l.PV[0])
	}
}

func TestMultiPVAndSearchMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const depth = 4
	for _, fen := range rootPositions {
		p := position(t, fen)
		legal := p.LegalMoves(nil)
		for _, multiPV := range []int{0, 1, 2, 5, board.MaxMoves} {
			for _, restricted := range []bool{false, true} {
				e := New(evaluator(t, "assay-start"), 1)
				allowed, only := legal, []board.Move(nil)
				if restricted {
					rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
					only = legal[:1+rng.IntN(len(legal))]
					allowed = only
				}
				var infos []engine.Info
				r := run(t, e, board.NewGame(p), engine.Limits{Depth: depth, MultiPV: multiPV, SearchMoves: only,
					Info: func(i engine.Info) { infos = append(infos, i) }})
				want := min(max(multiPV, 1), len(allowed))
				if len(infos) != depth*want {
					t.Fatalf("%s: %d lines in %d iterations, want %d in each", fen, len(infos), depth, want)
				}
				for lines := range slices.Chunk(infos, want) {
					checkLines(t, lines, want, allowed)
				}
				if last := infos[(depth-1)*want]; r.Move != last.PV[0] || r.Score != last.Score || r.Depth != depth ||
					!slices.Equal(r.PV, last.PV) {
					t.Errorf("%s: %+v, but the last best line is %+v", fen, r, last)
				}
			}
		}
	}
}

// The first of several lines has the best move, the second the best of the other moves.
func TestSecondLine(t *testing.T) {
	for _, tt := range []struct{ fen, first, second string }{
		{"6k1/5ppp/8/8/8/8/5PPP/R2Q2K1 w - - 0 1", "", ""}, // two mates in one
		{"4k3/8/8/3q1r2/4P3/8/8/4K3 w - - 0 1", "e4d5", "e4f5"},
	} {
		p := position(t, tt.fen)
		var lines []engine.Info
		run(t, New(evaluator(t, "assay-start"), 1), board.NewGame(p),
			engine.Limits{Depth: 8, MultiPV: 3, Info: func(i engine.Info) {
				if i.Depth == 8 {
					lines = append(lines, i)
				}
			}})
		if tt.first == "" {
			if lines[0].Score != engine.MateScore-1 || lines[1].Score != engine.MateScore-1 ||
				lines[2].Score >= engine.MateScore-1 {
				t.Errorf("%s: %+v", tt.fen, lines)
			}
			continue
		}
		if a, b := p.UCI(lines[0].PV[0]), p.UCI(lines[1].PV[0]); a != tt.first || b != tt.second {
			t.Errorf("%s: %s, then %s; want %s, then %s", tt.fen, a, b, tt.first, tt.second)
		}
	}
}

// A search stopped at any node answers with an allowed move, the one of its last Info.
func TestStoppedAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	e := New(evaluator(t, "assay-start"), 1)
	for _, fen := range rootPositions {
		p := position(t, fen)
		legal := p.LegalMoves(nil)
		for range 30 {
			lim := engine.Limits{Nodes: uint64(1 + rng.IntN(3000)), HardNodes: true, MultiPV: rng.IntN(4)}
			allowed := legal
			if rng.IntN(2) == 0 {
				lim.SearchMoves = legal[:1+rng.IntN(len(legal))]
				allowed = lim.SearchMoves
			}
			var reported board.Move // the last best move
			lim.Info = func(i engine.Info) {
				if i.MultiPV == 1 {
					reported = i.PV[0]
				}
			}
			r := run(t, e, board.NewGame(p), lim)
			if !slices.Contains(allowed, r.Move) || r.PV[0] != r.Move || r.Nodes > lim.Nodes ||
				r.Depth > 0 && reported != r.Move {
				t.Fatalf("%s, %+v: %+v, the last reported move was %v", fen, lim, r, reported)
			}
		}
	}
}

func TestIllegalSearchMoves(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	g := board.NewGame(position(t, middlegame))
	illegal := board.NewMove(board.A1, board.H8)
	if _, err := e.Search(context.Background(), g,
		engine.Limits{Depth: 5, SearchMoves: []board.Move{illegal}}); !errors.Is(err, errSearchMoves) {
		t.Errorf("error %v for illegal moves", err)
	}
	some := g.Position().LegalMoves(nil)[3]
	if r := run(t, e, g, engine.Limits{Depth: 3, SearchMoves: []board.Move{illegal, some, some}}); r.Move != some {
		t.Errorf("%v, want %v, the only legal one of SearchMoves", r.Move, some)
	}
}

// The score of some of the moves is not the position's, which a later search may meet. Without pieces there is no null
// move by which the search itself meets it.
func TestSearchMovesScoreNoPosition(t *testing.T) {
	e := New(evaluator(t, "shannon-1950"), 1)
	p := position(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
	for only, want := range map[int]bool{1: false, len(p.LegalMoves(nil)): true} {
		setup.Check(t, e.NewGame(0))
		run(t, e, board.NewGame(p), engine.Limits{Depth: 4, SearchMoves: p.LegalMoves(nil)[:only]})
		if _, found := e.table.probe(p.Key()); found != want {
			t.Errorf("%d moves: the table has the position: %v, want %v", only, found, want)
		}
	}
}

// The last Info of a search that was stopped has its nodes, its score, and the move it answers with.
func TestLastInfo(t *testing.T) {
	for name, lim := range map[string]engine.Limits{
		"stop": {Infinite: true}, "nodes": {Nodes: 3000, HardNodes: true}, "movetime": {MoveTime: 20 * time.Millisecond},
		"none": {Nodes: 1, HardNodes: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var last engine.Info
			infos := 0
			lim.Info = func(i engine.Info) {
				last = i
				if infos++; lim.Infinite && i.Depth == 5 {
					stop()
				}
			}
			r := setup.Must(New(evaluator(t, "assay-start"), 1).Search(ctx, board.NewGame(board.StartPosition()), lim))
			if infos == 0 || last.Nodes != r.Nodes || last.Time <= 0 || len(last.PV) == 0 || last.PV[0] != r.Move ||
				last.Bound == 0 && last.Score != r.Score {
				t.Errorf("after %d lines the last is %+v, the answer %+v", infos, last, r)
			}
		})
	}
}
