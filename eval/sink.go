package eval

import "math/bits"

// maxTerms bounds the terms of a model. It is a power of two, so that masking an
// index replaces its bounds check.
const maxTerms = 1024

// A sink takes the counts of one side and, after its method turn, the other's.
// There are two with the same methods: tracer collects counts, scorer adds up weights.
// Both are values that calls take and return (s = s.add(term, 2)), which keeps the
// scorer's sum in a register. The terms are written for the tracer; "go generate" copies
// the terms of the models that searches use for the scorer.

// tracer collects the counts of a position.
type tracer struct {
	to, next *trace
	sign     int16
}

// trace holds one count for each term, and a bit for each term that was counted.
type trace struct {
	counts [maxTerms]int16
	seen   [maxTerms / 64]uint64
	root   root
}

// add counts n occurrences of a term.
func (s tracer) add(term, n int) tracer {
	s.to.counts[term&(maxTerms-1)] += s.sign * int16(n)
	s.to.seen[term>>6&(maxTerms/64-1)] |= 1 << (term & 63)
	return s
}

// one counts a single occurrence of a term.
func (s tracer) one(term int) tracer { return s.add(term, 1) }

// turn ends Black's counts and starts White's.
func (s tracer) turn() tracer { return tracer{to: s.next, next: s.to, sign: -s.sign} }

// root returns the position that the search started from.
func (s tracer) root() *root { return &s.to.root }

// drain appends every term whose count is not zero, in ascending order, and leaves the
// trace empty.
func (t *trace) drain(entries []Feature) []Feature {
	for i, word := range t.seen {
		t.seen[i] = 0
		for ; word != 0; word &= word - 1 {
			term := i<<6 + bits.TrailingZeros64(word)
			if n := t.counts[term]; n != 0 {
				entries = append(entries, Feature{Term: uint16(term), Count: n})
				t.counts[term] = 0
			}
		}
	}
	return entries
}

// weights holds the coefficients of a model, each packed by pack, and the cache of pawns and kings.
type weights struct {
	packed   [maxTerms]int64
	sums     sums // of channels other than the first
	material materialTable
	pawns    pawnTable
	bent     *bentTable // nil: no channels
}

// pack puts the endgame value in the upper half and the middlegame value in the lower
// half. Packed values add and multiply like numbers as long as neither half overflows; for
// that the counts of a position would have to sum to 71,000.
func pack(c Coef) int64 { return int64(c.EG)<<32 + int64(c.MG) }

// unpack splits a sum of packed values.
func unpack(sum int64) (mg, eg int64) {
	mg = int64(int32(sum))
	return mg, (sum - mg) >> 32
}

// scorer adds up the packed weights of a position's counts.
type scorer struct {
	w   *weights
	sum int64
}

// add counts n occurrences of a term.
func (s scorer) add(term, n int) scorer {
	s.sum += s.w.packed[term&(maxTerms-1)] * int64(n)
	return s
}

// one counts a single occurrence of a term.
func (s scorer) one(term int) scorer {
	s.sum += s.w.packed[term&(maxTerms-1)]
	return s
}

// turn ends Black's counts and starts White's.
func (s scorer) turn() scorer {
	s.sum = -s.sum
	return s
}
