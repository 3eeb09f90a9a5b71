package dense

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTiles: each kernel that this machine has gives the same bytes.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	const k, stride = 37, 11
	number := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	a, b, c := number(k*tileRows), number(k*tileCols), number(tileRows*stride)
	want := slices.Clone(c)
	tilePlain(k, a, b, want, stride)
	for name, kernel := range map[string]func(int, *float64, *float64, *float64, int){"AVX": tileAVX, "AVX-512": tile512} {
		if name == "AVX" && !vectors || name == "AVX-512" && !vectors512 {
			continue
		}
		got := slices.Clone(c)
		if kernel(k, &a[0], &b[0], &got[0], stride); !slices.Equal(got, want) {
			t.Errorf("%s differs from the plain kernel", name)
		}
	}
}
