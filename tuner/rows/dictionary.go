package rows

import (
	"math"
)

// maxPairs is the largest number of pairs in a dictionary.
const maxPairs = math.MaxUint16

// dictionary numbers the pairs of term and count in order of first occurrence.
// A row is then a list of such numbers, two bytes an entry, whatever the
// count: a pass looks up count x coefficient, computed once for each pair, and
// neither converts nor multiplies. The model assay needs 1,800 pairs for half
// a million positions, which a first-level cache holds. Should a set of
// features have more than 65,535, the rows keep the rare ones in a wider form.
type dictionary struct {
	pairs []Entry
	small []*[256]uint16 // by term, then by count+128: number + 1, or 0
	large map[Entry]uint16
	limit int // largest number of pairs
}

func newDictionary(terms int) dictionary {
	return dictionary{small: make([]*[256]uint16, terms), large: make(map[Entry]uint16), limit: maxPairs}
}

// number returns the number of a pair, or false if the dictionary is full.
func (d *dictionary) number(term uint16, count float32) (uint16, bool) {
	n := int(count)
	if float32(n) != count || n < -128 || n > 127 {
		return d.numberOf(Entry{term, count})
	}
	line := d.small[term]
	if line == nil {
		line = new([256]uint16)
		d.small[term] = line
	}
	if at := line[n+128]; at > 0 {
		return at - 1, true
	}
	if len(d.pairs) >= d.limit {
		return 0, false
	}
	d.pairs = append(d.pairs, Entry{term, count})
	line[n+128] = uint16(len(d.pairs))
	return uint16(len(d.pairs) - 1), true
}

func (d *dictionary) numberOf(p Entry) (uint16, bool) {
	if at, ok := d.large[p]; ok {
		return at, true
	}
	if len(d.pairs) >= d.limit {
		return 0, false
	}
	at := uint16(len(d.pairs))
	d.pairs = append(d.pairs, p)
	d.large[p] = at
	return at, true
}
