package ladder

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/selfplay"
)

// Schedule says who meets whom.
type Schedule string

// The schedules.
const (
	// Widest lets the player with the widest interval meet whoever shrinks it most.
	Widest Schedule = "widest"
	// RoundRobin lets everybody meet everybody, each round from one opening.
	RoundRobin Schedule = "round-robin"
	// Gauntlet lets the first player meet all others, each round from one opening.
	Gauntlet Schedule = "gauntlet"
)

// ParseSchedule reads the name of a schedule.
func ParseSchedule(name string) (Schedule, error) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet} {
		if name == string(s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("%w: schedule %q is none of %s, %s, %s", selfplay.ErrConfig, name, Widest, RoundRobin, Gauntlet)
}

// round returns the pairings of a schedule's rounds; of Widest, those of the first.
func (s Schedule) round(players int) (list []pairing) {
	switch s {
	case Gauntlet:
		for i := 1; i < players; i++ {
			list = append(list, pairing{0, i})
		}
	case RoundRobin:
		for i := range players {
			for j := i + 1; j < players; j++ {
				list = append(list, pairing{i, j})
			}
		}
	default: // a ring: everybody is on the one scale
		for i := range players {
			if j := (i + 1) % players; j != i && !(players == 2 && i == 1) {
				list = append(list, pairing{min(i, j), max(i, j)})
			}
		}
	}
	return list
}

// RoundGames returns the number of games of a round. A schedule without rounds has those
// of two.
func (s Schedule) RoundGames(players int) uint64 {
	if s == Widest {
		return 2
	}
	return 2 * uint64(len(s.round(players)))
}

// choose returns who should meet next, as many pairings as asked for: each time the
// player whose interval is widest, and the opponent who would shrink it most. Pairings
// that are chosen, and those that were chosen before and are under way, count as played.
func choose(f *Fit, underWay []pairing, count int) (list []pairing) {
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

// expect changes a covariance as one pair more would.
func (f *Fit) expect(cov *mat.SymDense, p pairing) {
	factor, move := f.update(cov, p)
	cov.SymRankOne(cov, -factor, move)
}

// update is the change of a covariance with one pair more, whose information has rank
// one: cov falls by factor times the square of move.
func (f *Fit) update(cov *mat.SymDense, p pairing) (factor float64, move *mat.VecDense) {
	e := mat.NewVecDense(f.n+2, nil)
	e.SetVec(p.first, 1)
	e.SetVec(p.second, -1)
	move = mat.NewVecDense(f.n+2, nil)
	move.MulVec(cov, e)
	weight := f.pairInformation(p)
	return weight / (1 + weight*mat.Dot(e, move)), move
}

// next returns the best pairing under a covariance.
func (f *Fit) next(cov *mat.SymDense) (best pairing) {
	widest, most := 0, -1.0
	for i := range f.n {
		c := f.contrast(i)
		if v := mat.Inner(c, cov, c); v > most {
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
		if fall := factor * along * along; fall > shrinks {
			best, shrinks = p, fall
		}
	}
	return best
}

// pairInformation is what a pair of games tells of the difference of its players.
func (f *Fit) pairInformation(p pairing) float64 {
	a, _, _ := f.game(p.first, p.second).information()
	b, _, _ := f.game(p.second, p.first).information()
	return a + b
}
