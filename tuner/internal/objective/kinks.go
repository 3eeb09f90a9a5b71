package objective

import (
	"context"
	"slices"

	"github.com/assay-chess/assay/eval/formula"
)

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
	b := p.Store.Bend()
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
			for k := range nodes {
				distance := jump
				if k >= len(b.Jumps) {
					distance = kink
				}
				if m.Near(nodes[k:k+1], distance) {
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
	b := p.Store.Bend()
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
