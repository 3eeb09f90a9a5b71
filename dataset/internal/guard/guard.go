// Package guard checks the structure of Arrow IPC files before the Arrow library reads
// them.
//
// The library trusts the sizes that it reads. A wrong one can make it allocate more
// memory than the machine has, which a program cannot recover from; and a record batch
// that the footer does not list is skipped without an error. Check and CheckBatch reject
// such files: every offset must point inside the file, the record batches must fill it
// without gaps, and no buffer may be larger than its column can be.
//
// The package knows nothing of the values in the columns. Start reading at Check.
package guard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

// MaxText is the maximum length of a string in a data set, in bytes.
const MaxText = 1024

// Limits on what a file may make a reader allocate.
const (
	maxBatchRows  = 1 << 24
	maxBatchBytes = 1 << 30 // decompressed
	maxMetadata   = 64 << 20
	maxWindow     = 128 << 20 // of a zstd frame
	maxGap        = 64        // between the parts of a file: padding, end marker
)

// Constants of Arrow's format (Message.fbs).
const (
	headerRecordBatch = 3 // of a Message
	codecZstd         = 1 // of a BodyCompression
)

var arrowMagic = []byte("ARROW1")

// ErrNotArrow says that a file is of another format.
var ErrNotArrow = errors.New("not an Arrow IPC file: it does not begin with ARROW1")

// Block is the place of a record batch in a file.
type Block struct {
	offset   int64
	metaSize int64
	bodySize int64
	Rows     int64
}

// Check checks the footer and the layout of an Arrow file of size bytes, and returns
// its record batches. It does not read their bodies; see CheckBatch.
func Check(r io.ReaderAt, size int64) (blocks []Block, err error) {
	footer, footerAt, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	defer catch("footer", &err)
	f := root(footer)
	schema := f.table(1)
	if err := checkFields(schema, 1, 0); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	schema.vector(2, 4) // keys and values
	f.vector(4, 4)
	if f.vector(2, 24).n != 0 {
		return nil, errors.New("the file has dictionaries, which data sets do not")
	}
	list := f.vector(3, 24)
	for i := range list.n {
		offset, meta := list.pair(i)
		body := int64(binary.LittleEndian.Uint64(list.at(i)[16:]))
		blocks = append(blocks, Block{offset: offset, metaSize: int64(int32(meta)), bodySize: body})
	}
	return blocks, checkBlocks(r, blocks, footerAt)
}

// readFooter returns the footer and its offset.
func readFooter(r io.ReaderAt, size int64) ([]byte, int64, error) {
	head, tail := make([]byte, 8), make([]byte, 10)
	if n, _ := r.ReadAt(head, 0); !bytes.HasPrefix(head[:n], arrowMagic) {
		return nil, 0, ErrNotArrow
	}
	if size < int64(len(head)+len(tail)) {
		return nil, 0, fmt.Errorf("%d bytes are too few for an Arrow file", size)
	}
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, 0, err
	}
	if !bytes.Equal(tail[4:], arrowMagic) {
		return nil, 0, errors.New("not a whole Arrow IPC file: it does not end with ARROW1")
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	at := size - int64(len(tail)) - n
	if n > maxMetadata || at < int64(len(head)) {
		return nil, 0, fmt.Errorf("a footer of %d bytes does not fit the file", n)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, at); err != nil {
		return nil, 0, err
	}
	return footer, at, nil
}

// checkBlocks checks that the record batches follow each other without gaps from the
// schema to the footer, and reads their numbers of rows.
func checkBlocks(r io.ReaderAt, blocks []Block, footerAt int64) error {
	end, err := schemaEnd(r)
	if err != nil {
		return err
	}
	for i := range blocks {
		b := &blocks[i]
		if b.offset%8 != 0 || b.offset < end || b.offset > end+maxGap {
			return fmt.Errorf("record batch %d begins at %d, but what comes before it ends at %d", i, b.offset, end)
		}
		room := footerAt - b.offset
		if b.metaSize < 16 || b.metaSize > min(room, maxMetadata) || b.bodySize < 0 || b.bodySize > room-b.metaSize {
			return fmt.Errorf("record batch %d: %d + %d bytes do not fit the file", i, b.metaSize, b.bodySize)
		}
		end = b.offset + b.metaSize + b.bodySize
		m, err := readBatch(r, *b)
		if err != nil {
			return fmt.Errorf("record batch %d: %w", i, err)
		}
		b.Rows = m.rows
		if b.Rows < 0 || b.Rows > maxBatchRows {
			return fmt.Errorf("record batch %d: %d rows are out of range", i, b.Rows)
		}
	}
	if footerAt < end || footerAt > end+maxGap {
		return fmt.Errorf("the footer begins at %d, but the record batches end at %d", footerAt, end)
	}
	return nil
}

// schemaEnd returns the offset behind the schema message, the first message of a file.
// The JavaScript library leaves it out, which is valid: readers use the footer's schema.
func schemaEnd(r io.ReaderAt) (end int64, err error) {
	const begin = 8
	head := make([]byte, 8)
	if _, err := r.ReadAt(head, begin); err != nil {
		return 0, err
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if binary.LittleEndian.Uint32(head) != math.MaxUint32 || n > maxMetadata {
		return 0, errors.New("the file does not begin with a message")
	}
	meta := make([]byte, n)
	if _, err := r.ReadAt(meta, begin+8); err != nil {
		return 0, fmt.Errorf("the first message of %d bytes: %w", n, err)
	}
	defer catch("first message", &err)
	const schema = 1
	if root(meta).uint8(1) != schema {
		return begin, nil
	}
	return begin + 8 + n, nil
}

// batch is what the message of a record batch says.
type batch struct {
	rows           int64
	nodes, buffers vector // of two numbers each
	codec          int    // noCodec, 0 LZ4, codecZstd
}

const noCodec = -1

// readBatch reads the message of a record batch.
func readBatch(r io.ReaderAt, blk Block) (b batch, err error) {
	meta := make([]byte, blk.metaSize)
	if _, err := r.ReadAt(meta, blk.offset); err != nil {
		return b, err
	}
	n := int64(binary.LittleEndian.Uint32(meta[4:]))
	if binary.LittleEndian.Uint32(meta) != math.MaxUint32 || n > blk.metaSize-8 {
		return b, errors.New("its message is not where the footer says")
	}
	defer catch("message", &err)
	msg := root(meta[8:])
	if msg.uint8(1) != headerRecordBatch {
		return b, errors.New("it is another kind of message")
	}
	if body := msg.int64(3); body != blk.bodySize {
		return b, fmt.Errorf("its body has %d bytes, the footer says %d", body, blk.bodySize)
	}
	t := msg.table(2)
	b = batch{t.int64(0), t.vector(1, 16), t.vector(2, 16), noCodec}
	if t.field(3) != 0 {
		b.codec = t.table(3).uint8(0)
	}
	return b, nil
}

// batchGuard walks the columns of one record batch in the order in which their
// lengths and buffers are listed.
type batchGuard struct {
	batch
	r        io.ReaderAt
	body     int64 // offset of the body in the file
	bodySize int64
	node     int   // the next one
	buffer   int   // the next one
	total    int64 // bytes when decompressed
}

// CheckBatch checks that every buffer of the batch lies in its body and has the
// size that its column needs, before and after decompression.
func CheckBatch(r io.ReaderAt, blk Block, schema *arrow.Schema) error {
	b, err := readBatch(r, blk)
	if err != nil {
		return err
	}
	g := &batchGuard{batch: b, r: r, body: blk.offset + blk.metaSize, bodySize: blk.bodySize}
	for _, f := range schema.Fields() {
		if err := g.column(f.Type, blk.Rows, true); err != nil {
			return fmt.Errorf("column %q: %w", f.Name, err)
		}
	}
	if g.node != g.nodes.n || g.buffer != g.buffers.n {
		return fmt.Errorf("%d columns and %d buffers, the schema has %d and %d", g.nodes.n, g.buffers.n, g.node, g.buffer)
	}
	return nil
}

// column checks one column of rows values (or any number, for the values of a list).
func (g *batchGuard) column(t arrow.DataType, rows int64, exact bool) error {
	if g.node >= g.nodes.n {
		return errors.New("it is missing")
	}
	n, nulls := g.nodes.pair(g.node)
	g.node++
	if exact && n != rows || n < 0 || n > maxBatchBytes {
		return fmt.Errorf("%d values for %d rows", n, rows)
	}
	if nulls < 0 || nulls > n {
		return fmt.Errorf("%d nulls in %d values", nulls, n)
	}
	validity := int64(0)
	if nulls > 0 {
		validity = (n + 7) / 8
	}
	if err := g.bytes(validity, (n+7)/8); err != nil {
		return fmt.Errorf("validity: %w", err)
	}
	switch t := t.(type) {
	case *arrow.ListType:
		if err := g.offsets(n); err != nil {
			return err
		}
		return g.column(t.Elem(), 0, false)
	case *arrow.StringType:
		if err := g.offsets(n); err != nil {
			return err
		}
		return g.bytes(0, n*4*MaxText)
	case arrow.FixedWidthDataType:
		need := n * int64(t.BitWidth()) / 8
		return g.bytes(need, need)
	}
	return fmt.Errorf("type %s is not one of a data set's", t)
}

func (g *batchGuard) offsets(n int64) error {
	need := 4 * (n + 1)
	if n == 0 {
		need = 0 // an empty column may leave them out
	}
	if err := g.bytes(need, 4*(n+1)); err != nil {
		return fmt.Errorf("offsets: %w", err)
	}
	return nil
}

// bytes checks the next buffer: at least need bytes, and not more than most with
// its padding.
func (g *batchGuard) bytes(need, most int64) error {
	if g.buffer >= g.buffers.n {
		return errors.New("a buffer is missing")
	}
	offset, size := g.buffers.pair(g.buffer)
	g.buffer++
	if offset < 0 || size < 0 || offset > g.bodySize || size > g.bodySize-offset {
		return fmt.Errorf("%d bytes at %d lie outside the batch", size, offset)
	}
	if size > 0 && g.codec != noCodec {
		var err error
		if size, err = g.decompressed(offset, size); err != nil {
			return err
		}
	}
	if size < need || size > most+2*64 {
		return fmt.Errorf("%d bytes where %d are needed", size, need)
	}
	if g.total += size; g.total > maxBatchBytes {
		return fmt.Errorf("the batch is larger than %d bytes", maxBatchBytes)
	}
	return nil
}

// decompressed returns the size that a compressed buffer says it will have.
func (g *batchGuard) decompressed(offset, size int64) (int64, error) {
	head := make([]byte, min(size, 8+zstd.HeaderMaxSize))
	if size < 8 {
		return 0, fmt.Errorf("a compressed buffer of %d bytes", size)
	}
	if _, err := g.r.ReadAt(head, g.body+offset); err != nil {
		return 0, err
	}
	says := int64(binary.LittleEndian.Uint64(head))
	if says == -1 {
		return size - 8, nil // stored as it is
	}
	if says < 0 {
		return 0, fmt.Errorf("a buffer of %d bytes", says)
	}
	if g.codec != codecZstd {
		return says, nil
	}
	var h zstd.Header
	if err := h.Decode(head[8:]); err != nil {
		return 0, fmt.Errorf("zstd: %w", err)
	}
	if h.Skippable || h.WindowSize > maxWindow || h.HasFCS && h.FrameContentSize != uint64(says) {
		return 0, errors.New("the zstd frame does not fit the buffer")
	}
	return says, nil
}

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
