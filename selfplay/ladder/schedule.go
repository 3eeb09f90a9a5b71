package ladder

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/selfplay"
)

// Schedule says who plays whom.
type Schedule string

// The schedules.
const (
	// Widest pairs the player with the widest interval with the opponent that narrows it
	// most.
	Widest Schedule = "widest"
	// RoundRobin pairs every player with every other, each round from one opening.
	RoundRobin Schedule = "round-robin"
	// Gauntlet pairs the first player with all others, each round from one opening.
	Gauntlet Schedule = "gauntlet"
	// chain pairs every player with the next, each round from one opening.
	chain Schedule = "chain"
)

// ParseSchedule reads the name of a schedule.
func ParseSchedule(name string) (Schedule, error) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet, chain} {
		if name == string(s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("%w: schedule %q is none of %s, %s, %s, %s", selfplay.ErrConfig, name, Widest, RoundRobin,
		Gauntlet, chain)
}

// round returns the pairings of a round; for Widest, of the first.
func (s Schedule) round(players int) (list []pairing) {
	switch s {
	case Gauntlet:
		for i := 1; i < players; i++ {
			list = append(list, pairing{0, i})
		}
	case chain:
		for i := 1; i < players; i++ {
			list = append(list, pairing{i - 1, i})
		}
	case RoundRobin:
		for i := range players {
			for j := i + 1; j < players; j++ {
				list = append(list, pairing{i, j})
			}
		}
	default: // a ring connects all players
		for i := range players {
			if j := (i + 1) % players; j != i && !(players == 2 && i == 1) {
				list = append(list, pairing{min(i, j), max(i, j)})
			}
		}
	}
	return list
}

// RoundGames returns the number of games of a round; 2 for Widest, which has no rounds.
func (s Schedule) RoundGames(players int) uint64 {
	if s == Widest {
		return 2
	}
	return 2 * uint64(len(s.round(players)))
}

// choose returns the next count pairings: each time the player with the widest interval,
// and the opponent that would narrow it most. Pairings that are chosen or under way count
// as played.
func choose(f *fit, underWay []pairing, count int) (list []pairing) {
	cov := mat.NewSymDense(f.n+2, nil)
	cov.CopySym(f.cov)
	for _, p := range underWay {
		f.expect(cov, p)
	}
	for range count {
		p := f.next(cov)
		f.expect(cov, p)
		list = append(list, p)
	}
	return list
}

// expect changes a covariance as one more pair would.
func (f *fit) expect(cov *mat.SymDense, p pairing) {
	factor, move := f.update(cov, p)
	cov.SymRankOne(cov, -factor, move)
}

// update returns the change of a covariance by one more pair, whose information has rank
// one: cov falls by factor times move move'.
func (f *fit) update(cov *mat.SymDense, p pairing) (factor float64, move *mat.VecDense) {
	e := mat.NewVecDense(f.n+2, nil)
	e.SetVec(p.first, 1)
	e.SetVec(p.second, -1)
	move = mat.NewVecDense(f.n+2, nil)
	move.MulVec(cov, e)
	weight := f.pairInformation(p)
	return weight / (1 + weight*mat.Dot(e, move)), move
}

// sure is by how much a variance must exceed another to count as larger. Builds for other processors round sums in
// another way, and must choose the same pairings: almost equal ones, of which there are many in ladders of equal
// players, are chosen in the order of the players.
const sure = 1 + 1e-6

// next returns the best pairing under a covariance.
func (f *fit) next(cov *mat.SymDense) (best pairing) {
	widest, most := 0, -1.0
	for i := range f.n {
		c := f.contrast(i)
		if v := mat.Inner(c, cov, c); v > most*sure {
			widest, most = i, v
		}
	}
	shrinks := -1.0
	for j := range f.n {
		if j == widest {
			continue
		}
		p := pairing{min(widest, j), max(widest, j)}
		factor, move := f.update(cov, p)
		along := mat.Dot(f.contrast(widest), move)
		if fall := factor * along * along; fall > shrinks*sure {
			best, shrinks = p, fall
		}
	}
	return best
}

// pairInformation returns the information of a pair of games about the difference of its
// players.
func (f *fit) pairInformation(p pairing) float64 {
	a, _, _ := f.game(p.first, p.second).information()
	b, _, _ := f.game(p.second, p.first).information()
	return a + b
}
