package board

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMove is wrapped by the errors of ParseUCI and ParseSAN.
var ErrMove = errors.New("not a legal move")

// UCI returns a legal move in UCI notation: from, to and a promotion letter. Castling is
// the king's move by two squares; in Chess960, the king captures its own rook.
func (p *Position) UCI(m Move) string {
	if m != NullMove && !p.chess960 && p.IsCastling(m) {
		kingTo, _ := castlingTargets(m.From(), m.To())
		m = NewMove(m.From(), kingTo)
	}
	return m.String()
}

// ParseUCI parses a legal move in UCI notation. It accepts both forms of castling. Its
// errors wrap ErrMove.
func (p *Position) ParseUCI(s string) (Move, error) {
	fail := func() (Move, error) {
		return NullMove, fmt.Errorf("%w: %q in %s", ErrMove, clip(s), p.FEN())
	}
	if len(s) != 4 && len(s) != 5 {
		return fail()
	}
	from, ok1 := ParseSquare(s[:2])
	to, ok2 := ParseSquare(s[2:4])
	if !ok1 || !ok2 {
		return fail()
	}
	m := NewMove(from, to)
	if len(s) == 5 {
		t := strings.IndexByte("pnbrq", s[4])
		if t < 1 {
			return fail()
		}
		m = NewPromotion(from, to, PieceType(t))
	}
	if p.IsLegal(m) {
		return m, nil
	}
	if p.squares[from] == NewPiece(p.stm, King) && p.squares[to] == NoPiece {
		for rooks := p.castling & p.byColor[p.stm]; rooks != 0; {
			rook := rooks.PopFirst()
			kingTo, _ := castlingTargets(from, rook)
			if c := NewMove(from, rook); kingTo == to && p.IsLegal(c) {
				return c, nil
			}
		}
	}
	return fail()
}

// SAN returns a legal move in standard algebraic notation, with + or #.
func (p *Position) SAN(m Move) string {
	child := *p
	child.Make(m)
	s := p.sanWithoutCheck(m)
	switch {
	case !child.InCheck():
	case child.CountLegal() == 0:
		s += "#"
	default:
		s += "+"
	}
	return s
}

func (p *Position) sanWithoutCheck(m Move) string {
	from, to := m.From(), m.To()
	kind := p.squares[from].Type()
	if p.IsCastling(m) {
		if to > from {
			return "O-O"
		}
		return "O-O-O"
	}
	var b strings.Builder
	if kind == Pawn {
		if p.IsCapture(m) {
			b.WriteString(from.String()[:1])
		}
	} else {
		b.WriteByte(kind.Letter())
		b.WriteString(p.disambiguation(m))
	}
	if p.IsCapture(m) {
		b.WriteByte('x')
	}
	b.WriteString(to.String())
	if t := m.Promotion(); t != NoPieceType {
		b.WriteByte('=')
		b.WriteByte(t.Letter())
	}
	return b.String()
}

// disambiguation returns what distinguishes the moving piece from others of its type that
// can go to the same square: its file, otherwise its rank, otherwise both.
func (p *Position) disambiguation(m Move) string {
	from, to := m.From(), m.To()
	var array [MaxMoves]Move
	ambiguous, sameFile, sameRank := false, false, false
	for _, other := range p.LegalMoves(array[:0]) {
		f := other.From()
		if other.To() != to || f == from || p.squares[f] != p.squares[from] || p.IsCastling(other) {
			continue
		}
		ambiguous = true
		sameFile = sameFile || f.File() == from.File()
		sameRank = sameRank || f.Rank() == from.Rank()
	}
	switch {
	case !ambiguous:
		return ""
	case !sameFile:
		return from.String()[:1]
	case !sameRank:
		return from.String()[1:]
	}
	return from.String()
}

// ParseSAN parses a legal move in standard algebraic notation. It also accepts the variants
// of PGN files: check and annotation marks, castling with zeros, promotions without the
// equals sign, and more disambiguation than needed. Its errors wrap ErrMove.
func (p *Position) ParseSAN(s string) (Move, error) {
	text := s
	for text != "" && strings.IndexByte("+#!?", text[len(text)-1]) >= 0 {
		text = text[:len(text)-1]
	}
	text = strings.TrimSuffix(text, "e.p.")
	m, count := NullMove, 0
	switch text {
	case "":
	case "O-O", "0-0":
		m, count = p.castlingTo(1)
	case "O-O-O", "0-0-0":
		m, count = p.castlingTo(-1)
	default:
		if pattern, ok := parsePattern(text); ok {
			m, count = pattern.find(p)
		}
	}
	switch count {
	case 1:
		return m, nil
	case 0:
		return NullMove, fmt.Errorf("%w: %q in %s", ErrMove, clip(s), p.FEN())
	}
	return NullMove, fmt.Errorf("%w: %q is ambiguous in %s", ErrMove, clip(s), p.FEN())
}

// castlingTo returns the legal castling towards the h-file (1) or the a-file (-1), and how many there are.
func (p *Position) castlingTo(side int) (m Move, count int) {
	king := p.KingSquare(p.stm)
	for rooks := p.castling & p.byColor[p.stm]; rooks != 0; {
		rook := rooks.PopFirst()
		if c := NewMove(king, rook); (rook > king) == (side > 0) && p.IsLegal(c) {
			m, count = c, count+1
		}
	}
	return m, count
}

// pattern is a parsed SAN token.
type pattern struct {
	kind       PieceType
	file, rank int // of the from square; -1 if not given
	to         Square
	promotion  PieceType
}

func parsePattern(s string) (pattern, bool) {
	pt := pattern{kind: Pawn, file: -1, rank: -1, promotion: NoPieceType}
	if i := strings.IndexByte("NBRQK", s[0]); i >= 0 {
		pt.kind = Knight + PieceType(i)
		s = s[1:]
	} else if i := strings.IndexByte("NBRQ", s[len(s)-1]); i >= 0 {
		pt.promotion = Knight + PieceType(i)
		s = strings.TrimSuffix(s[:len(s)-1], "=")
	}
	if len(s) < 2 {
		return pt, false
	}
	to, ok := ParseSquare(s[len(s)-2:])
	if !ok {
		return pt, false
	}
	pt.to = to
	rest := s[:len(s)-2]
	rest = strings.TrimSuffix(strings.TrimSuffix(rest, "x"), "-")
	if rest != "" && rest[0] >= 'a' && rest[0] <= 'h' {
		pt.file = int(rest[0] - 'a')
		rest = rest[1:]
	}
	if rest != "" && rest[0] >= '1' && rest[0] <= '8' {
		pt.rank = int(rest[0] - '1')
		rest = rest[1:]
	}
	return pt, rest == ""
}

// find returns a legal move of the pattern, and how many there are. Castling is none of them.
func (pt pattern) find(p *Position) (m Move, count int) {
	t := p.Targets()
	from := p.byType[pt.kind] & t.own
	if pt.file >= 0 {
		from &= FileA << pt.file
	}
	if pt.rank >= 0 {
		from &= Rank1 << (8 * pt.rank)
	}
	if t.own.Has(pt.to) {
		from = 0
	}
	for from != 0 {
		c := NewMove(from.PopFirst(), pt.to)
		if pt.promotion != NoPieceType {
			c = NewPromotion(c.From(), pt.to, pt.promotion)
		}
		if t.IsLegal(p, c) {
			m, count = c, count+1
		}
	}
	return m, count
}

// clip shortens a bad token for an error message.
func clip(s string) string {
	if len(s) > 20 {
		return s[:20] + "..."
	}
	return s
}
