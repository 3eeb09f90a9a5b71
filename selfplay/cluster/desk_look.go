package cluster

import (
	"encoding/json"
	"time"
)

const (
	rosterEvery = 3 * time.Second
	lookEvery   = 500 * time.Millisecond
)

// look does what time alone asks for.
func (d *desk) look() error {
	now := time.Now()
	idle := now.Sub(d.fed) > glimpse && d.idle()
	if idle { // what workers did must wait no longer
		if err := d.settle(); err != nil {
			return err
		}
	}
	if now.Sub(d.seen) > lookEvery {
		d.seen = now
		if err := d.lookAfter(now, idle); err != nil {
			return err
		}
	}
	if now.Sub(d.saved) > rosterEvery {
		d.saved = now
		d.saveRoster()
	}
	if d.ledger.full(d.left) {
		return d.turnPage()
	}
	return nil
}

// lookAfter sees to what does not come by itself.
func (d *desk) lookAfter(now time.Time, idle bool) error {
	if err := d.publishLost(); err != nil {
		return err
	}
	if err := d.findMissing(now); err != nil {
		return err
	}
	if err := d.resend(); err != nil {
		return err
	}
	d.judgeLateChecks(now, idle || d.waiting == 0)
	return d.helpOut(now)
}

// publishLost publishes again what did not arrive.
func (d *desk) publishLost() error {
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
func (d *desk) findMissing(now time.Time) error {
	leased, since := d.roll.leased(now)
	for id, u := range d.units {
		switch {
		case u.state != asked || !u.published.Before(d.reached) && !u.published.Before(d.emptied):
		case u.passed.IsZero():
			u.passed = now
		case !leased[id] && since.Sub(u.passed) > onItsWay:
			if err := d.publish(u); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *desk) republish(u *unit) error {
	if u == nil || u.state != asked {
		return nil
	}
	return d.publish(u)
}

// count is told how many units the queue holds. Are there fewer than have no answer, some
// were lost, with a server perhaps that had not written them to its disk: those that are
// old enough to be among them are published again. A unit that is played twice does no
// harm.
func (d *desk) count(n load) error {
	if n.free > 0 {
		d.emptied = time.Time{}
	} else if d.emptied.IsZero() {
		d.emptied = time.Now()
	}
	if n.free+n.leased >= d.waiting {
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
func (d *desk) turnPage() error {
	var keep []*line
	for worker, why := range d.roll.banned() {
		keep = append(keep, &line{Worker: worker, Banned: why})
	}
	for _, u := range d.units {
		if u.state != held {
			continue
		}
		data, err := json.Marshal(u.result)
		if err != nil {
			return err
		}
		keep = append(keep, &line{Unit: u.id, Worker: u.from, Sum: u.sum, Result: data})
	}
	return d.ledger.turn(keep)
}
