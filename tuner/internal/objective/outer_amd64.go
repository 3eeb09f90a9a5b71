package objective

import "golang.org/x/sys/cpu"

var vectors = cpu.X86.HasAVX

// outerAVX is outerPlain for groups of four lines, as long as there are four.
//
//go:noescape
func outerAVX(index *uint16, value *float64, n int, h float64, m *float64, base *int)

func outer(index []uint16, value []float64, h float64, m []float64, base []int) {
	done := 0
	if n := len(index); vectors && n >= 4 {
		_ = value[n-1]
		outerAVX(&index[0], &value[0], n, h, &m[0], &base[0])
		done = n &^ 3
	}
	outerPlain(index[done:], value[done:], h, m, base)
}
