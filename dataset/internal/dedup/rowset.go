package dedup

// RowSet is a set of row numbers, one bit a row. The zero value has room for no row.
type RowSet struct {
	words []uint64
	n     int64
}

// Append makes room for one more row, and adds it if in is true.
func (s *RowSet) Append(in bool) {
	s.Grow(s.n + 1)
	if in {
		s.Add(s.n - 1)
	}
}

// Grow makes room for the rows 0 to n-1.
func (s *RowSet) Grow(n int64) {
	for int64(len(s.words))*64 < n {
		s.words = append(s.words, 0)
	}
	s.n = n
}

// Add adds row i, for which there must be room.
func (s *RowSet) Add(i int64) { s.words[i/64] |= 1 << (i % 64) }

// Has reports whether row i, for which there must be room, is in the set.
func (s *RowSet) Has(i int64) bool { return s.words[i/64]>>(i%64)&1 != 0 }
