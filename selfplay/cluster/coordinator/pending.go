package coordinator

import (
	"math"
	"math/rand/v2"
)

// pendingBatches holds answers until they may count. The answers of one worker make a batch.
// One unit of each batch, chosen at random when the batch begins, has to be replayed by
// another worker. A batch counts when it is closed and its replays passed. If one fails, all
// pending units of the worker are discarded.
type pendingBatches struct {
	size    int                 // answers a batch; 0: answers count at once
	open    map[string]*batch   // by worker
	batches map[*batch]struct{} // open, or waiting for their replays
}

// batch is the answers of a worker since its last batch.
type batch struct {
	worker      string
	units       []*unit
	replayIndex int                // of the unit to replay
	awaited     map[*unit]struct{} // units whose replay has not passed yet
	closed      bool
}

// newPendingBatches returns batches of which a share of the units is replayed.
func newPendingBatches(share float64) *pendingBatches {
	e := &pendingBatches{open: map[string]*batch{}, batches: map[*batch]struct{}{}}
	if share > 0 {
		e.size = max(1, int(math.Round(1/share)))
	}
	return e
}

// add adds a worker's answer, and reports whether its unit has to be replayed.
func (p *pendingBatches) add(worker string, u *unit) (picked bool) {
	b := p.open[worker]
	if b == nil {
		b = &batch{worker: worker, replayIndex: rand.IntN(p.size), awaited: map[*unit]struct{}{}}
		p.open[worker], p.batches[b] = b, struct{}{}
	}
	u.batch = b
	b.units = append(b.units, u)
	if picked = len(b.units)-1 == b.replayIndex; picked {
		p.await(u)
	}
	if len(b.units) == p.size {
		p.closeBatch(b)
	}
	return picked
}

// await makes a unit's batch wait for a replay of that unit too.
func (p *pendingBatches) await(u *unit) { u.batch.awaited[u] = struct{}{} }

func (p *pendingBatches) closeBatch(b *batch) {
	b.closed = true
	delete(p.open, b.worker)
}

// closeAll closes all batches, full or not, and returns the units that have to be replayed
// for that.
func (p *pendingBatches) closeAll() (replays []*unit) {
	for _, b := range p.open {
		p.closeBatch(b)
		if len(b.units) > b.replayIndex {
			continue
		}
		u := b.units[rand.IntN(len(b.units))]
		if _, already := b.awaited[u]; !already {
			p.await(u)
			replays = append(replays, u)
		}
	}
	return replays
}

// pass notes that the replay of a unit passed, and reports whether its batch waited for it.
func (p *pendingBatches) pass(u *unit) bool {
	if u.batch == nil {
		return false
	}
	_, wanted := u.batch.awaited[u]
	delete(u.batch.awaited, u)
	return wanted
}

// release returns the units of a batch if they may count now.
func (p *pendingBatches) release(b *batch) []*unit {
	if b == nil || !b.closed || len(b.awaited) > 0 {
		return nil
	}
	delete(p.batches, b)
	for _, u := range b.units {
		u.batch = nil
	}
	return b.units
}

// discard removes and returns all units of a worker.
func (p *pendingBatches) discard(worker string) (units []*unit) {
	for b := range p.batches {
		if b.worker != worker {
			continue
		}
		for _, u := range b.units {
			u.batch = nil
		}
		units = append(units, b.units...)
		delete(p.batches, b)
	}
	delete(p.open, worker)
	return units
}
