// Package enginetest is the conformance suite of engine.Player: the part of the contract
// that can be tested without knowing how a player chooses its moves.
//
// A player's own tests call Conform and add tests of its chess.
package enginetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// option changes what Conform requires of a player.
type option int

const (
	// Weak is for players that may miss a mate in one.
	Weak option = iota + 1
	// Remote is for players that search in another process. How many nodes they visit
	// before they notice that they are to stop depends on the machine, and is not tested.
	Remote
)

// promptNodes is how many nodes a player may visit after its context has ended. Counting
// nodes instead of seconds gives the same verdict on a busy machine.
const promptNodes = 10_000

// Conform tests the contract of engine.Player. Each call of open must return a fresh
// player. No verdict depends on how fast the machine is: a player that ignores a limit in
// time does not fail a test but never ends it.
func Conform(t *testing.T, open func() engine.Player, options ...option) {
	t.Helper()
	tests := []struct {
		name string
		run  func(*testing.T, engine.Player)
	}{
		{"games are legal", testGames},
		{"tricky positions", testTricky},
		{"node limits", testNodes},
		{"depth limits", testDepth},
		{"time limits", testTime},
		{"context", func(t *testing.T, p engine.Player) { testContext(t, p, slices.Contains(options, Remote)) }},
		{"ponderhit", testPonderHit},
		{"no legal moves", testNoMoves},
		{"search moves", testSearchMoves},
		{"the game is unchanged", testGameUnchanged},
		{"options", testOptions},
		{"mate in one", testMateInOne},
	}
	for _, tt := range tests {
		if tt.name == "mate in one" && slices.Contains(options, Weak) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			p := open()
			defer closePlayer(t, p)
			newGame(t, p, 1)
			tt.run(t, p)
		})
	}
	t.Run("deterministic", func(t *testing.T) { testDeterminism(t, open) })
}

func closePlayer(t *testing.T, p engine.Player) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func newGame(t *testing.T, p engine.Player, seed uint64) {
	t.Helper()
	if err := p.NewGame(seed); err != nil {
		t.Fatalf("NewGame: %v", err)
	}
}

func parse(t *testing.T, fen string) *board.Game {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatalf("enginetest's own position: %v", err)
	}
	return board.NewGame(p)
}

// search asks for a move and checks what holds for every answer.
func search(t *testing.T, p engine.Player, g *board.Game, lim engine.Limits) engine.Result {
	t.Helper()
	r, err := p.Search(context.Background(), g, lim)
	if err != nil {
		t.Fatalf("Search of %s: %v", g.Position().FEN(), err)
	}
	check(t, g, r)
	return r
}

func check(t *testing.T, g *board.Game, r engine.Result) {
	t.Helper()
	p := *g.Position()
	if p.CountLegal() == 0 {
		if r.Move != board.NullMove {
			t.Errorf("%s has no legal move, the answer is %v", p.FEN(), r.Move)
		}
		return
	}
	if !p.IsLegal(r.Move) {
		t.Fatalf("%v is not legal in %s", r.Move, p.FEN())
	}
	if len(r.PV) > 0 && r.PV[0] != r.Move {
		t.Errorf("%s: the principal variation %v does not begin with the move %v", p.FEN(), r.PV, r.Move)
	}
	for i, m := range r.PV {
		if !p.IsLegal(m) {
			t.Errorf("%s: move %d of the principal variation %v is not legal", g.Position().FEN(), i+1, r.PV)
			break
		}
		p.Make(m)
	}
	if abs := max(r.Score, -r.Score); r.Score.Known() && abs > engine.MaxScore && abs < engine.MateScore-1000 ||
		abs >= engine.MateScore && r.Score.Known() {
		t.Errorf("%s: score %d is neither centipawns nor a mate", g.Position().FEN(), r.Score)
	}
}

// testGames plays games against itself.
func testGames(t *testing.T, p engine.Player) {
	for i, fen := range []string{board.StartFEN, tricky[0], tricky[1]} {
		newGame(t, p, uint64(i))
		g := parse(t, fen)
		for range 60 {
			if _, _, over := g.Outcome(); over {
				break
			}
			g.Push(search(t, p, g, engine.Limits{Nodes: 300, Depth: 4}).Move)
		}
	}
}

// testTricky searches positions that have exposed bugs in engines.
func testTricky(t *testing.T, p engine.Player) {
	for _, fen := range tricky {
		newGame(t, p, 1)
		search(t, p, parse(t, fen), engine.Limits{Nodes: 500})
		search(t, p, parse(t, fen), engine.Limits{Depth: 1, Nodes: 5000}) // captures without end
	}
}

func testNodes(t *testing.T, p engine.Player) {
	g := parse(t, tricky[0])
	for _, n := range []uint64{1, 2, 100, 3000} {
		newGame(t, p, 1)
		if r := search(t, p, g, engine.Limits{Nodes: n, HardNodes: true}); r.Nodes > n {
			t.Errorf("%d nodes under a hard limit of %d", r.Nodes, n)
		}
		newGame(t, p, 1)
		if r := search(t, p, g, engine.Limits{Nodes: n}); r.Nodes > 8*n {
			t.Errorf("%d nodes under a soft limit of %d, which stops hard at 8 times as many", r.Nodes, n)
		}
	}
}

func testDepth(t *testing.T, p engine.Player) {
	for depth := 1; depth <= 3; depth++ {
		newGame(t, p, 1)
		if r := search(t, p, parse(t, board.StartFEN), engine.Limits{Depth: depth}); r.Depth > depth {
			t.Errorf("depth %d under a limit of %d", r.Depth, depth)
		}
	}
}

func testTime(t *testing.T, p engine.Player) {
	for _, lim := range []engine.Limits{
		{MoveTime: 30 * time.Millisecond},
		{Clock: [2]time.Duration{100 * time.Millisecond, 100 * time.Millisecond}},
		{Clock: [2]time.Duration{1, 1}, MovesToGo: 1},
	} {
		search(t, p, parse(t, tricky[0]), lim)
	}
}

// testContext ends contexts before a search, at its first Info and by a timer.
func testContext(t *testing.T, p engine.Player, remote bool) {
	prompt := func(after string, nodes uint64) {
		if nodes > promptNodes && !remote {
			t.Errorf("%d nodes after the context had ended %s", nodes, after)
		}
	}
	for _, lim := range []engine.Limits{{}, {Infinite: true}, {Ponder: true, MoveTime: time.Millisecond}} {
		ctx, cancel := context.WithCancel(context.Background())
		g := parse(t, tricky[0])
		time.AfterFunc(5*time.Millisecond, cancel) // for players without Info
		var nodes uint64
		atInfo := false
		lim.Info = func(i engine.Info) {
			if cancel(); !atInfo {
				nodes, atInfo = i.Nodes, true
			}
		}
		r, err := p.Search(ctx, g, lim)
		if err != nil {
			t.Fatalf("Search: %v", err)
		}
		check(t, g, r)
		if atInfo && r.Nodes > nodes {
			prompt("at the first Info", r.Nodes-nodes)
		}
		if ctx.Err() == nil && (lim.Infinite || lim.Ponder) {
			t.Errorf("%+v ended before its context", lim)
		}
		cancel()
	}
	// A search whose context has ended before it starts still returns a legal move.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := parse(t, board.StartFEN)
	r, err := p.Search(ctx, g, engine.Limits{})
	if err != nil {
		t.Fatalf("Search: %v", err)
	}
	check(t, g, r)
	prompt("before the search", r.Nodes)
}

// testPonderHit tests that a Ponderer answers after ponderhit and not before.
func testPonderHit(t *testing.T, p engine.Player) {
	if q, ok := engine.As[engine.Ponderer](p); !ok || !q.Ponders() {
		return // the server stops it and searches again
	}
	for _, lim := range []engine.Limits{
		{MoveTime: time.Millisecond},
		{Clock: [2]time.Duration{100 * time.Millisecond, 100 * time.Millisecond}},
		{Depth: 1},
	} {
		hit := make(chan struct{})
		time.AfterFunc(5*time.Millisecond, func() { close(hit) })
		lim.Ponder, lim.PonderHit = true, hit
		search(t, p, parse(t, tricky[0]), lim)
		select {
		case <-hit:
		default:
			t.Errorf("%+v: an answer before ponderhit", lim)
		}
	}
}

func testNoMoves(t *testing.T, p engine.Player) {
	for _, fen := range []string{
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", // checkmate
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",    // stalemate
	} {
		if r := search(t, p, parse(t, fen), engine.Limits{Nodes: 100}); len(r.PV) > 0 {
			t.Errorf("%s: principal variation %v without a legal move", fen, r.PV)
		}
	}
}

func testSearchMoves(t *testing.T, p engine.Player) {
	g := parse(t, board.StartFEN)
	for _, m := range []board.Move{board.NewMove(8, 16), board.NewMove(1, 16)} { // a2a3, b1a3
		r := search(t, p, g, engine.Limits{Depth: 3, SearchMoves: []board.Move{m}})
		if r.Move != m {
			t.Errorf("%v with SearchMoves %v", r.Move, m)
		}
	}
}

func testGameUnchanged(t *testing.T, p engine.Player) {
	g := parse(t, board.StartFEN)
	for _, uci := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
		m, err := g.Position().ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		g.Push(m)
	}
	before := g.Clone()
	search(t, p, g, engine.Limits{Nodes: 1000})
	if *g.Position() != *before.Position() || !slices.Equal(g.Moves(), before.Moves()) ||
		!slices.Equal(g.Keys(), before.Keys()) {
		t.Error("the search changed the game")
	}
}

func testOptions(t *testing.T, p engine.Player) {
	if err := p.SetOption("No Such Option", "1"); err == nil {
		t.Error("SetOption accepts an unknown option")
	}
	search(t, p, parse(t, board.StartFEN), engine.Limits{Nodes: 100})
}

func testMateInOne(t *testing.T, p engine.Player) {
	for _, fen := range []string{
		"6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1",
		"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
		"6rk/6pp/3N4/8/8/8/7K/8 w - - 0 1",
		"r3k2r/8/8/8/8/8/5PPP/6K1 b kq - 0 1",
	} {
		newGame(t, p, 1)
		g := parse(t, fen)
		r := search(t, p, g, engine.Limits{Nodes: 20000, Depth: 4})
		g.Push(r.Move)
		if _, why, _ := g.Outcome(); why != board.Checkmate {
			t.Errorf("%s: %v does not mate", fen, r.Move)
		}
	}
}

// testDeterminism compares a fresh player with one that has played other games.
func testDeterminism(t *testing.T, open func() engine.Player) {
	used := open()
	defer closePlayer(t, used)
	for i, lim := range []engine.Limits{{Nodes: 2000}, {Nodes: 1500, HardNodes: true}, {Depth: 3}} {
		search(t, used, parse(t, tricky[i]), engine.Limits{Nodes: 3000})
		fresh := open()
		seed := uint64(7 + i)
		newGame(t, used, seed)
		newGame(t, fresh, seed)
		g := parse(t, tricky[0])
		for range 6 {
			a, b := search(t, fresh, g, lim), search(t, used, g, lim)
			if x, y := describe(a), describe(b); x != y {
				t.Fatalf("%s\nfresh player:    %s\nafter other games: %s", g.Position().FEN(), x, y)
			}
			if a.Move == board.NullMove {
				break
			}
			g.Push(a.Move)
		}
		closePlayer(t, fresh)
	}
}

func describe(r engine.Result) string {
	return fmt.Sprintf("%v score %d depth %d nodes %d pv %v", r.Move, r.Score, r.Depth, r.Nodes, r.PV)
}

// Position returns the position of a FEN. An invalid FEN fails the test.
func Position(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Explains checks that the explanations of positions, by FEN, contain the texts.
func Explains(t *testing.T, p interface {
	Explain(*board.Position) (string, error)
}, wants map[string][]string) {
	t.Helper()
	for fen, texts := range wants {
		position := Position(t, fen)
		out, err := p.Explain(&position)
		if err != nil {
			t.Errorf("%s: %v", fen, err)
		}
		for _, want := range texts {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", fen, want, out)
			}
		}
	}
}

// SetOptions sets the options, each written as name=value.
func SetOptions(t testing.TB, p engine.Player, options ...string) {
	t.Helper()
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		if err := p.SetOption(name, value); err != nil {
			t.Fatal(err)
		}
	}
}

// Move returns the move that is written as san in the position.
func Move(t testing.TB, p *board.Position, san string) board.Move {
	t.Helper()
	m, err := p.ParseSAN(san)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tricky holds legal positions that have exposed bugs in engines.
var tricky = []string{
	// Castling, pins, en passant, promotions: the perft classics.
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	// The most legal moves of any position, 218, and one with 104 captures of queens.
	"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
	"r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
	// Double check, discovered check by en passant, a pawn pinned on its rank.
	"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
	"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
	"rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
	// Bare kings, one piece, nothing but pawns that block each other.
	"8/8/4k3/8/8/4K3/8/8 w - - 0 1",
	"8/8/4k3/8/8/4K3/3N4/8 b - - 0 1",
	"4k3/8/p1p1p1p1/P1P1P1P1/8/8/8/4K3 w - - 0 1",
	// At and before the end of fifty moves; and very late in a game.
	"7k/8/8/8/8/8/R7/K7 w - - 99 120",
	"7k/8/8/8/8/8/R7/K7 b - - 100 120",
	"8/8/8/5k2/8/8/8/4K2R w - - 30 6000",
	// One legal move; zugzwang; underpromotion saves the game.
	"7k/6pp/8/8/8/8/q7/7K w - - 0 1",
	"8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
	"8/1P6/8/8/8/k7/p7/K7 w - - 0 1",
	// Chess960: king and rooks off their squares, castling on the spot.
	"1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1",
	"4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
	// As many queens as chess allows, all attacking each other.
	"r1bqkb1r/qqqqqqqq/2n2n2/8/8/2N2N2/QQQQQQQQ/R1BQKB1R w KQkq - 0 1",
}
