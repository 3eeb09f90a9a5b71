package objective

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/tuner/rows"
)

// fillBent writes the derivatives of a row's evaluation by halves of terms, 2t and 2t+1 for
// term t, ascending, for a gram matrix.
func (t *gramScratch) fillBent(parts []Part) {
	index, value := t.index[:0], t.value[:0]
	add := func(i int, v float64) {
		if n := len(index); n > 0 && int(index[n-1]) == i {
			value[n-1] += v
			return
		}
		index, value = append(index, uint16(i)), append(value, v)
	}
	for i := 0; i < len(parts); {
		p := &parts[i]
		mg, eg := float64(p.Count)*p.MG, float64(p.Count)*p.EG
		for i++; i < len(parts) && parts[i].Term == p.Term; i++ {
			mg += float64(float64(parts[i].Count) * parts[i].MG)
			eg += float64(float64(parts[i].Count) * parts[i].EG)
		}
		if mg != 0 {
			add(2*int(p.Term), mg)
		}
		if eg != 0 {
			add(2*int(p.Term)+1, eg)
		}
	}
	t.index, t.value = index, value
}

// bentGrams is Grams for a store with a formula: matrices over the halves of all terms.
func (p *Problem) bentGrams(ctx context.Context, w Tapered, groups []Together) ([]*Gram, error) {
	var out []*Gram
	halves := 2 * p.Store.Terms()
	if halves > 1<<16 {
		return nil, fmt.Errorf("%w: %d terms are too many for a formula", ErrConfig, p.Store.Terms())
	}
	tri := newTriangle(halves)
	n := tri.len()
	for _, g := range groups {
		for range g {
			out = append(out, &Gram{tri: tri, halves: make([]float64, n)})
		}
	}
	pieces := sizedRuns(p.Store, gramRows)
	var used []*gramScratch
	alloc := func() *gramScratch {
		t := &gramScratch{Scratch: NewScratch()}
		for i := range groups {
			t.m = append(t.m, newTriangles(n*len(groups[i]), len(lookup{})*len(groups[i])))
		}
		used = append(used, t)
		return t
	}
	work := func(t *gramScratch, piece int) error {
		for i, m := range t.m {
			clear(m[:n*len(groups[i])])
		}
		for i := pieces[piece]; i < pieces[piece+1]; i++ {
			codes, err := t.Differentiate(p.Store, p.Store.Chunks[i], w, nil)
			if err != nil {
				return err
			}
			p.Derivatives(t.Scratch, i, nil)
			p.bentChunk(t, i, codes, tri, groups)
		}
		return nil
	}
	merge := func(t *gramScratch, _ int) {
		to := out
		for i, g := range groups {
			for f := range g {
				m := t.m[i]
				for k := range to[f].halves {
					to[f].halves[k] += m[k*len(g)+f]
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

// sizedRuns cuts the chunks into runs of any factors: the rows of a formula have their own.
func sizedRuns(s *rows.Store, rows int) []int {
	return runsOf(s, rows, func(int) bool { return false })
}

func (p *Problem) bentChunk(t *gramScratch, i int, codes []uint16, tri triangle, groups []Together) {
	t.eachBentRow(p.Store, p.Store.Chunks[i], codes, func(row int, parts []Part) {
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
				t.fillBent(parts)
				filled = true
			}
			if len(g) == 2 {
				outerTwo(t.index, t.value, h, t.m[k], tri.base)
			} else {
				outer(t.index, t.value, h[0], t.m[k], tri.base)
			}
		}
	})
}

// foldHalves is FoldGram of a matrix over halves.
func (p *Params) foldHalves(g *Gram, add func(j, k int, v float64)) {
	of := make([]int, 0, 2*len(p.MG))
	for t := range p.MG {
		of = append(of, p.MG[t], p.EG[t])
	}
	for a, j := range of {
		if j == Fixed {
			continue
		}
		line := g.halves[g.tri.base[a]+a:]
		for b, k := range of[a:] {
			v := line[b]
			if k == Fixed || v == 0 {
				continue
			}
			if b > 0 && j == k {
				v *= 2 // (a,b) and (b,a) both fall on the diagonal
			}
			add(j, k, v)
		}
	}
}
