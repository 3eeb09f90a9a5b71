package positions

import (
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// cells is the number of cells; a cell is a band of phases and a result.
const cells = len(eval.PhaseBands) * 3

// cellOf returns the cell of a row. Results other than 1, 0.5 and 0 count as the nearest of
// these.
func cellOf(r *dataset.PositionRow) int {
	return 3*eval.PhaseBand(eval.Phase(&r.Board)) + int(2*r.Result+0.5)
}

// sampler takes a sample of known size from each cell, every such sample equally likely
// (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
type sampler struct {
	filter *Filter
	counts *Counts
	rng    *rand.Rand
	left   [cells]int64 // rows still to come
	want   [cells]int64 // rows still to take
}

func newSampler(f *Filter, c *Counts) *sampler {
	return &sampler{filter: f, counts: c, rng: rand.New(rand.NewPCG(f.Seed, 1))}
}

// cell returns the row's cell; without Uniform there is only one.
func (s *sampler) cell(r *dataset.PositionRow) int {
	if s.filter.Uniform {
		return cellOf(r)
	}
	return 0
}

func (s *sampler) count(r *dataset.PositionRow) { s.left[s.cell(r)]++ }

// settle decides how many rows of each cell are taken. Uniform takes as many of each cell
// as the smallest nonempty cell has; together with Sample, it takes numbers that are as
// equal as the cells allow.
func (s *sampler) settle() {
	s.want = s.left
	most := s.filter.Sample
	if most == 0 {
		smallest := int64(0)
		for _, n := range s.left {
			if n > 0 && (smallest == 0 || n < smallest) {
				smallest = n
			}
		}
		for i := range s.want {
			s.want[i] = min(s.want[i], smallest)
		}
		return
	}
	// From the smallest cell up: each cell gives an equal share of what is still wanted, or
	// all its rows.
	order := make([]int, cells)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, s.left[a]-s.left[b]))) })
	for i, cell := range order {
		s.want[cell] = min(s.left[cell], most/int64(cells-i))
		most -= s.want[cell]
	}
}

// take reports whether the row is part of the sample.
func (s *sampler) take(r *dataset.PositionRow) bool {
	if !s.filter.samples() {
		return true
	}
	cell := s.cell(r)
	taken := s.rng.Int64N(max(s.left[cell], 1)) < s.want[cell]
	s.left[cell]--
	if taken {
		s.want[cell]--
	} else {
		s.counts.NotChosen++
	}
	return taken
}
