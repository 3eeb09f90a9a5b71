package board

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// StartFEN is the start position of standard chess.
const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// ErrFEN is wrapped by every error of ParseFEN and Sets.Position.
var ErrFEN = errors.New("invalid position")

// maxFENLength bounds how much of a bad FEN an error message quotes.
const maxFENLength = 120

// StartPosition returns the start position of standard chess.
func StartPosition() Position {
	p, err := ParseFEN(StartFEN)
	if err != nil {
		panic(err) // a constant
	}
	return p
}

// ParseFEN parses a position in Forsyth-Edwards notation, with all six fields or without
// the two counters (which are then 0 and 1). The castling field may be standard, X-FEN or
// Shredder-FEN. An en-passant square counts only if a capture there is legal. A position
// that violates the rules, or has more pieces than a game can have, is an error that says
// why and wraps ErrFEN.
func ParseFEN(s string) (Position, error) {
	p, err := parseFEN(s)
	if err != nil {
		if len(s) > maxFENLength {
			s = s[:maxFENLength] + "..."
		}
		return Position{}, fmt.Errorf("%w %q: %w", ErrFEN, s, err)
	}
	return p, nil
}

func parseFEN(s string) (Position, error) {
	p := Position{fullmove: 1, ep: NoSquare, squares: noSquares}
	var fields [6]string
	n := 0
	for field := range strings.FieldsSeq(s) {
		if n < len(fields) {
			fields[n] = field
		}
		n++
	}
	if n != 4 && n != 6 {
		return p, fmt.Errorf("want 6 fields (or 4, without the counters), got %d", n)
	}
	if err := p.parsePlacement(fields[0]); err != nil {
		return p, err
	}
	switch fields[1] {
	case "w":
	case "b":
		p.stm = Black
	default:
		return p, fmt.Errorf("side to move: want w or b, got %q", fields[1])
	}
	if err := p.parseCastling(fields[2]); err != nil {
		return p, err
	}
	ep := NoSquare
	if fields[3] != "-" {
		var ok bool
		if ep, ok = ParseSquare(fields[3]); !ok {
			return p, fmt.Errorf("en passant: want a square or -, got %q", fields[3])
		}
	}
	if n == 6 {
		if err := p.parseCounters(fields[4], fields[5]); err != nil {
			return p, err
		}
	}
	return p, p.finish(ep)
}

func (p *Position) parsePlacement(s string) error {
	if n := strings.Count(s, "/"); n != 7 {
		return fmt.Errorf("placement: want 8 ranks, got %d", n+1)
	}
	rank, file, digit := 7, 0, false
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '/' {
			if file != 8 {
				return fmt.Errorf("placement: rank %d has %d squares, want 8", rank+1, file)
			}
			rank, file, digit = rank-1, 0, false
			continue
		}
		c := s[i]
		if c >= '1' && c <= '8' && !digit {
			file += int(c - '0')
			digit = true
			continue
		}
		digit = false
		piece := piecesByLetter[c]
		if piece == NoPiece {
			return fmt.Errorf("placement, rank %d: unexpected %q", rank+1, c)
		}
		if file > 7 {
			return fmt.Errorf("placement: rank %d has more than 8 squares", rank+1)
		}
		p.put(piece, NewSquare(file, rank))
		file++
	}
	return nil
}

// piecesByLetter maps FEN letters to pieces; White's are capitals.
var piecesByLetter = newPiecesByLetter()

func newPiecesByLetter() (t [256]Piece) {
	for i := range t {
		t[i] = NoPiece
	}
	for i, c := range []byte(pieceLetters) {
		t[c] = NewPiece(White, PieceType(i))
		t[c+'a'-'A'] = NewPiece(Black, PieceType(i))
	}
	return t
}

// parseCastling parses KQkq (the outermost rook on that side of the king, X-FEN) and
// file letters AHah (Shredder-FEN).
func (p *Position) parseCastling(s string) error {
	if s == "-" {
		return nil
	}
	for _, c := range []byte(s) {
		color, letter := White, c
		if c >= 'a' && c <= 'z' {
			color, letter = Black, c-('a'-'A')
		}
		rook, err := p.castlingRook(color, letter)
		if err != nil {
			return fmt.Errorf("castling %q: %w", string(c), err)
		}
		if p.castling.Has(rook) {
			return fmt.Errorf("castling %q: the right is given twice", string(c))
		}
		p.castling |= rook.Bitboard()
	}
	return nil
}

// castlingRook returns the rook of a castling letter.
func (p *Position) castlingRook(c Color, letter byte) (Square, error) {
	home := A1.Relative(c)
	kings := p.Pieces(c, King)
	if kings == 0 {
		return NoSquare, errors.New("there is no king")
	}
	king := kings.First()
	if king&^7 != home {
		return NoSquare, fmt.Errorf("the %s king is not on its first rank", c)
	}
	rooks := p.Pieces(c, Rook) & (Rank1 << home)
	switch {
	case letter == 'K':
		for s := home | 7; s > king; s-- {
			if rooks.Has(s) {
				return s, nil
			}
		}
	case letter == 'Q':
		for s := home; s < king; s++ {
			if rooks.Has(s) {
				return s, nil
			}
		}
	case letter >= 'A' && letter <= 'H':
		if s := home | Square(letter-'A'); rooks.Has(s) {
			return s, nil
		}
	default:
		return NoSquare, errors.New("want letters of KQkq or files, or -")
	}
	return NoSquare, fmt.Errorf("there is no %s rook for it", c)
}

func (p *Position) parseCounters(halfmove, fullmove string) error {
	h, err := strconv.ParseUint(halfmove, 10, 8)
	if err != nil {
		return fmt.Errorf("halfmove clock: want 0 to 255, got %q", halfmove)
	}
	f, err := strconv.ParseUint(fullmove, 10, 15)
	if err != nil {
		return fmt.Errorf("move number: want 1 to 32767, got %q", fullmove)
	}
	p.halfmove = uint16(h)
	p.fullmove = uint16(max(f, 1)) // some programs write 0
	return nil
}

// Sets is a position as sets of squares.
type Sets struct {
	ByColor            [2]Bitboard
	ByType             [6]Bitboard // Pawn to King
	SideToMove         Color
	Castling           Bitboard // rooks that keep the right to castle
	EnPassant          Square   // NoSquare: none
	Halfmove, Fullmove int
}

// Position returns the position. It checks it as ParseFEN does.
func (s *Sets) Position() (Position, error) {
	p := Position{stm: s.SideToMove, castling: s.Castling, ep: NoSquare, squares: noSquares,
		halfmove: uint16(s.Halfmove), fullmove: uint16(s.Fullmove)}
	err := s.place(&p)
	if err == nil {
		err = p.finish(s.EnPassant)
	}
	if err != nil {
		return Position{}, fmt.Errorf("%w: %w", ErrFEN, err)
	}
	return p, nil
}

// place places the pieces.
func (s *Sets) place(p *Position) error {
	if s.SideToMove > Black {
		return fmt.Errorf("side to move: want 0 or 1, got %d", s.SideToMove)
	}
	if s.Halfmove < 0 || s.Halfmove > 255 || s.Fullmove < 1 || s.Fullmove > 32767 {
		return fmt.Errorf("counters %d and %d are out of range", s.Halfmove, s.Fullmove)
	}
	if s.ByColor[White]&s.ByColor[Black] != 0 {
		return errors.New("a square has a white and a black piece")
	}
	all := Bitboard(0)
	for t, b := range s.ByType {
		if all&b != 0 {
			return errors.New("a square has two pieces")
		}
		all |= b
		for b != 0 {
			at, c := b.PopFirst(), White
			if s.ByColor[Black].Has(at) {
				c = Black
			}
			p.put(NewPiece(c, PieceType(t)), at)
		}
	}
	if all != s.ByColor[White]|s.ByColor[Black] {
		return errors.New("the sets by color and by type have different squares")
	}
	return nil
}

// finish validates a parsed position, checks its en-passant square and computes what
// depends on the rest.
func (p *Position) finish(ep Square) error {
	if err := p.checkPieces(); err != nil {
		return err
	}
	if err := p.checkCastling(); err != nil {
		return err
	}
	p.refresh()
	if p.AttackersTo(p.KingSquare(p.stm^1), p.Occupied())&p.byColor[p.stm] != 0 {
		return fmt.Errorf("the %s king is in check, but %s is to move", p.stm^1, p.stm)
	}
	if p.checkers.Count() > 2 {
		return fmt.Errorf("the %s king is in check by %d pieces at once", p.stm, p.checkers.Count())
	}
	if ep == NoSquare {
		return nil
	}
	if err := p.checkEnPassant(ep); err != nil {
		return err
	}
	p.allowEnPassant(ep)
	return nil
}

func (p *Position) checkPieces() error {
	for c := White; c <= Black; c++ {
		if n := p.Pieces(c, King).Count(); n != 1 {
			return fmt.Errorf("want one %s king, got %d", c, n)
		}
		pawns := p.Pieces(c, Pawn).Count()
		if pawns > 8 {
			return fmt.Errorf("%d %s pawns: want 8 at most", pawns, c)
		}
		promoted := 0
		for t, atStart := range [...]int{Pawn: 8, Knight: 2, Bishop: 2, Rook: 2, Queen: 1} {
			promoted += max(0, p.Pieces(c, PieceType(t)).Count()-atStart)
		}
		if promoted > 8-pawns {
			return fmt.Errorf("%s has %d promoted pieces, but only %d pawns are missing", c, promoted, 8-pawns)
		}
	}
	if bad := p.byType[Pawn] & (Rank1 | Rank8); bad != 0 {
		return fmt.Errorf("a pawn is on %s", bad.First())
	}
	return nil
}

// checkCastling checks that each right has its rook on the king's rank, at most one on each
// side, and notes whether the rights are Chess960's.
func (p *Position) checkCastling() error {
	for c := White; c <= Black; c++ {
		king := p.KingSquare(c)
		home := Rank1 << A1.Relative(c)
		rights := p.castling & home
		if rights == 0 {
			continue
		}
		if rights&^p.Pieces(c, Rook) != 0 {
			return fmt.Errorf("castling: no %s rook on %s", c, (rights &^ p.Pieces(c, Rook)).First())
		}
		if !home.Has(king) {
			return fmt.Errorf("castling: the %s king is not on its first rank", c)
		}
		kingSide := ^(king.Bitboard()<<1 - 1)
		if (rights & kingSide).Many() || (rights &^ kingSide).Many() {
			return fmt.Errorf("castling: two rights of %s on one side of the king", c)
		}
	}
	if p.castling&^(Rank1|Rank8) != 0 {
		return fmt.Errorf("castling: a right on %s", (p.castling &^ (Rank1 | Rank8)).First())
	}
	p.chess960 = p.hasUnusualCastling()
	return nil
}

func (p *Position) checkEnPassant(ep Square) error {
	if ep > H8 || ep.RelativeRank(p.stm) != 5 {
		return fmt.Errorf("en passant: %s is not behind a pawn that can just have moved", ep)
	}
	victim := ep ^ 8
	origin := victim ^ 16
	if !p.Pieces(p.stm^1, Pawn).Has(victim) || p.Occupied().Has(ep) || p.Occupied().Has(origin) {
		return fmt.Errorf("en passant: no %s pawn can just have passed %s", p.stm^1, ep)
	}
	return nil
}

// FEN returns the position in Forsyth-Edwards notation with six fields. Castling rights are
// KQkq, or a file letter where that would mean another rook (X-FEN).
func (p *Position) FEN() string {
	b := make([]byte, 0, 90)
	for rank := 7; rank >= 0; rank-- {
		empty := byte(0)
		for file := range 8 {
			piece := p.squares[NewSquare(file, rank)]
			if piece == NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				b = append(b, '0'+empty)
			}
			empty = 0
			b = append(b, piece.Letter())
		}
		if empty > 0 {
			b = append(b, '0'+empty)
		}
		if rank > 0 {
			b = append(b, '/')
		}
	}
	b = append(b, ' ', "wb"[p.stm], ' ')
	b = p.appendCastling(b)
	b = append(b, ' ')
	b = append(b, p.ep.String()...)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.halfmove), 10)
	b = append(b, ' ')
	return string(strconv.AppendUint(b, uint64(p.fullmove), 10))
}

func (p *Position) appendCastling(b []byte) []byte {
	if p.castling == 0 {
		return append(b, '-')
	}
	for c := White; c <= Black; c++ {
		rights := p.castling & (Rank1 << A1.Relative(c))
		kingSide := ^(p.Pieces(c, King)<<1 - 1)
		for i, rooks := range [2]Bitboard{rights & kingSide, rights &^ kingSide} {
			if rooks == 0 {
				continue
			}
			rook, letter := rooks.First(), "KQ"[i]
			if outermost, _ := p.castlingRook(c, letter); outermost != rook {
				letter = 'A' + byte(rook.File())
			}
			if c == Black {
				letter += 'a' - 'A'
			}
			b = append(b, letter)
		}
	}
	return b
}

// String returns the position's FEN.
func (p *Position) String() string { return p.FEN() }
