package selfplay

import (
	"errors"
	"math"
)

// ErrNoVerdict says that games were played but decide nothing, because too many of them
// failed. They are kept, and the run can be resumed.
var ErrNoVerdict = errors.New("no verdict")

// ErrBusy says, beside ErrNoVerdict, that games were lost on time while the machine was busier
// than its cores: that says nothing about the players.
var ErrBusy = errors.New("the machine was busier than its cores")

// DefaultMaxForfeits is the share of its games that a player may forfeit, unless a
// Tolerance says otherwise.
const DefaultMaxForfeits = 0.02

const (
	// forfeitLevel is the level of the test for too many forfeits. It is small because the
	// test is made again and again while games are played.
	forfeitLevel = 0.001
	// maxVoid is the share of the pairs that may be void.
	maxVoid = 0.01
)

// Tolerance says how many games may fail before a run has no verdict.
type Tolerance struct {
	MaxForfeits float64 // share of its games that a player may forfeit; 0: DefaultMaxForfeits; below 0: none
	Recover     bool    // forfeits count as losses, however many there are
}

// Share returns the share of its games that a player may forfeit.
func (t Tolerance) Share() float64 {
	switch {
	case t.MaxForfeits == 0:
		return DefaultMaxForfeits
	case t.MaxForfeits < 0:
		return 0
	}
	return t.MaxForfeits
}

// Forfeits reports whether that number of forfeits is too many for the games: whether a player
// that forfeits the tolerated share of its games would forfeit as many with a probability
// below 0.001 (one-sided exact binomial test).
func (t Tolerance) Forfeits(forfeits, games int64) bool {
	return !t.Recover && binomialTail(forfeits, games, t.Share()) < forfeitLevel
}

// Void reports whether that many pairs were void that the machine is unfit: more than
// 1 % of all pairs, and more than there are slots. One pause of the machine voids a game in
// each slot, and says nothing about the games before and after it.
func (t Tolerance) Void(void, counted int64, slots int) bool {
	return void > int64(slots) && float64(void) > maxVoid*float64(void+counted)
}

// Look reports whether a run with this number of games looks at its forfeits: at powers of
// two, so that the number of looks, and of false alarms, stays small.
func (t Tolerance) Look(games int64) bool { return games > 0 && games&(games-1) == 0 }

// binomialTail returns the probability of k or more successes in n trials with probability p
// each.
func binomialTail(k, n int64, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n || p <= 0:
		return 0
	case p >= 1 || float64(k) <= float64(n)*p: // above one half, or nearly so
		return 1
	}
	lg := func(x int64) float64 { y, _ := math.Lgamma(float64(x) + 1); return y }
	term := math.Exp(lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	sum := 0.0
	for i := k; i <= n && term > sum*1e-15; i++ { // terms fall, because k is above the mean
		sum += term
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return sum
}
