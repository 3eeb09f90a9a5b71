// Package dense multiplies dense matrices. Every element is a sum in order of the inner
// index, each product rounded before it is added: so the bytes are the same on every
// machine, with vectors or without, and the same as by gonum's loops.
package dense

import (
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/assay-chess/assay/engine/num"
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
