package coordinator

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// replay is a unit that a worker was sent to play again.
type replay struct {
	worker    string
	sent      time.Time
	firstSent time.Time // to the first worker that was asked
}

// requestReplay has a unit replayed, by another worker if there is one, else here.
func (s *session) requestReplay(u *unit) error {
	worker := s.registry.pickOther(u.worker)
	if worker == "" {
		s.replayHere(u)
		return nil
	}
	now := time.Now()
	e := replay{worker: worker, sent: now, firstSent: now}
	if before, again := s.replays[u]; again {
		e.firstSent = before.firstSent
	}
	s.replays[u] = e
	check := u.sent
	check.Replay = true
	data, err := json.Marshal(&check)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	_ = s.nc.Publish(wire.ReplaySubject(s.run, worker), data) // it may be lost: see resendReplays
	return nil
}

// replayHere has the coordinator replay a unit.
func (s *session) replayHere(u *unit) {
	delete(s.replays, u)
	s.referee.request(u)
}

// replayPassed notes that a replay equals the first answer.
func (s *session) replayPassed(u *unit) error {
	delete(s.replays, u)
	if !s.pending.pass(u) {
		return nil
	}
	s.registry.replayPassed(u.worker)
	return s.count(s.pending.release(u.batch))
}

// closeBatches closes all batches, so that they count as soon as their replays pass.
func (s *session) closeBatches() error {
	for _, u := range s.pending.closeAll() {
		if err := s.requestReplay(u); err != nil {
			return err
		}
	}
	for b := range s.pending.batches {
		if err := s.count(s.pending.release(b)); err != nil {
			return err
		}
	}
	return nil
}

// resendReplays gives replays that did not reach their worker, or whose worker left, to others.
func (s *session) resendReplays() error {
	for u, e := range s.replays {
		if s.registry.holdsReplay(e.worker, u.id, e.sent) {
			continue
		}
		if err := s.requestReplay(u); err != nil {
			return err
		}
	}
	return nil
}

// replayLateHere makes the replays for which workers take far longer than games do, and
// earlier if the workers are idle: the worker that was asked may be gone, hang, or deny
// again and again that it was asked.
func (s *session) replayLateHere(now time.Time, idle bool) {
	most := s.unitTimeout()
	if idle {
		exceed, _ := s.gamesExceed()
		most = min(most, deliveryTime+2*exceed)
	}
	for u, e := range s.replays {
		if now.Sub(e.firstSent) > most {
			s.registry.replayMissed(e.worker)
			s.replayHere(u)
		}
	}
}

// playOverdue plays a unit that no worker answered for far longer than games take: one on
// which a worker sat, or any if no units have waited for a worker for as long. It plays one at
// a time: after a pause of the whole run all units are overdue.
func (s *session) playOverdue(now time.Time) {
	if len(s.out.waiting) > 0 {
		s.nothingWaits = time.Time{}
	} else if s.nothingWaits.IsZero() {
		s.nothingWaits = now
	}
	if len(s.referee.queue) > 0 {
		return
	}
	most := s.unitTimeout()
	allSent := !s.nothingWaits.IsZero() && now.Sub(s.nothingWaits) > most
	for _, u := range s.units {
		overdue := u.state == unanswered && !u.firstSent.IsZero() && now.Sub(u.firstSent) > most
		if overdue && u.deterministic && (allSent || len(u.failedTo) > 0) {
			u.firstSent = now
			s.referee.request(u)
			return
		}
	}
}
