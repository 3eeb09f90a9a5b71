package board

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkPosition compares a position with itself parsed again and with the oracle.
func checkPosition(t *testing.T, p *Position) {
	t.Helper()
	q, err := ParseFEN(p.FEN())
	if err != nil {
		t.Fatalf("the FEN of a position is not read: %v", err)
	}
	if q != *p {
		t.Fatalf("%s\nis    %+v\nreads %+v", p, *p, q)
	}
	if m := p.Mirror(); m.Mirror() != *p || m.CountLegal() != p.CountLegal() {
		t.Fatalf("%s is not its mirror image's: %s", p, m.FEN())
	}
	moves := p.LegalMoves(nil)
	if len(moves) != p.CountLegal() {
		t.Fatalf("%s: %d moves, counted %d", p, len(moves), p.CountLegal())
	}
	sorted := slices.Sorted(slices.Values(moves))
	if want := newOracle(p).moves(); !slices.Equal(sorted, want) {
		t.Fatalf("%s: moves %v, want %v", p, sorted, want)
	}
}

// FuzzParseFEN reads anything: an error, or a position that survives its own FEN.
func FuzzParseFEN(f *testing.F) {
	for _, fen := range startFENs(f) {
		f.Add(fen)
	}
	for _, text := range readLines(f, "testdata/bad_fens.txt") {
		if mention, fen, ok := strings.Cut(text, "\t"); ok && mention[0] != '#' {
			if unquoted, err := strconv.Unquote(fen); err == nil {
				fen = unquoted
			}
			f.Add(fen)
		}
	}
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := ParseFEN(fen)
		if err != nil {
			if !errors.Is(err, ErrFEN) || p != (Position{}) {
				t.Fatalf("%q: %v, with position %+v", fen, err, p)
			}
			return
		}
		checkPosition(t, &p)
		for _, m := range p.LegalMoves(nil) {
			child := p
			child.Make(m)
			if child.Fullmove() > 32767 || child.Halfmove() > 255 {
				return // longer games than a FEN can record
			}
			if q, err := ParseFEN(child.FEN()); err != nil || q != child {
				t.Fatalf("%s, %s: %+v, read again %+v, %v", fen, m, child, q, err)
			}
		}
	})
}

// FuzzParseSAN reads anything as a move: an error, or a legal move that survives
// being written.
func FuzzParseSAN(f *testing.F) {
	for i, san := range []string{"e4", "Nf3", "O-O", "0-0-0", "exd6e.p.", "b8=Q+", "Qh4e1#", "R1a3!?", "Bxc3",
		"--", "a1a1", "é", "N", "=Q", "xQ"} {
		f.Add(uint8(i*7), san)
	}
	fens := startFENs(f)
	f.Fuzz(func(t *testing.T, n uint8, san string) {
		p := mustParse(t, fens[int(n)%len(fens)])
		m, err := p.ParseSAN(san)
		if err != nil {
			if !errors.Is(err, ErrMove) || m != NullMove || len(err.Error()) > 300 {
				t.Fatalf("%q: %s, %v", san, m, err)
			}
			return
		}
		if again, err := p.ParseSAN(p.SAN(m)); !p.IsLegal(m) || err != nil || again != m {
			t.Fatalf("%s: %q is read as %s, written as %s, read as %s (%v)", p.FEN(), san, m, p.SAN(m), again, err)
		}
	})
}

// FuzzParseUCI reads anything as a move: an error, or a legal move that is written as
// it was read, but for the two spellings of castling.
func FuzzParseUCI(f *testing.F) {
	for i, uci := range []string{"e2e4", "e1g1", "e1h1", "b7b8q", "e5d6", "0000", "", "e2e4e", "i9i9"} {
		f.Add(uint8(i*7), uci)
	}
	fens := startFENs(f)
	f.Fuzz(func(t *testing.T, n uint8, uci string) {
		p := mustParse(t, fens[int(n)%len(fens)])
		m, err := p.ParseUCI(uci)
		if err != nil {
			if !errors.Is(err, ErrMove) || m != NullMove || len(err.Error()) > 300 {
				t.Fatalf("%q: %s, %v", uci, m, err)
			}
			return
		}
		if !p.IsLegal(m) || p.UCI(m) != uci && !p.IsCastling(m) {
			t.Fatalf("%s: %q is read as %s and written as %s", p.FEN(), uci, m, p.UCI(m))
		}
	})
}

// FuzzMakeKeys plays the game that the bytes choose and looks at every position of
// it: what Make keeps up to date, moves, rights and keys.
func FuzzMakeKeys(f *testing.F) {
	f.Add(uint8(0), []byte{11, 4, 200, 7, 63, 0, 255, 90, 31})
	f.Add(uint8(2), []byte{40, 30, 20, 10, 0, 1, 2, 3})
	for n := range 80 {
		f.Add(uint8(n), []byte(strings.Repeat(string(rune('a'+n%26)), n%12)+"make"))
	}
	fens := startFENs(f)
	f.Fuzz(func(t *testing.T, n uint8, choices []byte) {
		g := NewGame(mustParse(t, fens[int(n)%len(fens)]))
		for _, c := range choices[:min(len(choices), 200)] {
			p := *g.Position()
			checkPosition(t, &p)
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				if _, why, over := g.Outcome(); !over || why != Checkmate && why != Stalemate {
					t.Fatalf("%s: no move, but Outcome() is %s", p.FEN(), why)
				}
				return
			}
			m := moves[int(c)*len(moves)/256]
			if !p.IsLegal(m) || p.SEEAtLeast(m, 0) != (p.SEE(m) >= 0) {
				t.Fatalf("%s: %s is legal: %v, SEE %d", p.FEN(), m, p.IsLegal(m), p.SEE(m))
			}
			g.Push(m)
			if p.GivesCheck(m) != g.Position().InCheck() {
				t.Fatalf("%s: GivesCheck(%s) = %v", p.FEN(), m, p.GivesCheck(m))
			}
		}
		checkPosition(t, g.Position())
	})
}
