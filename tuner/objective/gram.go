package objective

import (
	"context"
	"slices"
	"sync"

	"github.com/assay-chess/assay/tuner/rows"
)

// gram holds the three symmetric blocks of a matrix over the halves of all
// terms: middlegame-middlegame, middlegame-endgame and endgame-endgame, each
// as a packed upper triangle.
type Gram struct {
	tri        triangle
	mm, me, ee []float64
	// halves is one triangle over the halves of all terms in place of the three, of rows that
	// a formula evaluates: 2t and 2t+1 for term t.
	halves []float64
}

// triangle says where the rows of a packed upper triangle begin: element
// (t, u), t <= u, stands at base[t]+u.
type triangle struct {
	terms int
	base  []int
}

func newTriangle(terms int) triangle {
	tr := triangle{terms: terms, base: make([]int, terms)}
	for t, off := 0, 0; t < terms; t++ {
		tr.base[t] = off - t
		off += terms - t
	}
	return tr
}

func (tr triangle) len() int { return tr.terms * (tr.terms + 1) / 2 }

func newGram(terms int) *Gram {
	tr := newTriangle(terms)
	n := tr.len()
	return &Gram{tri: tr, mm: make([]float64, n), me: make([]float64, n), ee: make([]float64, n)}
}

// add adds the matrix m of rows with factors a and b, every width-th number of m. All
// three blocks are then the same matrix but for a factor, which is why rows are grouped by
// factors.
func (g *Gram) add(a, b float64, m []float64, width int) {
	mm, me, ee := g.mm, g.me[:len(g.mm)], g.ee[:len(g.mm)]
	aa, ab, bb := a*a, a*b, b*b
	for i := range mm {
		v := m[i*width]
		if v == 0 {
			continue
		}
		mm[i] += float64(aa * v)
		me[i] += float64(ab * v)
		ee[i] += float64(bb * v)
	}
}

// addMixed adds the three blocks of rows with factors of their own.
func (g *Gram) addMixed(m [][]float64, at, width int) {
	for k, to := range [][]float64{g.mm, g.me, g.ee} {
		for i := range to {
			to[i] += m[k][i*width+at]
		}
	}
}

// gramRows is the number of rows of the same factors whose outer products are summed
// together. Like chunkRows it is part of the result's last bits.
const gramRows = 1 << 15

// gramScratch is what one goroutine needs to sum outer products.
type gramScratch struct {
	*Scratch
	// m are packed triangles, padded so that any uint16 is in range: three for each
	// of the groups, of which rows with the same factors need the first.
	m     [][]float64
	index []uint16
	value []float64
}

// rowWeight says with what factor a row enters a gram matrix, given its
// weighted slope and curvature: the curvature for the Hessian, the squared
// slope for the variance of the score. Chunk and row tell which one it is.
type RowFactor func(chunk, row int, slope, curvature float64) float64

func Curvature(_, _ int, _, curvature float64) float64 { return curvature }
func SquaredSlope(_, _ int, slope, _ float64) float64  { return slope * slope }

// Together are one or two factors. The elements of two matrices stand side by side, and are
// summed in less time than one after the other where most rows have both.
type Together []RowFactor

// Gram returns, for each of the factors, the sum over rows of factor * x x',
// with x the derivatives of the row's evaluation with respect to the halves of
// all terms.
func (p *Problem) Gram(ctx context.Context, w Tapered, factors ...RowFactor) ([]*Gram, error) {
	var groups []Together
	for _, f := range factors {
		groups = append(groups, Together{f})
	}
	return p.Grams(ctx, w, groups...)
}

// Grams is Gram for groups of factors.
func (p *Problem) Grams(ctx context.Context, w Tapered, groups ...Together) ([]*Gram, error) {
	if p.Store.Bend() != nil {
		return p.bentGrams(ctx, w, groups)
	}
	var out []*Gram
	for _, g := range groups {
		for range g {
			out = append(out, newGram(p.Store.Terms()))
		}
	}
	tri := out[0].tri
	n := tri.len()
	pieces := factorRuns(p.Store, gramRows)
	var used []*gramScratch
	triangles := func(group int) []float64 { return newTriangles(n*len(groups[group]), len(lookup{})*len(groups[group])) }
	alloc := func() *gramScratch {
		t := &gramScratch{Scratch: NewScratch()}
		for i := range groups {
			t.m = append(t.m, triangles(i), nil, nil)
		}
		used = append(used, t)
		return t
	}
	work := func(t *gramScratch, piece int) error {
		mixed := p.Store.Chunks[pieces[piece]].Mixed()
		for i, m := range t.m {
			switch {
			case m != nil:
				clear(m[:n*len(groups[i/3])])
			case mixed:
				t.m[i] = triangles(i / 3)
			}
		}
		for i := pieces[piece]; i < pieces[piece+1]; i++ {
			codes, err := t.Evaluate(p.Store, p.Store.Chunks[i], w, nil)
			if err != nil {
				return err
			}
			p.Derivatives(t.Scratch, i, nil)
			p.gramChunk(t, i, codes, tri, groups)
		}
		return nil
	}
	merge := func(t *gramScratch, piece int) {
		c := p.Store.Chunks[pieces[piece]]
		to := out
		for i, g := range groups {
			for f := range g {
				if c.Mixed() {
					to[f].addMixed(t.m[3*i:], f, len(g))
				} else {
					to[f].add(c.MG, c.EG, t.m[3*i][f:], len(g))
				}
			}
			to = to[len(g):]
		}
	}
	err := rows.Ordered(ctx, p.Workers, len(pieces)-1, alloc, work, merge)
	for _, t := range used {
		t.release()
	}
	return out, err
}

// triangleMemory is used again: for few rows, clearing new memory would take longer than the sums.
var triangleMemory = sync.Pool{New: func() any { return new([]float64) }}

// newTriangles returns n zeros, and behind them a padding of anything.
func newTriangles(n, padding int) []float64 {
	m := *triangleMemory.Get().(*[]float64)
	if cap(m) < n+padding {
		return make([]float64, n+padding)
	}
	clear(m[:n])
	return m[:n+padding]
}

// release gives the memory back.
func (t *gramScratch) release() {
	for _, m := range t.m {
		if m != nil {
			triangleMemory.Put(&m)
		}
	}
	t.Release()
}

// factorRuns cuts the chunks into runs of the same factors.
func factorRuns(s *rows.Store, rows int) []int {
	return runsOf(s, rows, func(i int) bool { return !s.Chunks[i].SameFactors(s.Chunks[i-1]) })
}

// runsOf cuts the chunks into runs of about that many rows, and before the chunks for which cut
// is true. It returns where each run begins, and the end.
func runsOf(s *rows.Store, rows int, cut func(i int) bool) []int {
	var out []int
	sum := 0
	for i, c := range s.Chunks {
		if i == 0 || sum >= rows || cut(i) {
			out = append(out, i)
			sum = 0
		}
		sum += c.Rows
	}
	return append(out, len(s.Chunks))
}

func (p *Problem) gramChunk(t *gramScratch, i int, codes []uint16, tri triangle, groups []Together) {
	c, pairs, wides := p.Store.Chunks[i], p.Store.Pairs(), p.Store.Chunks[i].Wide
	row := 0
	for _, r := range c.Runs {
		n := int(r.Length)
		for range r.Rows {
			line := codes[:n]
			codes = codes[n:]
			filled := false
			for k, g := range groups {
				var h [2]float64
				for f, factor := range g {
					h[f] = factor(i, row, t.X[row], t.Y[row])
				}
				if h[0] == 0 && h[1] == 0 {
					continue
				}
				if !filled {
					wides = t.fill(line, pairs, wides, uint32(row))
					filled = true
				}
				add := func(to int, a, b float64) {
					if m := t.m[3*k+to]; len(g) == 2 {
						outerTwo(t.index, t.value, [2]float64{h[0] * a * b, h[1] * a * b}, m, tri.base)
					} else {
						outer(t.index, t.value, h[0]*a*b, m, tri.base)
					}
				}
				if c.Mixed() {
					a, b := c.Factors(row)
					add(0, a, a)
					add(1, a, b)
					add(2, b, b)
					continue
				}
				add(0, 1, 1)
			}
			row++
		}
	}
}

// fill writes a row's terms in ascending order with their counts, and returns
// the wide entries of later rows.
func (t *gramScratch) fill(line []uint16, pairs []rows.Entry, wides []rows.Wide, row uint32) []rows.Wide {
	t.index, t.value = slices.Grow(t.index[:0], len(line)), slices.Grow(t.value[:0], len(line))
	index := t.index[:len(line)]
	value := t.value[:len(index)]
	for j, code := range line[:len(index)] {
		e := pairs[code]
		index[j], value[j] = e.Term, float64(e.Count)
	}
	t.index, t.value = index, value
	for len(wides) > 0 && wides[0].Row <= row {
		if e := wides[0]; e.Row == row {
			at, _ := slices.BinarySearch(t.index, e.Term)
			t.index, t.value = slices.Insert(t.index, at, e.Term), slices.Insert(t.value, at, float64(e.Count))
		}
		wides = wides[1:]
	}
	return wides
}
