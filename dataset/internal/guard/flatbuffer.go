package guard

import (
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Arrow's metadata are flatbuffers (https://flatbuffers.dev/internals) with offsets that may be
// wrong. Reading outside of the metadata panics; see catch.

// table is a table of a flatbuffer.
type table struct{ flatbuffers.Table }

// vector is a vector of a flatbuffer: n elements of size bytes, all of them inside.
type vector struct {
	buf          []byte
	pos, n, size int
}

// catch turns a panic of reading a part of the metadata into an error.
func catch(part string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: an offset in the Arrow metadata points outside the metadata: %v", part, p)
	}
}

func root(buf []byte) table { return tableAt(buf, 0) }

// tableAt returns the table to which the offset at pos leads.
func tableAt(buf []byte, pos flatbuffers.UOffsetT) table {
	return table{flatbuffers.Table{Bytes: buf, Pos: pos + flatbuffers.GetUOffsetT(buf[pos:])}}
}

// field returns the position of field i, or 0 if the table lacks it.
func (t table) field(i int) flatbuffers.UOffsetT {
	if offset := t.Offset(flatbuffers.VOffsetT(4 + 2*i)); offset != 0 {
		return t.Pos + flatbuffers.UOffsetT(offset)
	}
	return 0
}

func (t table) uint8(i int) int   { return int(t.GetUint8Slot(flatbuffers.VOffsetT(4+2*i), 0)) }
func (t table) int64(i int) int64 { return t.GetInt64Slot(flatbuffers.VOffsetT(4+2*i), 0) }

// table returns the table in field i, which must be there.
func (t table) table(i int) table {
	p := t.field(i)
	if p == 0 {
		panic(fmt.Sprintf("field %d is missing", i))
	}
	return tableAt(t.Bytes, p)
}

// vector returns the vector in field i; one that is missing is empty.
func (t table) vector(i, size int) vector {
	p := t.field(i)
	if p == 0 {
		return vector{}
	}
	v := vector{t.Bytes, int(p+flatbuffers.GetUOffsetT(t.Bytes[p:])) + 4, 0, size}
	v.n = int(flatbuffers.GetUOffsetT(t.Bytes[v.pos-4:]))
	_ = t.Bytes[v.pos : v.pos+v.n*size]
	return v
}

// tables yields the elements of a vector of tables.
func (v vector) tables(yield func(table) bool) {
	for i := range v.n {
		if !yield(tableAt(v.buf, flatbuffers.UOffsetT(v.pos+4*i))) {
			return
		}
	}
}

// at returns the element of a vector of structs.
func (v vector) at(i int) []byte { return v.buf[v.pos+v.size*i:][:v.size] }

// pair returns an element that is a struct of two numbers.
func (v vector) pair(i int) (first, second int64) {
	b := v.at(i)
	return flatbuffers.GetInt64(b), flatbuffers.GetInt64(b[8:])
}

// checkFields checks the fields of a Schema or Field, which are vector i of the table. The Arrow
// library makes room for all that a vector says it has, and follows them however deep they are.
func checkFields(t table, i, depth int) error {
	if depth > 8 {
		return errors.New("the columns are nested too deeply")
	}
	for f := range t.vector(i, 4).tables {
		if f.field(4) != 0 {
			return errors.New("the file has dictionary columns; data sets have none")
		}
		if err := checkFields(f, 5, depth+1); err != nil {
			return err
		}
		f.vector(6, 4) // keys and values
	}
	return nil
}
