package coordinator

import (
	"math"
	"math/rand/v2"
)

// escrow holds answers until they may be believed. Those of one worker make a batch; one
// of each batch, chosen by chance when the batch begins, is to be checked: played by
// somebody else. A batch that is closed and whose checks passed counts; that of a worker
// who failed one does not, nor does what else he has here.
type pendingBatches struct {
	size    int                 // answers a batch; 0: everything is believed at once
	open    map[string]*batch   // by worker
	batches map[*batch]struct{} // open or waiting for their check
}

// batch is a worker's answers since his last batch.
type batch struct {
	worker      string
	units       []*unit
	replayIndex int                // which is checked
	awaited     map[*unit]struct{} // whose check has not passed yet
	closed      bool
}

// newEscrow returns an escrow that has a share of the units checked.
func newPendingBatches(share float64) *pendingBatches {
	e := &pendingBatches{open: map[string]*batch{}, batches: map[*batch]struct{}{}}
	if share > 0 {
		e.size = max(1, int(math.Round(1/share)))
	}
	return e
}

// add takes a worker's answer to a unit, and tells whether it is the one of its batch that
// has to be checked.
func (e *pendingBatches) add(worker string, u *unit) (picked bool) {
	b := e.open[worker]
	if b == nil {
		b = &batch{worker: worker, replayIndex: rand.IntN(e.size), awaited: map[*unit]struct{}{}}
		e.open[worker], e.batches[b] = b, struct{}{}
	}
	u.batch = b
	b.units = append(b.units, u)
	if picked = len(b.units)-1 == b.replayIndex; picked {
		e.await(u)
	}
	if len(b.units) == e.size {
		e.closeBatch(b)
	}
	return picked
}

// want has a unit's batch wait for its check, whichever else it waits for.
func (e *pendingBatches) await(u *unit) { u.batch.awaited[u] = struct{}{} }

func (e *pendingBatches) closeBatch(b *batch) {
	b.closed = true
	delete(e.open, b.worker)
}

// close closes every batch, full or not, and returns the units that have to be checked
// for that.
func (e *pendingBatches) closeAll() (checks []*unit) {
	for _, b := range e.open {
		e.closeBatch(b)
		if len(b.units) > b.replayIndex {
			continue
		}
		u := b.units[rand.IntN(len(b.units))]
		if _, already := b.awaited[u]; !already {
			e.await(u)
			checks = append(checks, u)
		}
	}
	return checks
}

// pass notes that a unit's check came out well, and tells whether it was asked for.
func (e *pendingBatches) pass(u *unit) bool {
	if u.batch == nil {
		return false
	}
	_, wanted := u.batch.awaited[u]
	delete(u.batch.awaited, u)
	return wanted
}

// release returns the units of a batch if they may be believed now.
func (e *pendingBatches) release(b *batch) []*unit {
	if b == nil || !b.closed || len(b.awaited) > 0 {
		return nil
	}
	delete(e.batches, b)
	for _, u := range b.units {
		u.batch = nil
	}
	return b.units
}

// seize takes all that a worker has here, to be played again.
func (e *pendingBatches) discard(worker string) (units []*unit) {
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
