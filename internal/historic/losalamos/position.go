package losalamos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// size is the number of files and of ranks.
const size = 6

// Square is a square of the small board: 16 x rank + file, so that steps off the board can be
// detected.
type Square uint8

func (s Square) onBoard() bool { return s&15 < size && s>>4 < size }

// String returns the square's name, a1 to f6.
func (s Square) String() string { return string([]byte{'a' + byte(s&15), '1' + byte(s>>4)}) }

// Position is a position on six squares by six.
type Position struct {
	at    [size * 16]board.Piece
	kings [2]Square
	black bool // whether Black is to move
}

// Start returns the start position.
func Start() Position { return place("rnqknr/pppppp/6/6/PPPPPP/RNQKNR w") }

// place returns the position of the first two fields of a FEN without mistakes.
func place(fen string) (p Position) {
	for i := range p.at {
		p.at[i] = board.NoPiece
	}
	p.black = strings.HasSuffix(fen, " b")
	at := Square(16 * (size - 1))
	for _, c := range fen[:len(fen)-2] {
		switch {
		case c == '/':
			at = at&^15 - 16
		case c <= '6':
			at += Square(c - '0')
		default:
			color := board.White
			if c >= 'a' {
				color = board.Black
			}
			kind := board.PieceType(strings.IndexRune("PN RQK", c&^('a'-'A')))
			if p.at[at] = board.NewPiece(color, kind); kind == board.King {
				p.kings[color] = at
			}
			at++
		}
	}
	return p
}

// SideToMove returns the side to move.
func (p *Position) SideToMove() board.Color {
	if p.black {
		return board.Black
	}
	return board.White
}

// String draws the board with Black at the top.
func (p *Position) String() string {
	var b strings.Builder
	for rank := size - 1; rank >= 0; rank-- {
		fmt.Fprintf(&b, "%d ", rank+1)
		for file := range size {
			letter := byte('.')
			if piece := p.at[rank*16+file]; piece != board.NoPiece {
				letter = piece.Letter()
			}
			b.Write([]byte{' ', letter})
		}
		b.WriteByte('\n')
	}
	return b.String() + "   a b c d e f\n"
}

// Move is a move on the small board. Promotion is NoPieceType if the move does not promote.
type Move struct {
	From, To  Square
	Promotion board.PieceType
}

// String returns the move in the notation of UCI: d2d3, e5f6q.
func (m Move) String() string {
	s := m.From.String() + m.To.String()
	if m.Promotion != board.NoPieceType {
		s += string(m.Promotion.Letter() + 'a' - 'A')
	}
	return s
}

// Steps of the pieces, counterclockwise from east.
var (
	straight = [...]int8{1, 16, -1, -16}
	around   = [...]int8{1, 17, 16, 15, -1, -17, -16, -15}
	leaps    = [...]int8{18, 33, 31, 14, -18, -33, -31, -14}
	promoted = [...]board.PieceType{board.Queen, board.Rook, board.Knight}
)

// LegalMoves appends the legal moves, ordered by the square they start from.
func (p *Position) LegalMoves(buf []Move) []Move {
	n := len(buf)
	us := p.SideToMove()
	for rank := range Square(size) {
		for file := range Square(size) {
			from := rank<<4 | file
			if piece := p.at[from]; piece != board.NoPiece && piece.Color() == us {
				buf = p.movesOf(buf, piece.Type(), from)
			}
		}
	}
	legal := buf[:n]
	king, check := p.kings[us], p.InCheck()
	for _, m := range buf[n:] {
		if !check && m.From != king && !p.shields(m.From, king) {
			legal = append(legal, m)
			continue
		}
		after := *p
		after.Make(m)
		if !after.attacked(after.kings[us], us.Other()) {
			legal = append(legal, m)
		}
	}
	return legal
}

// shields reports whether an enemy piece would attack the king if the square were empty.
func (p *Position) shields(s, king Square) bool {
	file, rank := int8(s&15)-int8(king&15), int8(s>>4)-int8(king>>4)
	if file != 0 && rank != 0 && file != rank && file != -rank {
		return false
	}
	step := Square(16*cmp.Compare(rank, 0) + cmp.Compare(file, 0))
	for to := king + step; to.onBoard(); to += step {
		piece := p.at[to]
		if to == s || piece == board.NoPiece {
			continue
		}
		slides := piece.Type() == board.Queen || piece.Type() == board.Rook && (file == 0 || rank == 0)
		return slides && piece.Color() != p.SideToMove()
	}
	return false
}

// movesOf appends the pseudo-legal moves of one piece.
func (p *Position) movesOf(buf []Move, kind board.PieceType, from Square) []Move {
	steps, far := around[:], false
	switch kind {
	case board.Pawn:
		return p.pawnMoves(buf, from)
	case board.Knight:
		steps = leaps[:]
	case board.Rook:
		steps, far = straight[:], true
	case board.Queen:
		far = true
	}
	us := p.SideToMove()
	for _, step := range steps {
		for to := from + Square(step); to.onBoard(); to += Square(step) {
			piece := p.at[to]
			if piece != board.NoPiece && piece.Color() == us {
				break
			}
			buf = append(buf, Move{from, to, board.NoPieceType})
			if !far || piece != board.NoPiece {
				break
			}
		}
	}
	return buf
}

// pawnMoves appends a step forward and captures, with their promotions.
func (p *Position) pawnMoves(buf []Move, from Square) []Move {
	ahead := Square(16)
	if p.black {
		ahead = -ahead
	}
	for i, to := range [...]Square{from + ahead, from + ahead - 1, from + ahead + 1} {
		if !to.onBoard() {
			continue
		}
		piece := p.at[to]
		if capture := piece != board.NoPiece && piece.Color() != p.SideToMove(); capture != (i > 0) || i == 0 &&
			piece != board.NoPiece {
			continue
		}
		if last := to >> 4; last != 0 && last != size-1 {
			buf = append(buf, Move{from, to, board.NoPieceType})
			continue
		}
		for _, kind := range promoted {
			buf = append(buf, Move{from, to, kind})
		}
	}
	return buf
}

// Make plays a legal move.
func (p *Position) Make(m Move) {
	piece := p.at[m.From]
	p.at[m.From] = board.NoPiece
	if m.Promotion != board.NoPieceType {
		piece = board.NewPiece(piece.Color(), m.Promotion)
	}
	p.at[m.To] = piece
	if piece.Type() == board.King {
		p.kings[piece.Color()] = m.To
	}
	p.black = !p.black
}

// CountLegal returns the number of legal moves.
func (p *Position) CountLegal() int {
	var buf [64]Move
	return len(p.LegalMoves(buf[:0]))
}

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.attacked(p.kings[p.SideToMove()], p.SideToMove().Other()) }

// attacked reports whether a piece of the side attacks the square.
func (p *Position) attacked(s Square, by board.Color) bool {
	pawn, behind := board.NewPiece(by, board.Pawn), s-16 // rank of a white pawn that attacks s
	if by == board.Black {
		behind = s + 16
	}
	for _, at := range [...]Square{behind - 1, behind + 1} {
		if at.onBoard() && p.at[at] == pawn {
			return true
		}
	}
	knight := board.NewPiece(by, board.Knight)
	for _, step := range leaps {
		if at := s + Square(step); at.onBoard() && p.at[at] == knight {
			return true
		}
	}
	king, queen, rook := board.NewPiece(by, board.King), board.NewPiece(by, board.Queen), board.NewPiece(by, board.Rook)
	for i, step := range around {
		for at := s + Square(step); at.onBoard(); at += Square(step) {
			piece := p.at[at]
			if piece == board.NoPiece {
				continue
			}
			if piece == queen || piece == rook && i%2 == 0 || piece == king && at == s+Square(step) {
				return true
			}
			break
		}
	}
	return false
}

// Parse finds the legal move that the text, such as d2d3 or e5f6q, means.
func (p *Position) Parse(text string) (Move, error) {
	moves := p.LegalMoves(nil)
	if i := slices.IndexFunc(moves, func(m Move) bool { return m.String() == text }); i >= 0 {
		return moves[i], nil
	}
	return Move{}, fmt.Errorf("move on 6x6 %q is not legal; the legal moves are %s", text,
		strings.Trim(fmt.Sprint(moves), "[]"))
}
