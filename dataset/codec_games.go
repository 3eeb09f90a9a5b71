package dataset

import "github.com/assay-chess/assay/engine/board"

var gamesCodec = newCodec(layout{GamesFormat, "games", 256, 256}, []field[GameRow]{
	plain("game", func(g *GameRow) *uint64 { return &g.Game }),
	text("variant", false, func(g *GameRow) *string { return &g.Variant }),
	text("start", true, func(g *GameRow) *string { return &g.Start }),
	plain("opening", func(g *GameRow) *uint64 { return &g.Opening }),
	plain("opening_plies", func(g *GameRow) *uint16 { return &g.OpeningPlies }),
	list("moves", nil, packMoves, unpackMoves),
	copied("scores", []int16{NoScore}, func(g *GameRow) *[]int16 { return &g.Scores }),
	plain("nodes", func(g *GameRow) *uint32 { return &g.Nodes }),
	plain("result", func(g *GameRow) *int8 { return &g.Result }),
	text("termination", false, func(g *GameRow) *string { return &g.Termination }),
	text("white", false, func(g *GameRow) *string { return &g.White }),
	text("black", false, func(g *GameRow) *string { return &g.Black }),
	plain("seed", func(g *GameRow) *uint64 { return &g.Seed }),
}, (*GameRow).Check, metaUnits, unitsText, metaMoves, movesText)

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
