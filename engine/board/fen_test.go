package board

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// TestParseFENRefuses reads the bad positions of testdata: each is an error that
// says what is wrong, and never a position.
func TestParseFENRefuses(t *testing.T) {
	n := 0
	for i, text := range readLines(t, "testdata/bad_fens.txt") {
		if text == "" || text[0] == '#' {
			continue
		}
		mention, fen, ok := strings.Cut(text, "\t")
		if !ok {
			t.Fatalf("testdata/bad_fens.txt:%d: no tab", i+1)
		}
		if fen[0] == '"' {
			var err error
			if fen, err = strconv.Unquote(fen); err != nil {
				t.Fatalf("testdata/bad_fens.txt:%d: %v", i+1, err)
			}
		}
		n++
		p, err := ParseFEN(fen)
		switch {
		case err == nil:
			t.Errorf("testdata/bad_fens.txt:%d: %q is read as %s, want an error with %q", i+1, fen, p.FEN(), mention)
		case !errors.Is(err, ErrFEN) || !strings.Contains(err.Error(), mention):
			t.Errorf("testdata/bad_fens.txt:%d: the error is\n%v\nwant one with %q", i+1, err, mention)
		case p != Position{}:
			t.Errorf("testdata/bad_fens.txt:%d: %q gives an error and a position", i+1, fen)
		case len(err.Error()) > 400:
			t.Errorf("testdata/bad_fens.txt:%d: the error is %d bytes long", i+1, len(err.Error()))
		}
	}
	if n < 150 {
		t.Errorf("testdata/bad_fens.txt has %d positions", n)
	}
}

// TestParseFENNormalizes lists how the parser reads FENs that are not written as FEN
// writes them.
func TestParseFENNormalizes(t *testing.T) {
	for _, c := range []struct{ fen, want string }{
		{StartFEN, StartFEN},
		{kiwipeteFEN, kiwipeteFEN},
		{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
		{"  4k3/8/8/8/8/8/8/4K3\tb  -  -   7 9\r\n", "4k3/8/8/8/8/8/8/4K3 b - - 7 9"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 00255 032767", "4k3/8/8/8/8/8/8/4K3 w - - 255 32767"},
		// Castling: any order; Shredder's letters; X-FEN's where there is a rook farther out.
		{"r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w haHA - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w HQka - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
		{"rkr5/8/8/8/8/8/8/RKR5 w CAca - 0 1", "rkr5/8/8/8/8/8/8/RKR5 w KQkq - 0 1"},
		{"rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBgb - 0 1", "rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBgb - 0 1"},
		{"rr2k1rr/8/8/8/8/8/8/RR2K1RR w HAkq - 0 1", "rr2k1rr/8/8/8/8/8/8/RR2K1RR w KQkq - 0 1"},
		{"rr2k1r1/8/8/8/8/8/8/RR2K1R1 w GBgb - 0 1", "rr2k1r1/8/8/8/8/8/8/RR2K1R1 w KBkb - 0 1"},
		// An en-passant square is kept only if the capture is legal.
		{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
			"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
		{"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
			"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3"},
		{"8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1"},
		{"4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1"},
		{"4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 1"},
		{"6k1/8/8/r1PpP1K1/8/8/8/8 w - d6 0 1", "6k1/8/8/r1PpP1K1/8/8/8/8 w - d6 0 1"},
	} {
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.FEN(); got != c.want {
			t.Errorf("%q is read as\n%s, want\n%s", c.fen, got, c.want)
		}
		if p.String() != p.FEN() {
			t.Errorf("String() = %s", p.String())
		}
	}
}

// TestPositionOfFEN looks at every accessor once.
func TestPositionOfFEN(t *testing.T) {
	p := mustParse(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/3Q3p/PP1BBPPP/R3K2R b Kq c3 7 21")
	if p.SideToMove() != Black || p.Halfmove() != 7 || p.Fullmove() != 21 || p.Ply() != 41 {
		t.Errorf("side %s, clock %d, move %d, ply %d", p.SideToMove(), p.Halfmove(), p.Fullmove(), p.Ply())
	}
	if p.EnPassant().String() != "c3" || p.Castling() != H1.Bitboard()|A8.Bitboard() || p.Chess960() || p.InCheck() {
		t.Errorf("en passant %s, castling %#x, Chess960 %v, check %v", p.EnPassant(),
			uint64(p.Castling()), p.Chess960(), p.InCheck())
	}
	if p.PieceAt(A1) != NewPiece(White, Rook) || p.PieceAt(NewSquare(4, 7)) != NewPiece(Black, King) ||
		p.PieceAt(NewSquare(1, 0)) != NoPiece {
		t.Error("PieceAt is wrong")
	}
	if p.Pieces(White, Rook) != A1.Bitboard()|H1.Bitboard() || p.ByType(Rook).Count() != 4 ||
		p.ByColor(Black).Count() != 16 || p.Occupied().Count() != 31 {
		t.Error("the sets are wrong")
	}
	if p.KingSquare(White).String() != "e1" || p.KingSquare(Black).String() != "e8" {
		t.Error("KingSquare is wrong")
	}
	check := mustParse(t, "4k3/8/8/1B6/8/8/8/4RK2 b - - 0 1")
	if !check.InCheck() || check.checkers.Count() != 2 {
		t.Errorf("checkers %#x, want those on b5 and e1", uint64(check.checkers))
	}
	if p := mustParse(t, "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1"); !p.Chess960() {
		t.Error("a right of the b-file's rook is not taken for Chess960")
	}
}

// TestSets takes positions apart and puts them together.
func TestSets(t *testing.T) {
	t.Parallel()
	eachPosition(t, 8, 300, func(p *Position) {
		s := Sets{ByColor: p.byColor, ByType: p.byType, SideToMove: p.SideToMove(), Castling: p.Castling(),
			EnPassant: p.EnPassant(), Halfmove: p.Halfmove(), Fullmove: p.Fullmove()}
		q, err := s.Position()
		if err != nil || q != *p {
			t.Fatalf("%s: got %s, %v", p, q.FEN(), err)
		}
	})
}

func TestSetsRefuses(t *testing.T) {
	for _, c := range []struct {
		mention string
		damage  func(*Sets)
	}{
		{"side to move", func(p *Sets) { p.SideToMove = 2 }},
		{"counters", func(p *Sets) { p.Halfmove = -1 }},
		{"counters", func(p *Sets) { p.Halfmove = 256 }},
		{"counters", func(p *Sets) { p.Fullmove = 0 }},
		{"counters", func(p *Sets) { p.Fullmove = 32768 }},
		{"counters", func(p *Sets) { p.Fullmove = 65537 }},
		{"white and a black piece", func(p *Sets) { p.ByColor[Black] |= 1 }},
		{"two pieces", func(p *Sets) { p.ByType[Knight] |= 1 }},
		{"different squares", func(p *Sets) { p.ByColor[White] |= Rank4 }},
		{"different squares", func(p *Sets) { p.ByType[Pawn] |= Rank4 }},
		{"different squares", func(p *Sets) { p.ByColor = [2]Bitboard{} }},
		{"white king", func(p *Sets) { p.ByType[King] &^= Rank1; p.ByColor[White] &^= NewSquare(4, 0).Bitboard() }},
		{"no white rook on b1", func(p *Sets) { p.Castling = NewSquare(1, 0).Bitboard() }},
		{"no white rook on e1", func(p *Sets) { p.Castling = NewSquare(4, 0).Bitboard() }},
		{"a right on e4", func(p *Sets) { p.Castling = NewSquare(4, 3).Bitboard() }},
		{"en passant: a1", func(p *Sets) { p.EnPassant = A1 }},
		{"en passant: -", func(p *Sets) { p.EnPassant = 65 }},
		{"en passant: no black pawn", func(p *Sets) { p.EnPassant = NewSquare(4, 5) }},
	} {
		p := StartPosition()
		in := Sets{ByColor: p.byColor, ByType: p.byType, Castling: p.castling, EnPassant: NoSquare, Fullmove: 1}
		c.damage(&in)
		q, err := in.Position()
		if !errors.Is(err, ErrFEN) || !strings.Contains(err.Error(), c.mention) || q != (Position{}) {
			t.Errorf("want an error with %q, got %v and %s", c.mention, err, q.FEN())
		}
	}
}

func TestMirror(t *testing.T) {
	t.Parallel()
	eachPosition(t, 9, 300, func(p *Position) {
		m := p.Mirror()
		if q, err := ParseFEN(m.FEN()); err != nil || q != m {
			t.Fatalf("%s: mirrored %s (%v)", p, m.FEN(), err)
		}
		if m == *p || m.Mirror() != *p {
			t.Fatalf("%s: mirrored %s", p, m.FEN())
		}
		for _, move := range p.LegalMoves(nil) {
			there := NewMove(move.From().Flip(), move.To().Flip()) | move&^0xfff
			if !m.IsLegal(there) || m.GivesCheck(there) != p.GivesCheck(move) {
				t.Fatalf("%s: %s is not %s in %s", p, move, there, m.FEN())
			}
		}
	})
	p := mustParse(t, "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b Qk e3 4 3")
	const want = "rnbqkbnr/pppp1ppp/8/3Pp3/8/8/PPP1PPPP/RNBQKBNR w Kq e6 4 3"
	if m := p.Mirror(); m.FEN() != want {
		t.Errorf("%s mirrored is %s, want %s", p.FEN(), m.FEN(), want)
	}
}
