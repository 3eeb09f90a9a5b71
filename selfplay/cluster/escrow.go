package cluster

import (
	"math"
	"math/rand/v2"
)

// escrow holds answers until they may be believed. Those of one worker make a batch; one
// of each batch, chosen by chance when the batch begins, is to be checked: played by
// somebody else. A batch that is closed and whose check passed counts; that of a worker
// who failed one does not, nor does what else he has here.
type escrow struct {
	size    int                 // answers a batch; 0: everything is believed at once
	open    map[string]*batch   // by worker
	batches map[*batch]struct{} // open or waiting for their check
}

// batch is a worker's answers since his last batch.
type batch struct {
	worker string
	units  []*unit
	pick   int   // which is checked
	check  *unit // the one, once it is here
	closed bool
	passed bool
}

// newEscrow returns an escrow that has a share of the units checked.
func newEscrow(share float64) *escrow {
	e := &escrow{open: map[string]*batch{}, batches: map[*batch]struct{}{}}
	if share > 0 {
		e.size = max(1, int(math.Round(1/share)))
	}
	return e
}

// add takes a worker's answer to a unit. It returns the unit if it is the one of its
// batch that has to be checked now.
func (e *escrow) add(worker string, u *unit) (check *unit) {
	b := e.open[worker]
	if b == nil {
		b = &batch{worker: worker, pick: rand.IntN(e.size)}
		e.open[worker], e.batches[b] = b, struct{}{}
	}
	u.batch = b
	b.units = append(b.units, u)
	if len(b.units)-1 == b.pick {
		b.check = u
		check = u
	}
	if len(b.units) == e.size {
		e.shut(b)
	}
	return check
}

func (e *escrow) shut(b *batch) {
	b.closed = true
	delete(e.open, b.worker)
}

// close closes every batch, full or not, and returns the units that have to be checked
// for that.
func (e *escrow) close() (checks []*unit) {
	for _, b := range e.open {
		e.shut(b)
		if b.check == nil {
			b.check = b.units[rand.IntN(len(b.units))]
			checks = append(checks, b.check)
		}
	}
	return checks
}

// pass notes that a unit's check came out well.
func (e *escrow) pass(u *unit) {
	if b := u.batch; b != nil && b.check == u {
		b.passed = true
	}
}

// release returns the units of a batch if they may be believed now.
func (e *escrow) release(b *batch) []*unit {
	if b == nil || !b.closed || !b.passed {
		return nil
	}
	delete(e.batches, b)
	for _, u := range b.units {
		u.batch = nil
	}
	return b.units
}

// seize takes all that a worker has here, to be played again.
func (e *escrow) seize(worker string) (units []*unit) {
	for b := range e.batches {
		if b.worker != worker {
			continue
		}
		for _, u := range b.units {
			u.batch = nil
		}
		units = append(units, b.units...)
		delete(e.batches, b)
	}
	delete(e.open, worker)
	return units
}
