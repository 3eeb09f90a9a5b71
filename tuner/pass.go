package tuner

import (
	"context"
	"sync"
)

// problem is a store with what a row's loss needs beside its features.
// Rows of omega 0 take no part.
type problem struct {
	s       *Store
	loss    Loss
	k       float64
	target  [][]float32 // y, by chunk and row
	omega   [][]float32 // weight, by chunk and row
	held    []bool      // by game: its rows, of omega 0, are for validation; nil if none
	workers int
}

// side tells on which side of the split row j of chunk i is, and its weight
// there; 0 if on none.
func (p *problem) side(i, j int) (side int, weight float64) {
	if o := p.omega[i][j]; o > 0 || p.held == nil {
		return trained, float64(o)
	}
	c := p.s.chunks[i]
	if !p.held[c.game[j]] {
		return trained, 0
	}
	return heldOut, float64(c.weightOf(j))
}

// halves are two values for each term, its middlegame and its endgame half:
// coefficients in centipawns, or derivatives with respect to them.
type halves struct{ mg, eg []float64 }

func newHalves(terms int) halves {
	return halves{make([]float64, terms), make([]float64, terms)}
}

// shares returns the shares of the middlegame and the endgame at a phase.
func shares(phase int) (mg, eg float64) {
	return float64(phase) / MaxPhase, float64(MaxPhase-phase) / MaxPhase
}

// taper writes what each pair of the dictionary adds to an evaluation at a phase.
func (w halves) taper(phase int, pairs []Entry, out *lookup) {
	a, b := shares(phase)
	for i, p := range pairs {
		out[i] = float64(p.Count) * (a*w.mg[p.Term] + b*w.eg[p.Term])
	}
}

// untaper adds the derivatives that g holds by pair, taken at a phase.
func (w halves) untaper(phase int, pairs []Entry, g *lookup) {
	a, b := shares(phase)
	for i, p := range pairs {
		v := float64(p.Count) * g[i]
		w.mg[p.Term] += a * v
		w.eg[p.Term] += b * v
	}
}

// scratch is what one goroutine needs to pass over chunks.
type scratch struct {
	phase int       // of table; -1 if none
	table *lookup   // what a pair adds to the evaluation
	g     *lookup   // derivatives by pair
	x     []float64 // evaluations of the chunk's rows, or what became of them
	y     []float64 // a second number a row
	codes []uint16  // of a chunk on disk
	value float64
}

var scratches = sync.Pool{New: func() any {
	return &scratch{table: new(lookup), g: new(lookup), x: make([]float64, chunkRows), y: make([]float64, chunkRows)}
}}

// read returns the chunk's codes, from disk if they are there.
func (s *scratch) read(store *Store, c *chunk) ([]uint16, error) {
	if store.disk == nil {
		return c.codes, nil
	}
	return store.disk.read(c, &s.codes)
}

// evaluate writes E in centipawns of the chunk's rows to s.x and returns the
// chunk's codes.
func (s *scratch) evaluate(store *Store, c *chunk, w halves) ([]uint16, error) {
	codes, err := s.read(store, c)
	if err != nil {
		return nil, err
	}
	if s.phase != c.phase {
		s.phase = c.phase
		w.taper(c.phase, store.pairs.pairs, s.table)
	}
	x := s.x[:c.rows]
	dots(codes, c.runs, s.table, x)
	a, b := shares(c.phase)
	for _, e := range c.wide {
		x[e.row] += float64(e.Count) * (a*w.mg[e.Term] + b*w.eg[e.Term])
	}
	if c.scale != nil {
		for i, v := range c.scale {
			x[i] *= float64(v)
		}
	}
	if c.offset != nil {
		for i, v := range c.offset {
			x[i] += float64(v)
		}
	}
	return codes, nil
}

// pass evaluates all rows at coefficients w, chunk by chunk: work gets a
// chunk's number and codes with the evaluations in scratch.x, merge takes what
// it made of them in order of chunks.
func (s *Store) pass(ctx context.Context, workers int, w halves, work func(t *scratch, chunk int, codes []uint16), merge func(t *scratch, chunk int)) error {
	var used []*scratch // touched by the caller of ordered alone
	alloc := func() *scratch {
		t := scratches.Get().(*scratch)
		t.phase = -1
		used = append(used, t)
		return t
	}
	each := func(t *scratch, piece int) error {
		codes, err := t.evaluate(s, s.chunks[piece], w)
		if err == nil {
			work(t, piece, codes)
		}
		return err
	}
	err := ordered(ctx, workers, len(s.chunks), alloc, each, merge)
	for _, t := range used {
		scratches.Put(t)
	}
	return err
}

// gradient adds the derivatives of the weighted sum of losses to g (unless
// g.mg is nil) and returns that sum.
func (p *problem) gradient(ctx context.Context, w halves, g halves) (float64, error) {
	s, total := p.s, 0.0
	pairs := s.pairs.pairs
	sum := gradientSum{g: g, pairs: pairs, phase: -1}
	work := func(t *scratch, i int, codes []uint16) {
		c := s.chunks[i]
		x := t.x[:c.rows]
		t.value = p.slopes(i, x)
		if g.mg == nil {
			return
		}
		if c.scale != nil {
			for j, v := range c.scale {
				x[j] *= float64(v)
			}
		}
		clear(t.g[:len(pairs)])
		scatter(codes, c.runs, x, t.g)
	}
	merge := func(t *scratch, i int) {
		total += t.value
		if g.mg != nil {
			sum.add(s.chunks[i], t)
		}
	}
	if err := s.pass(ctx, p.workers, w, work, merge); err != nil {
		return 0, err
	}
	sum.flush()
	return total, nil
}

// slopes turns the evaluations x of chunk i into the derivatives of the rows'
// weighted losses and returns the sum of these.
func (p *problem) slopes(i int, x []float64) float64 {
	y, omega := p.target[i], p.omega[i]
	if p.loss == CrossEntropy {
		return crossEntropy(p.k, x, y, omega)
	}
	total := 0.0
	for j, e := range x {
		o := float64(omega[j])
		value, slope, _ := p.loss.at(p.k, e, float64(y[j]))
		total += o * value
		x[j] = o * slope
	}
	return total
}

// gradientSum adds the chunks' derivatives, by pair as long as the phase is
// the same.
type gradientSum struct {
	g     halves
	pairs []Entry
	phase int
	sum   lookup
}

func (s *gradientSum) add(c *chunk, t *scratch) {
	if s.phase != c.phase {
		s.flush()
		s.phase = c.phase
	}
	sum, part := s.sum[:len(s.pairs)], t.g[:len(s.pairs)]
	for i, v := range part {
		sum[i] += v
	}
	a, b := shares(c.phase)
	for _, e := range c.wide {
		v := float64(e.Count) * t.x[e.row]
		s.g.mg[e.Term] += a * v
		s.g.eg[e.Term] += b * v
	}
}

func (s *gradientSum) flush() {
	if s.phase >= 0 {
		s.g.untaper(s.phase, s.pairs, &s.sum)
		clear(s.sum[:len(s.pairs)])
	}
}

// derivatives returns, in s.x and s.y, each row's weighted slope and curvature
// of the loss with respect to the evaluation before its scale.
func (p *problem) derivatives(t *scratch, i int) {
	c := p.s.chunks[i]
	y, omega := p.target[i], p.omega[i]
	for j, e := range t.x[:c.rows] {
		a, b := p.loss.slopeAt(p.k, e, float64(y[j]))
		o, scale := float64(omega[j]), c.scaleOf(j)
		t.x[j], t.y[j] = o*a*scale, o*b*scale*scale
	}
}

// eachDerivative calls f with every row that takes part, in order, its entries
// and what derivatives says of it. The slice of entries is used again.
func (p *problem) eachDerivative(ctx context.Context, w halves, f func(chunk, row int, slope, curvature float64, entries []Entry)) error {
	s := p.s
	work := func(t *scratch, i int, _ []uint16) { p.derivatives(t, i) }
	var buf scratch
	var entries []Entry
	var failed error
	merge := func(t *scratch, i int) {
		codes, err := buf.read(s, s.chunks[i])
		if err != nil {
			failed = err
			return
		}
		entries = s.chunks[i].eachRow(s.pairs.pairs, codes, entries, func(row int, entries []Entry) {
			if p.omega[i][row] > 0 {
				f(i, row, t.x[row], t.y[row], entries)
			}
		})
	}
	if err := s.pass(ctx, p.workers, w, work, merge); err != nil {
		return err
	}
	return failed
}

// spread returns the variance of a row's score at coefficients w as part of what
// the loss expects it to be (Pearson's dispersion): below 1 for cross-entropy of
// games with draws.
func (p *problem) spread(ctx context.Context, w halves) (float64, error) {
	squares, expected := 0.0, 0.0
	work := func(t *scratch, i int, _ []uint16) {
		p.derivatives(t, i)
		t.value = 0
		for _, slope := range t.x[:p.s.chunks[i].rows] {
			t.value += slope * slope
		}
	}
	merge := func(t *scratch, i int) {
		squares += t.value
		for _, curvature := range t.y[:p.s.chunks[i].rows] {
			expected += curvature
		}
	}
	err := p.s.pass(ctx, p.workers, w, work, merge)
	return ratio(squares, expected), err
}
