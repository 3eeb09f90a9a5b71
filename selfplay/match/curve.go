package match

import (
	"fmt"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// Curve is the course of a match, up to its standing.
type Curve struct {
	Points      []CurvePoint
	Pentanomial sprt.Pentanomial
	Games       sprt.Trinomial
	Standing    sprt.Summary
	Strength    sprt.Strength // at the end, as a match's result has it
	LLR         *float64      // nil without a test
}

// CurvePoint is the standing after a number of games.
type CurvePoint struct {
	Games int64
	sprt.Strength
	LLR, Lower, Upper float64 // of the test and its bounds; 0 without a test
}

// Follow counts pairs in order, as Run does. Each pair is A's results of its two games: 1, 0
// or -1. The test may be nil; corrected is Config.Corrected. The curve has up to about
// twice maxPoints points.
func Follow(pairs [][2]int, test *sprt.Test, corrected bool, maxPoints int) (*Curve, error) {
	var walk *sprt.Walk
	var err error
	if test != nil {
		if walk, err = sprt.NewWalk(*test, corrected); err != nil {
			return nil, err
		}
	}
	c := new(Curve)
	step := max(1, len(pairs)/maxPoints)
	for i, p := range pairs {
		c.Pentanomial.AddPair(p[0], p[1])
		c.Games.AddGame(p[0])
		c.Games.AddGame(p[1])
		if walk != nil {
			if _, err := walk.Observe(c.Pentanomial); err != nil {
				return nil, fmt.Errorf("pair %d: %w", i, err)
			}
		}
		if i%step == step-1 || i == len(pairs)-1 {
			point := CurvePoint{Games: int64(2 * (i + 1)), Strength: sprt.Summarize(c.Pentanomial).StrengthAfter(test,
				c.Pentanomial)}
			if walk != nil {
				point.LLR = walk.LLR()
				point.Lower, point.Upper = walk.Bounds()
			}
			c.Points = append(c.Points, point)
		}
	}
	c.Standing = sprt.Summarize(c.Pentanomial)
	c.Strength = c.Standing.StrengthAfter(test, c.Pentanomial)
	if walk != nil {
		last := walk.LLR()
		c.LLR = &last
	}
	return c, nil
}

// Result returns the standing as the result of a match that goes on, by its test, which may be nil.
func (c *Curve) Result(test *sprt.Test) *Result {
	s := c.Standing
	r := &Result{Verdict: "so far", Games: s.Games, Wins: c.Games[2], Draws: c.Games[1], Losses: c.Games[0],
		Pentanomial: c.Pentanomial, Score: s.Score, Strength: c.Strength, LOS: s.KnownLOS(), DrawRatio: s.DrawRatio,
		Test: test, LLR: c.LLR, Details: s.Details()}
	if n := len(c.Points); n > 0 && test != nil {
		r.Lower, r.Upper = &c.Points[n-1].Lower, &c.Points[n-1].Upper
	}
	return r
}
