package dataset

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

// noEP is the value of the en-passant column where no en-passant capture is possible.
const noEP = 255

var positionsCodec = makePositionsCodec()

func makePositionsCodec() *codec[PositionRow] {
	c := newCodec(layout{PositionsFormat, "positions", 65536, 262144}, positionFields, (*PositionRow).Check,
		metaUnits, unitsText)
	c.finish = finishPosition
	return c
}

var positionFields = []field[PositionRow]{
	computed("white", func(p *PositionRow) uint64 { return uint64(p.Board.ByColor(board.White)) }),
	computed("black", func(p *PositionRow) uint64 { return uint64(p.Board.ByColor(board.Black)) }),
	piecesField("pawns", board.Pawn),
	piecesField("knights", board.Knight),
	piecesField("bishops", board.Bishop),
	piecesField("rooks", board.Rook),
	piecesField("queens", board.Queen),
	piecesField("kings", board.King),
	computed("stm", func(p *PositionRow) uint8 { return uint8(p.Board.SideToMove()) }),
	computed("castling", func(p *PositionRow) uint64 { return uint64(p.Board.Castling()) }),
	computed("ep", func(p *PositionRow) uint8 {
		if s := p.Board.EnPassant(); s != board.NoSquare {
			return uint8(s)
		}
		return noEP
	}),
	computed("halfmove", func(p *PositionRow) uint8 { return uint8(min(p.Board.Halfmove(), 255)) }),
	plain("ply", func(p *PositionRow) *uint16 { return &p.Ply }),
	optional("score", NoScore, func(p *PositionRow) *int16 { return &p.Score }),
	plain("result", func(p *PositionRow) *float32 { return &p.Result }),
	optional("game", 0, func(p *PositionRow) *uint64 { return &p.Game }),
	optional("opening", 0, func(p *PositionRow) *uint64 { return &p.Opening }),
	plain("weight", func(p *PositionRow) *float32 { return &p.Weight }),
}

func piecesField(name string, t board.PieceType) field[PositionRow] {
	return computed(name, func(p *PositionRow) uint64 { return uint64(p.Board.ByType(t)) })
}

// finishPosition reads the board.
func finishPosition(c *columns) func(int, *PositionRow) error {
	var sets [8][]uint64 // White, Black, then the types of pieces
	for k := range sets {
		sets[k] = numbers[uint64](c, positionFields[k].Name)
	}
	stms, castlings := numbers[uint8](c, "stm"), numbers[uint64](c, "castling")
	eps, halfmoves := numbers[uint8](c, "ep"), numbers[uint8](c, "halfmove")
	return func(i int, p *PositionRow) (err error) {
		s := board.Sets{
			ByColor:    [2]board.Bitboard{board.Bitboard(sets[0][i]), board.Bitboard(sets[1][i])},
			SideToMove: board.Color(stms[i]), Castling: board.Bitboard(castlings[i]), EnPassant: board.NoSquare,
			Halfmove: int(halfmoves[i]), Fullmove: min(int(p.Ply)/2+1, 32767),
		}
		for t := range s.ByType {
			s.ByType[t] = board.Bitboard(sets[2+t][i])
		}
		if eps[i] != noEP {
			if s.EnPassant = board.Square(eps[i]); s.EnPassant >= board.NoSquare {
				return fmt.Errorf("en passant %d is neither a square nor %d", s.EnPassant, noEP)
			}
		}
		if p.Board, err = s.Position(); err != nil {
			return err
		}
		return checkLabels(p.Score, p.Result, p.Weight)
	}
}
