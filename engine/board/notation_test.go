package board

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// TestNotationRoundTrips writes every legal move of many positions in both notations
// and reads it again. No two moves may look alike.
func TestNotationRoundTrips(t *testing.T) {
	t.Parallel()
	eachPosition(t, 10, 300, func(p *Position) {
		moves := p.LegalMoves(nil)
		sans, ucis := map[string]Move{}, map[string]Move{}
		for _, m := range moves {
			san, uci := p.SAN(m), p.UCI(m)
			if got, err := p.ParseSAN(san); err != nil || got != m {
				t.Fatalf("%s: SAN %s of %s is read as %s (%v)", p, san, m, got, err)
			}
			if got, err := p.ParseUCI(uci); err != nil || got != m {
				t.Fatalf("%s: UCI %s of %s is read as %s (%v)", p, uci, m, got, err)
			}
			if got, err := p.ParseUCI(m.String()); err != nil || got != m {
				t.Fatalf("%s: %s is read as %s (%v)", p, m, got, err)
			}
			sans[san], ucis[uci] = m, m
			if (strings.HasSuffix(san, "+") || strings.HasSuffix(san, "#")) != p.GivesCheck(m) ||
				strings.Contains(san, "x") != p.IsCapture(m) {
				t.Fatalf("%s: %s is written %s", p, m, san)
			}
		}
		if len(sans) != len(moves) || len(ucis) != len(moves) {
			t.Fatalf("%s: %d moves have %d SANs and %d UCI forms", p, len(moves), len(sans), len(ucis))
		}
	})
}

func TestSANTable(t *testing.T) {
	for _, c := range []struct{ fen, uci, want string }{
		{StartFEN, "e2e4", "e4"},
		{StartFEN, "g1f3", "Nf3"},
		{kiwipeteFEN, "e1g1", "O-O"},
		{kiwipeteFEN, "e1c1", "O-O-O"},
		{kiwipeteFEN, "e5d7", "Nxd7"},
		{kiwipeteFEN, "d5e6", "dxe6"},
		{kiwipeteFEN, "f3f6", "Qxf6"},
		{"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6", "exf6"},
		// Disambiguation: file, rank, both, and none where the other piece is pinned.
		{"4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "a1d1", "Rad1"},
		{"4k3/8/8/R7/8/8/8/R5K1 w - - 0 1", "a1a3", "R1a3"},
		{"2k5/8/8/8/Q6Q/8/8/1K5Q w - - 0 1", "h4e4", "Qh4e4"},
		{"2k5/8/8/8/Q6Q/8/8/1K5Q w - - 0 1", "h1e4", "Q1e4"},
		{"2k5/8/8/8/Q6Q/8/8/1K5Q w - - 0 1", "a4e4", "Qae4"},
		{"2k5/8/8/8/Q6Q/8/8/1K5Q w - - 0 1", "h4e1", "Q4e1"},
		{"4k3/4r3/8/8/2N5/8/4N3/4K3 w - - 0 1", "c4d2", "Nd2"},
		{"k3b3/8/8/8/4n3/8/8/K3n3 b - - 0 1", "e4g3", "Ng3"},
		{"7k/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"},
		{"7k/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "g1e2", "Nge2"},
		{"7k/8/8/8/8/8/3p4/K1B1N1B1 w - - 0 1", "c1d2", "Bxd2"},
		// Promotions, checks and mates.
		{"4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8q", "b8=Q+"},
		{"4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8n", "b8=N"},
		{"r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7a8r", "bxa8=R+"},
		{"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", "Ra8#"},
		{"4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "e8g8", "O-O"},
		{"5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"},
		{"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"},
		{"8/8/8/8/8/5N2/4Q3/R3K2k w Q - 0 1", "e1c1", "O-O-O#"},
		// Chess960: castling and the king's own step to the same square are not alike.
		{"4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "O-O"},
		{"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1g1", "Kg1"},
		{"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "O-O"},
	} {
		p := mustParse(t, c.fen)
		m, err := p.ParseUCI(c.uci)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.SAN(m); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.fen, c.uci, got, c.want)
		}
	}
}

// TestParseSANTakesVariants reads what people and programs write.
func TestParseSANTakesVariants(t *testing.T) {
	const promotion = "r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1"
	const passing = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
	for _, c := range []struct{ fen, san, want string }{
		{StartFEN, "e4", "e2e4"},
		{StartFEN, "e2e4", "e2e4"},
		{StartFEN, "e2-e4", "e2e4"},
		{StartFEN, "e4!?", "e2e4"},
		{StartFEN, "Nf3+", "g1f3"},
		{StartFEN, "Ng1f3", "g1f3"},
		{StartFEN, "Ng1-f3", "g1f3"},
		{StartFEN, "Ngf3??", "g1f3"},
		{StartFEN, "N1f3", "g1f3"},
		{kiwipeteFEN, "O-O", "e1h1"},
		{kiwipeteFEN, "0-0", "e1h1"},
		{kiwipeteFEN, "0-0-0!", "e1a1"},
		{kiwipeteFEN, "Ne5xd7", "e5d7"},
		{promotion, "b8=Q", "b7b8q"},
		{promotion, "b8Q+", "b7b8q"},
		{promotion, "bxa8=N", "b7a8n"},
		{promotion, "b7xa8R", "b7a8r"},
		{passing, "exf6", "e5f6"},
		{passing, "exf6e.p.", "e5f6"},
		{passing, "e5xf6", "e5f6"},
	} {
		p := mustParse(t, c.fen)
		if m, err := p.ParseSAN(c.san); err != nil || m.String() != c.want {
			t.Errorf("%s: %q is read as %s (%v), want %s", c.fen, c.san, m, err, c.want)
		}
	}
}

func TestParseMovesRefuses(t *testing.T) {
	const ambiguous = "4k3/8/8/8/8/8/8/R4RK1 w - - 0 1"
	const promotion = "r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1"
	long := strings.Repeat("N", 5<<20)
	for _, c := range []struct {
		fen  string
		sans []string
	}{
		{StartFEN, []string{"", "+", "#", "e.p.", "e", "4", "e5", "e9", "i4", "Nf4", "nf3", "Nd2", "Ke2", "O-O", "O-O-O",
			"0-0", "o-o", "O-O-O-O",
			"--", "Z0", "null", "e4e4", "e3e4", "e2e4e5", "e2e4=Q", "e4Q", "Nf3=Q", "=Q", "e4 e5", " e4", "e4\x00", "Ng1x-f3",
			"Nx", "N", "é4", long, strings.Repeat("+", 1000)}},
		{ambiguous, []string{"Rd1", "R1d1", "Rxd1"}},
		{promotion, []string{"b8", "bxa8", "b8=K", "b8=P", "b8=", "b8=q", "b8==Q", "Kb8=Q"}},
		{"4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", []string{"Nd4", "Nc1"}},
		{"5k2/8/8/8/8/8/8/4K2R w - - 0 1", []string{"O-O", "Kg1"}},
	} {
		p := mustParse(t, c.fen)
		for _, san := range c.sans {
			m, err := p.ParseSAN(san)
			if !errors.Is(err, ErrMove) || m != NullMove {
				t.Errorf("%s: SAN %.30q is read as %s (%v)", c.fen, san, m, err)
			} else if len(err.Error()) > 300 {
				t.Errorf("SAN %.30q: the error is %d bytes long", san, len(err.Error()))
			}
		}
	}
	for _, c := range []struct {
		fen  string
		ucis []string
	}{
		{StartFEN, []string{"", "e2", "e2e", "e2e5", "e7e5", "e2e4q", "e2e4 ", "e2e4e5", "0000", "(none)", "E2E4", "e2-e4",
			"e9e4", "e1g1", "e1h1", "a1a1", long}},
		{promotion, []string{"b7b8", "b7b8k", "b7b8p", "b7b8Q", "b7b8=", "b7b8\x00"}},
		{"4k3/8/8/8/8/8/8/5K1R w H - 0 1", []string{"f1d1"}},
	} {
		p := mustParse(t, c.fen)
		for _, uci := range c.ucis {
			m, err := p.ParseUCI(uci)
			if !errors.Is(err, ErrMove) || m != NullMove {
				t.Errorf("%s: UCI %.30q is read as %s (%v)", c.fen, uci, m, err)
			} else if len(err.Error()) > 300 {
				t.Errorf("UCI %.30q: the error is %d bytes long", uci, len(err.Error()))
			}
		}
	}
}

func TestParseUCICastling(t *testing.T) {
	for _, c := range []struct{ fen, text, want, uci string }{
		{kiwipeteFEN, "e1g1", "e1h1", "e1g1"},
		{kiwipeteFEN, "e1h1", "e1h1", "e1g1"},
		{kiwipeteFEN, "e1c1", "e1a1", "e1c1"},
		{kiwipeteFEN, "e1a1", "e1a1", "e1c1"},
		{"r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", "e8h8", "e8g8"},
		{"r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8a8", "e8a8", "e8c8"},
		{"4k3/8/8/8/8/8/8/1K5R w H - 0 1", "b1g1", "b1h1", "b1h1"}, // Chess960 writes the rook's square
		{"1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1", "e1c1", "e1b1", "e1b1"},
		{"4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1g1", "f1g1", "f1g1"}, // a step of the king
		{"4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "g1h1", "g1h1"},
	} {
		p := mustParse(t, c.fen)
		m, err := p.ParseUCI(c.text)
		if err != nil || m.String() != c.want || p.UCI(m) != c.uci {
			t.Errorf("%s: %s is read as %s (%v) and written %s, want %s and %s", c.fen, c.text, m, err, p.UCI(m), c.want, c.uci)
		}
	}
	start := StartPosition()
	if NullMove.String() != "0000" || start.UCI(NullMove) != "0000" {
		t.Error("the null move is not written 0000")
	}
}

// Every move of games between humans, as a server wrote them, is parsed and written back
// the same. The file has one game a line. Games with promotions and ambiguous moves are
// overrepresented.
func TestSANOfHumanGames(t *testing.T) {
	games, moves := 0, 0
	for _, text := range readLines(t, "testdata/human_games.txt") {
		games++
		p := StartPosition()
		for san := range strings.FieldsSeq(text) {
			m, err := p.ParseSAN(san)
			if err != nil {
				t.Fatalf("game %d: %v", games, err)
			}
			if got := p.SAN(m); got != san {
				t.Fatalf("game %d: %s is written %s in %s", games, san, got, p.FEN())
			}
			p.Make(m)
			moves++
		}
	}
	if games != 58 || moves != 4760 {
		t.Errorf("%d games and %d moves", games, moves)
	}
}

// TestParseFENRefuses reads the bad positions of testdata: each is an error that
// names the fault, and never a position.
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
