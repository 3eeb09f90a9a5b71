package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errOffset = errors.New("an offset in the Arrow metadata points outside the metadata")

// flatBuffer is a bounds-checked view of a flatbuffer, the encoding of Arrow's
// metadata (https://flatbuffers.dev/internals). The Arrow library does not check the
// offsets in it. Here the first offset that points outside is kept in err, and
// everything read after it is zero.
type flatBuffer struct {
	buf []byte
	err error
}

// flatTable is a table within a flatbuffer; the zero table has no fields.
type flatTable struct {
	b   *flatBuffer
	pos int // 0: absent
}

// flatVector is a vector within a flatbuffer: n elements starting at pos.
type flatVector struct {
	b      *flatBuffer
	pos, n int
}

// bytes returns the n bytes at pos, or zeros if they are not all inside.
func (b *flatBuffer) bytes(pos, n int) []byte {
	if pos < 0 || n < 0 || pos > len(b.buf)-n {
		if b.err == nil {
			b.err = errOffset
		}
		return make([]byte, min(max(n, 0), 16))
	}
	return b.buf[pos : pos+n]
}

func (b *flatBuffer) uint16(pos int) int { return int(binary.LittleEndian.Uint16(b.bytes(pos, 2))) }
func (b *flatBuffer) int32(pos int) int {
	return int(int32(binary.LittleEndian.Uint32(b.bytes(pos, 4))))
}
func (b *flatBuffer) int64(pos int) int64 { return int64(binary.LittleEndian.Uint64(b.bytes(pos, 8))) }

// indirect follows the unsigned offset at pos.
func (b *flatBuffer) indirect(pos int) int {
	return pos + int(binary.LittleEndian.Uint32(b.bytes(pos, 4)))
}

func (b *flatBuffer) root() flatTable { return b.table(b.indirect(0)) }

// table checks that a table and its vtable are inside.
func (b *flatBuffer) table(pos int) flatTable {
	vtable := pos - b.int32(pos)
	size := b.uint16(vtable)
	b.bytes(vtable, max(size, 4))
	b.bytes(pos, b.uint16(vtable+2))
	if b.err != nil {
		return flatTable{b, 0}
	}
	return flatTable{b, pos}
}

// field returns the position of field i, or 0 if the table does not have it.
func (t flatTable) field(i int) int {
	if t.pos == 0 || t.b.err != nil {
		return 0
	}
	vtable := t.pos - t.b.int32(t.pos)
	if at := 4 + 2*i; at+2 <= t.b.uint16(vtable) {
		if offset := t.b.uint16(vtable + at); offset != 0 {
			return t.pos + offset
		}
	}
	return 0
}

func (t flatTable) uint8(i int) int {
	if p := t.field(i); p != 0 {
		return int(t.b.bytes(p, 1)[0])
	}
	return 0
}

func (t flatTable) int64(i int) int64 {
	if p := t.field(i); p != 0 {
		return t.b.int64(p)
	}
	return 0
}

func (t flatTable) table(i int) flatTable {
	if p := t.field(i); p != 0 {
		return t.b.table(t.b.indirect(p))
	}
	return flatTable{t.b, 0}
}

// vector returns a vector with elements of size bytes, all of them inside.
func (t flatTable) vector(i, size int) flatVector {
	p := t.field(i)
	if p == 0 {
		return flatVector{b: t.b}
	}
	p = t.b.indirect(p)
	n := t.b.int32(p)
	if n < 0 || n > len(t.b.buf)/size {
		n = len(t.b.buf) // too many: bytes reports the error
	}
	t.b.bytes(p+4, n*size)
	if t.b.err != nil {
		return flatVector{b: t.b}
	}
	return flatVector{t.b, p + 4, n}
}

// checkString checks that a string field is inside.
func (t flatTable) checkString(i int) { t.vector(i, 1) }

// tableAt returns element i of a vector of tables.
func (v flatVector) tableAt(i int) flatTable { return v.b.table(v.b.indirect(v.pos + 4*i)) }

// checkSchemaTable checks every offset that the Arrow library follows in a Schema.
func checkSchemaTable(schema flatTable) error {
	fields := schema.vector(1, 4)
	for i := range fields.n {
		if err := checkFieldTable(fields.tableAt(i), 0); err != nil {
			return err
		}
	}
	checkKeyValues(schema, 2)
	return schema.b.err
}

// checkFieldTable checks a Field and its children.
func checkFieldTable(f flatTable, depth int) error {
	if depth > 8 {
		return errors.New("the columns are nested too deeply")
	}
	f.checkString(0)
	f.table(3)
	if f.field(4) != 0 {
		return errors.New("the file has dictionary columns; data sets have none")
	}
	children := f.vector(5, 4)
	for i := range children.n {
		if err := checkFieldTable(children.tableAt(i), depth+1); err != nil {
			return err
		}
	}
	checkKeyValues(f, 6)
	return f.b.err
}

func checkKeyValues(t flatTable, field int) {
	pairs := t.vector(field, 4)
	for i := range pairs.n {
		kv := pairs.tableAt(i)
		kv.checkString(0)
		kv.checkString(1)
	}
}

// flatError adds the part of the file to an error of b, if there is one.
func flatError(part string, b *flatBuffer) error {
	if b.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, b.err)
}
