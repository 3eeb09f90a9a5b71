package prinz

import (
	"errors"
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

// Problem is the position of the first problem, reconstructed: no other arrangement of these
// pieces allows the printed moves, and its only key is the printed one.
const Problem = "5Kbk/6pp/6P1/8/8/8/8/7R w - - 0 1"

// offBoard marks what surrounds the squares 11 to 88.
const offBoard = board.Piece(0xff)

// Position is a position. Squares are numbered as on the machine: ten times the rank plus the
// file, both from 1. A frame of off-board squares surrounds them.
type Position struct {
	at   [100]board.Piece
	king [2]int // squares of the kings, by color
}

// New returns a position in which White is to mate. It is an error if Black is to move.
func New(p *board.Position) (*Position, error) {
	if p.SideToMove() != board.White {
		return nil, errors.New("mate in two: Black is to move, but White must be to move")
	}
	q := new(Position)
	for i := range q.at {
		q.at[i] = offBoard
	}
	for s := board.A1; s <= board.H8; s++ {
		q.put(number(s), p.PieceAt(s))
	}
	return q, nil
}

// number returns the machine's number of a square.
func number(s board.Square) int { return 10*(s.Rank()+1) + s.File() + 1 }

func (p *Position) put(square int, piece board.Piece) {
	p.at[square] = piece
	if piece != board.NoPiece && piece.Type() == board.King {
		p.king[piece.Color()] = square
	}
}

// The steps of the pieces, clockwise from west.
var (
	straight = []int{-1, 10, 1, -10}
	diagonal = []int{9, 11, -9, -11}
	leaps    = []int{8, 19, 21, 12, -8, -19, -21, -12}
	around   = []int{-1, 9, 10, 11, 1, -9, -10, -11}
)

// order is the order of the piece types in move generation.
var order = [...]board.PieceType{board.Pawn, board.Rook, board.Knight, board.Bishop, board.Queen, board.King}

// Move is a move of a piece from one square to another.
type Move struct {
	Piece    board.PieceType
	From, To int // the machine's numbers
}

// String returns the move as the machine printed it: "Rook to 17."
func (m Move) String() string {
	name := m.Piece.String()
	return fmt.Sprintf("%c%s to %d.", name[0]-'a'+'A', name[1:], m.To)
}

// moves appends the pseudo-legal moves of a side: they may leave its king in check.
func (p *Position) moves(buf []Move, c board.Color) []Move {
	for _, kind := range order {
		piece := board.NewPiece(c, kind)
		for from := 11; from <= 88; from++ {
			if p.at[from] == piece {
				buf = p.movesOf(buf, c, kind, from)
			}
		}
	}
	return buf
}

func (p *Position) movesOf(buf []Move, c board.Color, kind board.PieceType, from int) []Move {
	steps, far := around, false
	switch kind {
	case board.Pawn:
		return p.pawnMoves(buf, c, from)
	case board.Knight:
		steps = leaps
	case board.Rook:
		steps, far = straight, true
	case board.Bishop:
		steps, far = diagonal, true
	case board.Queen:
		far = true
	}
	for _, step := range steps {
		for to := from + step; p.free(to, c); to += step {
			buf = append(buf, Move{kind, from, to})
			if !far || p.at[to] != board.NoPiece {
				break
			}
		}
	}
	return buf
}

// pawnMoves appends a step forward and captures. On the last rank there are none.
func (p *Position) pawnMoves(buf []Move, c board.Color, from int) []Move {
	ahead := 10 - 20*int(c)
	if p.at[from+ahead] == board.NoPiece {
		buf = append(buf, Move{board.Pawn, from, from + ahead})
	}
	for _, to := range [...]int{from + ahead - 1, from + ahead + 1} {
		if p.free(to, c) && p.at[to] != board.NoPiece {
			buf = append(buf, Move{board.Pawn, from, to})
		}
	}
	return buf
}

// free reports whether a piece of the side may move to the square: it is on the board and not
// occupied by that side.
func (p *Position) free(square int, c board.Color) bool {
	if square < 0 || square >= len(p.at) || p.at[square] == offBoard {
		return false
	}
	piece := p.at[square]
	return piece == board.NoPiece || piece.Color() != c
}

// play makes a move and returns the captured piece for undo.
func (p *Position) play(m Move) (captured board.Piece) {
	captured = p.at[m.To]
	p.put(m.To, p.at[m.From])
	p.at[m.From] = board.NoPiece
	return captured
}

func (p *Position) undo(m Move, captured board.Piece) {
	p.put(m.From, p.at[m.To])
	p.at[m.To] = captured
}

// selfCheck reports whether the side's king can be captured. It looks outward from the king
// for each type of piece, as the machine did.
func (p *Position) selfCheck(c board.Color) bool {
	king, them := p.king[c], c.Other()
	near := func(steps []int, kind board.PieceType) bool {
		for _, step := range steps {
			if s := king + step; s >= 0 && s < len(p.at) && p.at[s] == board.NewPiece(them, kind) {
				return true
			}
		}
		return false
	}
	far := func(steps []int, kind board.PieceType) bool {
		for _, step := range steps {
			s := king + step
			for p.at[s] == board.NoPiece {
				s += step
			}
			if p.at[s] == board.NewPiece(them, kind) || p.at[s] == board.NewPiece(them, board.Queen) {
				return true
			}
		}
		return false
	}
	ahead := 10 - 20*int(c)
	return near(leaps, board.Knight) || near([]int{ahead - 1, ahead + 1}, board.Pawn) ||
		near(around, board.King) || far(straight, board.Rook) || far(diagonal, board.Bishop)
}
