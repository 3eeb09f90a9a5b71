package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/assay-chess/assay/engine/board"
)

// codec encodes and decodes the rows of a format.
type codec[R any] struct {
	layout
	schema *arrow.Schema
	fields []field[R]     // the columns, in the order of the schema
	check  func(*R) error // returns an error if the row is not valid
	// finish decodes what the fields do not read, and checks the row; nil is check.
	finish func(*columns) func(i int, r *R) error
}

// layout says how the rows of a format are divided into files.
type layout struct {
	format    string // as in metaFormat
	prefix    string // of shard names
	batchRows int    // rows of a record batch
	shardRows int    // rows of a file
}

// field is one column: its name and type, how the value of a row is written, and how it is
// read. A field without read is read by codec.finish, together with others.
type field[R any] struct {
	arrow.Field
	write func(array.Builder) func(*R)
	read  func(*columns) func(i int, r *R)
}

// newCodec returns the codec of a format; the metadata are keys and values beside the
// format.
func newCodec[R any](l layout, fields []field[R], check func(*R) error, metadata ...string) *codec[R] {
	list := make([]arrow.Field, len(fields))
	for i := range fields {
		list[i] = fields[i].Field
	}
	keys, values := []string{metaFormat}, []string{l.format}
	for i := 0; i < len(metadata); i += 2 {
		keys, values = append(keys, metadata[i]), append(values, metadata[i+1])
	}
	meta := arrow.NewMetadata(keys, values)
	return &codec[R]{layout: l, schema: arrow.NewSchema(list, &meta), fields: fields, check: check}
}

// appender returns what encodes a row that passed check.
func (c *codec[R]) appender(b *array.RecordBuilder) func(*R) {
	writes := make([]func(*R), len(c.fields))
	for i := range c.fields {
		writes[i] = c.fields[i].write(b.Field(i))
	}
	return func(r *R) {
		for _, write := range writes {
			write(r)
		}
	}
}

// bind returns what decodes and checks row i of a batch.
func (c *codec[R]) bind(cols *columns) func(int, *R) error {
	var reads []func(int, *R)
	for i := range c.fields {
		if c.fields[i].read != nil {
			reads = append(reads, c.fields[i].read(cols))
		}
	}
	finish := func(_ int, r *R) error { return c.check(r) }
	if c.finish != nil {
		finish = c.finish(cols)
	}
	return func(i int, r *R) error {
		for _, read := range reads {
			read(i, r)
		}
		return finish(i, r)
	}
}

// number is a type of the values in columns.
type number interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | float32
}

// appender is a builder of a column, or of the values of a column of lists.
type appender[T any] interface {
	array.Builder
	Append(T)
}

// computed is a column of numbers that the codec reads itself.
func computed[T number, R any](name string, of func(*R) T) field[R] {
	return field[R]{arrow.Field{Name: name, Type: arrow.GetDataType[T]()},
		func(b array.Builder) func(*R) {
			values := b.(appender[T])
			return func(r *R) { values.Append(of(r)) }
		}, nil}
}

// plain is a column of numbers without nulls.
func plain[T number, R any](name string, at func(*R) *T) field[R] {
	f := computed(name, func(r *R) T { return *at(r) })
	f.read = func(c *columns) func(int, *R) {
		values := numbers[T](c, name)
		return func(i int, r *R) { *at(r) = values[i] }
	}
	return f
}

// optional is a column of numbers in which a null means none.
func optional[T number, R any](name string, none T, at func(*R) *T) field[R] {
	return field[R]{arrow.Field{Name: name, Type: arrow.GetDataType[T](), Nullable: true},
		func(b array.Builder) func(*R) {
			values := b.(appender[T])
			return func(r *R) { appendOr(values, *at(r), none) }
		},
		func(c *columns) func(int, *R) {
			values := valuesOr(c.array(name, true), none)
			return func(i int, r *R) { *at(r) = values[i] }
		}}
}

func appendOr[T comparable](b appender[T], v, none T) {
	if v == none {
		b.AppendNull()
	} else {
		b.Append(v)
	}
}

// text is a column of strings. If it is nullable, a null means the empty string.
func text[R any](name string, nullable bool, at func(*R) *string) field[R] {
	return field[R]{arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: nullable},
		func(b array.Builder) func(*R) {
			values := b.(appender[string])
			return func(r *R) {
				if s := *at(r); s == "" && nullable {
					values.AppendNull()
				} else {
					values.Append(s)
				}
			}
		},
		func(c *columns) func(int, *R) {
			a := c.array(name, nullable).(*array.String)
			return func(i int, r *R) {
				*at(r) = ""
				if a.IsValid(i) {
					*at(r) = strings.Clone(a.Value(i))
				}
			}
		}}
}

// list is a column of lists. If none is given, items may be null, which means none. The
// values that are read have to be copied.
func list[T number, R any](name string, none []T, get func(*R) []T, set func(*R, []T)) field[R] {
	of := arrow.ListOfNonNullable(arrow.GetDataType[T]())
	if none != nil {
		of = arrow.ListOf(arrow.GetDataType[T]())
	}
	return field[R]{arrow.Field{Name: name, Type: of},
		func(b array.Builder) func(*R) {
			lists := b.(*array.ListBuilder)
			values := lists.ValueBuilder().(appender[T])
			return func(r *R) {
				lists.Append(true)
				for _, v := range get(r) {
					if none != nil {
						appendOr(values, v, none[0])
					} else {
						values.Append(v)
					}
				}
			}
		},
		func(c *columns) func(int, *R) {
			offsets, values := lists(c, name, none)
			return func(i int, r *R) { set(r, values[offsets[i]:offsets[i+1]]) }
		}}
}

// copied is a list whose values are copied to a field of the row.
func copied[T number, R any](name string, none []T, at func(*R) *[]T) field[R] {
	return list(name, none, func(r *R) []T { return *at(r) }, func(r *R, v []T) { *at(r) = append([]T(nil), v...) })
}

// newFeaturesCodec returns the codec of the features of one set of terms.
func newFeaturesCodec(set FeatureSet) (*codec[FeatureRow], error) {
	if err := set.Check(); err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
	}
	fields := []field[FeatureRow]{
		copied("term", nil, func(f *FeatureRow) *[]uint16 { return &f.Terms }),
		copied("count", nil, func(f *FeatureRow) *[]float32 { return &f.Counts }),
	}
	if !set.Float {
		fields[1] = list("count", nil, int8Counts, setInt8Counts)
	}
	add := func(f ...field[FeatureRow]) { fields = append(fields, f...) }
	if set.BySide {
		add(copied("eg_count", nil, func(f *FeatureRow) *[]float32 { return &f.EGCounts }))
	}
	add(plain("phase", func(f *FeatureRow) *float32 { return &f.Phase }),
		plain("scale", func(f *FeatureRow) *float32 { return &f.Scale }))
	offset := plain("offset", func(f *FeatureRow) *float32 { return &f.Offset })
	if set.Version < 2 {
		add(offset, int16Eval())
	} else {
		add(plain("eg_scale", func(f *FeatureRow) *float32 { return &f.EGScale }), offset,
			optional("eval", NoEval, func(f *FeatureRow) *float32 { return &f.Eval }))
	}
	add(optional("score", NoScore, func(f *FeatureRow) *int16 { return &f.Score }),
		plain("result", func(f *FeatureRow) *float32 { return &f.Result }),
		optional("game", 0, func(f *FeatureRow) *uint64 { return &f.Game }),
		optional("opening", 0, func(f *FeatureRow) *uint64 { return &f.Opening }),
		plain("weight", func(f *FeatureRow) *float32 { return &f.Weight }))
	meta, err := set.metadata()
	if err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
	}
	c := newCodec(featuresLayout(set.format()), fields, func(r *FeatureRow) error {
		if err := r.check(&set); err != nil {
			return err
		}
		return set.checkCounts(r)
	}, meta...)
	c.finish = func(*columns) func(int, *FeatureRow) error {
		return func(_ int, r *FeatureRow) error { return r.check(&set) }
	}
	return c, nil
}

func featuresLayout(format string) layout { return layout{format, "features", 16384, 65536} }

// metadata returns the keys and values that describe the set.
func (s *FeatureSet) metadata() ([]string, error) {
	meta := []string{metaUnits, unitsText, metaModel, s.Model}
	add := func(key string, v any) error {
		text, err := json.Marshal(v)
		meta = append(meta, key, string(text))
		return err
	}
	err := add(metaTerms, s.Terms)
	if err == nil && s.Version >= 2 {
		err = add(metaEval, s.Evaluation)
	}
	return meta, err
}

// int16Eval is the column eval of version 1.
func int16Eval() field[FeatureRow] {
	return field[FeatureRow]{arrow.Field{Name: "eval", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		func(b array.Builder) func(*FeatureRow) {
			values := b.(appender[int16])
			return func(r *FeatureRow) {
				eval := int16(NoScore)
				if r.Eval != NoEval {
					eval = int16(r.Eval)
				}
				appendOr(values, eval, NoScore)
			}
		},
		func(c *columns) func(int, *FeatureRow) {
			values := valuesOr[int16](c.array("eval", true), NoScore)
			return func(i int, r *FeatureRow) {
				if r.Eval = NoEval; values[i] != NoScore {
					r.Eval = float32(values[i])
				}
			}
		}}
}

func int8Counts(f *FeatureRow) []int8 {
	counts := make([]int8, len(f.Counts))
	for i, c := range f.Counts {
		counts[i] = int8(c)
	}
	return counts
}

func setInt8Counts(f *FeatureRow, counts []int8) {
	f.Counts = slices.Grow([]float32(nil), len(counts)) // nil where there are none, as Terms
	for _, c := range counts {
		f.Counts = append(f.Counts, float32(c))
	}
}

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
