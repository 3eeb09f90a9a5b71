package screen

// hadamard returns a Hadamard matrix of order n whose first row and column are ones; nil if no construction here
// has the order. Those of powers of two are Sylvester's, whose columns multiply to columns.
func hadamard(n int) [][]float64 {
	switch q := n/2 - 1; {
	case n == 1:
		return [][]float64{{1}}
	case n != 2 && n%4 != 0 || n < 1:
		return nil
	case n&(n-1) == 0:
		return double(hadamard(n / 2))
	case isPrime(n - 1): // Paley's first: n-1 is 3 mod 4
		return normalize(paley(n-1, -1, func(x float64) [][]float64 { return [][]float64{{x}} }, [][]float64{{1}}))
	case isPrime(q) && q%4 == 1: // Paley's second
		times := func(x float64) [][]float64 { return [][]float64{{x, x}, {x, -x}} }
		return normalize(paley(q, 1, times, [][]float64{{1, -1}, {-1, -1}}))
	}
	if half := hadamard(n / 2); half != nil {
		return double(half)
	}
	return nil
}

// double returns {{h, h}, {h, -h}}.
func double(h [][]float64) [][]float64 {
	n := len(h)
	d := make([][]float64, 2*n)
	for i := range d {
		d[i] = make([]float64, 2*n)
		for j := range d[i] {
			d[i][j] = h[i%n][j%n]
			if i >= n && j >= n {
				d[i][j] = -d[i][j]
			}
		}
	}
	return d
}

// paley returns the matrix of blocks that quadratic residues mod the prime q make: diagonal on the diagonal, times
// of 1 or -1 elsewhere, and of border in the first column.
func paley(q int, border float64, times func(float64) [][]float64, diagonal [][]float64) [][]float64 {
	residue := make([]float64, q)
	for i := 1; i < q; i++ {
		residue[i] = -1
	}
	for i := 1; i < q; i++ {
		residue[i*i%q] = 1
	}
	size := len(diagonal)
	h := make([][]float64, (q+1)*size)
	for i := range h {
		h[i] = make([]float64, len(h))
		for j := range h {
			bi, bj := i/size, j/size
			block := diagonal
			switch {
			case bi == bj:
			case bi == 0:
				block = times(1)
			case bj == 0:
				block = times(border)
			default:
				block = times(residue[(bi-bj+q)%q])
			}
			h[i][j] = block[i%size][j%size]
		}
	}
	return h
}

// normalize changes signs of rows and columns so that the first of both are ones.
func normalize(h [][]float64) [][]float64 {
	for j := range h {
		if h[0][j] < 0 {
			for i := range h {
				h[i][j] = -h[i][j]
			}
		}
	}
	for i := range h {
		if h[i][0] < 0 {
			for j := range h {
				h[i][j] = -h[i][j]
			}
		}
	}
	return h
}

func isPrime(n int) bool {
	for i := 2; i*i <= n; i++ {
		if n%i == 0 {
			return false
		}
	}
	return n > 1
}
