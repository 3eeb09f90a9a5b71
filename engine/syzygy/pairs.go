package syzygy

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/exp/mmap"
)

// pairs are the compressed values of a part. They are a sequence of symbols, coded by a canonical Huffman code; a
// symbol is a value or a pair of symbols. The sequence is cut into blocks of equal size in the file, that hold
// different numbers of values. For every 2^span values the index has the block and the place in it of the one in the
// middle.
type pairs struct {
	constant  int // the value of all positions, or -1
	blockBits int
	spanBits  int
	counts    int // entries of region 1: the blocks and some more, since the index may point behind the last
	blocks    int // blocks of region 2

	minLength int
	base      []uint64 // by code length: the lowest code of the length, at the top of 64 bits
	first     []uint16 // by code length: the symbol of this code
	symbols   []symbol

	regions, lengths [3]int64 // index, values of each block less one, and blocks: offsets and bytes
}

// symbol is a value or a pair of symbols.
type symbol struct {
	left, right uint16 // right is leaf: left is the value
	values      uint32 // how many values it stands for; 0: not known yet
}

const leaf = 0xfff

// errDamaged is a code, symbol or block that does not exist.
var errDamaged = errors.New("the compressed values are invalid")

// parse reads the header of the values of this many positions, and returns their flags.
func (d *pairs) parse(r *cursor, positions uint64, dtz bool) (flags byte, err error) {
	const isConstant = 0x80
	d.constant = -1
	if flags = r.byte(); flags&isConstant != 0 {
		if d.constant = int(r.byte()); dtz {
			d.constant = 0
		}
		return flags, errors.Join(r.err, d.checkValue(d.constant, dtz))
	}
	d.blockBits, d.spanBits = int(r.byte()), int(r.byte())
	spare := int(r.byte())
	d.blocks = int(r.uint32())
	d.counts = d.blocks + spare
	longest := int(r.byte())
	d.minLength = int(r.byte())
	if r.err != nil {
		return 0, r.err
	}
	if d.blockBits > 16 || d.spanBits < 1 || d.spanBits > 31 || d.minLength < 1 || d.minLength > longest ||
		longest > 32 {
		return 0, fmt.Errorf("%w: blocks of 2^%d bytes, an index for 2^%d values, codes of %d to %d bits", errDamaged,
			d.blockBits, d.spanBits, d.minLength, longest)
	}
	for range longest - d.minLength + 1 {
		d.first = append(d.first, r.uint16())
	}
	d.rank()
	if err := d.parseSymbols(r, dtz); err != nil {
		return 0, err
	}
	spans := (positions + 1<<d.spanBits - 1) >> d.spanBits
	d.lengths = [3]int64{6 * int64(spans), 2 * int64(d.counts), int64(d.blocks) << d.blockBits}
	return flags, nil
}

// rank computes the lowest code of each length. The code is canonical: the longest codes are the lowest, and codes
// of one length are in the order of their symbols.
func (d *pairs) rank() {
	d.base = make([]uint64, len(d.first))
	for i := len(d.first) - 2; i >= 0; i-- {
		d.base[i] = (d.base[i+1] + uint64(d.first[i]) - uint64(d.first[i+1])) / 2
	}
	for i := range d.base {
		d.base[i] <<= 64 - d.minLength - i
	}
}

func (d *pairs) parseSymbols(r *cursor, dtz bool) error {
	n := int(r.uint16())
	packed := r.bytes(3 * n)
	r.align(2)
	if r.err != nil {
		return r.err
	}
	d.symbols = make([]symbol, n)
	for i := range d.symbols {
		s := packed[3*i:]
		d.symbols[i] = symbol{left: uint16(s[0]) | uint16(s[1]&15)<<8, right: uint16(s[1])>>4 | uint16(s[2])<<4}
	}
	for i := range d.symbols {
		if err := d.count(i, 0, dtz); err != nil {
			return err
		}
	}
	return nil
}

// count computes how many values the symbol stands for.
func (d *pairs) count(i, depth int, dtz bool) error {
	if i >= len(d.symbols) || depth > len(d.symbols) {
		return fmt.Errorf("%w: symbol %d of %d", errDamaged, i, len(d.symbols))
	}
	s := &d.symbols[i]
	switch {
	case s.values > 0:
		return nil
	case s.right == leaf:
		s.values = 1
		return d.checkValue(int(s.left), dtz)
	}
	for _, child := range []uint16{s.left, s.right} {
		if err := d.count(int(child), depth+1, dtz); err != nil {
			return err
		}
	}
	s.values = d.symbols[s.left].values + d.symbols[s.right].values
	if s.values > 1<<16 {
		return fmt.Errorf("%w: symbol %d stands for %d values", errDamaged, i, s.values)
	}
	return nil
}

// checkValue reports a value that is none of win, draw and loss.
func (d *pairs) checkValue(v int, dtz bool) error {
	if !dtz && v > int(won-lost) {
		return fmt.Errorf("%w: the value %d", errDamaged, v)
	}
	return nil
}

// value returns the value of the nth position.
func (d *pairs) value(src *mmap.ReaderAt, n uint64) (int, error) {
	if d.constant >= 0 {
		return d.constant, nil
	}
	block, within, err := d.find(src, n)
	if err != nil {
		return 0, err
	}
	var fixed [1<<10 + 8]byte // zeros after the block: a code there is found to be none of it
	buf := fixed[:]
	size := 1 << d.blockBits
	if size+8 > len(buf) {
		buf = make([]byte, size+8)
	}
	if block >= d.blocks {
		return 0, errDamaged
	}
	if _, err := src.ReadAt(buf[:size], d.regions[2]+int64(block)<<d.blockBits); err != nil {
		return 0, err
	}
	for bit := 0; bit < 8*size; {
		code := binary.BigEndian.Uint64(buf[bit>>3:]) << (bit & 7)
		length := 0
		for code < d.base[length] {
			length++
		}
		at := uint64(d.first[length]) + (code-d.base[length])>>(64-d.minLength-length)
		if at >= uint64(len(d.symbols)) {
			return 0, errDamaged
		}
		if values := d.symbols[at].values; within >= values {
			within -= values
			bit += d.minLength + length
			continue
		}
		return d.expand(int(at), within), nil
	}
	return 0, errDamaged
}

// find returns the block of the nth position and its place in it.
func (d *pairs) find(src *mmap.ReaderAt, n uint64) (block int, within uint32, err error) {
	var b [6]byte
	span := int64(n >> d.spanBits)
	if 6*span >= d.lengths[0] {
		return 0, 0, errDamaged
	}
	if _, err := src.ReadAt(b[:], d.regions[0]+6*span); err != nil {
		return 0, 0, err
	}
	block = int(binary.LittleEndian.Uint32(b[:]))
	place := int64(binary.LittleEndian.Uint16(b[4:])) + int64(n&(1<<d.spanBits-1)) - 1<<(d.spanBits-1)
	for place < 0 {
		block--
		values, err := d.inBlock(src, block)
		if err != nil {
			return 0, 0, err
		}
		place += values
	}
	for {
		values, err := d.inBlock(src, block)
		if err != nil || place < values {
			return block, uint32(place), err
		}
		place -= values
		block++
	}
}

// inBlock returns how many values the block has.
func (d *pairs) inBlock(src *mmap.ReaderAt, block int) (int64, error) {
	var b [2]byte
	if block < 0 || block >= d.counts {
		return 0, errDamaged
	}
	_, err := src.ReadAt(b[:], d.regions[1]+2*int64(block))
	return int64(binary.LittleEndian.Uint16(b[:])) + 1, err
}

// expand returns the value at the place in what the symbol stands for.
func (d *pairs) expand(at int, place uint32) int {
	for {
		s := d.symbols[at]
		if s.right == leaf {
			return int(s.left)
		}
		at = int(s.left)
		if first := d.symbols[at].values; place >= first {
			place -= first
			at = int(s.right)
		}
	}
}
