package records

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// BulletSize is the length of a record, in bytes.
//
// The layout follows the ChessBoard of github.com/jw1912/bulletformat (MIT) as far as we
// know; it has not been compared with a file that bulletformat wrote. A record is, little
// endian and without a header:
//
//	 0  8  occupied squares, a1 is bit 0
//	 8 16  pieces on these squares in ascending order, a nibble each, the low one first:
//	       0 pawn to 5 king, and 8 more for the opponent's
//	24  2  score, centipawns
//	26  1  result: 0 lost, 1 drawn, 2 won
//	27  1  square of the own king
//	28  1  square of the opponent's king, its ranks flipped
//	29  3  zero
//
// Everything is from the side to move's view: if Black is to move, ranks are flipped and
// colors swapped. So the side to move is lost, and so are castling rights, en passant, move
// counters, games and weights. A position that is read back has White to move.
const BulletSize = 32

// opponent marks a piece of the side that is not to move.
const opponent = 8

// ErrNoScore says that a position has no score. bulletformat cannot store that.
var ErrNoScore = errors.New("the position has no score, which bulletformat cannot store")

// AppendBullet appends a row as a record.
func AppendBullet(b []byte, r *dataset.PositionRow) ([]byte, error) {
	p, score, result := r.Board, r.Score, r.Result
	if score == dataset.NoScore {
		return b, ErrNoScore
	}
	if p.SideToMove() == board.Black {
		p, score, result = p.Mirror(), -score, 1-result
	}
	if result != 0 && result != 0.5 && result != 1 {
		return b, fmt.Errorf("result %v: bulletformat can only store 0, 0.5 and 1", r.Result)
	}
	var rec [BulletSize]byte
	binary.LittleEndian.PutUint64(rec[:], uint64(p.Occupied()))
	i := 0
	for pieces := p.Occupied(); pieces != 0; i++ {
		piece := p.PieceAt(pieces.PopFirst())
		code := byte(piece.Type())
		if piece.Color() == board.Black {
			code |= opponent
		}
		rec[8+i/2] |= code << (4 * (i % 2))
	}
	binary.LittleEndian.PutUint16(rec[24:], uint16(score))
	rec[26] = byte(2 * result)
	rec[27] = byte(p.KingSquare(board.White))
	rec[28] = byte(p.KingSquare(board.Black).Flip())
	return append(b, rec[:]...), nil
}

// ParseBullet reads a record of BulletSize bytes. If its score is beyond dataset.MateScore, foreign is
// true and the row has no score.
func ParseBullet(rec []byte) (r dataset.PositionRow, foreign bool, err error) {
	r = dataset.PositionRow{Score: int16(binary.LittleEndian.Uint16(rec[24:])), Weight: 1}
	if r.Score > dataset.MateScore || r.Score < -dataset.MateScore {
		r.Score, foreign = dataset.NoScore, true
	}
	pieces := board.Bitboard(binary.LittleEndian.Uint64(rec))
	if n := pieces.Count(); n > 32 {
		return r, foreign, fmt.Errorf("%d pieces, more than 32; is the file bulletformat?", n)
	}
	sets := board.Sets{EnPassant: board.NoSquare, Fullmove: 1}
	for i := 0; pieces != 0; i++ {
		s := pieces.PopFirst()
		code := rec[8+i/2] >> (4 * (i % 2)) & 15
		if t := code &^ opponent; t > byte(board.King) {
			return r, foreign, fmt.Errorf("piece %d on %s: want 0 to 5, or 8 to 13", code, s)
		}
		sets.ByColor[code>>3] |= s.Bitboard()
		sets.ByType[code&^opponent] |= s.Bitboard()
	}
	if rec[26] > 2 {
		return r, foreign, fmt.Errorf("result %d is not 0, 1 or 2", rec[26])
	}
	r.Result = float32(rec[26]) / 2
	if r.Board, err = sets.Position(); err != nil {
		return r, foreign, err
	}
	own, other := r.Board.KingSquare(board.White), r.Board.KingSquare(board.Black)
	// Some programs do not flip the opponent's square.
	if s := board.Square(rec[28]); board.Square(rec[27]) != own || s != other.Flip() && s != other {
		return r, foreign, fmt.Errorf("king squares %d and %d, but the kings are on %s and %s", rec[27], rec[28], own, other)
	}
	return r, foreign, r.Check()
}
