package dataset

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/assay-chess/assay/engine/board"
)

// noEP is the value of the en-passant column where no en-passant capture is possible.
const noEP = 255

type positionsCodec struct{}

func (positionsCodec) layout() layout             { return positionsLayout }
func (positionsCodec) schema() *arrow.Schema      { return PositionsSchema() }
func (positionsCodec) check(p *PositionRow) error { return p.Check() }

func (positionsCodec) append(b *array.RecordBuilder, p *PositionRow) {
	pos := &p.Board
	word := func(field int, v board.Bitboard) { b.Field(field).(*array.Uint64Builder).Append(uint64(v)) }
	word(0, pos.ByColor(board.White))
	word(1, pos.ByColor(board.Black))
	for t := board.Pawn; t <= board.King; t++ {
		word(2+int(t), pos.ByType(t))
	}
	b.Field(8).(*array.Uint8Builder).Append(uint8(pos.SideToMove()))
	word(9, pos.Castling())
	ep := uint8(noEP)
	if s := pos.EnPassant(); s != board.NoSquare {
		ep = uint8(s)
	}
	b.Field(10).(*array.Uint8Builder).Append(ep)
	b.Field(11).(*array.Uint8Builder).Append(uint8(min(pos.Halfmove(), 255)))
	b.Field(12).(*array.Uint16Builder).Append(p.Ply)
	appendScore(b.Field(13).(*array.Int16Builder), p.Score)
	b.Field(14).(*array.Float32Builder).Append(p.Result)
	appendID(b.Field(15).(*array.Uint64Builder), p.Game)
	appendID(b.Field(16).(*array.Uint64Builder), p.Opening)
	b.Field(17).(*array.Float32Builder).Append(p.Weight)
}

func (positionsCodec) bind(c *columns) func(int, *PositionRow) error {
	var (
		words     [8][]uint64
		stms      = c.uint8s("stm")
		castlings = c.uint64s("castling")
		eps       = c.uint8s("ep")
		halfmoves = c.uint8s("halfmove")
		plies     = c.uint16s("ply")
		scores    = c.scores("score")
		results   = c.float32s("result")
		games     = c.ids("game")
		openings  = c.ids("opening")
		weights   = c.float32s("weight")
	)
	for k, name := range boards {
		words[k] = c.uint64s(name)
	}
	return func(i int, p *PositionRow) error {
		byColor := [2]board.Bitboard{board.Bitboard(words[0][i]), board.Bitboard(words[1][i])}
		var byType [6]board.Bitboard
		for t := range byType {
			byType[t] = board.Bitboard(words[2+t][i])
		}
		ep := board.NoSquare
		if eps[i] != noEP {
			if ep = board.Square(eps[i]); ep >= board.NoSquare {
				return fmt.Errorf("en passant %d is neither a square nor %d", ep, noEP)
			}
		}
		var err error
		p.Board, err = board.FromBitboards(byColor, byType, board.Color(stms[i]), board.Bitboard(castlings[i]), ep,
			int(halfmoves[i]), min(int(plies[i])/2+1, 32767))
		if err != nil {
			return err
		}
		p.Ply, p.Score, p.Result = plies[i], scores[i], results[i]
		p.Game, p.Opening, p.Weight = games[i], openings[i], weights[i]
		return p.checkLabels()
	}
}
