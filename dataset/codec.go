package dataset

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
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

// newCodec returns the codec of a format; the metadata are keys and values beside that of the
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
	return list(name, none, func(r *R) []T { return *at(r) },
		func(r *R, v []T) { *at(r) = append([]T(nil), v...) })
}
