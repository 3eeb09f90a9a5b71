package bernstein

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
)

var _ historic.Explainer = (*Player)(nil)

// The program is Weak by design: it misses a mate that no question proposes.
func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player { return New() }, enginetest.Weak)
	t.Run("cut", func(t *testing.T) {
		enginetest.Conform(t, func() engine.Player {
			p := New()
			enginetest.SetOptions(t, p, "Cut=true")
			return p
		}, enginetest.Weak)
	})
}

const (
	start   = board.StartFEN
	e4      = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
	knights = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
	rook    = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
)

// White's and Black's factors agree with an independent program.
func TestFactors(t *testing.T) {
	plain, without := New(), New()
	enginetest.SetOptions(t, without, "KingGuards=false")
	moves := func(s sum) int { return s.Moves }
	area := func(s sum) int { return s.Area }
	king := func(s sum) int { return s.King }
	material := func(s sum) int { return s.Material / 100 }
	for _, v := range []struct {
		name   string
		player *Player
		factor func(sum) int
		fen    string
		want   [2]int
	}{
		{"moves", plain, moves, start, [2]int{20, 20}},
		{"moves", plain, moves, e4, [2]int{30, 20}},
		{"moves", plain, moves, rook, [2]int{16, 5}},
		{"moves, a promotion once", plain, moves, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", [2]int{6, 5}},
		{"moves, two promotions", plain, moves, "1n2k3/P7/8/8/8/8/8/4K3 b - - 0 1", [2]int{7, 8}},
		{"area", plain, area, start, [2]int{22, 22}},
		{"area", plain, area, e4, [2]int{28, 21}},
		{"king", plain, king, start, [2]int{5, 5}},
		{"king", plain, king, e4, [2]int{5, 5}},
		{"king", plain, king, knights, [2]int{5, 5}},
		{"king", plain, king, rook, [2]int{5, 5}},
		{"king without itself", without, king, start, [2]int{2, 2}},
		{"king without itself", without, king, e4, [2]int{2, 2}},
		{"material", plain, material, start, [2]int{39, 39}},
		{"material", plain, material, rook, [2]int{5, 0}},
	} {
		p := enginetest.Position(t, v.fen)
		s := v.player.sums(&p)
		if got := [2]int{v.factor(s[0]), v.factor(s[1])}; got != v.want {
			t.Errorf("%s of %s: %v, want %v", v.name, v.fen, got, v.want)
		}
		mirror := p.Mirror()
		if m := v.player.sums(&mirror); m[0] != s[1] || m[1] != s[0] {
			t.Errorf("%s of the mirrored position: %v, want %v with the sides exchanged", v.fen, m, s)
		}
	}
	p := enginetest.Position(t, e4) // (20*39+30+28+5) / (20*39+20+21+5)
	if got, want := plain.value(&p, board.White), 843.0/826; got != want {
		t.Errorf("ratio %v, want %v", got, want)
	}
}

// The plausible moves, each with the number of the question that proposes it.
func TestQuestions(t *testing.T) {
	for _, test := range []struct{ fen, want string }{
		// Only the knights can be developed; then the first pawns.
		{start, "4:Nc3 4:Nf3 4:Na3 4:Nh3 7:e4 7:e3 7:d4"},
		// Check: the capture of the bishop, then an interposition, then king moves.
		{"4k3/8/8/8/1b6/P7/8/R1B1K3 w Q - 0 1", "1:axb4 1:Bd2 1:Ke2 1:Kd1 1:Kf2 1:Kf1"},
		// In double check only the king can move.
		{"4k3/8/8/8/8/3n4/8/R3K2r w Q - 0 1", "1:Kd2 1:Ke2"},
		// The pawn can be captured, or the queen moves to safety; then the list is full.
		{"3rk3/8/8/2p5/3Q4/8/8/3RK3 w - - 0 1", "2a:Qxc5 2b:Qe5+ 2b:Qe4+ 2b:Qe3+ 2b:Qc4 2b:Qf4 2b:Qc3"},
		{"3rk3/8/8/8/8/8/7P/R2RK3 w - - 0 1", "2c:Rxd8+ 7:h4 7:h3 8:Rd2 8:Ke2 8:Ra4 8:Ra5"},
		// The rook's own file is not open; all files to its right are.
		{"4k3/8/8/8/8/8/P7/R3K3 w - - 0 1", "6:Rd1 6:Rc1 6:Rb1 7:a4 7:a3 8:Kd2 8:Ke2"},
		// Castling ends the list.
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "3:O-O"},
		// A knight goes to a square that a pawn chain controls.
		{"4k3/8/8/8/4P3/N2P4/8/4K3 w - - 0 1", "5:Nc4 7:e5 7:d4 8:Nb5 8:Kd2 8:Ke2 8:Nc2"},
	} {
		p := enginetest.Position(t, test.fen)
		legal := p.LegalMoves(nil)
		list, asked := plausible(&p, legal, 7)
		s, last := newSituation(&p, legal), 0
		var got []string
		for _, m := range list {
			first := slices.IndexFunc(questions, func(q question) bool { return slices.Contains(q.ask(s), m) })
			q := questions[first].text
			got = append(got, q[:strings.IndexByte(q, ' ')]+":"+p.SAN(m))
			last = max(last, first)
		}
		if asked != last+1 {
			t.Errorf("%s: %d questions asked, the last move is of number %d", test.fen, asked, last+1)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: plausible moves %v, want %s", test.fen, got, test.want)
		}
	}
}

// define is the definition: minimax of four plies of plausible moves, without cut-offs.
func define(p *Player, pos *board.Position, machine board.Color, ply int) float64 {
	legal := pos.LegalMoves(nil)
	switch {
	case len(legal) == 0 && !pos.InCheck():
		return 1
	case len(legal) == 0 && pos.SideToMove() == machine:
		return 1 / (win - float64(ply))
	case len(legal) == 0:
		return win - float64(ply)
	case ply == p.plies:
		return p.value(pos, machine)
	}
	best, max := -1.0, pos.SideToMove() == machine
	moves, _ := plausible(pos, legal, p.width)
	for _, m := range moves {
		child := *pos
		child.Make(m)
		v := define(p, &child, machine, ply+1)
		if best < 0 || max && v > best || !max && v < best {
			best = v
		}
	}
	return best
}

func TestSearchIsMinimax(t *testing.T) {
	for _, fen := range []string{start, e4, knights, rook,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"} {
		p, pos := New(), enginetest.Position(t, fen)
		r := setup.Must(p.Search(context.Background(), board.NewGame(pos), engine.Limits{}))
		tr := &tree{player: p, machine: pos.SideToMove(), plies: p.plies}
		tr.Budget = historic.NewBudget(context.Background(), tr.machine, engine.Limits{})
		tr.root = tr.plausibleAt(&pos, pos.LegalMoves(nil))
		v, line, ok := historic.Minimax(tr, &pos, 0, true, nil, nil)
		if want := define(p, &pos, tr.machine, 0); !ok || v != want || line[0] != r.Move {
			t.Errorf("%s: value %v by %s, want %v; played %s", fen, v, pos.SAN(line[0]), want, pos.SAN(r.Move))
		}
		if r.Depth != 4 || r.Nodes > 7+7*7+7*7*7+7*7*7*7+7 {
			t.Errorf("%s: depth %d with %d nodes", fen, r.Depth, r.Nodes)
		}
	}
}

// The blind spot that Newell, Shaw and Simon describe: a pawn's attack on a bishop is not
// proposed if seven other moves come first.
func TestBlindSpot(t *testing.T) {
	pos := enginetest.Position(t, "r1bqk2r/1ppp1ppp/p1n2n2/4p3/B1B1P3/5N2/PPPP1PPP/RN1QK2R b KQkq - 0 5")
	attack := setup.Must(pos.ParseSAN("b5"))
	if list, _ := plausible(&pos, pos.LegalMoves(nil), 7); slices.Contains(list, attack) {
		t.Errorf("b5 is proposed: %v", list)
	}
}

// Moves that lower the value at once are cut, but at least two moves are kept.
func TestCut(t *testing.T) {
	p := New()
	pos := enginetest.Position(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 w kq - 0 1")
	tr := &tree{player: p, machine: pos.SideToMove()}
	tr.Budget = historic.NewBudget(context.Background(), tr.machine, engine.Limits{})
	all := tr.plausibleAt(&pos, pos.LegalMoves(nil))
	kept := tr.cut(&pos, all)
	current := p.value(&pos, board.White)
	for _, m := range all {
		child := pos
		child.Make(m)
		keeps, has := p.value(&child, board.White) >= current, false
		for _, k := range kept {
			has = has || k == m
		}
		if keeps != has {
			t.Errorf("%s: kept %v, want %v", pos.SAN(m), has, keeps)
		}
	}
	if len(kept) == len(all) || len(kept) == 0 {
		t.Errorf("%d of %d moves kept", len(kept), len(all))
	}
	lost := enginetest.Position(t, "4k3/8/8/8/8/8/5PPP/3q2K1 w - - 0 1") // checkmate
	if moves := tr.plausibleAt(&lost, lost.LegalMoves(nil)); len(moves) != 0 {
		t.Errorf("moves %v in checkmate", moves)
	}
	// Every king move lowers the value here; the two best are kept.
	corner := enginetest.Position(t, "7k/8/8/8/8/8/r7/4K3 w - - 0 1")
	all = tr.plausibleAt(&corner, corner.LegalMoves(nil))
	if kept := tr.cut(&corner, all); len(kept) == 0 || len(kept) > len(all) {
		t.Errorf("%d of %d moves kept", len(kept), len(all))
	}
}

func TestExplain(t *testing.T) {
	enginetest.Explains(t, New(), map[string][]string{
		start: {"ratio for white 1.0000", "1 is the king in check?           no",
			"4 can minor pieces be developed?  Nc3 Nf3 Na3 Nh3", "plausible moves, 4 plies deep", "\n* "},
		knights: {"8 can any piece be moved?         (not asked)",
			"3 is castling possible?           no"},
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1": {"no legal move"},
	})
}
