package cluster

import (
	"math"
	"math/rand/v2"
)

// escrow holds answers until they may be believed. Those of one worker make a batch; one
// of each batch, chosen by chance when the batch begins, is to be checked: played by
// somebody else. A batch that is closed and whose checks passed counts; that of a worker
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
	pick   int                // which is checked
	wanted map[*unit]struct{} // whose check has not passed yet
	closed bool
}

// newEscrow returns an escrow that has a share of the units checked.
func newEscrow(share float64) *escrow {
	e := &escrow{open: map[string]*batch{}, batches: map[*batch]struct{}{}}
	if share > 0 {
		e.size = max(1, int(math.Round(1/share)))
	}
	return e
}

// add takes a worker's answer to a unit, and tells whether it is the one of its batch that
// has to be checked.
func (e *escrow) add(worker string, u *unit) (picked bool) {
	b := e.open[worker]
	if b == nil {
		b = &batch{worker: worker, pick: rand.IntN(e.size), wanted: map[*unit]struct{}{}}
		e.open[worker], e.batches[b] = b, struct{}{}
	}
	u.batch = b
	b.units = append(b.units, u)
	if picked = len(b.units)-1 == b.pick; picked {
		e.want(u)
	}
	if len(b.units) == e.size {
		e.shut(b)
	}
	return picked
}

// want has a unit's batch wait for its check, whichever else it waits for.
func (e *escrow) want(u *unit) { u.batch.wanted[u] = struct{}{} }

func (e *escrow) shut(b *batch) {
	b.closed = true
	delete(e.open, b.worker)
}

// close closes every batch, full or not, and returns the units that have to be checked
// for that.
func (e *escrow) close() (checks []*unit) {
	for _, b := range e.open {
		e.shut(b)
		if len(b.units) > b.pick {
			continue
		}
		u := b.units[rand.IntN(len(b.units))]
		if _, already := b.wanted[u]; !already {
			e.want(u)
			checks = append(checks, u)
		}
	}
	return checks
}

// pass notes that a unit's check came out well, and tells whether it was asked for.
func (e *escrow) pass(u *unit) bool {
	if u.batch == nil {
		return false
	}
	_, wanted := u.batch.wanted[u]
	delete(u.batch.wanted, u)
	return wanted
}

// release returns the units of a batch if they may be believed now.
func (e *escrow) release(b *batch) []*unit {
	if b == nil || !b.closed || len(b.wanted) > 0 {
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
