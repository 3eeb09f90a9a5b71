package tuner

import "context"

// lookup is a table indexed by a uint16 term without a bounds check. Only its
// first Store.terms elements are ever touched.
type lookup = [1 << 16]float64

// problem is a store with what a row's loss needs beside its features.
// Rows of omega 0 take no part.
type problem struct {
	s       *Store
	loss    Loss
	k       float64
	target  []float32 // y, by row of the store
	omega   []float32 // weight, by row of the store
	workers int
}

// halves are two values for each term, its middlegame and its endgame half:
// coefficients in centipawns, or derivatives with respect to them.
type halves struct{ mg, eg []float64 }

func newHalves(terms int) halves {
	return halves{make([]float64, terms), make([]float64, terms)}
}

// taper writes the coefficients that hold at a phase.
func (w halves) taper(phase int, out *lookup) {
	a := float64(phase) / MaxPhase
	b := float64(MaxPhase-phase) / MaxPhase
	for t := range w.mg {
		out[t] = a*w.mg[t] + b*w.eg[t]
	}
}

// untaper adds the derivatives g with respect to the coefficients at a phase.
func (w halves) untaper(phase int, g *lookup) {
	a := float64(phase) / MaxPhase
	b := float64(MaxPhase-phase) / MaxPhase
	for t := range w.mg {
		w.mg[t] += a * g[t]
		w.eg[t] += b * g[t]
	}
}

// cursor walks the rows of a chunk.
type cursor struct {
	k     *bucket
	terms []uint16
	other []int16
}

func (s *Store) cursor(c chunk) cursor {
	k := &s.buckets[c.phase]
	return cursor{k: k, terms: k.terms[c.term:], other: k.counts[c.count:]}
}

// row is one row's entries: terms counted +1, terms counted -1, and the
// others with their counts.
type row struct {
	plus, minus, other []uint16
	counts             []int16
}

// next returns the entries of row i, which must follow the row returned last.
func (c *cursor) next(i int) row {
	n := c.k.lens[i]
	p, m, o := int(n.plus), int(n.minus), int(n.other)
	r := row{plus: c.terms[:p], minus: c.terms[p : p+m], other: c.terms[p+m : p+m+o], counts: c.other[:o]}
	c.terms, c.other = c.terms[p+m+o:], c.other[o:]
	return r
}

// skip passes over row i.
func (c *cursor) skip(i int) {
	n := c.k.lens[i]
	c.terms = c.terms[int(n.plus)+int(n.minus)+int(n.other):]
	c.other = c.other[n.other:]
}

// dot returns the evaluation of the row before scale and offset.
func (r row) dot(w *lookup) float64 {
	s := sum(w, r.plus) - sum(w, r.minus)
	for j, t := range r.other {
		s += w[t] * float64(r.counts[j])
	}
	return s
}

// sum adds in four lanes, because one addition must not wait for the last.
func sum(w *lookup, terms []uint16) float64 {
	var a, b, c, d float64
	for len(terms) >= 4 {
		a += w[terms[0]]
		b += w[terms[1]]
		c += w[terms[2]]
		d += w[terms[3]]
		terms = terms[4:]
	}
	for _, t := range terms {
		a += w[t]
	}
	return (a + b) + (c + d)
}

// scatter adds v times the row's counts to g.
func (r row) scatter(v float64, g *lookup) {
	for _, t := range r.plus {
		g[t] += v
	}
	for _, t := range r.minus {
		g[t] -= v
	}
	for j, t := range r.other {
		g[t] += v * float64(r.counts[j])
	}
}

// evaluation returns E in centipawns of row i from its dot product.
func (k *bucket) evaluation(i int, dot float64) float64 {
	if k.scale != nil {
		dot *= float64(k.scale[i])
	}
	if k.offset != nil {
		dot += float64(k.offset[i])
	}
	return dot
}

func (k *bucket) scaleOf(i int) float64 {
	if k.scale != nil {
		return float64(k.scale[i])
	}
	return 1
}

// gradScratch is what one goroutine needs to pass over a chunk.
type gradScratch struct {
	w, g  *lookup
	value float64
}

// gradient adds the derivatives of the weighted sum of losses to g (unless
// g.mg is nil) and returns that sum.
func (p *problem) gradient(ctx context.Context, w halves, g halves) (float64, error) {
	total := 0.0
	scratch := func() *gradScratch { return &gradScratch{w: new(lookup), g: new(lookup)} }
	work := func(s *gradScratch, piece int) {
		c := p.s.chunks[piece]
		w.taper(c.phase, s.w)
		clear(s.g[:p.s.terms])
		s.value = p.gradientChunk(c, s, g.mg != nil)
	}
	merge := func(s *gradScratch, piece int) {
		total += s.value
		if g.mg != nil {
			g.untaper(p.s.chunks[piece].phase, s.g)
		}
	}
	err := ordered(ctx, p.workers, len(p.s.chunks), scratch, work, merge)
	return total, err
}

func (p *problem) gradientChunk(c chunk, s *gradScratch, derive bool) float64 {
	total := 0.0
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
		value, slope, _ := p.loss.at(p.k, x, float64(p.target[k.base+i]))
		total += omega * value
		if derive {
			r.scatter(omega*slope*k.scaleOf(i), s.g)
		}
	}
	return total
}

// evaluations returns E in centipawns of every row of the store.
func (s *Store) evaluations(ctx context.Context, w halves, want int) ([]float64, error) {
	out := make([]float64, s.rows)
	work := func(table *lookup, piece int) {
		c := s.chunks[piece]
		w.taper(c.phase, table)
		cur := s.cursor(c)
		for i := c.lo; i < c.hi; i++ {
			r := cur.next(i)
			out[cur.k.base+i] = cur.k.evaluation(i, r.dot(table))
		}
	}
	scratch := func() *lookup { return new(lookup) }
	err := ordered(ctx, want, len(s.chunks), scratch, work, func(*lookup, int) {})
	return out, err
}
