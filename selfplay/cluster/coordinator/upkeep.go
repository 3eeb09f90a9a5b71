package coordinator

import (
	"encoding/json"
	"time"
)

const (
	saveEvery   = 3 * time.Second
	upkeepEvery = 500 * time.Millisecond
)

// tick does what depends on time.
func (s *session) tick() error {
	now := time.Now()
	idle := now.Sub(s.lastJob) > tickEvery && s.workersIdle()
	if idle { // workers wait for work: let their results count now
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
	if err := s.republishLost(); err != nil {
		return err
	}
	if err := s.republishMissing(now); err != nil {
		return err
	}
	if err := s.resendReplays(); err != nil {
		return err
	}
	s.replayLateHere(now, idle || s.unanswered == 0)
	return s.playOverdue(now)
}

// republishLost publishes again what the queue did not store.
func (s *session) republishLost() error {
	lost := s.lost
	s.lost = nil
	for _, id := range lost {
		if err := s.republish(s.units[id]); err != nil {
			return err
		}
	}
	return nil
}

// republishMissing publishes again units that the queue has leased and no worker has. A
// server that stops leading may have recorded a lease without sending the unit, which would
// come back only when the lease expires. The queue is in order: units older than an answered
// one have been leased, and if the queue holds no free units, all have been.
func (s *session) republishMissing(now time.Time) error {
	leased, since := s.registry.leased(now)
	for id, u := range s.units {
		switch {
		case u.state != unanswered || !u.published.Before(s.newestAnswered) && !u.published.Before(s.queueEmpty):
		case u.overtaken.IsZero():
			u.overtaken = now
		case !leased[id] && since.Sub(u.overtaken) > deliveryTime:
			if err := s.publish(u); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) republish(u *unit) error {
	if u == nil || u.state != unanswered {
		return nil
	}
	return s.publish(u)
}

// checkQueue compares the number of units that the queue holds with the number that should
// be there. If units are missing, a server lost them before it had written them to its disk:
// those old enough are published again. A unit that is played twice does no harm.
func (s *session) checkQueue(n queueLoad) error {
	if n.free > 0 {
		s.queueEmpty = time.Time{}
	} else if s.queueEmpty.IsZero() {
		s.queueEmpty = time.Now()
	}
	if n.free+n.leased >= s.unanswered {
		return nil
	}
	for _, u := range s.units {
		if time.Since(u.published) > 2*s.Lease {
			if err := s.republish(u); err != nil {
				return err
			}
		}
	}
	return nil
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
