// Package parquet writes record batches as a Parquet file, for programs that read Parquet
// and not Arrow. The columns have the names, types and nulls of the data set, and the file
// its metadata.
//
// The library's own converter from Arrow, pqarrow, would make the program 16.5 MB larger,
// because it links gRPC and functions that compute with arrays. This one adds 2.9 MB: it only
// knows the types that data sets have.
//
// Start reading at Writer.
package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// Writer writes one file, front to back. Equal batches give equal bytes.
type Writer struct {
	out *file.Writer
}

// NewWriter begins a file with the columns of a schema. The error is about a column whose
// type no data set has, or about the first bytes.
func NewWriter(w io.Writer, s *arrow.Schema) (_ *Writer, err error) {
	defer recovered(&err)
	var nodes schema.FieldList
	for _, f := range s.Fields() {
		n, err := node(f)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	meta := metadata.NewKeyValueMetadata()
	for i, key := range s.Metadata().Keys() {
		if err := meta.Append(key, s.Metadata().Values()[i]); err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd))
	// struct{ io.Writer }: Close must not close w.
	return &Writer{file.NewParquetWriter(struct{ io.Writer }{w}, root, file.WithWriterProps(props),
		file.WithWriteMetadata(meta))}, nil
}

// Write writes a batch as one row group.
func (w *Writer) Write(batch arrow.Record) (err error) {
	defer recovered(&err)
	group := w.out.AppendRowGroup()
	for i, column := range batch.Columns() {
		to, err := group.NextColumn()
		if err == nil {
			err = writeColumn(to, column, batch.Schema().Field(i).Nullable)
		}
		if err != nil {
			return fmt.Errorf("parquet: column %q: %w", batch.ColumnName(i), err)
		}
	}
	// The library drops the error if it closes the group itself.
	if err := group.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// Close writes the end of the file. It does not close the writer below.
func (w *Writer) Close() (err error) {
	defer recovered(&err)
	if err := w.out.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// recovered turns a panic of the library, which it raises for failed writes too, into an
// error.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("parquet: %w", p)
	default:
		*err = fmt.Errorf("parquet: %v", p)
	}
}

// node is the Parquet column of a field.
func node(f arrow.Field) (schema.Node, error) {
	if l, ok := f.Type.(*arrow.ListType); ok && !f.Nullable {
		item := l.ElemField()
		item.Name = f.Name // the list's; the library renames the item
		n, err := node(item)
		if err != nil {
			return nil, err
		}
		return schema.ListOf(n, parquet.Repetitions.Required, -1)
	}
	physical, logical := parquet.Types.Int32, schema.LogicalType(schema.NoLogicalType{})
	switch f.Type.ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.INT8, arrow.INT16:
		bits := f.Type.(arrow.FixedWidthDataType).BitWidth()
		logical = schema.NewIntLogicalType(int8(bits), arrow.IsSignedInteger(f.Type.ID()))
	case arrow.UINT64:
		physical, logical = parquet.Types.Int64, schema.NewIntLogicalType(64, false)
	case arrow.FLOAT32:
		physical = parquet.Types.Float
	case arrow.STRING:
		physical, logical = parquet.Types.ByteArray, schema.StringLogicalType{}
	default:
		return nil, fmt.Errorf("parquet: column %q: %w: %s", f.Name, errors.ErrUnsupported, f.Type)
	}
	return schema.NewPrimitiveNodeLogical(f.Name, repetition(f.Nullable), logical, physical, -1, -1)
}

func repetition(nullable bool) parquet.Repetition {
	if nullable {
		return parquet.Repetitions.Optional
	}
	return parquet.Repetitions.Required
}

// writeColumn writes the values of a column, which has nulls only if it is nullable.
func writeColumn(to file.ColumnChunkWriter, a arrow.Array, nullable bool) (err error) {
	var l levels
	if lists, ok := a.(*array.List); ok {
		l = levelsOfLists(lists)
		first, last := lists.ValueOffsets(0)
		if a.Len() > 0 {
			_, last = lists.ValueOffsets(a.Len() - 1)
		}
		a = array.NewSlice(lists.ListValues(), first, last)
		defer a.Release()
	} else if nullable {
		l = levelsOf(a)
	}
	switch to := to.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(int32s(a), l.def, l.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(present(a, a.(*array.Uint64).Uint64Values(), func(v uint64) int64 { return int64(v) }),
			l.def, l.rep)
	case *file.Float32ColumnChunkWriter:
		_, err = to.WriteBatch(present(a, a.(*array.Float32).Float32Values(), func(v float32) float32 { return v }), l.def,
			l.rep)
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(texts(a.(*array.String)), l.def, l.rep)
	default:
		err = errors.ErrUnsupported
	}
	return err
}

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
