package dataset

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/assay-chess/assay/engine/board"
)

type gamesCodec struct{}

func (gamesCodec) layout() layout         { return gamesLayout }
func (gamesCodec) schema() *arrow.Schema  { return GamesSchema() }
func (gamesCodec) check(g *GameRow) error { return g.Check() }

func (gamesCodec) append(b *array.RecordBuilder, g *GameRow) {
	b.Field(0).(*array.Uint64Builder).Append(g.Game)
	b.Field(1).(*array.StringBuilder).Append(g.Variant)
	if start := b.Field(2).(*array.StringBuilder); g.Start == "" {
		start.AppendNull()
	} else {
		start.Append(g.Start)
	}
	b.Field(3).(*array.Uint64Builder).Append(g.Opening)
	b.Field(4).(*array.Uint16Builder).Append(g.OpeningPlies)
	moves := b.Field(5).(*array.ListBuilder)
	moves.Append(true)
	for _, m := range g.Moves {
		moves.ValueBuilder().(*array.Uint16Builder).Append(uint16(m))
	}
	scores := b.Field(6).(*array.ListBuilder)
	scores.Append(true)
	for _, s := range g.Scores {
		appendScore(scores.ValueBuilder().(*array.Int16Builder), s)
	}
	b.Field(7).(*array.Uint32Builder).Append(g.Nodes)
	b.Field(8).(*array.Int8Builder).Append(g.Result)
	b.Field(9).(*array.StringBuilder).Append(g.Termination)
	b.Field(10).(*array.StringBuilder).Append(g.White)
	b.Field(11).(*array.StringBuilder).Append(g.Black)
	b.Field(12).(*array.Uint64Builder).Append(g.Seed)
}

// appendScore writes NoScore as a null.
func appendScore(b *array.Int16Builder, s int16) {
	if s == NoScore {
		b.AppendNull()
		return
	}
	b.Append(s)
}

// appendID writes 0 as a null.
func appendID(b *array.Uint64Builder, id uint64) {
	if id == 0 {
		b.AppendNull()
		return
	}
	b.Append(id)
}

func (gamesCodec) bind(c *columns) func(int, *GameRow) error {
	var (
		ids          = c.uint64s("game")
		variants     = c.strings("variant", false)
		starts       = c.strings("start", true)
		openings     = c.uint64s("opening")
		plies        = c.uint16s("opening_plies")
		moves        = lists(c, "moves", false, uint16sOf)
		scores       = lists(c, "scores", true, scoresOf)
		nodes        = c.uint32s("nodes")
		results      = c.int8s("result")
		terminations = c.strings("termination", false)
		whites       = c.strings("white", false)
		blacks       = c.strings("black", false)
		seeds        = c.uint64s("seed")
	)
	return func(i int, g *GameRow) error {
		packed := moves.at(i)
		*g = GameRow{
			Game: ids[i], Variant: strings.Clone(variants.Value(i)),
			Opening: openings[i], OpeningPlies: plies[i],
			Moves: make([]board.Move, len(packed)), Scores: append([]int16(nil), scores.at(i)...),
			Nodes: nodes[i], Result: results[i], Termination: strings.Clone(terminations.Value(i)),
			White: strings.Clone(whites.Value(i)), Black: strings.Clone(blacks.Value(i)), Seed: seeds[i],
		}
		if starts.IsValid(i) {
			g.Start = strings.Clone(starts.Value(i))
		}
		for k, m := range packed {
			g.Moves[k] = board.Move(m)
		}
		return g.Check()
	}
}
