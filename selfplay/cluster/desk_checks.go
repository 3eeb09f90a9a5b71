package cluster

import "time"

// errand is a check that a worker was sent.
type errand struct {
	worker string
	sent   time.Time
	first  time.Time // when the first worker was sent it
}

// check has a unit played again: by another worker if there is one, or by the coordinator.
func (d *desk) check(u *unit) error {
	worker := d.roll.other(u.from)
	if worker == "" {
		d.judgeCheck(u)
		return nil
	}
	e := errand{worker: worker, sent: time.Now()}
	if e.first = e.sent; !d.checks[u].first.IsZero() {
		e.first = d.checks[u].first
	}
	d.checks[u] = e
	return d.room.send(worker, &u.sent)
}

// judgeCheck has the coordinator make a check.
func (d *desk) judgeCheck(u *unit) {
	delete(d.checks, u)
	d.judge.ask(u)
}

// passed notes that somebody else found the same as a unit's worker.
func (d *desk) passed(u *unit) error {
	delete(d.checks, u)
	if !d.escrow.pass(u) {
		return nil
	}
	d.roll.checked(u.from)
	return d.believe(d.escrow.release(u.batch))
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

// idle tells whether workers have nothing to do.
func (d *desk) idle() bool {
	_, cores := d.roll.strength()
	return d.waiting+len(d.checks) < max(1, cores)
}

// resend gives checks that did not reach their workers, or whose workers left, to others.
func (d *desk) resend() error {
	for u, e := range d.checks {
		if d.roll.holds(e.worker, u.id, e.sent) {
			continue
		}
		if err := d.check(u); err != nil {
			return err
		}
	}
	return nil
}

// patience is how long a unit may take to be played when workers are not idle.
func (d *desk) patience() time.Duration { return 2*d.Lease + 4*d.pace.long() }

// judgeLateChecks makes the checks for which workers take far longer than games do, and
// sooner when they have nothing else to do: who was sent them may be gone, or hung, or say
// again and again that he was sent nothing.
func (d *desk) judgeLateChecks(now time.Time, idle bool) {
	most := d.patience()
	if idle {
		most = min(most, onItsWay+2*d.pace.long())
	}
	for u, e := range d.checks {
		if now.Sub(e.first) > most {
			d.roll.missed(e.worker)
			d.judgeCheck(u)
		}
	}
}

// helpOut plays what workers have leased and not answered for far longer than games take,
// when there is nothing else to lease: who has it says that he is there, or its lease
// would have run out, and is hung all the same.
func (d *desk) helpOut(now time.Time) error {
	patience := d.patience()
	if d.emptied.IsZero() || now.Sub(d.emptied) <= patience {
		return nil
	}
	for _, u := range d.units {
		if u.state != asked || now.Sub(u.published) <= patience {
			continue
		}
		if !u.fixed { // the coordinator's clock is not the workers'
			if err := d.publish(u); err != nil {
				return err
			}
			continue
		}
		u.published = now
		d.judge.ask(u)
	}
	return nil
}
