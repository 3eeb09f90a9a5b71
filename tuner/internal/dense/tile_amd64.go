package dense

import "golang.org/x/sys/cpu"

var (
	vectors    = cpu.X86.HasAVX
	vectors512 = cpu.X86.HasAVX512F
)

// tileAVX is tilePlain with vectors of four: multiplied and added, never fused.
//
//go:noescape
func tileAVX(k int, a, b, c *float64, stride int)

// tile512 is tileAVX with vectors of eight.
//
//go:noescape
func tile512(k int, a, b, c *float64, stride int)

func tile(k int, a, b, c []float64, stride int) {
	if !vectors || k == 0 {
		tilePlain(k, a, b, c, stride)
		return
	}
	_, _, _ = a[k*tileRows-1], b[k*tileCols-1], c[(tileRows-1)*stride+tileCols-1]
	if vectors512 {
		tile512(k, &a[0], &b[0], &c[0], stride)
		return
	}
	tileAVX(k, &a[0], &b[0], &c[0], stride)
}
