package books

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/opening"
)

// scorer is a player whose score is White's moves less Black's, times ten, for White.
type scorer struct {
	engine.Player
	searches *atomic.Int64
	stop     func()
}

func whiteScore(p *board.Position) int {
	other := *p
	n := p.CountLegal()
	if p.InCheck() {
		return 10 * n
	}
	other.MakeNull()
	return 10 * (n - other.CountLegal()) * (1 - 2*int(p.SideToMove()))
}

func (s *scorer) NewGame(uint64) error { return nil }
func (s *scorer) Close() error         { return nil }
func (s *scorer) Search(ctx context.Context, g *board.Game, _ engine.Limits) (engine.Result, error) {
	if s.searches.Add(1) == 25 && s.stop != nil {
		s.stop()
	}
	p := g.Position()
	return engine.Result{Score: engine.Score(whiteScore(p) * (1 - 2*int(p.SideToMove())))}, nil
}

// maker returns one of 20 openings of 6 to 10 random plies.
func maker(t *testing.T, dir, view string, searches *atomic.Int64, stop func()) *Maker {
	t.Helper()
	r, err := opening.NewRandom(10, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &Maker{Source: r, From: 6, To: 10, Min: 50, Max: 90, View: view, Openings: 20, Settings: view,
		Journal: filepath.Join(dir, "journal"), Open: func() (engine.Player, error) { return &scorer{nil, searches, stop}, nil }}
}

// Each game is left at the first position within the window, seen from the right side. The book is the same for
// any number of workers, and after an interruption, without a search made twice.
func TestMake(t *testing.T) {
	for _, view := range Views {
		var searches atomic.Int64
		m := maker(t, t.TempDir(), view, &searches, nil)
		m.Workers = 1
		want, err := m.Run(t.Context())
		if err != nil || len(want) != 20 {
			t.Fatalf("%d openings: %v", len(want), err)
		}
		if err := m.Done(); err != nil {
			t.Error(err)
		}
		for _, x := range want {
			for plies := 6; plies <= len(x.Game.Moves()); plies++ {
				p := cut(x.Game, plies).Position()
				score := whiteScore(p)
				switch {
				case view == "mover" && p.SideToMove() == board.Black, view == "leader" && score < 0:
					score = -score
				}
				if in := score >= 50 && score <= 90; in != (plies == len(x.Game.Moves())) {
					t.Errorf("%s: after %d plies of %d the score is %d", view, plies, len(x.Game.Moves()), score)
				}
				if plies == len(x.Game.Moves()) && int(x.Score) != whiteScore(p) {
					t.Errorf("%s: score %d, want %d", view, x.Score, whiteScore(p))
				}
			}
		}
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		var again atomic.Int64
		if _, err := maker(t, dir, view, &again, cancel).Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
		if other := maker(t, dir, "x", &again, nil); true {
			if _, err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "it is of other settings ("+view+")") {
				t.Errorf("other settings: %v", err)
			}
		}
		got, err := maker(t, dir, view, &again, nil).Run(t.Context())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another book after an interruption: %v", view, err)
		}
		if n := again.Load(); n > searches.Load()+100 {
			t.Errorf("%d searches in two parts, %d in one", n, searches.Load())
		}
	}
}

func TestMakeWithoutWindow(t *testing.T) {
	b := bookOf(t, 30, "b.pgn")
	m := &Maker{Source: b, From: 4, To: 4, Journal: filepath.Join(t.TempDir(), "j")}
	list, err := m.Run(t.Context())
	if err != nil || len(list) < 20 || len(list) > 30 {
		t.Fatalf("%d openings: %v", len(list), err)
	}
	seen := map[uint64]bool{}
	for _, x := range list {
		key := x.Game.Position().Key()
		if len(x.Game.Moves()) != 4 || seen[key] || x.Score.Known() {
			t.Errorf("%v: twice %v, score %d", x.Game.Moves(), seen[key], x.Score)
		}
		seen[key] = true
	}
	path := filepath.Join(t.TempDir(), "out.epd")
	m = &Maker{Source: b, From: 8, To: 8, Min: 5000, Max: 6000, View: "white", Journal: path, Open: func() (engine.Player, error) {
		return &scorer{nil, new(atomic.Int64), nil}, nil
	}}
	if _, err := m.Run(t.Context()); !errors.Is(err, ErrWindow) {
		t.Errorf("an impossible window: %v", err)
	}
	text := "8/8/8/8/8/k1p5/8/K7 w - -"
	if err := Write(path, []Exit{{gameOf(t, text), 90}, {gameOf(t, strings.Replace(text, " w ", " b ", 1)), 90}}); err != nil {
		t.Fatal(err)
	}
	want := text + " ce 90; fmvn 1; hmvc 0;\n" + strings.Replace(text, " w ", " b ", 1) + " ce -90; fmvn 1; hmvc 0;\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// gameOf returns a game that begins with a position.
func gameOf(t *testing.T, epd string) *board.Game {
	t.Helper()
	p, err := board.ParseFEN(epd + " 0 1")
	if err != nil {
		t.Fatal(err)
	}
	return board.NewGame(p)
}
