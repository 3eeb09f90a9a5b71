package coordinator

import (
	"time"
)

// errand is a check that a worker was sent.
type replay struct {
	worker    string
	sent      time.Time
	firstSent time.Time // when the first worker was sent it
}

// check has a unit played again: by another worker if there is one, or by the coordinator.
func (d *session) requestReplay(u *unit) error {
	worker := d.registry.pickOther(u.worker)
	if worker == "" {
		d.replayHere(u)
		return nil
	}
	e := replay{worker: worker, sent: time.Now()}
	if e.firstSent = e.sent; !d.replays[u].firstSent.IsZero() {
		e.firstSent = d.replays[u].firstSent
	}
	d.replays[u] = e
	return d.queue.sendReplay(worker, &u.sent)
}

// judgeCheck has the coordinator make a check.
func (d *session) replayHere(u *unit) {
	delete(d.replays, u)
	d.referee.request(u)
}

// passed notes that somebody else found the same as a unit's worker.
func (d *session) replayPassed(u *unit) error {
	delete(d.replays, u)
	if !d.pending.pass(u) {
		return nil
	}
	d.registry.replayPassed(u.worker)
	return d.count(d.pending.release(u.batch))
}

// settle closes all batches, so that they count as soon as their checks are made.
func (d *session) closeBatches() error {
	for _, u := range d.pending.closeAll() {
		if err := d.requestReplay(u); err != nil {
			return err
		}
	}
	for b := range d.pending.batches {
		if err := d.count(d.pending.release(b)); err != nil {
			return err
		}
	}
	return nil
}

// idle tells whether workers have nothing to do.
func (d *session) workersIdle() bool {
	_, cores := d.registry.capacity()
	return d.unanswered+len(d.replays) < max(1, cores)
}

// resend gives checks that did not reach their workers, or whose workers left, to others.
func (d *session) resendReplays() error {
	for u, e := range d.replays {
		if d.registry.holdsReplay(e.worker, u.id, e.sent) {
			continue
		}
		if err := d.requestReplay(u); err != nil {
			return err
		}
	}
	return nil
}

// patience is how long a unit may take to be played when workers are not idle.
func (d *session) unitTimeout() time.Duration { return 2*d.Lease + 4*d.gameTime.fewGamesExceed() }

// judgeLateChecks makes the checks for which workers take far longer than games do, and
// sooner when they have nothing else to do: who was sent them may be gone, or hung, or say
// again and again that he was sent nothing.
func (d *session) replayLateHere(now time.Time, idle bool) {
	most := d.unitTimeout()
	if idle {
		most = min(most, deliveryTime+2*d.gameTime.fewGamesExceed())
	}
	for u, e := range d.replays {
		if now.Sub(e.firstSent) > most {
			d.registry.replayMissed(e.worker)
			d.replayHere(u)
		}
	}
}

// helpOut plays what workers have leased and not answered for far longer than games take,
// when there is nothing else to lease: who has it says that he is there, or its lease
// would have run out, and is hung all the same.
func (d *session) playOverdue(now time.Time) error {
	patience := d.unitTimeout()
	if d.queueEmpty.IsZero() || now.Sub(d.queueEmpty) <= patience {
		return nil
	}
	for _, u := range d.units {
		if u.state != unanswered || now.Sub(u.published) <= patience {
			continue
		}
		if !u.deterministic { // the coordinator's clock is not the workers'
			if err := d.publish(u); err != nil {
				return err
			}
			continue
		}
		u.published = now
		d.referee.request(u)
	}
	return nil
}
