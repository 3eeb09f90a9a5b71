package slopes

import (
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// cell is the slope of a number at a position.
type cell struct {
	number int
	slope  float64
}

// block is some positions that one program measures.
type block struct {
	m        *measurement
	program  *Program
	fens     []string
	boards   []*board.Position
	traits   []bitset
	base     []float64 // values at the point
	cells    [][]cell  // by position, numbers ascending
	bent     int64     // cells
	failures []*failure
	failed   map[int]bool // numbers of the failures
}

// group is numbers of a block that are moved together.
type group struct {
	*block
	numbers []int
	plus    [][]float64 // by number of the group and position: by how much a step up changes the value
	minus   [][]float64 // a step down, where the group bends
	known   []bitset    // where plus was measured with the number alone
}

// measure measures all cells of the block, whose positions the program has.
func (b *block) measure() error {
	b.traits, b.cells = traitsOf(b.boards), make([][]cell, len(b.fens))
	for _, numbers := range b.m.groups {
		g := &group{block: b, numbers: numbers}
		for range numbers {
			g.plus, g.minus = append(g.plus, make([]float64, len(b.fens))), append(g.minus, make([]float64, len(b.fens)))
			g.known = append(g.known, newBitset(len(b.fens)))
		}
		if err := g.measure(); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the cells of a group: up where the numbers are expected to count, and where else they do; then
// down. The group bends where up and down differ, or where its numbers do something else together than alone.
func (g *group) measure() error {
	for i := range g.numbers {
		if err := g.single(i, g.expected(i), 1); err != nil {
			return err
		}
	}
	at := g.all()
	up, down := make([]float64, len(at)), make([]float64, len(at))
	if err := g.change(0, len(g.numbers), 1, at, up); err != nil {
		return err
	}
	if err := g.find(0, len(g.numbers), 1, at, up); err != nil {
		return err
	}
	if err := g.change(0, len(g.numbers), -1, at, down); err != nil {
		return err
	}
	bends, joint := newBitset(len(g.fens)), newBitset(len(g.fens))
	for p := range at {
		if known, sum := g.sum(0, len(g.numbers), g.plus, int32(p)); math.Abs(up[p]-sum) > g.m.noise(known) {
			joint.add(p)
			bends.add(p)
		}
		if math.Abs(up[p]+down[p]) > g.m.bends() {
			bends.add(p)
		}
	}
	if err := g.measureDown(bends, joint, down); err != nil {
		return err
	}
	return g.collect(bends)
}

// expected returns the positions where number i of the group is likely to count.
func (g *group) expected(i int) []int32 {
	k := g.numbers[i]
	switch c := g.m.covers[k]; {
	case g.m.steps[k] == 0:
		return nil
	case c.trait >= 0:
		return g.traits[c.trait].list()
	case c.after >= 0:
		return g.counts(c.after).list()
	}
	return nil
}

// counts returns the positions where number i of the group changes the value.
func (g *group) counts(i int) bitset {
	b := newBitset(len(g.fens))
	for p, v := range g.plus[i] {
		if v != 0 {
			b.add(p)
		}
	}
	return b
}

// single moves number i alone.
func (g *group) single(i int, at []int32, way float64) error {
	out := make([]float64, len(at))
	if err := g.change(i, i+1, way, at, out); err != nil {
		return err
	}
	table := g.table(way)
	for j, p := range at {
		if table[i][p] = out[j]; way > 0 {
			g.known[i].add(int(p))
		}
	}
	return nil
}

func (g *group) table(way float64) [][]float64 {
	if way > 0 {
		return g.plus
	}
	return g.minus
}

// change sets out to how much the values change if the numbers from first to last of the group are moved by their
// steps. A number that cannot go down counts as if it changed them by the opposite of its step up.
func (g *group) change(first, last int, way float64, at []int32, out []float64) error {
	for failures := 1; failures > 0 && len(at) > 0; {
		var moves []move
		for _, k := range g.numbers[first:last] {
			if !g.failed[k] && g.m.steps[k] != 0 && (way > 0 || !g.m.oneSided(k)) {
				moves = append(moves, move{k, g.m.point[k] + way*g.m.steps[k]})
			}
		}
		if failures = 0; len(moves) == 0 {
			for j, p := range at {
				out[j] = g.base[p]
			}
			break
		}
		var err error
		if failures, err = g.try(moves, at, out); err != nil {
			return err
		}
	}
	for j, p := range at {
		out[j] -= g.base[p]
		for i := first; i < last && way < 0; i++ {
			if g.m.oneSided(g.numbers[i]) {
				out[j] -= g.plus[i][p]
			}
		}
	}
	return nil
}

// try evaluates positions with numbers moved, and returns how many of these it found to make the program fail.
func (b *block) try(moves []move, at []int32, out []float64) (failures int, err error) {
	before := len(b.failures)
	if err = b.program.values(moves, at, out); failed(err) {
		err = b.blame(moves, at, err)
	}
	return len(b.failures) - before, err
}

// blame notes which of the moved numbers make the program fail, by halves. They are not moved again in this block.
func (b *block) blame(moves []move, at []int32, why error) error {
	if len(moves) == 1 {
		f := &failure{Number: b.m.names[moves[0].number], Value: moves[0].value, Err: why}
		if len(b.failures) < mostLocated {
			i, err := b.program.culprit(b.fens, moves)
			if err != nil {
				return err
			}
			if i >= 0 {
				f.FEN = b.fens[i]
			}
		}
		b.failures, b.failed[moves[0].number] = append(b.failures, f), true
		return nil
	}
	blamed := len(b.failures)
	for _, half := range [][]move{moves[:len(moves)/2], moves[len(moves)/2:]} {
		if _, err := b.try(half, at, make([]float64, len(at))); err != nil {
			return err
		}
	}
	if len(b.failures) == blamed { // only together
		for _, m := range moves {
			b.failures = append(b.failures, &failure{Number: b.m.names[m.number], Value: m.value, Err: why})
			b.failed[m.number] = true
		}
	}
	return nil
}

// mostLocated is for how many numbers of a block the position that fails is looked for.
const mostLocated = 3

// find looks for the numbers that explain by how much the values at some positions change if the numbers from first
// to last are moved: where that is not the sum of known slopes.
func (g *group) find(first, last int, way float64, at []int32, changes []float64) error {
	table := g.table(way)
	var open []int32
	var left []float64
	for j, p := range at {
		known, sum := g.sum(first, last, table, p)
		if math.Abs(changes[j]-sum) > g.m.noise(known) {
			open, left = append(open, p), append(left, changes[j])
		}
	}
	if len(open) == 0 {
		return nil
	}
	if last-first == 1 {
		known := func(p int32) bool { return way > 0 && g.known[first].has(int(p)) }
		return g.single(first, slices.DeleteFunc(open, known), way)
	}
	middle := (first + last) / 2
	half := make([]float64, len(open))
	if err := g.change(first, middle, way, open, half); err != nil {
		return err
	}
	if err := g.find(first, middle, way, open, half); err != nil {
		return err
	}
	for j := range left {
		left[j] -= half[j]
	}
	return g.find(middle, last, way, open, left)
}

// sum adds up what the numbers from first to last do alone at a position, and counts those that do anything.
func (g *group) sum(first, last int, table [][]float64, p int32) (known int, sum float64) {
	for _, t := range table[first:last] {
		if v := t[p]; v != 0 {
			known++
			sum += v
		}
	}
	return known, sum
}

// measureDown measures steps down at positions where the group bends. Where its numbers do something jointly, as they
// do up, no other number needs to be looked for.
func (g *group) measureDown(bends, joint bitset, down []float64) error {
	for i := range g.numbers {
		var at []int32
		for p, v := range g.plus[i] {
			if v != 0 && bends.has(p) {
				at = append(at, int32(p))
			}
		}
		if err := g.single(i, at, -1); err != nil {
			return err
		}
	}
	at := slices.DeleteFunc(bends.list(), func(p int32) bool { return joint.has(int(p)) })
	changes := make([]float64, len(at))
	for j, p := range at {
		changes[j] = down[p]
	}
	return g.find(0, len(g.numbers), -1, at, changes)
}

// collect turns changes into slopes, after measuring bent cells from both sides with a smaller step.
func (g *group) collect(bends bitset) error {
	for i, k := range g.numbers {
		step := g.m.steps[k]
		if g.failed[k] || step == 0 {
			continue
		}
		var bent []int32
		for p := range g.fens {
			if math.Abs(g.plus[i][p]+g.minus[i][p]) > g.m.bends() && bends.has(p) {
				bent = append(bent, int32(p))
			}
		}
		near, err := g.near(k, bent)
		if err != nil {
			return err
		}
		for p := range g.fens {
			slope := g.plus[i][p] / step
			if bends.has(p) {
				slope = (g.plus[i][p] - g.minus[i][p]) / (2 * step)
			}
			if len(bent) > 0 && int(bent[0]) == p {
				slope, bent, near = near[0], bent[1:], near[1:]
				g.bent++
			}
			if slope != 0 {
				g.cells[p] = append(g.cells[p], cell{k, slope})
			}
		}
	}
	return nil
}

// near returns the slopes of a number at positions where it bends.
func (g *group) near(k int, at []int32) ([]float64, error) {
	out, down := make([]float64, len(at)), make([]float64, len(at))
	step := g.m.bentStep(k)
	for i, values := range [][]float64{out, down} {
		way := float64(1 - 2*i)
		if _, err := g.try([]move{{k, g.m.point[k] + way*step}}, at, values); err != nil {
			return nil, err
		}
	}
	for j := range out {
		out[j] = (out[j] - down[j]) / (2 * step)
	}
	return out, nil
}
