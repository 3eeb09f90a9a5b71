package dataset

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/assay-chess/assay/engine/board"
)

// gamesCodec encodes and decodes assay.games/1.
type gamesCodec struct{}

var gameFields = fields[GameRow]{
	plain("game", func(g *GameRow) *uint64 { return &g.Game }),
	text("variant", false, func(g *GameRow) *string { return &g.Variant }),
	text("start", true, func(g *GameRow) *string { return &g.Start }),
	plain("opening", func(g *GameRow) *uint64 { return &g.Opening }),
	plain("opening_plies", func(g *GameRow) *uint16 { return &g.OpeningPlies }),
	list("moves", nil, packMoves, unpackMoves),
	list("scores", []int16{NoScore}, func(g *GameRow) []int16 { return g.Scores }, func(g *GameRow, v []int16) { g.Scores = append([]int16(nil), v...) }),
	plain("nodes", func(g *GameRow) *uint32 { return &g.Nodes }),
	plain("result", func(g *GameRow) *int8 { return &g.Result }),
	text("termination", false, func(g *GameRow) *string { return &g.Termination }),
	text("white", false, func(g *GameRow) *string { return &g.White }),
	text("black", false, func(g *GameRow) *string { return &g.Black }),
	plain("seed", func(g *GameRow) *uint64 { return &g.Seed }),
}

func (gamesCodec) layout() layout                            { return gamesLayout }
func (gamesCodec) check(g *GameRow) error                    { return g.Check() }
func (gamesCodec) append(b *array.RecordBuilder, g *GameRow) { gameFields.append(b, g) }
func (gamesCodec) schema() *arrow.Schema {
	return gameFields.schema(metaFormat, GamesFormat, metaUnits, unitsText, metaMoves, movesText)
}

func (gamesCodec) bind(c *columns) func(int, *GameRow) error {
	read := gameFields.bind(c)
	return func(i int, g *GameRow) error {
		read(i, g)
		return g.Check()
	}
}

func packMoves(g *GameRow) []uint16 {
	packed := make([]uint16, len(g.Moves))
	for i, m := range g.Moves {
		packed[i] = uint16(m)
	}
	return packed
}

func unpackMoves(g *GameRow, packed []uint16) {
	g.Moves = make([]board.Move, len(packed))
	for i, m := range packed {
		g.Moves[i] = board.Move(m)
	}
}
