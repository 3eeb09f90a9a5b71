package shannon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
)

var _ historic.Explainer = (*Player)(nil)

func newPlayer(t testing.TB, make func(eval.Weights) (*Player, error), options ...string) *Player {
	t.Helper()
	m := setup.Must(eval.Lookup("shannon-1950"))
	p := setup.Must(make(eval.Weights{Model: m, Coefs: m.Start}))
	enginetest.SetOptions(t, p, options...)
	return p
}

func play(t testing.TB, p *Player, pos board.Position, lim engine.Limits) engine.Result {
	t.Helper()
	return setup.Must(p.Search(context.Background(), board.NewGame(pos), lim))
}

func TestConform(t *testing.T) {
	for name, options := range map[string][]string{"plain": nil, "varied": {"Variation=20", "Style=150", "Book=true"}} {
		t.Run("a "+name, func(t *testing.T) {
			enginetest.Conform(t, func() engine.Player { return newPlayer(t, NewA, options...) })
		})
		t.Run("b "+name, func(t *testing.T) {
			enginetest.Conform(t, func() engine.Player { return newPlayer(t, NewB, options...) })
		})
	}
	t.Run("b types", func(t *testing.T) {
		enginetest.Conform(t, func() engine.Player { return newPlayer(t, NewB, "Types=true") }, enginetest.Weak)
	})
}

// positions are middlegames, endgames and a few with a mate.
var positions = []string{
	board.StartFEN,
	"r1bqkbnr/pppp1ppp/2n5/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 3",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r1bqk1nr/pppp1ppp/2n5/2b1p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
	"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
	"7k/8/8/8/8/8/R7/K7 w - - 97 120",
	"8/8/8/8/1k6/p7/8/K7 b - - 0 1",
	"r5k1/1p3rb1/p2P1nn1/P2Pp3/N3Pp1p/5P2/4B1PK/R3BR2 b - - 0 1",
}

// minimax is type A as in the paper: no cut-offs, no table.
func minimax(p *board.Position, ev engine.Evaluator, depth, ply int) int {
	moves := p.LegalMoves(nil)
	switch {
	case len(moves) == 0 && p.InCheck():
		return ply - engine.MateScore
	case len(moves) == 0 || p.Halfmove() >= 100:
		return 0
	case depth == 0 && p.SideToMove() == board.White:
		return ev.Evaluate(p)
	case depth == 0:
		return -ev.Evaluate(p)
	}
	best := -infinite
	for _, m := range moves {
		child := *p
		child.Make(m)
		best = max(best, -minimax(&child, ev, depth-1, ply+1))
	}
	return best
}

// Type A with cut-offs, table and move ordering returns the move and the score of plain
// minimax.
func TestTypeAIsMinimax(t *testing.T) {
	for _, fen := range positions {
		p := newPlayer(t, NewA)
		pos := enginetest.Position(t, fen)
		for depth := 1; depth <= 3; depth++ {
			if depth == 3 && pos.CountLegal() > 40 {
				continue
			}
			bestScore, bestMove := -infinite, board.NullMove
			for _, m := range List(&pos) {
				child := pos
				child.Make(m)
				if v := -minimax(&child, p.ev, depth-1, 1); v > bestScore {
					bestScore, bestMove = v, m
				}
			}
			r := play(t, p, pos, engine.Limits{Depth: depth})
			// A mate found at a smaller depth ends the iteration; it is the same mate.
			if int(r.Score) != bestScore || r.Move != bestMove {
				t.Errorf("%s, %d plies: %s %d, minimax: %s %d", fen, depth, pos.SAN(r.Move), r.Score, pos.SAN(bestMove), bestScore)
			}
		}
	}
}

// An explanation has the minimax value of every move.
func TestExactValues(t *testing.T) {
	p := newPlayer(t, NewA, "Moves=1")
	pos := enginetest.Position(t, positions[1])
	s := p.newSearch(context.Background(), &pos, engine.Limits{})
	scores, _ := s.exact()
	for i, m := range s.list {
		child := pos
		child.Make(m)
		if want := -minimax(&child, p.ev, 1, 1); scores[i].score != want {
			t.Errorf("%s: %d, want %d", pos.SAN(m), scores[i].score, want)
		}
	}
}

func TestList(t *testing.T) {
	for _, test := range []struct{ fen, want string }{
		// T3 of the paper: up and right, up and left, down and right, down and left.
		{"8/8/8/k7/3B4/8/8/6K1 w - - 0 1", "Kh2 Kf2 Kg2 Kh1 Kf1 Be5 Bf6 Bg7 Bh8 Bc5 Bb6+ Ba7 Be3 Bf2 Bc3+ Bb2 Ba1"},
		{"7k/8/8/8/8/8/p6K/1N6 b - - 0 1", "a1=Q a1=R a1=B a1=N axb1=Q axb1=R axb1=B axb1=N Kg7 Kh7 Kg8"},
	} {
		p := enginetest.Position(t, test.fen)
		list := List(&p)
		if !sameMoves(list, p.LegalMoves(nil)) {
			t.Errorf("%s: the list %v does not hold exactly the legal moves", test.fen, list)
		}
		if got := variationOf(&p, list); !strings.EqualFold(strings.Join(got, " "), test.want) {
			t.Errorf("%s: %s, want %s", test.fen, strings.Join(got, " "), test.want)
		}
	}
	p := enginetest.Position(t, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
	list := variationOf(&p, List(&p))
	if i, j := slices.Index(list, "O-O"), slices.Index(list, "O-O-O"); j != i+1 || list[j+1] != "Rxh8" &&
		!strings.HasPrefix(list[j+1], "Rh") {
		t.Errorf("castling is not the last of the king's moves: %v", list)
	}
}

func sameMoves(a, b []board.Move) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func variationOf(p *board.Position, list []board.Move) (sans []string) {
	for _, m := range list {
		sans = append(sans, p.SAN(m))
	}
	return sans
}

func TestH(t *testing.T) {
	for _, test := range []struct {
		fen, move string
		want      int
	}{
		{board.StartFEN, "Nf3", attacking}, // develops
		{board.StartFEN, "e4", low},        //
		{board.StartFEN, "a3", low},        //
		{positions[1], "exd4", capturing},  //
		{positions[1], "Bb4+", checking},   //
		{positions[1], "Nf6", attacking},   //
		{positions[1], "d6", defensive},    // guards e5 once more
		{positions[1], "h6", low},          //
		{positions[1], "Nb4", low},         //
		{positions[1], "Nxd4", capturing},  //
		{positions[1], "b5", low},          //
		{"4k3/8/8/3r4/8/8/2P5/4K3 w - - 0 1", "c4", attacking},
		{"4k3/8/2p5/3P4/8/8/4P3/4K3 w - - 0 1", "e4", defensive},
		{"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", capturing},
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", attacking},
		{"4k3/8/8/8/8/2b5/8/R3K3 w - - 0 1", "Kd1", low},
		{"4k3/8/8/8/8/8/1b6/R5K1 w - - 0 1", "Ra4", defensive},
	} {
		p := enginetest.Position(t, test.fen)
		m := setup.Must(p.ParseSAN(test.move))
		if got := h(&p, m, threatened(&p)); got != test.want {
			t.Errorf("h of %s in %s is %d, want %d", test.move, test.fen, got, test.want)
		}
	}
}

// Type B sees the end of an exchange that type A of the same depth breaks off in the
// middle: three moves deep, A takes a guarded pawn with the last of its own moves.
func TestTypeBSeesExchangesOut(t *testing.T) {
	pos := enginetest.Position(t, "4k3/8/2p5/3p4/8/8/3R4/3RK3 w - - 0 1")
	take := setup.Must(pos.ParseSAN("Rxd5"))
	one := engine.Limits{Depth: 1}
	if r := play(t, newPlayer(t, NewA), pos, one); r.Move != take {
		t.Errorf("type A, one ply: %s", pos.SAN(r.Move))
	}
	if r := play(t, newPlayer(t, NewB, "Least=1"), pos, engine.Limits{}); r.Move == take {
		t.Errorf("type B takes the guarded pawn: score %d, %v", r.Score, r.PV)
	}
}

// The mates that the paper shows: of the random player's game, and of the player that
// helps its opponent (footnote 6). In the first the bishop on c5 mates as well.
func TestMatesOfThePaper(t *testing.T) {
	for fen, want := range map[string]string{
		"rnb1k1nr/pppp1ppp/5q2/2b1p3/8/2NP2P1/PPPBPP1P/R2QKBNR b KQkq - 4 4": "Bxf2# Qxf2#",
		"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2":      "Qh4#",
	} {
		pos := enginetest.Position(t, fen)
		for _, p := range []*Player{newPlayer(t, NewA), newPlayer(t, NewB)} {
			if r := play(t, p, pos, engine.Limits{}); !strings.Contains(want, pos.SAN(r.Move)) || r.Score != engine.MateScore-1 {
				t.Errorf("%s: %s, score %d, want %s", fen, pos.SAN(r.Move), r.Score, want)
			}
		}
	}
}

// With statistical variation different seeds play different moves, all of them nearly
// as good as the best; without it none does.
func TestVariation(t *testing.T) {
	const margin = 10
	pos := board.StartPosition()
	plain := newPlayer(t, NewA, "Moves=1")
	s := plain.newSearch(context.Background(), &pos, engine.Limits{})
	scores, _ := s.exact()
	best := play(t, plain, pos, engine.Limits{})
	near := map[board.Move]bool{}
	for i, m := range s.list {
		if scores[i].score >= int(best.Score)-margin {
			near[m] = true
		}
	}
	varied, seen := newPlayer(t, NewA, "Moves=1", "Variation=10"), map[board.Move]bool{}
	for seed := range uint64(200) {
		for _, p := range []*Player{plain, varied} {
			setup.Check(t, p.NewGame(seed))
		}
		if m := play(t, plain, pos, engine.Limits{}).Move; m != best.Move {
			t.Fatalf("without variation %v and %v", m, best.Move)
		}
		m := play(t, varied, pos, engine.Limits{}).Move
		if !near[m] {
			t.Fatalf("%s is not within %d of the best", pos.SAN(m), margin)
		}
		seen[m] = true
	}
	if len(near) < 2 || len(seen) != len(near) {
		t.Errorf("%d of %d moves nearly equal played", len(seen), len(near))
	}
}

// Style scales all but material: at 0 a pawn structure is worth nothing.
func TestStyle(t *testing.T) {
	pos := enginetest.Position(t, "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1") // f = 2 - .5*(1+2) + .1*(6-5)
	for style, want := range map[string]int{"100": 60, "0": 200, "200": -80} {
		if got := newPlayer(t, NewA, "Style="+style).ev.Evaluate(&pos); got != want {
			t.Errorf("style %s: %d, want %d", style, got, want)
		}
	}
}

// The coefficients of f(P) are options too: "merely the writer's rough estimate".
func TestCoefficients(t *testing.T) {
	pos := enginetest.Position(t, "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1") // f = 2 - .5*(1+2) + .1*(6-5)
	p := newPlayer(t, NewA, "doubled=-20", "mobility=30", "Style=200")
	if got, want := p.ev.Evaluate(&pos), 200+2*(-20-50*2+30); got != want {
		t.Errorf("f = %d, want %d", got, want)
	}
	for _, value := range []string{"x", "1.5", "99999999"} {
		if err := p.SetOption("queen", value); err == nil {
			t.Errorf("queen=%s: error %v", value, err)
		}
	}
	if m, _ := eval.Lookup("shannon-1950"); m.Start[0].MG != 100 || p.Weights.Coefs[0].MG != 100 {
		t.Error("the weights of the model have changed")
	}
}

func TestBook(t *testing.T) {
	b := setup.Must(ownBook())
	// Shannon asks for a few hundred openings.
	if len(b) < 300 {
		t.Errorf("only %d positions", len(b))
	}
	p := newPlayer(t, NewA, "Book=true", "Moves=1")
	start := board.StartPosition()
	seen := map[board.Move]bool{}
	for seed := range uint64(100) {
		setup.Check(t, p.NewGame(seed))
		r := play(t, p, start, engine.Limits{})
		if r.Nodes != 0 || !slices.Contains(b[start.Key()], r.Move) {
			t.Fatalf("%v with %d nodes is not a book move", r.Move, r.Nodes)
		}
		seen[r.Move] = true
	}
	if len(seen) < 3 {
		t.Errorf("%d first moves in a hundred games", len(seen))
	}
	// Over UCI every game has the same seed; the option makes games differ.
	seen = map[board.Move]bool{}
	for _, seed := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		setup.Check(t, errors.Join(p.SetOption("Seed", seed), p.NewGame(0)))
		seen[play(t, p, start, engine.Limits{}).Move] = true
	}
	if len(seen) < 2 {
		t.Error("ten seeds give only one opening")
	}
	off := enginetest.Position(t, "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq - 0 1")
	if r := play(t, p, off, engine.Limits{}); r.Nodes == 0 {
		t.Error("no search after leaving the book")
	}
}

func TestEvalFile(t *testing.T) {
	p := newPlayer(t, NewA)
	if err := p.SetOption("EvalFile", "x"); err == nil {
		t.Error("no error without Load")
	}
	p.Load = func(string) (eval.Weights, error) {
		m, err := eval.Lookup("machack-1967")
		return eval.Weights{Model: m, Coefs: m.Start}, err
	}
	if err := p.SetOption("EvalFile", "x"); err != nil || p.Weights.Model.Name != "machack-1967" {
		t.Errorf("error %v, model %s", err, p.Weights.Model.Name)
	}
	play(t, p, enginetest.Position(t, positions[2]), engine.Limits{})
}

// A text that is no list of values of h changes nothing.
func TestThresholds(t *testing.T) {
	for text, want := range map[string]string{"0": "[0]", "0, 5": "[0 5]", "": "[0 2 2 2 3 3 4 4 5]", "a": "", "0,,1": "",
		",": "", "6": "", "-1": "", "99999999999999999999": ""} {
		p := newPlayer(t, NewB, "Thresholds=1")
		err := p.SetOption("Thresholds", text)
		if got := fmt.Sprint(p.thresholds); got != cmp.Or(want, "[1]") || (err == nil) != (want != "") {
			t.Errorf("%q: %s, error %v", text, got, err)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, p := range []*Player{newPlayer(t, NewA, "Moves=1"), newPlayer(t, NewB, "Most=3")} {
		enginetest.Explains(t, p, map[string][]string{
			positions[1]:                        {"f(P) = +", "mobility", "g(P) = 1", "plies deep", "exd4"},
			"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1": {"no legal move"},
		})
	}
}

var _ historic.Explainer = (*Lister)(nil)

func TestListerConforms(t *testing.T) {
	t.Run("random", func(t *testing.T) {
		enginetest.Conform(t, func() engine.Player { return NewRandom() }, enginetest.Weak)
	})
	t.Run("first-move", func(t *testing.T) {
		enginetest.Conform(t, func() engine.Player { return NewFirst() }, enginetest.Weak)
	})
}

func chosen(t *testing.T, p *Lister, seed uint64) board.Move {
	t.Helper()
	setup.Check(t, p.NewGame(seed))
	r := setup.Must(p.Search(context.Background(), board.NewGame(board.StartPosition()), engine.Limits{}))
	return r.Move
}

// The first moves of many games are uniformly distributed.
func TestRandomIsUniform(t *testing.T) {
	const games = 8000
	p := NewRandom()
	played := map[board.Move]int{}
	for seed := range uint64(games) {
		played[chosen(t, p, seed)]++
	}
	var chi2 float64 // 19 degrees of freedom; above 43.8 with probability 1/1000
	for _, n := range played {
		d := float64(n) - games/20.0
		chi2 += d * d / (games / 20.0)
	}
	if len(played) != 20 || chi2 > 43.8 {
		t.Errorf("%d of 20 moves played, chi-squared %.1f", len(played), chi2)
	}
}

func TestSeedOption(t *testing.T) {
	p := NewRandom()
	before := chosen(t, p, 1)
	setup.Check(t, p.SetOption("Seed", "6"))
	if chosen(t, p, 1) == before {
		t.Error("another seed gives the same move; if the generator has changed, try another seed here")
	}
}

// The knight on b1 comes first; its first direction is two ranks up and one file right.
func TestFirstMove(t *testing.T) {
	p := board.StartPosition()
	if got := p.SAN(chosen(t, NewFirst(), 9)); got != "Nc3" {
		t.Errorf("first move %s", got)
	}
}

func TestListerExplains(t *testing.T) {
	for player, want := range map[*Lister]string{NewRandom(): "one of 20 legal moves",
		NewFirst(): "  1  Nc3\n  2  Na3\n  3  Nh3\n  4  Nf3\n  5  a3\n"} {
		enginetest.Explains(t, player, map[string][]string{board.StartFEN: {want}})
	}
}

// TestRestless compares g(P) with an independent program and with positions made for it.
func TestRestless(t *testing.T) {
	read := func(name string, v any) {
		data, err := os.ReadFile("../../../eval/testdata/" + name)
		if err == nil {
			err = json.Unmarshal(data, v)
		}
		setup.Check(t, err)
	}
	type row struct {
		FEN, Term string
		G         *float64 `json:"shannon.g"`
		Expected  any
	}
	var table struct{ Positions []row }
	read("term_table.json", &table)
	var vectors struct{ Vectors []row }
	read("term_vectors.json", &vectors)
	checked := 0
	check := func(fen string, want any) {
		checked++
		p := enginetest.Position(t, fen)
		if got := restless(&p); got != (want == 1.0) {
			t.Errorf("%s: %v, want %v", fen, got, want)
		}
	}
	for _, r := range table.Positions {
		if r.G != nil {
			check(r.FEN, *r.G)
		}
	}
	for _, v := range vectors.Vectors {
		if v.Term == "shannon.g" {
			check(v.FEN, v.Expected)
		}
	}
	if checked < 100 {
		t.Errorf("only %d positions checked", checked)
	}
}

// Section 8: type positions suggest moves, by a program for each phase of section 5.
func TestTypePositions(t *testing.T) {
	for _, c := range []struct{ name, fen, want string }{
		{"development is the main objective", board.StartFEN, "Nc3 Na3 Nh3 Nf3 d4 e4"},
		{"a bishop at R7", "rnbq1rk1/pppnbppp/4p3/3pP3/3P3P/2NB1N2/PPP2PP1/R1BQK2R w KQ - 0 12", "Bxh7+"},
		{"a knight at B7", "r1bqk2r/ppp2ppp/2n2n2/2bpp1N1/2B1P3/8/PPPP1PPP/RNBQK2R w KQkq - 0 12", "Nxf7"},
		{"Philidor's legacy", philidor, "Qg8+"},
		{"a pinned piece should be attacked",
			"r1bqk2r/ppp2ppp/2np1n2/1B2p3/3PP3/5N2/PPP2PPP/RNBQ1RK1 w kq - 0 12", "Nxe5 d5"},
		{"promotion of pawns", "4k3/8/8/P7/7p/8/6P1/4K3 w - - 0 40", "a6"},
		{"nothing", "4k3/p7/8/P7/7p/8/6P1/4K3 w - - 0 40", ""},
	} {
		pos := enginetest.Position(t, c.fen)
		s := newPlayer(t, NewB).newSearch(context.Background(), &pos, engine.Limits{})
		if got := variationOf(&pos, s.suggested()); strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

const philidor = "rb3r1k/6pp/7N/8/2Q5/8/5PPP/R5K1 w - - 0 30"

// What is suggested is played if it is worth it, after less work; a bishop for a pawn is not, nor where nothing is
// suggested.
func TestSuggestionsAreInvestigated(t *testing.T) {
	for fen, accepted := range map[string]bool{
		philidor: true,
		"r1bq1rk1/pp1nbppp/2p1pn2/8/3P4/2NB4/PPP2PPP/R1BQR1K1 w - - 0 12": false,
		"4k3/p7/8/P7/7p/8/6P1/4K3 w - - 0 40":                             false,
	} {
		pos := enginetest.Position(t, fen)
		plain := play(t, newPlayer(t, NewB), pos, engine.Limits{})
		types := play(t, newPlayer(t, NewB, "Types=true"), pos, engine.Limits{})
		if types.Move != plain.Move || types.Nodes < plain.Nodes != accepted {
			t.Errorf("%s: %s with %d nodes, %s with %d", fen, pos.SAN(types.Move), types.Nodes, pos.SAN(plain.Move), plain.Nodes)
		}
	}
}
