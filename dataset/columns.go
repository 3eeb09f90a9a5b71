package dataset

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// columns gives typed access to a record batch by column name. The schema was checked
// before, so the types are known. The first violation of the schema is kept in err.
type columns struct {
	batch arrow.Record
	rows  int
	err   error
}

func (c *columns) fail(name, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("column %q: %s", name, fmt.Sprintf(format, args...))
	}
}

// array returns the column. Nulls are an error unless they are allowed.
func (c *columns) array(name string, nulls bool) arrow.Array {
	a := c.batch.Column(c.batch.Schema().FieldIndices(name)[0])
	if a.Len() != c.rows {
		c.fail(name, "%d values for %d rows", a.Len(), c.rows)
	}
	if !nulls && a.NullN() != 0 {
		c.fail(name, "%d values are null", a.NullN())
	}
	return a
}

// long returns values, or zeros if there are fewer values than rows.
func long[T any](c *columns, name string, values []T) []T {
	if len(values) < c.rows {
		c.fail(name, "%d values for %d rows", len(values), c.rows)
		return make([]T, c.rows)
	}
	return values[:c.rows]
}

func (c *columns) uint64s(name string) []uint64 {
	return long(c, name, c.array(name, false).(*array.Uint64).Uint64Values())
}

func (c *columns) uint32s(name string) []uint32 {
	return long(c, name, c.array(name, false).(*array.Uint32).Uint32Values())
}

func (c *columns) uint16s(name string) []uint16 {
	return long(c, name, c.array(name, false).(*array.Uint16).Uint16Values())
}

func (c *columns) uint8s(name string) []uint8 {
	return long(c, name, c.array(name, false).(*array.Uint8).Uint8Values())
}

func (c *columns) int8s(name string) []int8 {
	return long(c, name, c.array(name, false).(*array.Int8).Int8Values())
}

func (c *columns) float32s(name string) []float32 {
	return long(c, name, c.array(name, false).(*array.Float32).Float32Values())
}

func (c *columns) strings(name string, nulls bool) *array.String {
	return c.array(name, nulls).(*array.String)
}

// ids returns a column of game or opening keys, with 0 for null.
func (c *columns) ids(name string) []uint64 {
	a := c.array(name, true).(*array.Uint64)
	values := long(c, name, a.Uint64Values())
	if a.NullN() == 0 {
		return values
	}
	out := make([]uint64, c.rows)
	for i := range out {
		if a.IsValid(i) {
			out[i] = values[i]
		}
	}
	return out
}

// scores returns a column of scores, with NoScore for null.
func (c *columns) scores(name string) []int16 {
	a := c.array(name, true).(*array.Int16)
	return long(c, name, orNoScore(a))
}

func orNoScore(a *array.Int16) []int16 {
	values := a.Int16Values()
	if a.NullN() == 0 {
		return values
	}
	out := make([]int16, len(values))
	for i, v := range values {
		out[i] = NoScore
		if a.IsValid(i) {
			out[i] = v
		}
	}
	return out
}

// list is a column of lists: row i is values[start(i):end(i)].
type list[T any] struct {
	offsets []int32
	values  []T
}

func (l *list[T]) at(i int) []T { return l.values[l.offsets[i]:l.offsets[i+1]:l.offsets[i+1]] }

// lists returns a list column; values extracts its values from the child array. The offsets
// are checked: in order, and within the values.
func lists[T any](c *columns, name string, nulls bool, values func(arrow.Array) []T) list[T] {
	a := c.array(name, false).(*array.List)
	l := list[T]{offsets: a.Offsets(), values: values(a.ListValues())}
	if !nulls && a.ListValues().NullN() != 0 {
		c.fail(name, "%d items are null", a.ListValues().NullN())
	}
	if c.rows == 0 {
		return l
	}
	if len(l.offsets) <= c.rows {
		c.fail(name, "%d offsets for %d rows", len(l.offsets), c.rows)
		return list[T]{offsets: make([]int32, c.rows+1)}
	}
	last := int32(0)
	for i, o := range l.offsets[:c.rows+1] {
		if o < last || int64(o) > int64(len(l.values)) {
			c.fail(name, "row %d: offset %d is out of order", i, o)
			return list[T]{offsets: make([]int32, c.rows+1)}
		}
		last = o
	}
	return l
}

func uint16sOf(a arrow.Array) []uint16 { return a.(*array.Uint16).Uint16Values() }
func scoresOf(a arrow.Array) []int16   { return orNoScore(a.(*array.Int16)) }

// countsOf returns the counts of features as float32, whether they are stored as int8 or
// float32.
func countsOf(a arrow.Array) []float32 {
	if f, ok := a.(*array.Float32); ok {
		return f.Float32Values()
	}
	small := a.(*array.Int8).Int8Values()
	out := make([]float32, len(small))
	for i, v := range small {
		out[i] = float32(v)
	}
	return out
}
