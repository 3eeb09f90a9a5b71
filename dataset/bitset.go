package dataset

import "math/bits"

// bitset is a set of row numbers, a bit a row.
type bitset struct {
	words []uint64
	n     int64
}

func (b *bitset) append(v bool) {
	b.grow(b.n + 1)
	if v {
		b.set(b.n - 1)
	}
}

// grow makes room for n rows.
func (b *bitset) grow(n int64) {
	for int64(len(b.words))*64 < n {
		b.words = append(b.words, 0)
	}
	b.n = n
}

func (b *bitset) set(i int64)      { b.words[i/64] |= 1 << (i % 64) }
func (b *bitset) has(i int64) bool { return b.words[i/64]>>(i%64)&1 != 0 }

// setAll sets the rows of the entries.
func (b *bitset) setAll(entries []spillEntry) {
	for _, e := range entries {
		b.set(e.row)
	}
}

func (b *bitset) count() (n int64) {
	for _, w := range b.words {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
