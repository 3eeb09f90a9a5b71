package slopes

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/inorder"
)

// sampleSize is the number of positions at which every number is moved alone.
const sampleSize = 512

// sample is some of the positions, and what they say of the numbers.
type sample struct {
	*measurement
	piece
	where         []bitset  // by number: where it changes the value
	size          []float64 // by number: by how much, RMS
	slopes        [][]cell  // by number; cells name the position
	actual, wrong float64   // see Report
}

// takeSample measures a sample of the positions, and decides steps and covers by it. If it has failures, all is to be
// done again.
func (m *measurement) takeSample() (*sample, error) {
	s := &sample{measurement: m, where: make([]bitset, len(m.names)), size: make([]float64, len(m.names))}
	var err error
	if s.rows, err = m.some(sampleSize); err != nil {
		return nil, err
	}
	program := <-m.idle
	defer func() { m.idle <- program }()
	if err = s.prepare(program); err == nil {
		m.idle <- program
		err = s.chooseSteps()
		program = <-m.idle
	}
	if err != nil {
		return nil, err
	}
	s.chooseCovers()
	m.progress(0, "a sample")
	if err := m.measurePiece(program, &s.piece); err != nil {
		return nil, err
	}
	if len(s.failures) == 0 {
		s.slopes = make([][]cell, len(m.names))
		for p, cells := range s.cells {
			for _, c := range cells {
				s.slopes[c.number] = append(s.slopes[c.number], cell{p, c.slope})
			}
		}
		s.chooseUnits()
		if err := s.together(); err != nil {
			return nil, err
		}
	}
	m.punish(s.failures)
	return s, nil
}

// some returns n of the positions, or all if there are fewer.
func (m *measurement) some(n int64) (out []dataset.PositionRow, err error) {
	every, at := max(1, m.total/n), int64(0)
	for row, err := range m.positions() {
		if err != nil {
			return nil, err
		}
		if at++; at%every == 0 && int64(len(out)) < n {
			out = append(out, row)
		}
	}
	return out, nil
}

// prepare evaluates the sample at the point, and finds the unit.
func (s *sample) prepare(program *Program) error {
	if err := s.place(program, &s.piece); err != nil {
		return err
	}
	s.whole = whole(s.base)
	var err error
	s.unit, err = s.pawn(program)
	return err
}

func whole(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Round(v) })
}

// pawn returns what a missing pawn costs, in the engine's unit.
func (s *sample) pawn(program *Program) (float64, error) {
	var fens []string
	var of []int
	for i, p := range s.boards {
		side := board.Color(i % 2)
		pawns := p.Pieces(side, board.Pawn)
		for range i / 2 % max(1, pawns.Count()) {
			pawns.PopFirst()
		}
		if pawns == 0 {
			continue
		}
		without, err := withoutPiece(p, pawns.First())
		if err == nil {
			fens, of = append(fens, FEN(&without)), append(of, i)
		}
	}
	values, bad, err := program.each(fens)
	if err != nil {
		return 0, err
	}
	var costs []float64
	for j, i := range of {
		if bad[j] == nil {
			costs = append(costs, (s.base[i]-values[j])*float64(1-2*(i%2)))
		}
	}
	slices.Sort(costs)
	if len(costs) == 0 {
		return dataset.DefaultUnit, nil
	}
	cost, quarter := costs[len(costs)/2], costs[len(costs)/4]
	const want = "%s: without a pawn the value changes by %g, too %s for a unit: have assay_value return the value %s %.0f"
	switch { // a bit beyond the bounds is as good, since it differs from one measurement to the next
	case quarter >= 0 && cost > 0 && cost < dataset.MinUnit/2:
		return 0, fmt.Errorf(want, s.Path, cost, "little", "multiplied by", math.Pow(10, math.Round(2-math.Log10(cost))))
	case quarter >= 0 && cost > 2*dataset.MaxLocalUnit:
		return 0, fmt.Errorf(want, s.Path, cost, "much", "divided by", math.Pow(10, math.Ceil(math.Log10(cost)-6)))
	case quarter <= 0:
		return 0, fmt.Errorf("%s: a missing pawn costs its side %g, and in a quarter of the positions %g or less: "+
			"is the value White's view, whoever is to move?", s.Path, cost, quarter)
	}
	scale := math.Pow(10, math.Floor(math.Log10(cost))-1)
	return min(dataset.MaxLocalUnit, max(dataset.MinUnit, math.Round(cost/scale)*scale)), nil
}

// withoutPiece returns a position without the piece on a square.
func withoutPiece(p *board.Position, at board.Square) (board.Position, error) {
	sets := board.Sets{SideToMove: p.SideToMove(), Castling: p.Castling(), EnPassant: board.NoSquare,
		Halfmove: p.Halfmove(), Fullmove: p.Fullmove()}
	for c := board.White; c <= board.Black; c++ {
		for t := range sets.ByType {
			b := p.Pieces(c, board.PieceType(t)) &^ at.Bitboard()
			sets.ByColor[c] |= b
			sets.ByType[t] |= b
		}
	}
	return sets.Position()
}

const (
	firstStep = 64
	// A step whose changes of the value are outside these is made smaller or larger, so that they are firstStep.
	smallChange, largeChange = 16, 1024
	mostGrowth               = 1024
)

// stepOf is a step of number k of about that size. Steps of a group differ, so that changes do not cancel; the halves
// of a pair have the same step, because their changes have the same sign.
func (m *measurement) stepOf(k int, size float64) float64 {
	of := k
	if pair := m.Config.Numbers[k].Pair; pair >= 0 {
		of = min(k, pair) / 2
	}
	return m.integral(k, size*float64(40+5*(7*of%16))/64)
}

// chooseSteps moves each number alone at the sample, and makes steps larger or smaller until the changes of the value
// are about 64 units.
func (s *sample) chooseSteps() error {
	moved, first := s.active(), s.steps == nil
	if first {
		s.steps, s.covers = make([]float64, len(s.names)), make([]cover, len(s.names))
		for k := range s.Config.Numbers {
			moved = append(moved, k)
			if s.steps[k] = s.stepOf(k, firstStep); s.steps[k] == 0 {
				s.leaveOut(k, "its type holds nothing above its value")
			}
		}
	}
	if err := s.moveAlone(moved); err != nil || !first {
		return err
	}
	var growth []float64
	for _, k := range moved {
		if s.size[k] > 0 {
			growth = append(growth, firstStep/s.size[k])
		}
	}
	slices.Sort(growth)
	if len(growth) == 0 {
		return fmt.Errorf("%s: no number changes the value of any of %d positions: are the tables made again, and caches "+
			"cleared, in assay_refresh?", s.Path, len(s.fens))
	}
	typical := growth[len(growth)/2]
	var again []int
	steps, sizes := slices.Clone(s.steps), slices.Clone(s.size)
	for _, k := range moved {
		factor := firstStep / s.size[k]
		if s.size[k] >= smallChange && s.size[k] <= largeChange || s.size[k] == 0 && typical < firstStep/smallChange {
			continue
		}
		if s.size[k] == 0 {
			factor = typical
		}
		s.steps[k] = s.integral(k, s.steps[k]*min(mostGrowth, factor))
		again = append(again, k)
	}
	if err := s.moveAlone(again); err != nil {
		return err
	}
	var back []int
	for _, k := range again { // a small table may overflow: then the larger step says nothing
		want := sizes[k] * s.steps[k] / steps[k]
		if s.steps[k] != 0 && want > 0 && (s.size[k] < want/2 || s.size[k] > 2*want+2) {
			s.steps[k] = steps[k]
			back = append(back, k)
		}
	}
	return s.moveAlone(back)
}

// moveAlone moves numbers alone at the sample.
func (s *sample) moveAlone(list []int) error {
	type part struct {
		numbers  []int
		failures []*failure
	}
	for len(list) > 0 {
		var again []int
		done := 0
		err := inorder.Run(s.ctx, s.Workers, func(_ context.Context, send func(*part) error) error {
			for numbers := range slices.Chunk(list, groupSize) {
				if err := send(&part{numbers: numbers}); err != nil {
					return err
				}
			}
			return nil
		}, func(_ context.Context, parts iter.Seq[*part]) error {
			program := <-s.idle
			defer func() { s.idle <- program }()
			program.load(s.fens)
			b := block{m: s.measurement, program: program, fens: s.fens, base: s.base, failed: map[int]bool{}}
			out := make([]float64, len(s.fens))
			for p := range parts {
				b.failures = nil
				for _, k := range p.numbers {
					g := group{block: &b, numbers: []int{k}}
					if err := g.change(0, 1, 1, s.all(), out); err != nil {
						return err
					}
					s.note(k, out)
				}
				p.failures = b.failures
			}
			return nil
		}, func(p *part) error {
			s.punish(p.failures)
			for _, f := range p.failures {
				if k := slices.Index(s.names, f.Number); s.steps[k] != 0 {
					again = append(again, k)
				}
			}
			done += len(p.numbers)
			if s.Progress != nil {
				s.Progress(int64(done), int64(len(list)), "each number alone")
			}
			return nil
		})
		if err != nil {
			return err
		}
		list = again
	}
	return nil
}

// all returns the numbers of all positions.
func (b *block) all() []int32 {
	out := make([]int32, len(b.fens))
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// note keeps what a number does alone.
func (s *sample) note(k int, changes []float64) {
	s.where[k] = newBitset(len(changes))
	n, squares := 0, 0.0
	for p, v := range changes {
		if v != 0 {
			s.where[k].add(p)
			squares += v * v
			n++
		}
	}
	s.size[k] = math.Sqrt(squares / float64(max(1, n)))
}

// chooseUnits gives numbers that need not be whole steps in which they are: a thousandth of a pawn each, about.
func (s *sample) chooseUnits() {
	const (
		part    = 1000
		largest = 1 << 14 // value in steps
	)
	s.coarse = slices.Repeat([]float64{1}, len(s.names))
	for k, n := range s.Config.Numbers {
		if !n.Float {
			continue
		}
		size := 0.0
		for _, c := range s.slopes[k] {
			size = max(size, math.Abs(c.slope))
		}
		step := math.Abs(s.point[k]) / largest
		if size > 0 {
			step = max(step, s.unit/part/size)
		}
		if step > 0 {
			s.coarse[k] = math.Exp2(math.Ceil(math.Log2(step)))
		}
	}
}

// chooseCovers divides the numbers into groups, and decides where they are likely to count.
func (s *sample) chooseCovers() {
	traits, active, size := traitsOf(s.boards), s.active(), groupSize
	if len(active) >= many {
		size = manyGroup
	}
	s.groups = slices.Collect(slices.Chunk(active, size))
	for _, group := range s.groups {
		var before []bitset
		for _, k := range group {
			s.covers[k] = chooseCover(s.where[k], traits, before)
			before = append(before, s.where[k])
		}
	}
}
