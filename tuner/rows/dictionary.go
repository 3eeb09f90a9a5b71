package rows

import "math"

// maxPairs is the largest number of pairs in a dictionary.
const maxPairs = math.MaxUint16

// dictionary numbers the pairs of term and count in order of first occurrence. A row is then a list of such
// numbers, two bytes an entry, whatever the count: a pass looks up count x coefficient, computed once for each
// pair, and neither converts nor multiplies. The model assay needs 1,800 pairs for half a million positions,
// which a first-level cache holds. Should a set of features have more than 65,535, the rows keep the rare ones
// in a wider form.
type dictionary struct {
	pairs []Entry
	small []*[256]uint16   // by term, then by count+128: number + 1, or 0
	large map[Entry]uint16 // of other counts: number + 1
	limit int              // largest number of pairs
}

func newDictionary(terms int) dictionary {
	return dictionary{small: make([]*[256]uint16, terms), large: make(map[Entry]uint16), limit: maxPairs}
}

// number returns the number of a pair, or false if the dictionary is full.
func (d *dictionary) number(e Entry) (uint16, bool) {
	n := int(e.Count)
	if float32(n) != e.Count || n < -128 || n > 127 {
		at := d.large[e]
		if at == 0 && len(d.pairs) < d.limit {
			at = d.add(e)
			d.large[e] = at
		}
		return at - 1, at > 0
	}
	line := d.small[e.Term]
	if line == nil {
		line = new([256]uint16)
		d.small[e.Term] = line
	}
	if line[n+128] == 0 && len(d.pairs) < d.limit {
		line[n+128] = d.add(e)
	}
	return line[n+128] - 1, line[n+128] > 0
}

// add adds a pair and returns its number + 1.
func (d *dictionary) add(e Entry) uint16 {
	d.pairs = append(d.pairs, e)
	return uint16(len(d.pairs))
}
