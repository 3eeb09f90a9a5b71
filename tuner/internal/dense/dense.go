// Package dense multiplies dense matrices. Every element is a sum in order of the inner
// index, each product rounded before it is added: so the bytes are the same on every
// machine, with vectors or without, and the same as by gonum's loops.
package dense

import (
	"math"
	"runtime"
	"sync"

	"github.com/assay-chess/assay/engine/num"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A tile of the result has this many rows and columns, which the registers hold.
const (
	tileRows = 4
	tileCols = 8
	depth    = 256 // of the panels that a first-level cache holds
	stripe   = 64  // rows of the result for one goroutine at once
)

// AddMul adds a'b to c, with all cores.
func AddMul(c, a, b blas64.General) { addStripes(c, a, b, 1, false) }

// AddSquare adds a'a to the upper triangle of c. What is below it changes too, and means nothing.
func AddSquare(c blas64.Symmetric, a blas64.General) {
	p := pack(a, a.Cols, tileCols, 1)
	defer p.release()
	addRows(blas64.General{Rows: c.N, Cols: c.N, Stride: c.Stride, Data: c.Data}, a, p, 0, c.N, 1, true)
}

// addStripes adds sign a'b to c with all cores, or only to tiles that reach its upper triangle.
func addStripes(c, a, b blas64.General, sign float64, upper bool) {
	p := pack(b, b.Cols, tileCols, 1)
	defer p.release()
	if c.Rows <= stripe {
		addRows(c, a, p, 0, c.Rows, sign, upper)
		return
	}
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for lo := 0; lo < c.Rows; lo += stripe {
		free <- struct{}{}
		wg.Go(func() {
			addRows(c, a, p, lo, min(lo+stripe, c.Rows), sign, upper)
			<-free
		})
	}
	wg.Wait()
}

// panels are the columns of a matrix, cut into groups of one width: of each group row
// after row, filled up with zeros.
type panels struct {
	rows  int
	width int
	data  []float64
	from  *[]float64
}

// panelMemory is used again, because clearing it takes as long as filling it.
var panelMemory = sync.Pool{New: func() any { return new([]float64) }}

// pack returns the panels of sign m.
func pack(m blas64.General, cols, width int, sign float64) panels {
	n := (cols + width - 1) / width * width * m.Rows
	from := panelMemory.Get().(*[]float64)
	if cap(*from) < n {
		*from = make([]float64, n)
	}
	p := panels{rows: m.Rows, width: width, data: (*from)[:n], from: from}
	for i, at := 0, 0; i < cols; i += width {
		w := min(width, cols-i)
		for l := range m.Rows {
			to := p.data[at : at+w]
			for j, v := range m.Data[l*m.Stride+i:][:len(to)] {
				to[j] = sign * v
			}
			clear(p.data[at+w : at+width])
			at += width
		}
	}
	return p
}

// release gives the memory back.
func (p panels) release() { panelMemory.Put(p.from) }

// of returns rows lo to hi of the group of columns that begins at i.
func (p panels) of(i, lo, hi int) []float64 {
	from := i * p.rows
	return p.data[from+lo*p.width : from+hi*p.width]
}

// addRows adds sign a'b to rows lo to hi of c, or only to tiles that reach its upper triangle.
func addRows(c, a blas64.General, b panels, lo, hi int, sign float64, upper bool) {
	a.Data = a.Data[lo:]
	pa := pack(a, hi-lo, tileRows, sign)
	defer pa.release()
	var edge [tileRows * tileCols]float64
	for l := 0; l < a.Rows; l += depth {
		end := min(l+depth, a.Rows)
		for i := lo; i < hi; i += tileRows {
			column := pa.of(i-lo, l, end)
			first := 0
			if upper {
				first = i / tileCols * tileCols
			}
			for j := first; j < c.Cols; j += tileCols {
				row := b.of(j, l, end)
				rows, cols := min(tileRows, hi-i), min(tileCols, c.Cols-j)
				if rows == tileRows && cols == tileCols {
					tile(end-l, column, row, c.Data[i*c.Stride+j:], c.Stride)
					continue
				}
				for r := range rows {
					copy(edge[r*tileCols:][:cols], c.Data[(i+r)*c.Stride+j:])
				}
				tile(end-l, column, row, edge[:], tileCols)
				for r := range rows {
					copy(c.Data[(i+r)*c.Stride+j:][:cols], edge[r*tileCols:])
				}
			}
		}
	}
}

// tilePlain adds to a tile of c, for each of k steps, the product of four values of a and eight of b.
func tilePlain(k int, a, b, c []float64, stride int) {
	for r := range tileRows {
		for s := 0; s < tileCols; s += 4 {
			out := c[r*stride+s:][:4]
			c0, c1, c2, c3 := out[0], out[1], out[2], out[3]
			for l := range k {
				x, y := a[l*tileRows+r], b[l*tileCols+s:][:4]
				c0 += num.Rounded(x * y[0])
				c1 += num.Rounded(x * y[1])
				c2 += num.Rounded(x * y[2])
				c3 += num.Rounded(x * y[3])
			}
			out[0], out[1], out[2], out[3] = c0, c1, c2, c3
		}
	}
}

// Cholesky is the upper triangle U of a symmetric, positive definite matrix U'U.
type Cholesky struct {
	u    blas64.General // below the diagonal it means nothing
	norm float64        // largest sum of a row of the matrix, all elements taken positive
}

const (
	small = 16 // matrices up to this are factorized and solved line by line
	band  = 64 // columns of the inverse that are solved for together
)

// Factorize returns the factor of a matrix, given by its upper triangle. It is nil
// unless the matrix is positive definite and finite.
func Factorize(a blas64.Symmetric) *Cholesky {
	c := &Cholesky{u: general(a.N)}
	sums := make([]float64, a.N)
	for i := range a.N {
		row := a.Data[i*a.Stride+i:][:a.N-i]
		copy(c.u.Data[i*a.N+i:], row)
		for j, v := range row {
			v = math.Abs(v)
			sums[i] += v
			if j > 0 {
				sums[i+j] += v
			}
		}
	}
	for _, s := range sums {
		c.norm = max(c.norm, s)
	}
	if !factorize(c.u) {
		return nil
	}
	return c
}

// N returns the number of rows.
func (c *Cholesky) N() int { return c.u.Rows }

// factorize overwrites the upper triangle of a with its factor, by halves.
func factorize(a blas64.General) bool {
	if a.Rows <= small {
		return factorizeSmall(a)
	}
	half := (a.Rows/2 + tileCols - 1) / tileCols * tileCols
	first, rest := part(a, 0, 0, half, half), part(a, half, half, a.Rows-half, a.Rows-half)
	beside := part(a, 0, half, half, a.Rows-half)
	if !factorize(first) {
		return false
	}
	solveRows(first, beside)
	addStripes(rest, beside, beside, -1, true)
	return factorize(rest)
}

func factorizeSmall(a blas64.General) bool {
	for k := range a.Rows {
		row := a.Data[k*a.Stride+k:][:a.Rows-k]
		if !(row[0] > 0) || math.IsInf(row[0], 1) {
			return false
		}
		row[0] = math.Sqrt(row[0])
		for j := range row[1:] {
			row[j+1] /= row[0]
		}
		for i := 1; i < len(row); i++ {
			to, f := a.Data[(k+i)*a.Stride+k+i:], row[i]
			for j, v := range row[i:] {
				to[j] -= num.Rounded(f * v)
			}
		}
	}
	return true
}

// solveRows overwrites b with U'^-1 b.
func solveRows(u, b blas64.General) {
	if u.Rows > small {
		half := (u.Rows/2 + tileCols - 1) / tileCols * tileCols
		rest := u.Rows - half
		above, below := part(b, 0, 0, half, b.Cols), part(b, half, 0, rest, b.Cols)
		solveRows(part(u, 0, 0, half, half), above)
		addStripes(below, part(u, 0, half, half, rest), above, -1, false)
		solveRows(part(u, half, half, rest, rest), below)
		return
	}
	for i := range u.Rows {
		row := b.Data[i*b.Stride:][:b.Cols]
		for l := range i {
			floats.AddScaled(row, -u.Data[l*u.Stride+i], b.Data[l*b.Stride:][:b.Cols])
		}
		d := u.Data[i*u.Stride+i]
		for j := range row {
			row[j] /= d
		}
	}
}

// Solve overwrites x with the solution of U'U x = x.
func (c *Cholesky) Solve(x []float64) {
	n, u := c.u.Rows, c.u.Data
	x = x[:n]
	for i := range n {
		x[i] /= u[i*n+i]
		floats.AddScaled(x[i+1:], -x[i], u[i*n+i+1:(i+1)*n])
	}
	for i := n - 1; i >= 0; i-- {
		x[i] = (x[i] - floats.Dot(u[i*n+i+1:(i+1)*n], x[i+1:])) / u[i*n+i]
	}
}

// Inverse returns the upper triangle of the inverse; below, the numbers mean nothing.
func (c *Cholesky) Inverse() blas64.Symmetric {
	n := c.u.Rows
	y, out := general(n), general(n)
	for i := range n {
		y.Data[i*n+i] = 1
	}
	for j := 0; j < n; j += band { // y = U'^-1, a lower triangle
		solveRows(part(c.u, j, j, n-j, n-j), part(y, j, j, n-j, min(band, n-j)))
	}
	for j := 0; j < n; j += band { // y'y
		end := min(j+band, n)
		lines := part(y, j, 0, end-j, end)
		addStripes(part(out, 0, 0, end, end), lines, lines, 1, true)
	}
	return blas64.Symmetric{N: n, Stride: n, Data: out.Data, Uplo: blas.Upper}
}

// Cond returns an estimate of the condition number in the 1-norm, rarely below a third of it.
func (c *Cholesky) Cond() float64 {
	n := c.u.Rows
	u := blas64.Symmetric{N: n, Stride: n, Data: c.u.Data, Uplo: blas.Upper}
	return 1 / lapack64.Pocon(u, c.norm, make([]float64, 3*n), make([]int, n))
}

func general(n int) blas64.General {
	return blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
}

// part returns a view of rows and columns from (i, j).
func part(m blas64.General, i, j, rows, cols int) blas64.General {
	m.Rows, m.Cols = rows, cols
	if rows > 0 && cols > 0 {
		m.Data = m.Data[i*m.Stride+j:]
	}
	return m
}
