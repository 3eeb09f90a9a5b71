package slopes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	draws = 4
	// Numbers move so that the values change by that much, RMS, which is twice what a fit moves them: centipawns.
	drawSize = 80
	// The change may be that part of it away from what the slopes predict, RMS. Where numbers multiply, half of the move
	// has a quarter of the error: 5 centipawns of 40.
	mostOff = 0.25
	// helpful is the part of the squared error that leaving out a table must take away.
	helpful = 0.25
	// mostTables is how many tables may be left out.
	mostTables = 8
)

// draw is a random move of all numbers.
type draw struct {
	by []float64 // by number
}

// products moves all numbers at random at once. Where the slopes do not predict the values, numbers multiply each
// other: tables without which they do are left out.
func (s *sample) products() error {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []*draw
	for range draws {
		list = append(list, s.draw(rng))
	}
	actual, wrong, err := s.predict(list, "")
	for tables := 0; err == nil && len(s.failures) == 0 && wrong > mostOff*actual && tables < mostTables; tables++ {
		best, least := "", wrong*math.Sqrt(1-helpful)
		for _, t := range s.tables() {
			var without float64
			if _, without, err = s.predict(list, t); err != nil || len(s.failures) > 0 {
				return err
			}
			if without < least {
				best, least = t, without
			}
		}
		if best == "" {
			break
		}
		why := fmt.Sprintf("with all numbers moved at once the slopes are %.1f centipawns wrong (RMS), without it %.1f: it "+
			"multiplies others, or bends too much", wrong, least)
		s.leaveOutTable(best, why)
		for _, d := range list {
			s.drop(d, best)
		}
		actual, wrong, err = s.predict(list, "")
	}
	s.actual, s.wrong = actual, wrong
	return err
}

// tables returns the tables of the active numbers, in order.
func (s *sample) tables() (out []string) {
	for _, k := range s.active() {
		if t := s.Config.Numbers[k].Table; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// leaveOutTable takes a table out of the measurement.
func (m *measurement) leaveOutTable(table, why string) {
	for _, k := range m.active() {
		if m.Config.Numbers[k].Table == table {
			m.steps[k] = 0
		}
	}
	m.left = append(m.left, Left{table, why})
}

// draw moves each number by what changes the value of a position in which it counts by about as much as the others
// do.
func (s *sample) draw(rng *rand.Rand) *draw {
	d := &draw{by: make([]float64, len(s.names))}
	sums := make([]float64, len(s.fens))
	for _, k := range s.active() {
		size := 0.0
		for _, c := range s.slopes[k] {
			size += c.slope * c.slope
		}
		if size == 0 {
			continue
		}
		d.by[k] = rng.NormFloat64() / math.Sqrt(size/float64(len(s.slopes[k])))
		for _, c := range s.slopes[k] {
			sums[c.number] += d.by[k] * c.slope
		}
	}
	scale := drawSize * s.Unit / 100 / max(1e-9, rms(sums))
	for k := range d.by {
		if d.by[k] != 0 {
			d.by[k] = s.bounded(k, scale*d.by[k])
		}
	}
	return d
}

// bounded is a move that number k can make: a whole number unless it may have others, and no longer than two steps.
func (s *sample) bounded(k int, by float64) float64 {
	by = max(-2*s.steps[k], min(2*s.steps[k], by))
	return s.Config.Numbers[k].Round(s.point[k]+by) - s.point[k]
}

// drop takes a table out of a draw.
func (s *sample) drop(d *draw, table string) {
	for k := range d.by {
		if s.Config.Numbers[k].Table == table {
			d.by[k] = 0
		}
	}
}

// predict returns by how much the values change in all draws without a table, and how wrong the slopes are, both RMS
// in centipawns.
func (s *sample) predict(list []*draw, without string) (actual, wrong float64, err error) {
	var changes, errors []float64
	for _, d := range list {
		out := make([]float64, len(s.fens))
		var moves []move
		sums := make([]float64, len(s.fens))
		for k, by := range d.by {
			if by == 0 || s.Config.Numbers[k].Table == without {
				continue
			}
			moves = append(moves, move{k, s.point[k] + by})
			for _, c := range s.slopes[k] {
				sums[c.number] += by * c.slope
			}
		}
		if failures, err := s.try(moves, s.all(), out); err != nil || failures > 0 {
			return 0, 0, err
		}
		for p, v := range out {
			change := v - s.base[p]
			changes, errors = append(changes, change), append(errors, change-sums[p])
		}
	}
	return rms(changes) * 100 / s.Unit, rms(errors) * 100 / s.Unit, nil
}

func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(max(1, len(x))))
}
