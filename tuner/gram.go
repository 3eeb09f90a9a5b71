package tuner

import "context"

// gram holds the three symmetric blocks of a matrix over the halves of all
// terms: middlegame-middlegame, middlegame-endgame and endgame-endgame, each
// as a packed upper triangle.
type gram struct {
	tri        triangle
	mm, me, ee []float64
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

func newGram(terms int) *gram {
	tr := newTriangle(terms)
	n := tr.len()
	return &gram{tri: tr, mm: make([]float64, n), me: make([]float64, n), ee: make([]float64, n)}
}

// add adds the matrix m of a single phase. At one phase all three blocks are
// the same matrix but for a factor, which is why rows are grouped by phase.
func (g *gram) add(phase int, m []float64) {
	a := float64(phase) / MaxPhase
	b := float64(MaxPhase-phase) / MaxPhase
	mm, me, ee := g.mm, g.me[:len(g.mm)], g.ee[:len(g.mm)]
	aa, ab, bb := a*a, a*b, b*b
	for i, v := range m[:len(mm)] {
		if v == 0 {
			continue
		}
		mm[i] += aa * v
		me[i] += ab * v
		ee[i] += bb * v
	}
}

// gramScratch is what one goroutine needs to sum a chunk's outer products.
type gramScratch struct {
	w     *lookup
	m     []float64 // packed triangle, padded so that any uint16 is in range
	index []uint16
	value []float64
}

// rowWeight says with what factor row i enters a gram matrix: its curvature
// for the Hessian, its squared slope for the variance of the score.
type rowWeight func(omega, slope, curvature float64) float64

func curvatureWeight(omega, _, curvature float64) float64 { return omega * curvature }
func slopeWeight(omega, slope, _ float64) float64         { return omega * omega * slope * slope }

// gram returns the sum over rows of factor * x x', with x the derivatives of
// the row's evaluation with respect to the halves of all terms.
func (p *problem) gram(ctx context.Context, w halves, factor rowWeight) (*gram, error) {
	out := newGram(p.s.terms)
	n := out.tri.len()
	scratch := func() *gramScratch {
		return &gramScratch{w: new(lookup), m: make([]float64, n+len(lookup{}))}
	}
	work := func(s *gramScratch, piece int) {
		c := p.s.chunks[piece]
		w.taper(c.phase, s.w)
		clear(s.m[:n])
		p.gramChunk(c, s, out.tri, factor)
	}
	merge := func(s *gramScratch, piece int) { out.add(p.s.chunks[piece].phase, s.m[:n]) }
	err := ordered(ctx, p.workers, len(p.s.chunks), scratch, work, merge)
	return out, err
}

func (p *problem) gramChunk(c chunk, s *gramScratch, tri triangle, factor rowWeight) {
	cur := p.s.cursor(c)
	k := cur.k
	for i := c.lo; i < c.hi; i++ {
		omega := float64(p.omega[k.base+i])
		if omega == 0 {
			cur.skip(i)
			continue
		}
		r := cur.next(i)
		x := k.evaluation(i, r.dot(s.w))
		slope, curvature := p.loss.slopeAt(p.k, x, float64(p.target[k.base+i]))
		scale := k.scaleOf(i)
		s.index, s.value = r.sorted(s.index[:0], s.value[:0])
		outer(s.index, s.value, factor(omega, slope, curvature)*scale*scale, s.m, tri.base)
	}
}

// outer adds h * v v' to the packed triangle m, v given by ascending indices.
func outer(index []uint16, value []float64, h float64, m []float64, base []int) {
	if h == 0 {
		return
	}
	for i, t := range index {
		off := base[t]
		line := (*lookup)(m[off : off+len(lookup{})])
		f := h * value[i]
		tail := index[i:]
		rest := value[i:][:len(tail)]
		for j, u := range tail {
			line[u] += f * rest[j]
		}
	}
}

// sorted appends the row's terms in ascending order with their counts.
func (r row) sorted(index []uint16, value []float64) ([]uint16, []float64) {
	const end = 1 << 16
	first := func(terms []uint16) int {
		if len(terms) == 0 {
			return end
		}
		return int(terms[0])
	}
	plus, minus, other, counts := r.plus, r.minus, r.other, r.counts
	for {
		p, m, o := first(plus), first(minus), first(other)
		switch {
		case p < m && p < o:
			index, value, plus = append(index, uint16(p)), append(value, 1), plus[1:]
		case m < o:
			index, value, minus = append(index, uint16(m)), append(value, -1), minus[1:]
		case o < end:
			index, value = append(index, uint16(o)), append(value, float64(counts[0]))
			other, counts = other[1:], counts[1:]
		default:
			return index, value
		}
	}
}
