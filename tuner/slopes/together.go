package slopes

import (
	"math"
	"math/rand/v2"
)

const (
	draws = 4
	// Numbers move so that the values change by that much, RMS, which is twice what a fit moves them: centipawns.
	drawSize = 80
	// decided is how many pawns ahead decide a game: that a value beyond is predicted wrong changes no loss.
	decided = 10
)

// together moves all numbers at random at once, and keeps by how much the values change, and how far that is from what
// the slopes predict. Numbers that multiply each other, or that bend, make the difference; who fits the slopes goes no
// further than they predict.
func (s *sample) together() error {
	rng := rand.New(rand.NewPCG(1, 2))
	var changes, wrong []float64
	for range draws {
		by, sums := s.draw(rng)
		var moves []move
		for k, b := range by {
			if b != 0 {
				moves = append(moves, move{k, s.point[k] + b})
			}
		}
		out := make([]float64, len(s.fens))
		if failures, err := s.try(moves, s.all(), out); err != nil || failures > 0 {
			return err
		}
		for p, v := range out {
			if math.Abs(s.base[p]) < decided*s.unit {
				change := v - s.base[p]
				changes, wrong = append(changes, change), append(wrong, change-sums[p])
			}
		}
	}
	s.actual, s.wrong = rms(changes)*100/s.unit, rms(wrong)*100/s.unit
	return nil
}

// draw moves each number by what changes the value of a position in which it counts by about as much as the others
// do. It returns the moves by number, and what the slopes predict by position.
func (s *sample) draw(rng *rand.Rand) (by, predicted []float64) {
	by = make([]float64, len(s.names))
	sum := func() []float64 {
		sums := make([]float64, len(s.fens))
		for k, b := range by {
			for _, c := range s.slopes[k] {
				sums[c.number] += b * c.slope
			}
		}
		return sums
	}
	for _, k := range s.active() {
		size := 0.0
		for _, c := range s.slopes[k] {
			size += c.slope * c.slope
		}
		if size > 0 {
			by[k] = rng.NormFloat64() / math.Sqrt(size/float64(len(s.slopes[k])))
		}
	}
	scale := drawSize * s.unit / 100 / max(1e-9, rms(sum()))
	for k := range by {
		if by[k] != 0 {
			by[k] = s.bounded(k, scale*by[k])
		}
	}
	return by, sum()
}

// bounded is a move that number k can make: a whole number unless it may have others, and no longer than two steps.
func (s *sample) bounded(k int, by float64) float64 {
	by = max(-2*s.steps[k], min(2*s.steps[k], by))
	return s.Config.Numbers[k].Round(s.point[k]+by) - s.point[k]
}

func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(max(1, len(x))))
}
