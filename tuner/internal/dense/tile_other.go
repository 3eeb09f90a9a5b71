//go:build !amd64

package dense

func tile(k int, a, b, c []float64, stride int) { tilePlain(k, a, b, c, stride) }
