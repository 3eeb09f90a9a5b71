package board

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// play pushes moves given as SAN.
func play(t *testing.T, g *Game, sans string) {
	t.Helper()
	for _, san := range strings.Fields(sans) {
		m := setup.Must(g.Position().ParseSAN(san))
		g.Push(m)
	}
}

func TestOutcome(t *testing.T) {
	const draw, going = Draw, "going on"
	for _, c := range []struct {
		name, fen, moves string
		result           GameResult
		why              Termination
	}{
		{"start", StartFEN, "", draw, going},
		{"fool's mate", StartFEN, "f3 e5 g4 Qh4", BlackWins, Checkmate},
		{"scholar's mate", StartFEN, "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", WhiteWins, Checkmate},
		{"smothered mate", "6rk/6pp/8/6N1/8/8/8/4K3 w - - 0 1", "Nf7", WhiteWins, Checkmate},
		{"mate by castling", "8/8/8/8/8/5N2/4Q3/R3K2k w Q - 0 1", "O-O-O", WhiteWins, Checkmate},

		{"stalemate", "7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "", draw, Stalemate},
		{"stalemate by a move", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7", draw, Stalemate},
		{"stalemate of ten moves", StartFEN, "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7 Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
			draw, Stalemate},
		{"stalemate beats bare kings", "8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", "", draw, Stalemate},
		{"a pinned pawn is stalemated too", "6bk/8/8/8/2p5/1P6/K7/2r5 w - - 0 1", "", draw, going},

		{"bare kings", "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "Kxe2", draw, InsufficientMaterial},
		{"king and knight", "4k3/8/8/8/8/8/4p3/4K1N1 w - - 0 1", "Nxe2", draw, InsufficientMaterial},

		{"threefold", StartFEN, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", draw, Repetition},
		{"twofold", StartFEN, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", draw, going},
		{"threefold by other ways", StartFEN, "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8", draw, Repetition},
		// rights lost
		{"the third time after a pause", StartFEN, "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Rb1 Rb8 Ra1 Ra8 Nb1 Nb8", draw, going},
		{"a lost right is another position", "r3k3/8/8/8/8/8/8/4K2R w K - 0 1", "Rh2 Ra7 Rh1 Ra8 Rh2 Ra7 Rh1 Ra8", draw,
			going},
		{"a lost right, four times", "r3k3/8/8/8/8/8/8/4K2R w K - 0 1", "Rh2 Ra7 Rh1 Ra8 Rh2 Ra7 Rh1 Ra8 Rh2", draw,
			Repetition},
		{"a legal en passant is another position", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1",
			draw, going},
		{"a legal en passant, a move later", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1 Kd8",
			draw, Repetition},
		{"an illegal en passant is the same position", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
			"e4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1", draw, Repetition},

		{"fifty moves", "4k3/8/8/8/8/8/8/4K2R w - - 98 80", "Rh2 Kd8", draw, FiftyMoves},
		{"the 99th ply", "4k3/8/8/8/8/8/8/4K2R w - - 98 80", "Rh2", draw, going},
		{"a capture on the 100th ply", "4k3/8/8/8/8/8/4p3/4K2R w - - 99 80", "Kxe2", draw, going},
		{"a pawn move on the 100th ply", "4k3/8/8/8/8/8/P7/4K2R w - - 99 80", "a4", draw, going},
		{"castling on the 100th ply", "4k3/8/8/8/8/8/8/4K2R w K - 99 80", "O-O", draw, FiftyMoves},
		{"mate on the 100th ply", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80", "Ra8", WhiteWins, Checkmate},
		{"stalemate on the 100th ply", "7k/5K2/8/8/8/8/8/6Q1 w - - 99 80", "Qg6", draw, Stalemate},
		{"already over a hundred", "4k3/8/8/8/8/8/8/4K2R w - - 255 300", "", draw, FiftyMoves},
	} {
		g := NewGame(mustParse(t, c.fen))
		play(t, g, c.moves)
		result, why, over := g.Outcome()
		if !over && why == "" {
			why = going
		}
		if result != c.result || why != c.why || over != (c.why != going) {
			t.Errorf("%s: %s ends %v, %s; want %v, %s", c.name, g.Position().FEN(), result, why, c.result, c.why)
		}
	}
}

func TestInsufficientMaterial(t *testing.T) {
	for _, c := range []struct {
		pieces string // besides the kings, on squares of the given colors
		want   bool
	}{
		{"8/8/8/8", true},
		{"N7/8/8/8", true},
		{"n7/8/8/8", true},
		{"B7/8/8/8", true},
		{"b7/8/8/8", true},
		{"1b6/8/8/8", true},
		{"B1B5/8/8/8", true}, // one side, one color
		{"B1b5/8/8/8", true}, // both sides, one color
		{"BB6/8/8/8", false}, // both colours
		{"Bb6/8/8/8", false}, // a bishop each on different colours can still be mated with help
		{"NN6/8/8/8", false}, // mate is possible with help
		{"Nn6/8/8/8", false}, // likewise
		{"NB6/8/8/8", false}, // forced
		{"Nb6/8/8/8", false}, // with help
		{"B1B1B1b1/8/8/8", true},
		{"B1B1BB2/8/8/8", false},
		{"P7/8/8/8", false},
		{"p7/8/8/8", false},
		{"R7/8/8/8", false},
		{"q7/8/8/8", false},
	} {
		p := mustParse(t, "8/7k/"+c.pieces+"/8/7K w - - 0 1")
		if got := p.InsufficientMaterial(); got != c.want {
			t.Errorf("%s: InsufficientMaterial() = %v", p.FEN(), got)
		}
	}
}

// TestRepetitionsAgainstPositions compares with the count of equal positions among
// all earlier ones, in games that shuffle about.
func TestRepetitionsAgainstPositions(t *testing.T) {
	seen := 0
	for _, fen := range startFENs(t)[:30] {
		g := NewGame(mustParse(t, fen))
		history := map[string]int{}
		for i := range 300 {
			p := g.Position()
			key := strings.Join(strings.Fields(p.FEN())[:4], " ")
			if got := g.Repetitions(); got != history[key] {
				t.Fatalf("%s after %v: Repetitions() = %d, want %d", fen, g.Moves(), got, history[key])
			}
			seen += min(history[key], 1)
			history[key]++
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			// Mostly take the last move but one back, which repeats.
			m := moves[(i*7)%len(moves)]
			if n := len(g.Moves()); n >= 2 && i%5 != 0 {
				back := NewMove(g.Moves()[n-2].To(), g.Moves()[n-2].From())
				if p.IsLegal(back) && !p.IsCapture(back) {
					m = back
				}
			}
			g.Push(m)
		}
	}
	if seen < 500 {
		t.Errorf("only %d repetitions seen", seen)
	}
}

func TestGameKeepsItsHistory(t *testing.T) {
	start := mustParse(t, kiwipeteFEN)
	g := NewGame(start)
	var keys []uint64
	for _, san := range []string{"O-O", "O-O-O", "Nxd7", "hxg2"} {
		keys = append(keys, g.Position().Key())
		play(t, g, san)
	}
	clone := g.Clone()
	if g.Start() != start || len(g.Moves()) != 4 || fmt.Sprint(g.Keys()) != fmt.Sprint(keys) {
		t.Errorf("start %s, moves %v, keys %v", start.FEN(), g.Moves(), g.Keys())
	}
	play(t, g, "Kxg2")
	after := *g.Position()
	play(t, clone, "Nxb6 axb6")
	if *g.Position() != after || len(g.Moves()) != 5 || len(clone.Moves()) != 6 || g.Moves()[4] == clone.Moves()[4] {
		t.Error("a clone's moves reach the original")
	}
	replay := NewGame(start)
	for _, m := range clone.Moves() {
		replay.Push(m)
	}
	if *replay.Position() != *clone.Position() || fmt.Sprint(replay.Keys()) != fmt.Sprint(clone.Keys()) {
		t.Error("the same moves give another game")
	}
}
