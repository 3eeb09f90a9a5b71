package objective

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/floats"
)

// Gram is a symmetric matrix over the halves of all terms, in packed upper triangles: its blocks
// middlegame-middlegame, middlegame-endgame and endgame-endgame or, of rows that a formula
// evaluates, one of the halves 2t and 2t+1 of each term t.
type Gram struct {
	base   []int // element (t, u), t <= u, of a block stands at base[t]+u
	blocks [][]float64
}

// add adds the matrix m of rows with factors a and b. All three blocks are then the same matrix but for a factor,
// which is why rows are grouped by factors.
func (g *Gram) add(a, b float64, m []float64) {
	mm := g.blocks[0]
	me, ee := g.blocks[1][:len(mm)], g.blocks[2][:len(mm)]
	aa, ab, bb := a*a, a*b, b*b
	for i := range mm {
		v := m[i]
		if v == 0 {
			continue
		}
		mm[i] += num.Rounded(aa * v)
		me[i] += num.Rounded(ab * v)
		ee[i] += num.Rounded(bb * v)
	}
}

// gramRows is the number of rows of the same factors whose outer products are summed
// together. Like rows.ChunkRows it is part of the result's last bits.
const gramRows = 1 << 15

// gramScratch is what one goroutine needs to sum outer products.
type gramScratch struct {
	*Scratch
	// m are packed triangles, padded so that any uint16 is in range: one for each block of
	// each group. Rows with the same factors need the first of three.
	m     [][][]float64
	index []uint16 // of a row's terms or halves, ascending
	value []float64
}

// RowFactor says with what factor a row enters a gram matrix, given its
// weighted slope and curvature: the curvature for the Hessian, the squared
// slope for the variance of the score. Chunk and row tell which one it is.
type RowFactor func(chunk, row int, slope, curvature float64) float64

// Curvature is the factor of the Gauss-Newton matrix.
func Curvature(_, _ int, _, curvature float64) float64 { return curvature }

// SquaredSlope is the factor of the variance of the score, if rows are independent.
func SquaredSlope(_, _ int, slope, _ float64) float64 { return slope * slope }

// Gram returns, for each of the factors, the sum over rows of factor * x x', with x the derivatives of the
// row's evaluation with respect to the halves of all terms.
func (p *Problem) Gram(ctx context.Context, w Tapered, factors ...RowFactor) ([]*Gram, error) {
	s, lines, blocks := p.Store, p.Store.Terms(), 3
	bent := s.Nonlinear() != nil
	if bent {
		if lines, blocks = 2*lines, 1; lines > 1<<16 {
			return nil, fmt.Errorf("%w: %d terms are too many for a formula", ErrConfig, s.Terms())
		}
	}
	base, n := triangle(lines)
	var out []*Gram
	for range factors {
		g := &Gram{base: base}
		for range blocks {
			g.blocks = append(g.blocks, make([]float64, n))
		}
		out = append(out, g)
	}
	runs := p.gramRuns()
	mixed := func(run int) bool { return bent || s.Chunks[runs[run]].Mixed() }
	var used []*gramScratch
	alloc := func() *gramScratch {
		t := &gramScratch{Scratch: NewScratch()}
		for range factors {
			t.m = append(t.m, make([][]float64, blocks))
		}
		used = append(used, t)
		return t
	}
	work := func(t *gramScratch, run int) error {
		for i := range factors {
			for k := range t.m[i] {
				if m := t.m[i][k]; m != nil {
					clear(m[:n])
				} else if k == 0 || mixed(run) {
					t.m[i][k] = newTriangle(n, len(lookup{}))
				}
			}
		}
		for i := runs[run]; i < runs[run+1]; i++ {
			if err := t.Differentiate(s, s.Chunks[i], w, nil); err != nil {
				return err
			}
			p.Derivatives(t.Scratch, i, nil)
			p.gramChunk(t, i, base, factors)
		}
		return nil
	}
	merge := func(t *gramScratch, run int) {
		c := s.Chunks[runs[run]]
		for i, g := range out {
			if !mixed(run) {
				g.add(c.MG, c.EG, t.m[i][0])
				continue
			}
			for k, to := range g.blocks {
				floats.Add(to, t.m[i][k][:n])
			}
		}
	}
	err := inorder.Merge(ctx, p.Workers, len(runs)-1, alloc, work, merge)
	for _, t := range used {
		t.release()
	}
	return out, err
}

// triangle returns where the lines of a packed upper triangle begin, see Gram, and its length.
func triangle(lines int) (base []int, n int) {
	for t := range lines {
		base = append(base, n-t)
		n += lines - t
	}
	return base, n
}

// triangleMemory is used again: for few rows, clearing new memory would take longer than the sums.
var triangleMemory = sync.Pool{New: func() any { return new([]float64) }}

// newTriangle returns n zeros, and behind them a padding of anything.
func newTriangle(n, padding int) []float64 {
	m := *triangleMemory.Get().(*[]float64)
	if cap(m) < n+padding {
		return make([]float64, n+padding)
	}
	clear(m[:n])
	return m[:n+padding]
}

// release gives the memory back.
func (t *gramScratch) release() {
	for _, m := range slices.Concat(t.m...) {
		if m != nil {
			triangleMemory.Put(&m)
		}
	}
	t.Release()
}

// gramRuns cuts the chunks into runs of about gramRows rows of the same factors; the rows of a
// formula have their own. It returns where each run begins, and the end.
func (p *Problem) gramRuns() []int {
	var out []int
	sum := 0
	for i, c := range p.Store.Chunks {
		if i == 0 || sum >= gramRows || p.Store.Nonlinear() == nil && !c.SameFactors(p.Store.Chunks[i-1]) {
			out = append(out, i)
			sum = 0
		}
		sum += c.Rows
	}
	return append(out, len(p.Store.Chunks))
}

// gramChunk adds the outer products of a chunk's rows.
func (p *Problem) gramChunk(t *gramScratch, i int, base []int, factors []RowFactor) {
	c := p.Store.Chunks[i]
	c.EachLine(t.Codes, func(row int, line []uint16, wides []rows.Wide) {
		filled := false
		for k, factor := range factors {
			h := factor(i, row, t.X[row], t.Y[row])
			if h == 0 {
				continue
			}
			if !filled {
				t.fill(p.Store, line, wides, row)
				filled = true
			}
			if p.Store.Nonlinear() != nil || !c.Mixed() {
				outer(t.index, t.value, h, t.m[k][0], base)
				continue
			}
			a, b := c.Factors(row)
			for block, of := range [][2]float64{{a, a}, {a, b}, {b, b}} {
				outer(t.index, t.value, h*of[0]*of[1], t.m[k][block], base)
			}
		}
	})
}

// fill writes a row's terms with their counts or, if a formula evaluates it, its halves with the
// derivatives of the evaluation.
func (t *gramScratch) fill(s *rows.Store, line []uint16, wides []rows.Wide, row int) {
	if s.Nonlinear() != nil {
		t.index, t.value = t.index[:0], t.value[:0]
		eachTerm(t.bentParts(s, line, wides, row), func(term uint16, mg, eg float64) {
			if mg != 0 {
				t.index, t.value = append(t.index, 2*term), append(t.value, mg)
			}
			if eg != 0 {
				t.index, t.value = append(t.index, 2*term+1), append(t.value, eg)
			}
		})
		return
	}
	t.index, t.value = slices.Grow(t.index[:0], len(line)), slices.Grow(t.value[:0], len(line))
	index, pairs := t.index[:len(line)], s.Pairs()
	value := t.value[:len(index)]
	for j, code := range line[:len(index)] {
		e := pairs[code]
		index[j], value[j] = e.Term, float64(e.Count)
	}
	t.index, t.value = index, value
	for _, e := range wides {
		at, _ := slices.BinarySearch(t.index, e.Term)
		t.index, t.value = slices.Insert(t.index, at, e.Term), slices.Insert(t.value, at, float64(e.Count))
	}
}
