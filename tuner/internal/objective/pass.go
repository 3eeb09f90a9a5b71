package objective

import (
	"context"
	"sync"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/floats"
)

// Problem is a store with what a row's loss needs beside its features. Rows of omega 0 take no part.
type Problem struct {
	Store   *rows.Store
	Loss    Loss
	K       float64
	Unit    float64     // of the engine, in a centipawn; 0: 1
	Target  [][]float32 // y, by chunk and row
	Omega   [][]float32 // weight, by chunk and row
	Held    []bool      // by game: its rows, of omega 0, are for validation; nil if none
	Workers int
}

// Side returns the side of the split that row j of chunk i is on, and its weight there; 0 if it is on none.
func (p *Problem) Side(i, j int) (side int, weight float64) {
	if o := p.Omega[i][j]; o > 0 || p.Held == nil {
		return Trained, float64(o)
	}
	c := p.Store.Chunks[i]
	if !p.Held[c.Game[j]] {
		return Trained, 0
	}
	return HeldOut, float64(c.WeightOf(j))
}

// Tapered are two values for each term, its middlegame and its endgame half:
// coefficients in centipawns, or derivatives with respect to them.
type Tapered struct{ MG, EG []float64 }

func NewTapered(terms int) Tapered {
	return Tapered{make([]float64, terms), make([]float64, terms)}
}

// Times returns the values times a factor.
func (w Tapered) Times(factor float64) Tapered {
	out := NewTapered(len(w.MG))
	for t := range w.MG {
		out.MG[t], out.EG[t] = factor*w.MG[t], factor*w.EG[t]
	}
	return out
}

// taper writes what each pair of the dictionary adds to an evaluation, a and b the factors of the two values.
func (w Tapered) taper(a, b float64, pairs []rows.Entry, out *lookup) {
	for i, p := range pairs {
		out[i] = float64(p.Count) * (num.Rounded(a*w.MG[p.Term]) + num.Rounded(b*w.EG[p.Term]))
	}
}

// untaper adds the derivatives that g holds by pair, a and b the factors of the two values.
func (w Tapered) untaper(a, b float64, pairs []rows.Entry, g *lookup) {
	for i, p := range pairs {
		v := float64(p.Count) * g[i]
		w.MG[p.Term] += num.Rounded(a * v)
		w.EG[p.Term] += num.Rounded(b * v)
	}
}

// Scratch is what one goroutine needs to pass over chunks.
type Scratch struct {
	Codes []uint16     // of the chunk that was evaluated
	X     []float64    // evaluations of the chunk's rows, or what became of them
	Y     []float64    // a second number a row
	of    *rows.Chunk  // table is for its factors; nil if there is none yet
	table *lookup      // what a pair adds to the evaluation
	g     *lookup      // derivatives by pair
	eg    *mixed       // beside the above, for mixed chunks; nil until there is one
	bent  *bent        // of rows that a formula evaluates; nil until there are any
	buf   []uint16     // codes of a chunk on disk
	row   []rows.Entry // entries of a row
	parts []Part       // of a row
	value float64
}

// mixed is what a chunk needs beside whose rows have factors of their own: table and g
// are then of the middlegame values, and these of the endgame's.
type mixed struct {
	table, g lookup
	x        [rows.ChunkRows]float64
}

var scratches = sync.Pool{New: func() any {
	return &Scratch{table: new(lookup), g: new(lookup), X: make([]float64, rows.ChunkRows),
		Y: make([]float64, rows.ChunkRows)}
}}

// NewScratch returns scratch memory; Release gives it back.
func NewScratch() *Scratch {
	s := scratches.Get().(*Scratch)
	s.of = nil
	return s
}

// Release gives the memory back.
func (s *Scratch) Release() {
	s.giveBack()
	scratches.Put(s)
}

// Evaluate writes the evaluations in centipawns of the chunk's rows to s.X, and its codes to
// s.Codes. Of rows that are not wanted the evaluation means nothing; nil wants all.
func (s *Scratch) Evaluate(store *rows.Store, c *rows.Chunk, w Tapered, wanted []bool) (err error) {
	if s.Codes, err = store.Codes(c, &s.buf); err != nil {
		return err
	}
	if store.Nonlinear() != nil {
		x, err := s.bentEvaluate(store, c, w, (*autodiff.Machine).Value)
		copy(s.X, x)
		return err
	}
	if s.of == nil || !s.of.SameFactors(c) {
		s.prepare(c, store.Pairs(), w)
	}
	x := s.X[:c.Rows]
	dots(s.Codes, c.Runs, s.table, x, wanted)
	if c.Mixed() {
		y := s.eg.x[:c.Rows]
		dots(s.Codes, c.Runs, &s.eg.table, y, wanted)
		for i := range x {
			a, b := c.Factors(i)
			x[i] = num.Rounded(a*x[i]) + num.Rounded(b*y[i])
		}
	}
	for _, e := range c.Wide {
		a, b := c.Factors(int(e.Row))
		x[e.Row] += num.Rounded(float64(e.Count) * (num.Rounded(a*w.MG[e.Term]) + num.Rounded(b*w.EG[e.Term])))
	}
	if c.Scale != nil {
		for i, v := range c.Scale {
			x[i] *= float64(v)
		}
	}
	if c.Offset != nil {
		for i, v := range c.Offset {
			x[i] += float64(v)
		}
	}
	return nil
}

// Differentiate is Evaluate for what needs the derivatives of the evaluations too, see EachPart.
// Of linear evaluations they are known.
func (s *Scratch) Differentiate(store *rows.Store, c *rows.Chunk, w Tapered, wanted []bool) (err error) {
	if store.Nonlinear() == nil {
		return s.Evaluate(store, c, w, wanted)
	}
	if s.Codes, err = store.Codes(c, &s.buf); err != nil {
		return err
	}
	return s.bentDifferentiate(store, c, w)
}

// prepare makes the tables for the chunk's factors.
func (s *Scratch) prepare(c *rows.Chunk, pairs []rows.Entry, w Tapered) {
	s.of = c
	if !c.Mixed() {
		w.taper(c.MG, c.EG, pairs, s.table)
		return
	}
	if s.eg == nil {
		s.eg = new(mixed)
	}
	w.taper(1, 0, pairs, s.table)
	w.taper(0, 1, pairs, &s.eg.table)
}

// Evaluate evaluates all rows at coefficients w, chunk by chunk: work gets a chunk's number with
// the evaluations in t.X, merge takes what it made of them in order of chunks.
func Evaluate(ctx context.Context, s *rows.Store, workers int, w Tapered, work,
	merge func(t *Scratch, chunk int)) error {
	return pass(ctx, s, workers, w, (*Scratch).Evaluate, work, merge)
}

// pass is Evaluate with a method that evaluates each chunk.
func pass(ctx context.Context, s *rows.Store, workers int, w Tapered,
	each func(t *Scratch, s *rows.Store, c *rows.Chunk, w Tapered, wanted []bool) error,
	work, merge func(t *Scratch, chunk int)) error {
	var used []*Scratch // touched by Merge's caller alone
	alloc := func() *Scratch {
		t := NewScratch()
		used = append(used, t)
		return t
	}
	one := func(t *Scratch, chunk int) error {
		err := each(t, s, s.Chunks[chunk], w, nil)
		if err == nil {
			work(t, chunk)
		}
		return err
	}
	err := inorder.Merge(ctx, workers, len(s.Chunks), alloc, one, merge)
	for _, t := range used {
		t.Release()
	}
	return err
}

// Gradient adds the derivatives of the weighted sum of losses to g and returns that sum.
func (p *Problem) Gradient(ctx context.Context, w Tapered, g Tapered) (float64, error) {
	return p.gradient(ctx, w, g, p.slopes)
}

// SquaresGradient adds the derivatives of half the weighted sum of squared evaluations
// to g and returns that sum, not halved. Without Omega each row counts once.
func (p *Problem) SquaresGradient(ctx context.Context, w Tapered, g Tapered) (float64, error) {
	return p.gradient(ctx, w, g, func(i int, x []float64) float64 {
		total := 0.0
		for j, e := range x {
			if p.Omega != nil {
				x[j] *= float64(p.Omega[i][j])
			}
			total += num.Rounded(x[j] * e)
		}
		return total
	})
}

// gradient sums over rows; slopes turns the evaluations of a chunk into derivatives with
// respect to them, and returns the chunk's part of the sum.
func (p *Problem) gradient(ctx context.Context, w Tapered, g Tapered,
	slopes func(i int, x []float64) float64) (float64, error) {
	s, total := p.Store, 0.0
	pairs := s.Pairs()
	sum := gradientSum{g: g, pairs: pairs}
	if s.Nonlinear() == nil {
		sum.sum = lookups.Get().(*lookup)
		defer lookups.Put(sum.sum)
		clear(sum.sum[:len(pairs)])
	}
	work := func(t *Scratch, i int) {
		c := s.Chunks[i]
		x := t.X[:c.Rows]
		t.value = slopes(i, x)
		if c.Scale != nil {
			for j, v := range c.Scale {
				x[j] *= float64(v)
			}
		}
		if s.Nonlinear() != nil {
			t.bentGradient(s, c)
			return
		}
		clear(t.g[:len(pairs)])
		if c.Mixed() {
			t.scatterMixed(c, len(pairs))
			return
		}
		scatter(t.Codes, c.Runs, x, t.g)
	}
	merge := func(t *Scratch, i int) {
		total += t.value
		if s.Nonlinear() == nil {
			sum.add(s.Chunks[i], t)
			return
		}
		floats.Add(g.MG, t.bent.g.MG)
		floats.Add(g.EG, t.bent.g.EG)
	}
	if err := pass(ctx, s, p.Workers, w, (*Scratch).Differentiate, work, merge); err != nil {
		return 0, err
	}
	sum.flush()
	return total, nil
}

// scatterMixed adds the rows' derivatives X by pair: by middlegame values to
// g, by endgame values to eg.g.
func (s *Scratch) scatterMixed(c *rows.Chunk, pairs int) {
	mg, eg := c.EachFactor()
	y := s.eg.x[:c.Rows]
	for i, f := range mg {
		y[i] = float64(f) * s.X[i]
	}
	scatter(s.Codes, c.Runs, y, s.g)
	for i, f := range eg {
		y[i] = float64(f) * s.X[i]
	}
	clear(s.eg.g[:pairs])
	scatter(s.Codes, c.Runs, y, &s.eg.g)
}

// slopes turns the evaluations x of chunk i into the derivatives of the rows'
// weighted losses and returns the sum of these.
func (p *Problem) slopes(i int, x []float64) float64 {
	y, omega := p.Target[i], p.Omega[i]
	if p.Loss == CrossEntropy {
		return crossEntropy(p.K, x, y, omega)
	}
	total := 0.0
	for j, e := range x {
		o := float64(omega[j])
		value, slope, _ := p.Loss.At(p.K, e, float64(y[j]))
		total += num.Rounded(o * value)
		x[j] = o * slope
	}
	return total
}

// gradientSum adds the chunks' derivatives, by pair as long as the factors are the same.
type gradientSum struct {
	g     Tapered
	pairs []rows.Entry
	of    *rows.Chunk // sum is for its factors; nil if there is none yet
	sum   *lookup
}

// lookups are used again, because clearing one takes longer than a gradient of few rows.
var lookups = sync.Pool{New: func() any { return new(lookup) }}

func (s *gradientSum) add(c *rows.Chunk, t *Scratch) {
	if s.of != nil && !s.of.SameFactors(c) {
		s.flush()
	}
	s.of = c
	if c.Mixed() {
		s.g.untaper(1, 0, s.pairs, t.g)
		s.g.untaper(0, 1, s.pairs, &t.eg.g)
	} else {
		sum, part := s.sum[:len(s.pairs)], t.g[:len(s.pairs)]
		for i, v := range part {
			sum[i] += v
		}
	}
	for _, e := range c.Wide {
		a, b := c.Factors(int(e.Row))
		v := float64(e.Count) * t.X[e.Row]
		s.g.MG[e.Term] += num.Rounded(a * v)
		s.g.EG[e.Term] += num.Rounded(b * v)
	}
}

func (s *gradientSum) flush() {
	if s.of != nil && !s.of.Mixed() {
		s.g.untaper(s.of.MG, s.of.EG, s.pairs, s.sum)
		clear(s.sum[:len(s.pairs)])
	}
}

// Derivatives returns, in t.X and t.Y, each wanted row's weighted slope and curvature
// of the loss with respect to the evaluation before its scale; nil wants all.
func (p *Problem) Derivatives(t *Scratch, i int, wanted []bool) {
	c := p.Store.Chunks[i]
	y, omega := p.Target[i], p.Omega[i]
	for j, e := range t.X[:c.Rows] {
		if wanted != nil && !wanted[j] {
			continue
		}
		o, scale := float64(omega[j]), c.ScaleOf(j)
		if o == 0 {
			t.X[j], t.Y[j] = 0, 0
			continue
		}
		a, b := p.Loss.slopeAt(p.K, e, float64(y[j]))
		t.X[j], t.Y[j] = o*a*scale, o*b*scale*scale
	}
}

// EachDerivative calls f with every row that takes part, in order, its parts and what Derivatives
// says of it. The slice of parts is used again.
func (p *Problem) EachDerivative(ctx context.Context, w Tapered,
	f func(chunk, row int, slope, curvature float64, parts []Part)) error {
	work := func(t *Scratch, i int) { p.Derivatives(t, i, nil) }
	merge := func(t *Scratch, i int) {
		t.EachPart(p.Store, p.Store.Chunks[i], func(row int, parts []Part) {
			if p.Omega[i][row] > 0 {
				f(i, row, t.X[row], t.Y[row], parts)
			}
		})
	}
	return pass(ctx, p.Store, p.Workers, w, (*Scratch).Differentiate, work, merge)
}

// Part is an entry of a row with the derivatives of the row's evaluation, before its scale, by
// the two values of its term, for a count of 1.
type Part struct {
	rows.Entry
	MG, EG float64
}

// EachPart calls f with the parts of each row of a chunk, after Differentiate.
func (s *Scratch) EachPart(store *rows.Store, c *rows.Chunk, f func(row int, parts []Part)) {
	if store.Nonlinear() != nil {
		c.EachLine(s.Codes, func(row int, line []uint16, wides []rows.Wide) {
			f(row, s.bentParts(store, line, wides, row))
		})
		return
	}
	s.row = c.EachRow(store.Pairs(), s.Codes, s.row, func(row int, entries []rows.Entry) {
		a, b := c.Factors(row)
		s.parts = s.parts[:0]
		for _, e := range entries {
			s.parts = append(s.parts, Part{e, a, b})
		}
		f(row, s.parts)
	})
}

// Dispersion returns the variance of a row's score at coefficients w as part of what the loss expects it to be
// (Pearson's dispersion): below 1 for cross-entropy of games with draws.
func (p *Problem) Dispersion(ctx context.Context, w Tapered) (float64, error) {
	squares, expected := 0.0, 0.0
	work := func(t *Scratch, i int) {
		p.Derivatives(t, i, nil)
		t.value = 0
		for _, slope := range t.X[:p.Store.Chunks[i].Rows] {
			t.value += num.Rounded(slope * slope)
		}
	}
	merge := func(t *Scratch, i int) {
		squares += t.value
		for _, curvature := range t.Y[:p.Store.Chunks[i].Rows] {
			expected += curvature
		}
	}
	err := Evaluate(ctx, p.Store, p.Workers, w, work, merge)
	return Ratio(squares, expected), err
}

// Targets returns y = lambda*result + (1-lambda)*sigmoid(kScore*score) by
// chunk and row; rows without a score keep their result.
func Targets(s *rows.Store, lambda, kScore float64) [][]float32 {
	var out [][]float32
	for _, k := range s.Chunks {
		y := k.Result
		if lambda < 1 && k.Score != nil {
			y = make([]float32, k.Rows)
			for i, r := range k.Result {
				y[i] = r
				if k.Score[i] != rows.NoScore {
					p := Sigmoid(kScore * float64(k.Score[i]))
					y[i] = float32(num.Rounded(lambda*float64(r)) + num.Rounded((1-lambda)*p))
				}
			}
		}
		out = append(out, y)
	}
	return out
}

// Ratio is a/b, or 0 where b is 0.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Dot returns the sums of the products of both halves.
func (a Tapered) Dot(w Tapered) (mg, eg float64) {
	for i := range a.MG {
		mg += num.Rounded(a.MG[i] * w.MG[i])
		eg += num.Rounded(a.EG[i] * w.EG[i])
	}
	return mg, eg
}
