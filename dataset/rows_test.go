package dataset

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/dataset/internal/guard"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

func randomGames(seed uint64, n int) []GameRow { return datatest.Games[GameRow](seed, n) }

// positionsOf returns all positions of games, with labels of every kind.
func positionsOf(games []GameRow) (rows []PositionRow) {
	for _, g := range games {
		for i, game := range g.Replay() {
			p := *game.Position()
			r := PositionRow{Board: p, Ply: uint16(p.Ply()), Score: NoScore, Result: ResultOf(g.Result), Weight: 1}
			if i < len(g.Scores) {
				r.Score = g.Scores[i]
			}
			if i%7 != 0 {
				r.Game, r.Opening = g.Game, g.Opening
			}
			if i%5 == 0 {
				r.Weight = 0.25
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestGameID(t *testing.T) {
	// Computed with hashlib and struct in Python.
	if got := GameID("run", 1); got != 0x215125baac000001 {
		t.Errorf("GameID = %#x", got)
	}
	seen := map[uint64]bool{}
	for _, run := range []string{"", "a", "a\x00", "b"} {
		for n := range uint64(2000) {
			seen[GameID(run, n)] = true
		}
	}
	if len(seen) != 8000 {
		t.Errorf("%d ids of 8000", len(seen))
	}
}

func TestGameCheck(t *testing.T) {
	base := GameRow{Variant: Standard, Result: 1, Termination: "x"}
	for _, s := range strings.Fields("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7") {
		base.Moves = append(base.Moves, board.NewMove(squareOf(s[:2]), squareOf(s[2:])))
		base.Scores = append(base.Scores, NoScore)
	}
	setup.Check(t, base.Check())
	for want, spoil := range map[string]func(g *GameRow){
		"variant":             func(g *GameRow) { g.Variant = "atomic" },
		"start":               func(g *GameRow) { g.Start = "8/8/8/8/8/8/8/8 w - - 0 1" },
		"castling rights":     func(g *GameRow) { g.Start = datatest.Starts[5] },
		"ends 1-0":            func(g *GameRow) { g.Result = 0 },
		"not -1, 0 or 1":      func(g *GameRow) { g.Result = 2 },
		"6 scores":            func(g *GameRow) { g.Scores = g.Scores[1:] },
		"ply 2: score 32001":  func(g *GameRow) { g.Scores[2] = 32001 },
		"opening plies":       func(g *GameRow) { g.OpeningPlies = 8 },
		"ply 1: move 0":       func(g *GameRow) { g.Moves[1] = 0 },
		"ply 2: move 65535":   func(g *GameRow) { g.Moves[2] = 0xffff },
		"not UTF-8":           func(g *GameRow) { g.White = "\xff" },
		"too long":            func(g *GameRow) { g.Black = strings.Repeat("x", guard.MaxText+1) },
		"16385 moves are mor": func(g *GameRow) { g.Moves = make([]board.Move, MaxPlies+1) },
	} {
		g := base
		g.Moves, g.Scores = append([]board.Move(nil), base.Moves...), append([]int16(nil), base.Scores...)
		spoil(&g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func squareOf(s string) board.Square { return board.NewSquare(int(s[0]-'a'), int(s[1]-'1')) }

func TestReplay(t *testing.T) {
	for _, g := range randomGames(3, 50) {
		n := 0
		for i, game := range g.Replay() {
			if i != n || len(game.Moves()) != i {
				t.Fatalf("step %d: ply %d, %d moves", n, i, len(game.Moves()))
			}
			if i == int(g.OpeningPlies) && i < len(g.Moves) && game.Position().Key() != g.Opening {
				t.Errorf("opening key differs")
			}
			n++
		}
		if n != len(g.Moves)+1 {
			t.Errorf("%d steps for %d moves", n, len(g.Moves))
		}
	}
	bad := GameRow{Variant: Standard, Moves: []board.Move{0, 0}}
	for i := range bad.Replay() {
		if i > 0 {
			t.Error("played an illegal move")
		}
	}
}

func TestNewGameRow(t *testing.T) {
	for _, want := range randomGames(4, 50) {
		var last *board.Game
		for _, last = range want.Replay() {
		}
		got := setup.Must(NewGameRow(last))
		if err := got.Check(); err != nil {
			t.Error(err)
		}
		if len(got.Moves) != len(want.Moves) || got.Variant != want.Variant || got.Start != want.Start &&
			want.Variant == Standard {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestPositionCheck(t *testing.T) {
	good := PositionRow{Board: board.StartPosition(), Result: 0.5, Weight: 1, Score: NoScore}
	setup.Check(t, good.Check())
	nan := float32(0)
	nan /= nan
	for name, spoil := range map[string]func(*PositionRow){
		"zero board":      func(p *PositionRow) { p.Board = board.Position{} },
		"result":          func(p *PositionRow) { p.Result = 1.01 },
		"NaN":             func(p *PositionRow) { p.Result = nan },
		"weight":          func(p *PositionRow) { p.Weight = -1 },
		"NaN weight":      func(p *PositionRow) { p.Weight = nan },
		"score":           func(p *PositionRow) { p.Score = -32001 },
		"negative result": func(p *PositionRow) { p.Result = -0.5 },
	} {
		p := good
		if spoil(&p); p.Check() == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}
