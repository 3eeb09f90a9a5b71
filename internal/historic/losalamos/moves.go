package losalamos

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

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

// Moves appends the legal moves, ordered by the square they start from.
func (p *Position) Moves(buf []Move) []Move {
	n := len(buf)
	us := p.side()
	for rank := range Square(size) {
		for file := range Square(size) {
			from := rank<<4 | file
			if piece := p.at[from]; piece != board.NoPiece && piece.Color() == us {
				buf = p.movesOf(buf, piece.Type(), from)
			}
		}
	}
	legal := buf[:n]
	king, check := p.kings[us], p.inCheck()
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
		return slides && piece.Color() != p.side()
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
	us := p.side()
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
		if capture := piece != board.NoPiece && piece.Color() != p.side(); capture != (i > 0) || i == 0 &&
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

// inCheck reports whether the side to move is in check.
func (p *Position) inCheck() bool { return p.attacked(p.kings[p.side()], p.side().Other()) }

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

// errMove is wrapped by Parse's errors.
var errMove = errors.New("move on 6x6")

// Parse finds the legal move that the text, such as d2d3 or e5f6q, means.
func (p *Position) Parse(text string) (Move, error) {
	moves := p.Moves(nil)
	for _, m := range moves {
		if m.String() == text {
			return m, nil
		}
	}
	if len(moves) == 0 {
		return Move{}, fmt.Errorf("%w %q: the game is over, no move is legal", errMove, text)
	}
	return Move{}, fmt.Errorf("%w %q is not legal in %s; the legal moves are %s", errMove, text, p.FEN(),
		strings.Trim(fmt.Sprint(moves), "[]"))
}

// irreversible reports whether a legal move is a capture or a pawn move, after which
// earlier positions cannot occur again.
func (p *Position) irreversible(m Move) bool {
	return p.at[m.To] != board.NoPiece || p.at[m.From].Type() == board.Pawn
}
