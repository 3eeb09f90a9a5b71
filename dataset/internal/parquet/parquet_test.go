package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// everyType has a column of each type that data sets have, without and with nulls.
func everyType() *arrow.Schema {
	p := arrow.PrimitiveTypes
	var fields []arrow.Field
	for _, t := range []arrow.DataType{p.Uint8, p.Uint16, p.Uint32, p.Uint64, p.Int8, p.Int16, p.Float32,
		arrow.BinaryTypes.String} {
		fields = append(fields, arrow.Field{Name: t.Name(), Type: t}, arrow.Field{Name: t.Name() + "?", Type: t,
			Nullable: true})
		if t != arrow.BinaryTypes.String {
			fields = append(fields, arrow.Field{Name: t.Name() + "s", Type: arrow.ListOfNonNullable(t)},
				arrow.Field{Name: t.Name() + "s?", Type: arrow.ListOf(t)})
		}
	}
	meta := arrow.NewMetadata([]string{"assay.format", "b"}, []string{"test/1", "ü"})
	return arrow.NewSchema(fields, &meta)
}

// random appends values; few are different in some columns, so that pages have dictionaries.
func random(rng *rand.Rand, b array.Builder, nullable, few bool) {
	v := rng.Uint64()
	if few {
		v = v % 3 * 0x5555555555555555
	}
	if nullable && rng.IntN(3) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(v)
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Float32Builder:
		b.Append(float32(int64(v)) / 7)
	case *array.StringBuilder:
		b.Append(fmt.Sprint(v)[:rng.IntN(2)])
	case *array.ListBuilder:
		b.Append(true)
		items := b.Type().(*arrow.ListType).ElemField().Nullable
		for range rng.IntN(4) * rng.IntN(30) {
			random(rng, b.ValueBuilder(), items, few)
		}
	}
}

func randomBatch(rng *rand.Rand, s *arrow.Schema, rows int) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	for i, f := range s.Fields() {
		few := rng.IntN(2) == 0
		for range rows {
			random(rng, b.Field(i), f.Nullable, few)
		}
	}
	return b.NewRecord()
}

func write(t *testing.T, s *arrow.Schema, batches []arrow.Record) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// values are those of an array, as the text of a type that Parquet has, and null.
func values(a arrow.Array) (out []any) {
	for i := range a.Len() {
		if l, ok := a.(*array.List); ok {
			from, to := l.ValueOffsets(i)
			items := array.NewSlice(l.ListValues(), from, to)
			out = append(out, append([]any{}, values(items)...))
		} else if a.IsNull(i) {
			out = append(out, nil)
		} else {
			out = append(out, a.ValueStr(i))
		}
	}
	return out
}

// column reads back a column of a row group with the library's reader.
func column(t *testing.T, r *file.RowGroupReader, i int, of arrow.DataType) (out []any) {
	t.Helper()
	c, err := r.Column(i)
	if err != nil {
		t.Fatal(err)
	}
	n := 1 << 16
	def, rep := make([]int16, n), make([]int16, n)
	var text func(k int) string
	var levels int64
	switch c := c.(type) {
	case *file.Int32ColumnChunkReader:
		v := make([]int32, n)
		levels, _, err = c.ReadBatch(int64(n), v, def, rep)
		text = func(k int) string { return asText(int64(v[k]), of) }
	case *file.Int64ColumnChunkReader:
		v := make([]int64, n)
		levels, _, err = c.ReadBatch(int64(n), v, def, rep)
		text = func(k int) string { return asText(v[k], of) }
	case *file.Float32ColumnChunkReader:
		v := make([]float32, n)
		levels, _, err = c.ReadBatch(int64(n), v, def, rep)
		text = func(k int) string { return fmt.Sprint(v[k]) }
	case *file.ByteArrayColumnChunkReader:
		v := make([]parquet.ByteArray, n)
		levels, _, err = c.ReadBatch(int64(n), v, def, rep)
		text = func(k int) string { return string(v[k]) }
	}
	if err != nil || levels == int64(n) {
		t.Fatal(levels, err)
	}
	most, next := c.Descriptor().MaxDefinitionLevel(), 0
	for k := range levels {
		var v any
		if most == 0 || def[k] == most {
			v, next = text(next), next+1
		}
		switch {
		case c.Descriptor().MaxRepetitionLevel() == 0:
			out = append(out, v)
		case def[k] == 0:
			out = append(out, []any{})
		case rep[k] == 0:
			out = append(out, []any{v})
		default:
			out[len(out)-1] = append(out[len(out)-1].([]any), v)
		}
	}
	return out
}

// asText is a number as its column means it: large unsigned ones are stored as negative.
func asText(v int64, of arrow.DataType) string {
	if l, ok := of.(*arrow.ListType); ok {
		of = l.Elem()
	}
	switch of.ID() {
	case arrow.UINT32:
		return fmt.Sprint(uint32(v))
	case arrow.UINT64:
		return fmt.Sprint(uint64(v))
	}
	return fmt.Sprint(v)
}

// Whatever rows are written, they are read back, with the columns and the metadata.
func TestReadBackEqual(t *testing.T) {
	s := everyType()
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var batches []arrow.Record
		for range seed % 3 {
			rows := 1 + rng.IntN(700)
			b := randomBatch(rng, s, rows)
			from := rng.Int64N(int64(rows))
			batches = append(batches, b, b.NewSlice(from, from+rng.Int64N(int64(rows)-from+1)))
		}
		data := write(t, s, batches)
		if !bytes.Equal(data, write(t, s, batches)) {
			t.Fatal("equal rows give other bytes")
		}
		r, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		meta := s.Metadata()
		for i, key := range meta.Keys() {
			if v := r.MetaData().KeyValueMetadata().FindValue(key); v == nil || *v != meta.Values()[i] {
				t.Errorf("metadata %s is %v", key, v)
			}
		}
		if r.NumRowGroups() != len(batches) {
			t.Fatalf("%d row groups for %d batches", r.NumRowGroups(), len(batches))
		}
		for g, b := range batches {
			for i, f := range s.Fields() {
				if name := r.MetaData().Schema.Column(i).ColumnPath()[0]; name != f.Name {
					t.Fatalf("column %s is called %s", f.Name, name)
				}
				got, want := column(t, r.RowGroup(g), i, f.Type), values(b.Column(i))
				if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, group %d of %d rows, column %s: %.300v, want %.300v", seed, g, b.NumRows(), f.Name, got, want)
				}
			}
		}
	}
}

// full is a disk that is full after some bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// Wherever the disk is full, the error says so.
func TestErrors(t *testing.T) {
	s := everyType()
	batch := randomBatch(rand.New(rand.NewPCG(1, 2)), s, 100)
	size := len(write(t, s, []arrow.Record{batch, batch}))
	for left := 0; left < size; left += 1 + size/17 {
		w, err := NewWriter(&full{left}, s)
		for range 2 {
			if err == nil {
				err = w.Write(batch)
			}
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			t.Errorf("no error after %d of %d bytes", left, size)
		}
	}
	for _, f := range []arrow.Field{
		{Name: "time", Type: arrow.FixedWidthTypes.Date32},
		{Name: "lists", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
	} {
		if _, err := NewWriter(&full{1000}, arrow.NewSchema([]arrow.Field{f}, nil)); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
