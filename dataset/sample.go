package dataset

import (
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/eval"
)

// cells are a band of phases and a result.
const cells = len(eval.PhaseBands) * 3

// cellOf returns where a row belongs. A result that is none of 1, 0.5 and 0 counts as
// the nearest.
func cellOf(r *PositionRow) int {
	return 3*eval.PhaseBand(eval.Phase(&r.Board)) + int(2*r.Result+0.5)
}

// chooser takes a sample of known size from each cell, every such sample equally likely
// (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
type chooser struct {
	filter *Filter
	counts *Counts
	rng    *rand.Rand
	left   [cells]int64 // rows still to come
	want   [cells]int64 // rows still to take
}

func newChooser(f *Filter, c *Counts) *chooser {
	return &chooser{filter: f, counts: c, rng: rand.New(rand.NewPCG(f.Seed, 1))}
}

// cell is the row's cell, or the only one.
func (c *chooser) cell(r *PositionRow) int {
	if c.filter.Uniform {
		return cellOf(r)
	}
	return 0
}

func (c *chooser) count(r *PositionRow) { c.left[c.cell(r)]++ }

// settle decides how many rows of each cell are taken. Uniform takes as many of each as
// the smallest has that is not empty; with a wanted number of rows, it takes as equal
// numbers as there are rows.
func (c *chooser) settle() {
	c.want = c.left
	most := c.filter.Sample
	if most == 0 {
		smallest := int64(0)
		for _, n := range c.left {
			if n > 0 && (smallest == 0 || n < smallest) {
				smallest = n
			}
		}
		for i := range c.want {
			c.want[i] = min(c.want[i], smallest)
		}
		return
	}
	// From the smallest cell up, each gets its share of what is left, if it has as much.
	order := make([]int, cells)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, c.left[a]-c.left[b]))) })
	for i, cell := range order {
		c.want[cell] = min(c.left[cell], most/int64(cells-i))
		most -= c.want[cell]
	}
}

// take reports whether the row is of the sample.
func (c *chooser) take(r *PositionRow) bool {
	if !c.filter.samples() {
		return true
	}
	cell := c.cell(r)
	taken := c.rng.Int64N(max(c.left[cell], 1)) < c.want[cell]
	c.left[cell]--
	if taken {
		c.want[cell]--
	} else {
		c.counts.NotChosen++
	}
	return taken
}
