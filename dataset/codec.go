package dataset

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// codec encodes and decodes the rows of a format.
type codec[R any] interface {
	layout() layout
	schema() *arrow.Schema
	check(*R) error                    // returns an error if the row is not valid
	append(*array.RecordBuilder, *R)   // encodes a row that passed check
	bind(*columns) func(int, *R) error // decodes and checks row i of a batch
}

// layout says how the rows of a format are divided into files.
type layout struct {
	format    string // as in metaFormat
	prefix    string // of shard names
	batchRows int    // rows of a record batch
	shardRows int    // rows of a file
}

var (
	gamesLayout     = layout{GamesFormat, "games", 256, 256}
	positionsLayout = layout{PositionsFormat, "positions", 65536, 262144}
)

func featuresLayout(format string) layout { return layout{format, "features", 16384, 65536} }

// fields are the columns of rows R, in the order of the schema.
type fields[R any] []field[R]

// field is one column: its name and type, how the value of a row is written, and how it is
// read. A field without read is read by the codec itself, together with others.
type field[R any] struct {
	arrow.Field
	write func(array.Builder, *R)
	read  func(*columns) func(i int, r *R)
}

func (f fields[R]) schema(keysAndValues ...string) *arrow.Schema {
	list := make([]arrow.Field, len(f))
	for i := range f {
		list[i] = f[i].Field
	}
	var keys, values []string
	for i := 0; i < len(keysAndValues); i += 2 {
		keys, values = append(keys, keysAndValues[i]), append(values, keysAndValues[i+1])
	}
	meta := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(list, &meta)
}

func (f fields[R]) append(b *array.RecordBuilder, r *R) {
	for i := range f {
		f[i].write(b.Field(i), r)
	}
}

func (f fields[R]) bind(c *columns) func(int, *R) {
	var reads []func(int, *R)
	for i := range f {
		if f[i].read != nil {
			reads = append(reads, f[i].read(c))
		}
	}
	return func(i int, r *R) {
		for _, read := range reads {
			read(i, r)
		}
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
		func(b array.Builder, r *R) { b.(appender[T]).Append(of(r)) }, nil}
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
		func(b array.Builder, r *R) { appendOr(b.(appender[T]), *at(r), none) },
		func(c *columns) func(int, *R) {
			values := long(c, name, valuesOr(c.array(name, true), none))
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
		func(b array.Builder, r *R) {
			if s := *at(r); s == "" && nullable {
				b.AppendNull()
			} else {
				b.(appender[string]).Append(s)
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
		func(b array.Builder, r *R) {
			lists := b.(*array.ListBuilder)
			lists.Append(true)
			values := lists.ValueBuilder().(appender[T])
			for _, v := range get(r) {
				if none != nil {
					appendOr(values, v, none[0])
				} else {
					values.Append(v)
				}
			}
		},
		func(c *columns) func(int, *R) {
			offsets, values := lists(c, name, none)
			return func(i int, r *R) { set(r, values[offsets[i]:offsets[i+1]]) }
		}}
}
