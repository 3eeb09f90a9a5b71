package learn

import "math"

// EloEstimate is an Elo difference with its 95 % interval.
type EloEstimate struct{ Elo, Lo, Hi float64 }

// GateElo is the estimate of a generation's gate, and whether the generation passed.
type GateElo struct {
	EloEstimate
	Promoted bool
}

// ChampionElo returns the champion's Elo against the start weights after each gate: the sum
// of the gates passed so far. The gates are independent, so their variances add; half the
// width of an interval stands for 1.96 standard errors.
func ChampionElo(gates []GateElo) []EloEstimate {
	list := make([]EloEstimate, len(gates))
	sum, variance := 0.0, 0.0
	for i, g := range gates {
		if g.Promoted {
			sum += g.Elo
			variance += math.Pow((g.Hi-g.Lo)/2, 2)
		}
		list[i] = EloEstimate{sum, sum - math.Sqrt(variance), sum + math.Sqrt(variance)}
	}
	return list
}
