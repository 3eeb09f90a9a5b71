package turing

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
)

var _ historic.Explainer = (*Player)(nil)

func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player { return New() })
}

// golden holds the results of an independent program: see the note in the file.
type golden struct {
	Figures []struct {
		Move              int
		SAN, FEN          string
		Printed, Computed float64
		Star, Match       bool
		Higher            []string
		NHigher           int `json:"n_higher"`
		Equal             []string
	}
	Choices []struct {
		Move        int
		FEN         string
		Turing      string
		TuringValue float64 `json:"turing_value"`
		TuringPP    float64 `json:"turing_pp"`
		Best        string
		BestValue   float64 `json:"best_value"`
		BestPP      float64 `json:"best_pp"`
		Agree       bool
		InMax       bool `json:"in_max_material_set"`
		NInMax      int  `json:"n_in_max_set"`
	}
	Vectors []struct {
		ID, Term, FEN, Move string
		Expected            float64
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data := setup.Must(os.ReadFile("testdata/turing.json"))
	setup.Check(t, json.Unmarshal(data, &g))
	if len(g.Figures) != 16 || len(g.Choices) != 29 || len(g.Vectors) != 18 {
		t.Fatalf("%d figures, %d choices, %d vectors", len(g.Figures), len(g.Choices), len(g.Vectors))
	}
	return g
}

func tenths(x float64) int { return int(math.Round(10 * x)) }

// The square roots agree with the printed table.
func TestRoots(t *testing.T) {
	for n, want := range []int{0, 10, 14, 17, 20, 22, 24, 26, 28, 30, 32, 33, 35, 36} {
		if got := root(n); got != want {
			t.Errorf("root of %d: %d tenths, printed %d", n, got, want)
		}
	}
}

// The increases printed with the game: 9 of 16 are reproduced. All increases, and the moves
// with a higher one, agree with an independent implementation of the rules.
func TestFigures(t *testing.T) {
	reproduced := 0
	for _, f := range readGolden(t).Figures {
		p := enginetest.Position(t, f.FEN)
		m := enginetest.Move(t, &p, f.SAN)
		got := increase(&p, m)
		if got != tenths(f.Computed) {
			t.Errorf("%d. %s raises the position-play value by %d tenths, want %.1f", f.Move, f.SAN, got, f.Computed)
		}
		if got == tenths(f.Printed) {
			reproduced++
		}
		higher, equal := map[string]bool{}, []string{}
		for _, other := range p.LegalMoves(nil) {
			x := increase(&p, other)
			if x > got {
				higher[fmt.Sprintf("%s %.1f", p.SAN(other), float64(x)/10)] = true
			} else if x == got && other != m {
				equal = append(equal, p.SAN(other))
			}
		}
		for _, want := range f.Higher { // lists at most 8
			if !higher[want] {
				t.Errorf("%d. %s: %s is not among the higher ones, %v", f.Move, f.SAN, want, higher)
			}
		}
		if len(higher) != f.NHigher || len(equal) != len(f.Equal) {
			t.Errorf("%d. %s: %d moves have a higher increase and %v the same, want %d and %v", f.Move, f.SAN, len(higher),
				equal, f.NHigher, f.Equal)
		}
	}
	if reproduced != 9 {
		t.Errorf("%d of the 16 printed figures are reproduced, want 9", reproduced)
	}
}

func TestVectors(t *testing.T) {
	for _, v := range readGolden(t).Vectors {
		p, got := enginetest.Position(t, v.FEN), 0.0
		switch v.Term {
		case "turing.position_play.white":
			got = float64(positionPlay(&p, board.White, false)) / 10
		case "turing.pp_increase":
			m := setup.Must(p.ParseUCI(v.Move))
			got = float64(increase(&p, m)) / 10
		case "turing.material_ratio":
			got = New().dead(&p, board.White)
		case "turing.material.white":
			got = float64(New().material(&p, board.White)) / 100
		default:
			t.Fatalf("unknown term %s", v.Term)
		}
		if math.Abs(got-v.Expected) > 1e-9 {
			t.Errorf("%s: %s of %s %s is %v, want %v", v.ID, v.Term, v.FEN, v.Move, got, v.Expected)
		}
	}
}

// In the positions of the game the machine plays the printed move in 18 of 29 turns, like an
// independent program.
func TestChoices(t *testing.T) {
	agree, inMax := 0, 0
	p := New()
	for _, c := range readGolden(t).Choices {
		pos := enginetest.Position(t, c.FEN)
		r := setup.Must(p.Search(context.Background(), board.NewGame(pos), engine.Limits{}))
		// At move 26 two rook moves are equal; the other program generates them in another order.
		got := pos.SAN(r.Move)
		if increase(&pos, r.Move) != tenths(c.BestPP) || got != c.Best && c.Move != 26 || (got == c.Turing) != c.Agree {
			t.Errorf("%d: the machine plays %s, want %s", c.Move, got, c.Best)
		}
		if got == c.Turing {
			agree++
		}
		a := &analysis{player: p, machine: pos.SideToMove(), plies: p.plies, full: p.full, budget: unlimited(&pos)}
		all := greatest(a.choices(&pos, pos.LegalMoves(nil)))
		for _, x := range all {
			if math.Abs(x.value-c.BestValue) > 5e-5 {
				t.Errorf("%d: the greatest value is %.4f, want %.4f", c.Move, x.value, c.BestValue)
			}
			if pos.SAN(x.move) == c.Turing {
				inMax++
			}
		}
		if len(all) != c.NInMax {
			t.Errorf("%d: %d moves have the greatest value, want %d", c.Move, len(all), c.NInMax)
		}
		if v := valueOf(t, p, &pos, c.Turing); math.Abs(v-c.TuringValue) > 5e-5 {
			t.Errorf("%d: the value of %s is %.4f, want %.4f", c.Move, c.Turing, v, c.TuringValue)
		}
		for san, want := range map[string]float64{c.Turing: c.TuringPP, c.Best: c.BestPP} {
			if got := increase(&pos, enginetest.Move(t, &pos, san)); got != tenths(want) {
				t.Errorf("%d: %s raises the position-play value by %d tenths, want %.1f", c.Move, san, got, want)
			}
		}
	}
	if agree != 18 || inMax != 24 {
		t.Errorf("the printed move is chosen %d times, want 18; it has the greatest value %d times, want 24", agree, inMax)
	}
}

func unlimited(pos *board.Position) *historic.Budget {
	return historic.NewBudget(context.Background(), pos.SideToMove(), engine.Limits{})
}

// valueOf returns the exact value of one move.
func valueOf(t *testing.T, p *Player, pos *board.Position, san string) float64 {
	t.Helper()
	a := &analysis{player: p, machine: pos.SideToMove(), plies: p.plies, full: p.full, budget: unlimited(pos)}
	return a.choices(pos, []board.Move{enginetest.Move(t, pos, san)})[0].value
}

// Note 1 of the text: "If B-Q2 then PxP is foreseen". So the machine prefers Kt-KB3, which
// has the lower position-play value.
func TestNote1(t *testing.T) {
	pos := enginetest.Position(t, "rnbqk2r/pppp1ppp/5n2/4p3/1b1PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 1 4")
	bd2, nf3 := valueOf(t, New(), &pos, "Bd2"), valueOf(t, New(), &pos, "Nf3")
	if bd2 >= nf3 || math.Abs(bd2-0.9756) > 5e-5 || math.Abs(nf3-0.9867) > 5e-5 {
		t.Errorf("values of Bd2 and Nf3: %.4f and %.4f", bd2, nf3)
	}
	if increase(&pos, enginetest.Move(t, &pos, "Bd2")) <= increase(&pos, enginetest.Move(t, &pos, "Nf3")) {
		t.Error("Bd2 does not have a higher position-play value than Nf3")
	}
}

// For Black everything is mirrored: values, position-play and moves.
func TestMirror(t *testing.T) {
	p := New()
	for _, c := range readGolden(t).Choices {
		pos := enginetest.Position(t, c.FEN)
		mirrored := pos.Mirror()
		if a, b := positionPlay(&pos, board.White, false), positionPlay(&mirrored, board.Black, false); a != b {
			t.Errorf("%s: position-play %d, mirrored %d", c.FEN, a, b)
		}
		if a, b := p.dead(&pos, board.White), p.dead(&mirrored, board.Black); a != b {
			t.Errorf("%s: value %v, mirrored %v", c.FEN, a, b)
		}
	}
}

func TestConsiderable(t *testing.T) {
	for _, test := range []struct{ fen, taken, move, want string }{
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "", "exd5", "undefended"},
		{"4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "", "exd5", ""}, // equal value
		{"4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "d5", "exd5", "recapture"},
		{"4k3/8/2p5/3n4/4P3/8/8/4K3 w - - 0 1", "", "exd5", "higher value"},
		{"4k3/8/2p5/3b4/5N2/8/8/4K3 w - - 0 1", "", "Nxd5", "higher value"},
		{"4k3/8/2p5/3n4/8/5B2/8/4K3 w - - 0 1", "", "Bxd5", ""},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "", "exd6", "undefended"},
		{"4k3/8/2p5/3n4/2K5/8/8/8 w - - 0 1", "", "Kxd5", "not legal"},
		{"4k3/8/8/3n4/2K5/8/8/8 w - - 0 1", "", "Kxd5", "undefended"},
		{"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "", "Ra8", "mate"},
		{"6k1/5pp1/8/8/8/8/8/R5K1 w - - 0 1", "", "Ra8", ""}, // a check, but not mate
	} {
		p := enginetest.Position(t, test.fen)
		n := &node{p, board.NoSquare}
		if test.taken != "" {
			n.taken, _ = board.ParseSquare(test.taken)
		}
		m, err := p.ParseSAN(test.move)
		if test.want == "not legal" {
			if err == nil {
				t.Errorf("%s is legal in %s", test.move, test.fen)
			}
			continue
		}
		setup.Check(t, err)
		if got := New().why(n, m); got != test.want {
			t.Errorf("%s in %s is considerable by rule %q, want %q", test.move, test.fen, got, test.want)
		}
	}
}

// The ratio rewards exchanges when ahead, the difference does not: see the section on piece
// values.
func TestMeasure(t *testing.T) {
	p := New()
	before := enginetest.Position(t, "4k3/8/8/8/3r4/8/8/2QRK3 w - - 0 1")
	after := enginetest.Position(t, "4k3/8/8/8/8/8/8/2Q1K3 w - - 0 1")
	if p.dead(&before, board.White) >= p.dead(&after, board.White) {
		t.Error("an exchange when ahead does not raise the ratio")
	}
	enginetest.SetOptions(t, p, "measure=difference")
	if a, b := p.dead(&before, board.White), p.dead(&after, board.Black); a != 10 || b != -9.5 {
		t.Errorf("differences %v and %v", a, b)
	}
	r, err := p.Search(context.Background(), board.NewGame(enginetest.Position(t, "6rk/6pp/3N4/8/8/8/7K/8 w - - 0 1")),
		engine.Limits{})
	if err != nil || r.Score != engine.MateScore-1 {
		t.Errorf("mate in one scores %d, error %v", r.Score, err)
	}
}

func TestScore(t *testing.T) {
	p := New()
	for fen, want := range map[string]int{
		board.StartFEN:                   0,
		"7k/8/8/8/8/8/8/Q6K b - - 0 1":   -950, // a bare king counts half a pawn
		"R6k/6pp/8/8/8/8/8/7K b - - 0 1": 0,    // no move
	} {
		r, err := p.Search(context.Background(), board.NewGame(enginetest.Position(t, fen)), engine.Limits{})
		if err != nil || int(r.Score) != want {
			t.Errorf("%s: score %d, error %v; want %d", fen, r.Score, err, want)
		}
	}
}

// Piece values are options.
func TestPieceValues(t *testing.T) {
	p := New()
	pos := enginetest.Position(t, "4k3/2p5/3n4/8/8/B7/8/4K3 w - - 0 1")
	value := func() float64 { return valueOf(t, p, &pos, "Bxd6") }
	before := value()
	enginetest.SetOptions(t, p, "Bishop=250", "Knight=400")
	if after := value(); after != before { // a bare king against a pawn in both cases
		t.Errorf("the value after the exchange is %v and %v", before, after)
	}
	if got := p.material(&pos, board.White); got != 250 {
		t.Errorf("the material of a bishop is %d, want 250", got)
	}
	if !slices.Contains(p.Options(), "option name Bishop type spin default 350 min 1 max 5000") {
		t.Errorf("options %v", p.Options())
	}
}

func TestExplain(t *testing.T) {
	enginetest.Explains(t, New(), map[string][]string{
		board.StartFEN: {"W/B = 41.0/41.0 = 1.0000", "position-play value 10.2", "e4", "+4.2",
			"(e) +1.0  castling"},
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1": {"no legal move"},
	})
}
