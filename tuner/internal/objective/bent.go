package objective

import (
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
	"github.com/assay-chess/assay/tuner/rows"
)

// bent is what a goroutine needs besides, for rows that a formula evaluates.
type bent struct {
	pool    *autodiff.Pool
	machine *autodiff.Machine
	slot    [1 << 16]uint16 // by code
	sums    []float64       // of a row, by slot: of middlegame and of endgame values
	slopes  [][2][]float64  // by slot: derivatives of the evaluation, by row; nil if 0
	g       Tapered         // derivatives of a chunk
}

// bentEvaluate runs the machine for a chunk of a store with a formula.
func (s *Scratch) bentEvaluate(store *rows.Store, c *rows.Chunk, w Tapered,
	run func(m *autodiff.Machine, rows int) ([]float64, error)) ([]float64, error) {
	if s.of == nil {
		if err := s.prepareBent(store, w); err != nil {
			return nil, err
		}
		s.of = c
	}
	s.load(store, c, w)
	return run(s.bent.machine, c.Rows)
}

// bentDifferentiate is Differentiate for a store with a formula.
func (s *Scratch) bentDifferentiate(store *rows.Store, c *rows.Chunk, w Tapered) error {
	x, err := s.bentEvaluate(store, c, w, (*autodiff.Machine).Gradient)
	if err != nil {
		return err
	}
	copy(s.X, x)
	m := s.bent.machine
	for k, slot := range store.Nonlinear().Slots {
		s.bent.slopes[k] = [2][]float64{}
		for half, in := range [2]int{slot.MG, slot.EG} {
			if in >= 0 {
				s.bent.slopes[k][half] = m.Slope(in)
			}
		}
	}
	return nil
}

// prepareBent takes a machine and makes the tables of what a pair adds to the sums.
func (s *Scratch) prepareBent(store *rows.Store, w Tapered) error {
	b := store.Nonlinear()
	if s.bent == nil {
		s.bent = new(bent)
	}
	x := s.bent
	if x.pool != b.Machines {
		m, err := b.Machines.Get()
		if err != nil {
			return err
		}
		s.giveBack()
		x.pool, x.machine = b.Machines, m
		x.sums, x.slopes = make([]float64, 2*len(b.Slots)), make([][2][]float64, len(b.Slots))
		x.g = NewTapered(store.Terms())
	}
	if s.eg == nil {
		s.eg = new(mixed)
	}
	for i, p := range store.Pairs() {
		t := b.Counted[p.Term]
		x.slot[i] = t.Slot
		s.table[i], s.eg.table[i] = float64(p.Count)*w.MG[t.Term], float64(p.Count)*w.EG[t.Term]
	}
	return nil
}

// giveBack returns the machine to its pool.
func (s *Scratch) giveBack() {
	if s.bent != nil && s.bent.pool != nil {
		s.bent.pool.Put(s.bent.machine)
		s.bent.pool, s.bent.machine = nil, nil
	}
}

// load writes the sums and phases of a chunk into the machine.
func (s *Scratch) load(store *rows.Store, c *rows.Chunk, w Tapered) {
	b, x := store.Nonlinear(), s.bent
	into := make([][2][]float64, len(b.Slots))
	for k, slot := range b.Slots {
		for half, in := range [2]int{slot.MG, slot.EG} {
			if in >= 0 {
				into[k][half] = x.machine.Input(in)
			}
		}
	}
	c.EachLine(s.Codes, func(row int, line []uint16, _ []rows.Wide) {
		clear(x.sums)
		for _, code := range line {
			sum := x.sums[2*int(x.slot[code]):][:2]
			sum[0] += s.table[code]
			sum[1] += s.eg.table[code]
		}
		for k := range into {
			for half, v := range into[k] {
				if v != nil {
					v[row] = x.sums[2*k+half]
				}
			}
		}
	})
	for _, e := range c.Wide {
		t := b.Counted[e.Term]
		if v := into[t.Slot][0]; v != nil {
			v[e.Row] += num.Rounded(float64(e.Count) * w.MG[t.Term])
		}
		if v := into[t.Slot][1]; v != nil {
			v[e.Row] += num.Rounded(float64(e.Count) * w.EG[t.Term])
		}
	}
	if b.Phase >= 0 {
		phases := x.machine.Input(b.Phase)
		for row := range c.Rows {
			phases[row] = float64(c.PhaseOf(row)) / rows.MaxPhase
		}
	}
}

// bentParts returns what the evaluation of a row depends on, after Differentiate: its line of
// codes and its wide entries. Terms ascend; one that counts each side occurs twice. Parts that
// the evaluation does not depend on are left out.
func (s *Scratch) bentParts(store *rows.Store, line []uint16, wides []rows.Wide, row int) []Part {
	b, x, pairs := store.Nonlinear(), s.bent, store.Pairs()
	out := s.parts[:0]
	add := func(e rows.Entry) {
		t := b.Counted[e.Term]
		p := Part{Entry: rows.Entry{Term: t.Term, Count: e.Count}}
		slope := &x.slopes[t.Slot]
		if slope[0] != nil {
			p.MG = slope[0][row]
		}
		if slope[1] != nil {
			p.EG = slope[1][row]
		}
		if p.MG != 0 || p.EG != 0 {
			out = append(out, p)
		}
	}
	for _, code := range line {
		add(pairs[code])
	}
	known := len(out)
	for _, e := range wides {
		add(e.Entry)
	}
	for i := known; i < len(out); i++ { // few, and mostly in order
		for j := i; j > 0 && out[j].Term < out[j-1].Term; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	s.parts = out
	return out
}

// bentGradient sums, by term, the parts of a chunk's rows times X.
func (s *Scratch) bentGradient(store *rows.Store, c *rows.Chunk) {
	b, x := store.Nonlinear(), s.bent
	g := x.g
	clear(g.MG)
	clear(g.EG)
	pairs := store.Pairs()
	mg, eg := s.g[:len(pairs)], s.eg.g[:len(pairs)]
	clear(mg)
	clear(eg)
	weights := x.sums
	c.EachLine(s.Codes, func(row int, line []uint16, _ []rows.Wide) {
		v := s.X[row]
		for k := range x.slopes {
			for half, d := range x.slopes[k] {
				if weights[2*k+half] = 0; d != nil {
					weights[2*k+half] = v * d[row]
				}
			}
		}
		for _, code := range line {
			by := weights[2*int(x.slot[code]):][:2]
			mg[code] += by[0]
			eg[code] += by[1]
		}
	})
	for i, p := range pairs {
		t := b.Counted[p.Term].Term
		g.MG[t] += num.Rounded(float64(p.Count) * mg[i])
		g.EG[t] += num.Rounded(float64(p.Count) * eg[i])
	}
	for _, e := range c.Wide {
		t := b.Counted[e.Term]
		v := float64(e.Count) * s.X[e.Row]
		if d := x.slopes[t.Slot][0]; d != nil {
			g.MG[t.Term] += num.Rounded(v * d[e.Row])
		}
		if d := x.slopes[t.Slot][1]; d != nil {
			g.EG[t.Term] += num.Rounded(v * d[e.Row])
		}
	}
}

// CountParts returns in how many rows that take part the evaluation at w depends on each term,
// and the term's typical count: the root mean square, over these rows, of the sum of both
// halves' absolute derivatives. Of a linear evaluation that is the count.
func (p *Problem) CountParts(ctx context.Context, w Tapered) (seen []int64, typical []float64, err error) {
	terms := p.Store.Terms()
	seen, typical = make([]int64, terms), make([]float64, terms)
	err = p.EachDerivative(ctx, w, func(_, _ int, _, _ float64, parts []Part) {
		eachTerm(parts, func(t uint16, mg, eg float64) {
			seen[t]++
			v := math.Abs(mg) + math.Abs(eg)
			typical[t] += num.Rounded(v * v)
		})
	})
	for t, n := range seen {
		if typical[t] = math.Sqrt(typical[t] / float64(max(1, n))); n == 0 || typical[t] == 0 {
			typical[t] = 1
		}
	}
	return seen, typical, err
}

// eachTerm calls f with the terms of a row and the derivatives of its evaluation by their values.
func eachTerm(parts []Part, f func(t uint16, mg, eg float64)) {
	for i := 0; i < len(parts); {
		t, mg, eg := parts[i].Term, 0.0, 0.0
		for ; i < len(parts) && parts[i].Term == t; i++ {
			mg += num.Rounded(float64(parts[i].Count) * parts[i].MG)
			eg += num.Rounded(float64(parts[i].Count) * parts[i].EG)
		}
		f(t, mg, eg)
	}
}

// Rough says what of a fit rests on rows where the formula jumps or bends at once.
type Rough struct {
	NearJumps int // rows
	// Share is, by coefficient, the part of its information that comes from rows near a jump
	// or on a kink that the coefficient may move them over.
	Share Tapered
}

// FindRough takes the rows within a distance of a jump of the formula at w, or within another
// one of a kink: where a value is cut off, or changes its sign under abs.
func (p *Problem) FindRough(ctx context.Context, w Tapered, jump, kink float64) (*Rough, error) {
	r := &Rough{Share: NewTapered(p.Store.Terms())}
	b := p.Store.Nonlinear()
	if len(b.Jumps)+len(b.Kinks) == 0 {
		return r, nil
	}
	nodes := slices.Concat(b.Jumps, b.Kinks)
	nodes = nodes[:min(len(nodes), 64)] // as many as near has bits: more are not looked for
	near := make([][]uint64, len(p.Store.Chunks))
	err := Evaluate(ctx, p.Store, p.Workers, w, func(t *Scratch, i int) {
		m, in := formula.NewMachine(b.Formula), make([]float64, len(b.Formula.Inputs))
		near[i] = make([]uint64, p.Store.Chunks[i].Rows)
		for row := range near[i] {
			for k := range in {
				in[k] = t.bent.machine.Input(k)[row]
			}
			m.Value(in)
			for k, node := range nodes {
				distance := jump
				if k >= len(b.Jumps) {
					distance = kink
				}
				if m.Near(node, distance) {
					near[i][row] |= 1 << k
				}
			}
		}
	}, func(_ *Scratch, i int) {
		for _, n := range near[i] {
			if n&(1<<len(b.Jumps)-1) != 0 {
				r.NearJumps++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return r, p.share(ctx, w, near, p.moves(nodes), r.Share)
}

// moves returns, by term, the bits of the nodes that the coefficients of its two halves may move.
func (p *Problem) moves(nodes []int) [][2]uint64 {
	b := p.Store.Nonlinear()
	steps := b.Formula.Nodes
	// bits of the nodes that they lead to
	reach, inputs := make([]uint64, len(steps)), make([]uint64, len(b.Formula.Inputs))
	for i := len(steps) - 1; i >= 0; i-- {
		n, bits := &steps[i], reach[i]
		if k := slices.Index(nodes, i); k >= 0 {
			bits |= 1 << k
		}
		for _, a := range n.Arguments() {
			reach[a] |= bits
		}
		if n.Op == formula.Read {
			inputs[n.Input] |= bits
		}
	}
	out := make([][2]uint64, p.Store.Terms())
	for _, c := range b.Counted {
		for half, in := range [2]int{b.Slots[c.Slot].MG, b.Slots[c.Slot].EG} {
			if in >= 0 {
				out[c.Term][half] |= inputs[in]
			}
		}
	}
	return out
}

// share sets, by coefficient, the part of its information that is of the rows near a node that it moves.
func (p *Problem) share(ctx context.Context, w Tapered, near [][]uint64, moves [][2]uint64, out Tapered) error {
	all := NewTapered(p.Store.Terms())
	err := p.EachDerivative(ctx, w, func(chunk, row int, _, curvature float64, parts []Part) {
		eachTerm(parts, func(t uint16, mg, eg float64) {
			mg, eg = float64(curvature*mg)*mg, float64(curvature*eg)*eg
			all.MG[t] += mg
			all.EG[t] += eg
			if near[chunk][row]&moves[t][0] != 0 {
				out.MG[t] += mg
			}
			if near[chunk][row]&moves[t][1] != 0 {
				out.EG[t] += eg
			}
		})
	})
	for t := range all.MG {
		out.MG[t], out.EG[t] = Ratio(out.MG[t], all.MG[t]), Ratio(out.EG[t], all.EG[t])
	}
	return err
}
