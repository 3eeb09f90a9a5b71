package board

import (
	"slices"
	"strings"
	"testing"
)

// TestMakeKeepsWhatParseFENComputes compares the whole position after each move,
// keys and checkers included, with the one parsed from its FEN. It is also
// the round trip of FENs.
func TestMakeKeepsWhatParseFENComputes(t *testing.T) {
	t.Parallel()
	eachPosition(t, 4, 1000, func(p *Position) {
		q, err := ParseFEN(p.FEN())
		if err != nil {
			t.Fatalf("after legal moves: %v", err)
		}
		if q != *p {
			t.Fatalf("%s\nmade: %+v\nread: %+v", p, *p, q)
		}
		if !p.InCheck() {
			p := *p
			p.MakeNull()
			if q, err := ParseFEN(p.FEN()); err != nil || q != p {
				t.Fatalf("after a null move: %s (%v)\nmade: %+v\nread: %+v", p.FEN(), err, p, q)
			}
		}
	})
}

// TestKeysMeanTheFirstFourFields collects positions: equal keys exactly where
// placement, side, castling and en passant are equal; likewise for pawn keys.
func TestKeysMeanTheFirstFourFields(t *testing.T) {
	t.Parallel()
	type pawnField struct {
		pawns [2]Bitboard
		kings [2]Square
	}
	keys, fields := map[uint64]string{}, map[string]uint64{}
	pawnKeys, pawnFields := map[uint64]pawnField{}, map[pawnField]uint64{}
	eachPosition(t, 5, 600, func(p *Position) {
		fen := strings.Join(strings.Fields(p.FEN())[:4], " ")
		if other, ok := keys[p.Key()]; ok && other != fen {
			t.Fatalf("%s and %s have the same key", fen, other)
		}
		if other, ok := fields[fen]; ok && other != p.Key() {
			t.Fatalf("%s has two keys", fen)
		}
		keys[p.Key()], fields[fen] = fen, p.Key()
		pawns := pawnField{
			[2]Bitboard{p.Pieces(White, Pawn), p.Pieces(Black, Pawn)},
			[2]Square{p.KingSquare(White), p.KingSquare(Black)},
		}
		if other, ok := pawnKeys[p.PawnKey()]; ok && other != pawns {
			t.Fatalf("%s: another structure has the same pawn key", fen)
		}
		if other, ok := pawnFields[pawns]; ok && other != p.PawnKey() {
			t.Fatalf("%s: one structure has two pawn keys", fen)
		}
		pawnKeys[p.PawnKey()], pawnFields[pawns] = pawns, p.PawnKey()
	})
	if len(keys) < 10000 {
		t.Errorf("only %d different positions", len(keys))
	}
}

// TestLikelyKey compares the guess with the key after every legal move for which it is
// meant to be right.
func TestLikelyKey(t *testing.T) {
	t.Parallel()
	right := 0
	eachPosition(t, 7, 300, func(p *Position) {
		for _, m := range p.LegalMoves(nil) {
			next := *p
			next.Make(m)
			if p.IsCastling(m) || p.IsEnPassant(m) || m.Promotion() != NoPieceType ||
				next.Castling() != p.Castling() || next.EnPassant() != NoSquare {
				continue
			}
			if p.LikelyKey(m) != next.Key() {
				t.Fatalf("%s, %s: LikelyKey() is not the key after it", p, p.UCI(m))
			}
			right++
		}
	})
	if right < 1000 {
		t.Errorf("only %d moves compared", right)
	}
}

// startKey is the start position's key since the package exists.
const startKey = 0xc7eb26e4f726d73c

// TestZobristNumbers pins the keys, which files and other machines may hold, and
// checks that no two numbers are equal.
func TestZobristNumbers(t *testing.T) {
	var all []uint64
	for c := White; c <= Black; c++ {
		for pt := Pawn; pt <= King; pt++ {
			all = append(all, zobrist.piece[NewPiece(c, pt)][:]...)
		}
	}
	all = append(append(append(all, zobrist.castling[:]...), zobrist.ep[:]...), zobrist.black)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 12*64+64+8+1 {
		t.Errorf("%d different numbers", n)
	}
	if all[0] == 0 {
		t.Error("a number is 0")
	}
	p := StartPosition()
	if got := p.Key(); got != startKey {
		t.Errorf("the start position's key is %#x, it was %#x", got, uint64(startKey))
	}
}

// TestCastling plays castlings, written as the king taking its rook; where want is
// empty they are against the rules.
func TestCastling(t *testing.T) {
	for _, c := range []struct{ name, fen, move, want string }{
		{"king's side", "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 9", "e1h1", "4k3/8/8/8/8/8/8/R4RK1 b - - 4 9"},
		{"queen's side", "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 9", "e1a1", "4k3/8/8/8/8/8/8/2KR3R b - - 4 9"},
		{"black", "r3k2r/8/8/8/8/8/8/4K3 b kq - 3 9", "e8a8", "2kr3r/8/8/8/8/8/8/4K3 w - - 4 10"},
		{"king and rook change squares", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"},
		{"queen's side change", "2rk4/8/8/8/8/8/8/3K4 b c - 0 1", "d8c8", "2kr4/8/8/8/8/8/8/3K4 w - - 1 2"},
		{"the king stays", "4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"},
		{"the rook stays", "4k3/8/8/8/8/8/8/3RK3 w D - 0 1", "e1d1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"},
		{"across the board", "4k3/8/8/8/8/8/8/1K5R w H - 0 1", "b1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"},
		{"rook passes the king", "4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"},
		{"king steps away from the rook", "4k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"},
		{"the other rook stays", "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1", "e1g1", "4k3/8/8/8/8/8/8/RR3RKR b - - 1 1"},
		{"attacked rook", "4k3/8/8/8/8/8/7r/R3K2R w KQ - 0 1", "e1h1", "4k3/8/8/8/8/8/7r/R4RK1 b - - 1 1"},
		{"attacked b1", "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", "1r2k3/8/8/8/8/8/8/2KR4 b - - 1 1"},

		{"in check", "4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", ""},
		{"through check", "5rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", ""},
		{"into check", "4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", ""},
		{"no right", "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1h1", ""},
		{"piece in the king's way", "4k3/8/8/8/8/8/8/R3KB1R w KQ - 0 1", "e1h1", ""},
		{"piece in the rook's way", "4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1a1", ""},
		{"enemy in the rook's way", "4k3/8/8/8/8/8/8/Rn2K2R w KQ - 0 1", "e1a1", ""},
		{"rook ends on a piece", "4k3/8/8/8/8/8/8/1RKN4 w B - 0 1", "c1b1", ""},
		{"king ends on a piece", "4k3/8/8/8/8/8/8/RKN5 w A - 0 1", "b1a1", ""},
		{"the rook shielded the king", "4k3/8/8/8/8/8/8/rR3K2 w B - 0 1", "f1b1", ""},
		{"the rook shielded the king that stays", "4k3/8/8/8/8/8/8/qRK5 w B - 0 1", "c1b1", ""},
		{"the rook shields the king's goal", "4k3/8/8/8/8/8/8/4K1Rr w G - 0 1", "e1g1", ""},
		{"on the spot, in check", "2r1k3/8/8/8/8/8/8/RRK5 w B - 0 1", "c1b1", ""},
	} {
		p := mustParse(t, c.fen)
		from, _ := ParseSquare(c.move[:2])
		to, _ := ParseSquare(c.move[2:])
		m := NewMove(from, to)
		legal := p.IsLegal(m)
		if legal != slices.Contains(p.LegalMoves(nil), m) || legal != (c.want != "") {
			t.Errorf("%s: %s in %s: IsLegal() = %v", c.name, m, c.fen, legal)
			continue
		}
		if !legal {
			continue
		}
		if !p.IsCastling(m) || p.IsCapture(m) || p.SEE(m) != 0 {
			t.Errorf("%s: %s in %s is not taken for castling", c.name, m, c.fen)
		}
		p.Make(m)
		if got := p.FEN(); got != c.want {
			t.Errorf("%s: %s in %s: got %s, want %s", c.name, m, c.fen, got, c.want)
		}
	}
}

func TestSEETable(t *testing.T) {
	for _, c := range []struct {
		name, fen, uci string
		want           int
	}{
		{"a pawn for nothing", "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100},
		{"knight for pawn, the rest does not pay", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5",
			100 - 300},
		{"three rooks on two", "3r2k1/3r4/8/3p4/8/3R4/3R4/3R2K1 w - - 0 1", "d3d5", 100},
		{"a bishop behind the pawn", "6k1/8/4p3/3p4/2P5/1B6/8/6K1 w - - 0 1", "c4d5", 100},
		{"their queen before their rook", "3r2k1/3q4/8/3p4/8/8/3R4/3Q2K1 w - - 0 1", "d2d5", 100 - 500},
		{"the king recaptures", "8/8/3k4/3p4/8/8/8/3R1K2 w - - 0 1", "d1d5", 100 - 500},
		{"the king may not recapture", "8/8/3k4/3p4/8/1B6/8/3R1K2 w - - 0 1", "d1d5", 100},
		{"black: bishop for knight", "4k3/8/8/8/1b6/2N5/1P6/4K3 b - - 0 1", "b4c3", 0},

		{"en passant, recaptured", "4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0},
		{"en passant opens the file", "3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 100},

		{"promotion, recaptured", "r7/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8q", -100},
		{"capture and promotion, recaptured", "r2r4/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7d8q", 500 - 100},

		{"a quiet move", StartFEN, "e2e4", 0},
		{"a queen en prise", "7k/8/1p6/8/8/8/Q7/6K1 w - - 0 1", "a2a5", -900},
		{"castling", kiwipeteFEN, "e1g1", 0},
	} {
		p := mustParse(t, c.fen)
		m, err := p.ParseUCI(c.uci)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.SEE(m); got != c.want {
			t.Errorf("%s: SEE(%s) in %s = %d, want %d", c.name, c.uci, c.fen, got, c.want)
		}
		if !p.SEEAtLeast(m, c.want) || p.SEEAtLeast(m, c.want+1) {
			t.Errorf("%s: SEEAtLeast(%s) in %s is not true up to %d alone", c.name, c.uci, c.fen, c.want)
		}
	}
}

// TestSEEAgainstRecursion compares with the definition written as a recursion, and
// SEEAtLeast with SEE, for every legal move.
func TestSEEAgainstRecursion(t *testing.T) {
	t.Parallel()
	values := map[int]int{}
	eachPosition(t, 11, 60, func(p *Position) {
		for _, m := range p.LegalMoves(nil) {
			want := slowSEE(p, m)
			if got := p.SEE(m); got != want {
				t.Fatalf("%s: SEE(%s) = %d, want %d", p, m, got, want)
			}
			for _, threshold := range []int{want, want + 1, want - 1, -1000, -900, -500, -300, -200, -100, -1, 0, 1, 50,
				100, 200, 300, 500, 900, 1000} {
				if got := p.SEEAtLeast(m, threshold); got != (want >= threshold) {
					t.Fatalf("%s: SEEAtLeast(%s, %d) = %v, SEE is %d", p, m, threshold, got, want)
				}
			}
			values[want]++
		}
	})
	if len(values) < 15 || values[0] < 10000 {
		t.Errorf("too few different exchanges: %v", values)
	}
}

// slowSEE is the static exchange evaluation by its definition.
func slowSEE(p *Position, m Move) int {
	if p.IsCastling(m) {
		return 0
	}
	pieces := map[Square]Piece{}
	for all := p.Occupied(); all != 0; {
		s := all.PopFirst()
		pieces[s] = p.PieceAt(s)
	}
	gain := 0
	if victim, ok := pieces[m.To()]; ok {
		gain = seeValues[victim.Type()]
	} else if p.IsEnPassant(m) {
		gain = seeValues[Pawn]
		delete(pieces, NewSquare(m.To().File(), m.From().Rank()))
	}
	piece := pieces[m.From()]
	delete(pieces, m.From())
	if pt := m.Promotion(); pt != NoPieceType {
		piece = NewPiece(p.SideToMove(), pt)
		gain += seeValues[pt] - seeValues[Pawn]
	}
	pieces[m.To()] = piece
	return gain - slowExchange(pieces, m.To(), p.SideToMove().Other())
}

// slowExchange returns what the side gains by capturing on the square, at least 0.
func slowExchange(pieces map[Square]Piece, to Square, side Color) int {
	from := slowLeastAttacker(pieces, to, side)
	if from == NoSquare || pieces[from].Type() == King && slowLeastAttacker(pieces, to, side.Other()) != NoSquare {
		return 0
	}
	captured, piece := pieces[to], pieces[from]
	delete(pieces, from)
	pieces[to] = piece
	gain := seeValues[captured.Type()] - slowExchange(pieces, to, side.Other())
	return max(0, gain)
}

// slowLeastAttacker returns the square of the side's least valuable piece that attacks
// the square, the lowest of equals.
func slowLeastAttacker(pieces map[Square]Piece, to Square, side Color) Square {
	best := NoSquare
	occ := Bitboard(0)
	for s := range pieces {
		occ |= s.Bitboard()
	}
	for s := A1; s <= H8; s++ {
		piece, ok := pieces[s]
		if !ok || piece.Color() != side || !slowManAttacks(piece, s, occ).Has(to) {
			continue
		}
		if best == NoSquare || piece.Type() < pieces[best].Type() {
			best = s
		}
	}
	return best
}

func slowManAttacks(piece Piece, s Square, occ Bitboard) Bitboard {
	switch piece.Type() {
	case Bishop:
		return slowAttacks(s, occ, oblique)
	case Rook:
		return slowAttacks(s, occ, straight)
	case Queen:
		return slowAttacks(s, occ, around)
	case Knight:
		return slowSteps(s, jumps)
	case King:
		return slowSteps(s, around)
	}
	up := 1 - 2*int(piece.Color())
	return slowSteps(s, [][2]int{{up, -1}, {up, 1}})
}
