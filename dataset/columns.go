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

// numbers returns a column without nulls.
func numbers[T number](c *columns, name string) []T {
	return long(c, name, valuesOf[T](c.array(name, false)))
}

// long returns values, or zeros if there are fewer values than rows.
func long[T any](c *columns, name string, values []T) []T {
	if len(values) < c.rows {
		c.fail(name, "%d values for %d rows", len(values), c.rows)
		return make([]T, c.rows)
	}
	return values[:c.rows]
}

// valuesOf returns the values of an array, which are not copied.
func valuesOf[T number](a arrow.Array) []T {
	var values any
	switch a := a.(type) {
	case *array.Uint8:
		values = a.Uint8Values()
	case *array.Uint16:
		values = a.Uint16Values()
	case *array.Uint32:
		values = a.Uint32Values()
	case *array.Uint64:
		values = a.Uint64Values()
	case *array.Int8:
		values = a.Int8Values()
	case *array.Int16:
		values = a.Int16Values()
	case *array.Float32:
		values = a.Float32Values()
	}
	return values.([]T)
}

// valuesOr returns the values of an array, with none in place of nulls.
func valuesOr[T number](a arrow.Array, none T) []T {
	values := valuesOf[T](a)
	if a.NullN() == 0 {
		return values
	}
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = none
		if a.IsValid(i) {
			out[i] = v
		}
	}
	return out
}

// lists returns a column of lists: row i has values[offsets[i]:offsets[i+1]]. The offsets
// are in order, and within the values. Items may be null if none is given.
func lists[T number](c *columns, name string, none []T) (offsets []int32, values []T) {
	a := c.array(name, false).(*array.List)
	items := a.ListValues()
	if none != nil {
		values = valuesOr(items, none[0])
	} else if values = valuesOf[T](items); items.NullN() != 0 {
		c.fail(name, "%d items are null", items.NullN())
	}
	empty := make([]int32, c.rows+1)
	if offsets = a.Offsets(); c.rows == 0 {
		return empty, values
	}
	if len(offsets) <= c.rows {
		c.fail(name, "%d offsets for %d rows", len(offsets), c.rows)
		return empty, values
	}
	last := int32(0)
	for i, o := range offsets[:c.rows+1] {
		if o < last || int64(o) > int64(len(values)) {
			c.fail(name, "row %d: offset %d is out of order", i+1, o)
			return empty, values
		}
		last = o
	}
	return offsets, values
}
