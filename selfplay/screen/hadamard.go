package screen

import (
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// hadamard returns a Hadamard matrix of order n whose first row and column are ones; nil if no construction here
// has the order. Those of powers of two are Sylvester's, whose columns multiply to columns.
func hadamard(n int) *mat.Dense {
	one, two := mat.NewDense(1, 1, []float64{1}), mat.NewDense(2, 2, []float64{1, 1, 1, -1})
	switch q := n/2 - 1; {
	case n == 1:
		return one
	case n != 2 && n%4 != 0 || n < 1:
		return nil
	case n&(n-1) == 0:
		return kronecker(two, hadamard(n/2))
	case isPrime(n - 1): // Paley's first: n-1 is 3 mod 4
		return paley(n-1, -1, one, one)
	case isPrime(q) && q%4 == 1: // Paley's second
		return paley(q, 1, two, mat.NewDense(2, 2, []float64{1, -1, -1, -1}))
	}
	if half := hadamard(n / 2); half != nil {
		return kronecker(two, half)
	}
	return nil
}

func isPrime(n int) bool { return big.NewInt(int64(n)).ProbablyPrime(0) }

// kronecker returns the matrix a with b in place of each element, times that element.
func kronecker(a, b mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Kronecker(a, b)
	return &m
}

// paley returns a matrix of quadratic residues mod a prime with zeros on the diagonal, under a row of ones and beside a
// column of border, in which blocks take the place of elements and of the diagonal. Signs of rows and columns are such
// that the first of both are ones.
func paley(q int, border float64, block, diagonal *mat.Dense) *mat.Dense {
	square := map[int]bool{}
	for i := 1; i < q; i++ {
		square[i*i%q] = true
	}
	m, unit := mat.NewDense(q+1, q+1, nil), mat.NewDense(q+1, q+1, nil)
	for i := range q + 1 {
		for j := range q + 1 {
			switch {
			case i == j:
				unit.Set(i, j, 1)
			case i == 0 || j > 0 && square[(i-j+q)%q]:
				m.Set(i, j, 1)
			case j == 0:
				m.Set(i, j, border)
			default:
				m.Set(i, j, -1)
			}
		}
	}
	var h, signed mat.Dense
	h.Add(kronecker(m, block), kronecker(unit, diagonal))
	signed.Apply(func(i, j int, x float64) float64 { return x * h.At(0, j) * h.At(i, 0) * h.At(0, 0) }, &h)
	return &signed
}
