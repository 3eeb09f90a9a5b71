package rows

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// samplePositions is the largest number of positions in which the occurrences of terms are counted.
const samplePositions = 4096

// reservoir keeps every stride-th position and doubles the stride when full,
// so that the sample depends only on the order of the positions.
type reservoir struct {
	positions []board.Position
	stride, n int
}

func (r *reservoir) add(p *board.Position) {
	if r.stride == 0 {
		r.stride = 1
	}
	if r.n%r.stride == 0 {
		if len(r.positions) == samplePositions {
			for i := range samplePositions / 2 {
				r.positions[i] = r.positions[2*i]
			}
			r.positions = r.positions[:samplePositions/2]
			r.stride *= 2
		}
		if r.n%r.stride == 0 {
			r.positions = append(r.positions, *p)
		}
	}
	r.n++
}

// seen counts how often each term occurs in the positions, White's counts plus Black's.
func (r *reservoir) seen(m *eval.Model) []int64 {
	out := make([]int64, len(m.Terms))
	for i := range r.positions {
		for _, c := range m.Counts(&r.positions[i]) {
			out[c.Term] += int64(max(c.White, -c.White) + max(c.Black, -c.Black))
		}
	}
	return out
}
