package cluster

import (
	"encoding/json"
	"time"
)

const (
	rosterEvery = 3 * time.Second
	lostEvery   = 500 * time.Millisecond
)

// look does what time alone asks for.
func (d *desk) look() error {
	now := time.Now()
	if _, cores := d.roll.strength(); d.waiting+len(d.checks) < max(1, cores) && now.Sub(d.fed) > pace {
		// Workers have nothing to do: what they did must wait no longer.
		if err := d.settle(); err != nil {
			return err
		}
	}
	d.judgeStale(now)
	if len(d.lost) > 0 && now.Sub(d.saved) > lostEvery {
		if err := d.publishLost(); err != nil {
			return err
		}
	}
	if now.Sub(d.saved) > rosterEvery {
		d.saved = now
		d.saveRoster()
		for u := range d.checks {
			if !d.roll.others(u.from) { // who was to check has left
				delete(d.checks, u)
				d.judge.ask(u)
			}
		}
	}
	if d.ledger.full(d.left) {
		return d.turnPage()
	}
	return nil
}

// judgeStale has checks judged that workers with nothing else to do have not made for long:
// who was to make one may be hung, or cut off.
func (d *desk) judgeStale(now time.Time) {
	if _, cores := d.roll.strength(); d.waiting >= max(1, cores) {
		return
	}
	for u := range d.checks {
		if now.Sub(u.published) > 2*d.Lease {
			delete(d.checks, u)
			d.judge.ask(u)
		}
	}
}

// settle closes all batches, so that they count as soon as their checks are made.
func (d *desk) settle() error {
	for _, u := range d.escrow.close() {
		if err := d.check(u); err != nil {
			return err
		}
	}
	for b := range d.escrow.batches {
		if err := d.believe(d.escrow.release(b)); err != nil {
			return err
		}
	}
	return nil
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

func (d *desk) republish(u *unit) error {
	switch {
	case u == nil:
		return nil
	case u.state == asked:
		return d.publish(u, "")
	case d.checks[u]:
		return d.publish(u, u.from)
	}
	return nil
}

// count is told how many units the queue holds. Are there fewer than have no answer, some
// were lost, with a server perhaps that had not written them to its disk: those that are
// old enough to be among them are published again. A unit that is played twice does no
// harm.
func (d *desk) count(n int) error {
	if n >= d.waiting+len(d.checks) {
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
