package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
)

// levels say where the values of a column belong, as Parquet has it: a definition level for
// each value, null or empty list, and for lists whether it continues the row before.
type levels struct{ def, rep []int16 }

// levelsOf is for a column that may have nulls.
func levelsOf(a arrow.Array) levels {
	l := levels{def: make([]int16, a.Len())}
	for i := range l.def {
		if a.IsValid(i) {
			l.def[i] = 1
		}
	}
	return l
}

// levelsOfLists is for a column of lists: none is null, but their items may be.
func levelsOfLists(a *array.List) (l levels) {
	full := int16(1)
	if a.DataType().(*arrow.ListType).ElemField().Nullable {
		full = 2
	}
	items := a.ListValues()
	for i := range a.Len() {
		from, to := a.ValueOffsets(i)
		if from == to {
			l.def, l.rep = append(l.def, 0), append(l.rep, 0)
		}
		for k := from; k < to; k++ {
			def, rep := full, int16(1)
			if items.IsNull(int(k)) {
				def--
			}
			if k == from {
				rep = 0
			}
			l.def, l.rep = append(l.def, def), append(l.rep, rep)
		}
	}
	return l
}

// int32s are the values that are not null of a column of small integers.
func int32s(a arrow.Array) []int32 {
	switch a := a.(type) {
	case *array.Uint8:
		return present(a, a.Uint8Values(), toInt32)
	case *array.Uint16:
		return present(a, a.Uint16Values(), toInt32)
	case *array.Uint32:
		return present(a, a.Uint32Values(), toInt32)
	case *array.Int8:
		return present(a, a.Int8Values(), toInt32)
	default:
		return present(a, a.(*array.Int16).Int16Values(), toInt32)
	}
}

func toInt32[T uint8 | uint16 | uint32 | int8 | int16](v T) int32 { return int32(v) }

// present converts the values that are not null.
func present[T, P any](a arrow.Array, values []T, convert func(T) P) []P {
	out := make([]P, 0, len(values))
	for i, v := range values {
		if a.IsValid(i) {
			out = append(out, convert(v))
		}
	}
	return out
}

func texts(a *array.String) []parquet.ByteArray {
	var out []parquet.ByteArray
	for i := range a.Len() {
		if a.IsValid(i) {
			out = append(out, parquet.ByteArray(a.Value(i)))
		}
	}
	return out
}
