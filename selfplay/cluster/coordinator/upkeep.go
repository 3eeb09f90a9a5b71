package coordinator

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	saveEvery   = 3 * time.Second
	upkeepEvery = 500 * time.Millisecond
)

// tick does what depends on time.
func (s *session) tick() error {
	now := time.Now()
	s.out.reconcile(now)
	_, cores := s.registry.capacity()
	part := s.share.part(cores)
	s.waitingMost = max(leastWaiting, waitingPerCore*part)
	idle := now.Sub(s.lastJob) > tickEvery && s.unanswered+len(s.replays) < max(1, part)
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
	if err := s.voidOthers(); err != nil {
		return err
	}
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
	idle, patience, timeout := s.out.idle(), s.patience(), s.unitTimeout()
	for _, worker := range s.out.holding() {
		if why := s.registry.whyLost(worker, now); why != "" {
			if n := s.out.takeAll(worker, nil); n > 0 {
				s.registry.note(worker, fmt.Sprintf("worker %s %s: its %d units go to others", worker, why, n))
			}
			continue
		}
		late := func(u *unit, h *holder) bool {
			had := now.Sub(h.sent)
			if !u.deterministic {
				return had > timeout
			}
			return had > patience && (idle || s.gameTime.games > 0)
		}
		if n := s.out.count(worker, late); n > 0 {
			s.registry.sat(worker, n, patience) // first, or it would get others at once
			s.out.takeAll(worker, late)
		}
	}
}

// patience is how long a worker may have a unit that can be played again at no harm.
func (s *session) patience() time.Duration { return max(s.Lease, s.gamesExceed()) }

// gamesExceed returns a time that few games exceed, of this run and of those that share its
// workers.
func (s *session) gamesExceed() time.Duration { return s.share.longest(s.gameTime.fewGamesExceed()) }

// takeBack has a unit without an answer wait for a worker, unless one has it.
func (s *session) takeBack(u *unit) {
	if u.state == unanswered && u.result == nil && len(u.holders) == 0 {
		s.out.enqueue(u)
	}
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
		data, err := json.Marshal(u.result)
		if err != nil {
			return err
		}
		keep = append(keep, &line{Unit: u.id, Worker: u.worker, Sum: u.sum, Result: data})
	}
	return s.ledger.rotate(keep)
}
