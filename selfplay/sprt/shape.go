package sprt

import (
	"fmt"
	"math"
)

// Shape is what the results of equal players look like: how often they draw, and
// whether samples are games or pairs. A true Elo bends a shape as little as it
// can, to the distribution with that Elo under which the shape's own frequencies
// are the likeliest.
type Shape struct{ d dist }

// IndependentGames is the shape of games of which a share drawRatio, 0.001 to
// 0.999, is drawn; paired ones are counted two by two as Pentanomial.
func IndependentGames(drawRatio float64, paired bool) (Shape, error) {
	if !(drawRatio >= minScore && drawRatio <= 1-minScore) {
		return Shape{}, fmt.Errorf("%w: draw ratio %v is not within [0.001, 0.999]", ErrCounts, drawRatio)
	}
	l := (1 - drawRatio) / 2
	game := [3]float64{l, drawRatio, l}
	d := Trinomial{}.distribution()
	copy(d.p[:], game[:])
	if paired {
		d = Pentanomial{}.distribution()
		d.p = [5]float64{}
		for i, a := range game {
			for j, b := range game {
				d.p[i+j] += float64(a * b)
			}
		}
	}
	d.n = 1
	return Shape{d}, nil
}

// ShapeOf is the shape of counts that pass Validate, seen in a real match.
func ShapeOf(c Counts) Shape {
	d := c.distribution()
	d.n = 1
	return Shape{d}
}

// at bends the shape to a true Elo in the model's unit.
func (s Shape) at(m Model, elo float64) (dist, error) {
	if !(math.Abs(elo) <= maxElo) {
		return dist{}, fmt.Errorf("%w: true elo is %v, not within +-%d", ErrTest, elo, maxElo)
	}
	d := s.d
	if m == Normalized {
		equal := d.withMean(half)
		q := d.withT(d.tValue(elo), &equal)
		return d.over(&q), nil
	}
	q := d.withMean(clampScore(Score(elo)))
	return d.over(&q), nil
}
