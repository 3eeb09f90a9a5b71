//go:build !amd64

package objective

func outer(index []uint16, value []float64, h float64, m []float64, base []int) {
	outerPlain(index, value, h, m, base)
}
