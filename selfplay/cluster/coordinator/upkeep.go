package coordinator

import (
	"encoding/json"
	"time"
)

const (
	saveEvery   = 3 * time.Second
	upkeepEvery = 500 * time.Millisecond
)

// look does what time alone asks for.
func (d *session) tick() error {
	now := time.Now()
	idle := now.Sub(d.lastJob) > tickEvery && d.workersIdle()
	if idle { // what workers did must wait no longer
		if err := d.closeBatches(); err != nil {
			return err
		}
	}
	if now.Sub(d.lastUpkeep) > upkeepEvery {
		d.lastUpkeep = now
		if err := d.upkeep(now, idle); err != nil {
			return err
		}
	}
	if now.Sub(d.lastSave) > saveEvery {
		d.lastSave = now
		d.saveSnapshot()
	}
	if d.ledger.isFull(d.uncounted) {
		return d.rotateLedger()
	}
	return nil
}

// lookAfter sees to what does not come by itself.
func (d *session) upkeep(now time.Time, idle bool) error {
	if err := d.republishLost(); err != nil {
		return err
	}
	if err := d.republishMissing(now); err != nil {
		return err
	}
	if err := d.resendReplays(); err != nil {
		return err
	}
	d.replayLateHere(now, idle || d.unanswered == 0)
	return d.playOverdue(now)
}

// publishLost publishes again what did not arrive.
func (d *session) republishLost() error {
	lost := d.lost
	d.lost = nil
	for _, id := range lost {
		if err := d.republish(d.units[id]); err != nil {
			return err
		}
	}
	return nil
}

// findMissing publishes again what the queue has leased and nobody has. A server that
// ceases to lead may have written down that a unit was leased, and not sent it; it would
// come back after a whole lease. The queue is in order: what is older than a unit that was
// answered has been leased, and all has that the queue does not hold free.
func (d *session) republishMissing(now time.Time) error {
	leased, since := d.registry.leased(now)
	for id, u := range d.units {
		switch {
		case u.state != unanswered || !u.published.Before(d.newestAnswered) && !u.published.Before(d.queueEmpty):
		case u.overtaken.IsZero():
			u.overtaken = now
		case !leased[id] && since.Sub(u.overtaken) > deliveryTime:
			if err := d.publish(u); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *session) republish(u *unit) error {
	if u == nil || u.state != unanswered {
		return nil
	}
	return d.publish(u)
}

// count is told how many units the queue holds. Are there fewer than have no answer, some
// were lost, with a server perhaps that had not written them to its disk: those that are
// old enough to be among them are published again. A unit that is played twice does no
// harm.
func (d *session) checkQueue(n queueLoad) error {
	if n.free > 0 {
		d.queueEmpty = time.Time{}
	} else if d.queueEmpty.IsZero() {
		d.queueEmpty = time.Now()
	}
	if n.free+n.leased >= d.unanswered {
		return nil
	}
	for _, u := range d.units {
		if time.Since(u.published) > 2*d.Lease {
			if err := d.republish(u); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnPage begins a new file of the ledger with what is in escrow and who is banned.
func (d *session) rotateLedger() error {
	var keep []*line
	for worker, why := range d.registry.banned() {
		keep = append(keep, &line{Worker: worker, Banned: why})
	}
	for _, u := range d.units {
		if u.state != pending {
			continue
		}
		data, err := json.Marshal(u.result)
		if err != nil {
			return err
		}
		keep = append(keep, &line{Unit: u.id, Worker: u.worker, Sum: u.sum, Result: data})
	}
	return d.ledger.rotate(keep)
}
