package board

import "testing"

func TestSEETable(t *testing.T) {
	for _, c := range []struct {
		name, fen, uci string
		want           int
	}{
		{"a pawn for nothing", "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100},
		{"knight for pawn, the rest does not pay", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5",
			100 - 300},
		{"queen for a defended pawn", "6k1/5p2/6p1/8/8/8/8/6QK w - - 0 1", "g1g6", 100 - 900},
		{"rook for a defended pawn", "6k1/2p5/3p4/8/8/8/8/3R2K1 w - - 0 1", "d1d6", 100 - 500},
		{"pawn for pawn", "6k1/2p5/3p4/4P3/8/8/8/6K1 w - - 0 1", "e5d6", 0},
		{"pawn takes a defended queen", "6k1/2p5/3q4/4P3/8/8/8/6K1 w - - 0 1", "e5d6", 900 - 100},
		{"queen takes a defended queen", "6k1/2p5/3q4/8/8/8/8/3Q2K1 w - - 0 1", "d1d6", 0},
		{"three rooks on two", "3r2k1/3r4/8/3p4/8/3R4/3R4/3R2K1 w - - 0 1", "d3d5", 100},
		{"two rooks on two", "3r2k1/3r4/8/3p4/8/3R4/3R4/6K1 w - - 0 1", "d3d5", 100 - 500},
		{"a bishop behind the pawn", "6k1/8/4p3/3p4/2P5/1B6/8/6K1 w - - 0 1", "c4d5", 100},
		{"a queen behind the bishop", "6k1/8/4n3/3p4/2B5/1Q6/8/6K1 w - - 0 1", "c4d5", 100},
		{"the queen behind the bishop has a rook to fear", "3r2k1/8/4p3/3p4/2B5/1Q6/8/6K1 w - - 0 1", "c4d5", 100 - 300},
		{"their queen before their rook", "3r2k1/3q4/8/3p4/8/8/3R4/3Q2K1 w - - 0 1", "d2d5", 100 - 500},
		{"the king recaptures", "8/8/3k4/3p4/8/8/8/3R1K2 w - - 0 1", "d1d5", 100 - 500},
		{"the king may not recapture", "8/8/3k4/3p4/8/1B6/8/3R1K2 w - - 0 1", "d1d5", 100},
		{"the king takes", "8/8/3k4/8/8/8/3p4/4K3 w - - 0 1", "e1d2", 100},
		{"black: knight for pawn", "4k3/8/2n5/8/3P4/2P5/8/4K3 b - - 0 1", "c6d4", 100 - 300},
		{"black: bishop for knight", "4k3/8/8/8/1b6/2N5/1P6/4K3 b - - 0 1", "b4c3", 0},

		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100},
		{"en passant, recaptured", "4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0},
		{"en passant opens the file", "3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 100},
		{"black en passant", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", 100},

		{"promotion", "8/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8q", 900 - 100},
		{"promotion to a knight", "8/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8n", 300 - 100},
		{"promotion, recaptured", "r7/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8q", -100},
		{"underpromotion, recaptured", "r7/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8r", -100},
		{"capture and promotion", "3r4/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7d8q", 500 + 800},
		{"capture and promotion, recaptured", "r2r4/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7d8q", 500 - 100},

		{"a quiet move", StartFEN, "e2e4", 0},
		{"a queen en prise", "7k/8/1p6/8/8/8/Q7/6K1 w - - 0 1", "a2a5", -900},
		{"a protected knight en prise to a pawn", "6k1/8/1p6/8/1P6/1N6/8/6K1 w - - 0 1", "b3a5", 100 - 300},
		{"a protected rook facing a rook", "3r2k1/8/8/8/8/8/2P5/R5K1 w - - 0 1", "a1d1", -500},
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
	games := 60
	if raceEnabled {
		games = 20
	}
	values := map[int]int{}
	eachPosition(t, 11, games, func(p *Position) {
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
