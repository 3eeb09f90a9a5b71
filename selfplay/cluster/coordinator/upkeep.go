package coordinator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

const (
	saveEvery   = 3 * time.Second
	upkeepEvery = 500 * time.Millisecond
)

// tick does what depends on time.
func (s *session) tick() error {
	now := time.Now()
	s.out.reconcile()
	_, cores := s.registry.capacity()
	s.waitingMost = max(leastWaiting, waitingPerCore*cores)
	idle := now.Sub(s.lastJob) > tickEvery && s.unanswered+len(s.replays) < max(1, cores)
	if idle { // some of these cores wait for work: let their results count now
		if err := s.closeBatches(); err != nil {
			return err
		}
	}
	if now.Sub(s.lastUpkeep) > upkeepEvery {
		s.lastUpkeep = now
		if err := s.upkeep(now, idle); err != nil {
			return err
		}
	}
	if now.Sub(s.lastSave) > saveEvery {
		s.lastSave = now
		s.saveSnapshot()
	}
	if s.ledger.isFull(s.uncounted) {
		return s.rotateLedger()
	}
	return nil
}

// upkeep repairs what got lost or stuck.
func (s *session) upkeep(now time.Time, idle bool) error {
	s.moveLateUnits(now)
	if err := s.resendReplays(); err != nil {
		return err
	}
	s.replayLateHere(now, idle || s.unanswered == 0)
	s.playOverdue(now)
	return nil
}

// moveLateUnits gives the units of workers that are silent, or sit on them, to others. Before
// the first game has ended no one knows how long games take: then only idle workers get
// others' units. A game by the clock stays longer, because the first of two answers counts,
// which favors short games.
func (s *session) moveLateUnits(now time.Time) {
	idle, timeout := s.out.idle(), s.unitTimeout()
	exceed, known := s.gamesExceed()
	patience := max(s.Lease, exceed) // with a unit that can be played again at no harm
	for _, worker := range slices.Collect(maps.Keys(s.out.held)) {
		if why := s.registry.whyLost(worker, now); why != "" {
			if n := s.out.takeAll(worker); n > 0 {
				s.registry.note(worker, fmt.Sprintf("worker %s %s: its %d units go to others", worker, why, n))
			}
			continue
		}
		late := s.out.at(worker, func(u *unit) bool {
			had := now.Sub(u.given)
			if !u.deterministic {
				return u.state == unanswered && had > timeout
			}
			return u.state == unanswered && had > patience && (idle || known)
		})
		if len(late) == 0 {
			continue
		}
		s.registry.sat(worker, len(late), patience) // first, or it would get others at once
		for _, u := range late {
			if u.deterministic {
				u.failedTo = append(u.failedTo, worker)
			}
		}
		s.out.takeFrom(worker, late)
	}
}

// ended notes how long a game took.
func (s *session) ended(r *selfplay.Result, took time.Duration) {
	if r.Try == 0 {
		s.games++
		s.played += took
	}
}

// gamesExceed returns a time that few games exceed, and whether a game has ended. It goes by the mean: one worker
// that lies about the longest would make all wait forever.
func (s *session) gamesExceed() (most time.Duration, known bool) {
	if s.games == 0 {
		return 0, false
	}
	return 4 * s.played / time.Duration(s.games), true
}

// unitTimeout is how long a unit may take while workers are busy.
func (s *session) unitTimeout() time.Duration {
	exceed, _ := s.gamesExceed()
	return 2*s.Lease + 4*exceed
}

// rotateLedger begins a new file of the ledger with the pending answers and the bans.
func (s *session) rotateLedger() error {
	var keep []*line
	for worker, why := range s.registry.banned() {
		keep = append(keep, &line{Worker: worker, Banned: why})
	}
	for _, u := range s.units {
		if u.state != pending {
			continue
		}
		x, err := u.line()
		if err != nil {
			return err
		}
		keep = append(keep, x)
	}
	return s.ledger.rotate(keep)
}
