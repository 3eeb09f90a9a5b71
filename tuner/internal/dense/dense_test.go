package dense

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func random(r *rand.Rand, rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float64, rows*(cols+3))}
	for i := range m.Data {
		if r.IntN(4) > 0 {
			m.Data[i] = r.NormFloat64()
		}
	}
	return m
}

// plain is the definition, without rounding's help.
func plain(c, a, b blas64.General) {
	for i := range c.Rows {
		for j := range c.Cols {
			for l := range a.Rows {
				c.Data[i*c.Stride+j] += float64(a.Data[l*a.Stride+i] * b.Data[l*b.Stride+j])
			}
		}
	}
}

// TestBytes: vectors, the plain kernel and the definition give the same bytes, for
// sizes that fill tiles and panels and for others.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][3]int{{1, 1, 1}, {4, 8, 5}, {3, 7, 300}, {65, 130, 64}, {70, 71, 257}, {128, 64, 512}} {
		c := random(r, size[0], size[1])
		a, b := random(r, size[2], size[0]), random(r, size[2], size[1])
		want := c
		want.Data = slices.Clone(c.Data)
		start := slices.Clone(c.Data)
		plain(want, a, b)
		if AddMul(c, a, b); !slices.Equal(c.Data, want.Data) {
			t.Errorf("%v: AddMul differs from the definition", size)
		}
		pa, pb := pack(a, a.Cols, tileRows, 1), pack(b, b.Cols, tileCols, 1)
		one, two := make([]float64, tileRows*tileCols), make([]float64, tileRows*tileCols)
		copy(one, start)
		copy(two, one)
		tile(size[2], pa.of(0, 0, size[2]), pb.of(0, 0, size[2]), one, tileCols)
		tilePlain(size[2], pa.of(0, 0, size[2]), pb.of(0, 0, size[2]), two, tileCols)
		if !slices.Equal(one, two) {
			t.Errorf("%v: the kernels differ", size)
		}
	}
}

// TestSquare: the upper triangle agrees with gonum's Syrk.
func TestSquare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, n := range []int{1, 5, 37, 130} {
		a := random(r, 300, n)
		got := blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
		want := got
		want.Data = make([]float64, n*n)
		AddSquare(got, a)
		plain(blas64.General{Rows: n, Cols: n, Stride: n, Data: want.Data}, a, a)
		for i := range n {
			if !slices.Equal(got.Data[i*n+i:(i+1)*n], want.Data[i*n+i:(i+1)*n]) {
				t.Errorf("%d: row %d differs", n, i)
			}
		}
	}
}
