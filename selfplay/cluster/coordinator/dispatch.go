package coordinator

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// dispatcher sends a session's units to workers. A worker has as many units at once as its
// answers so far justify, at most two for each core: one that it plays, and one that it plays
// next. What a worker has is known from what it was sent and answered; its hellos show what
// was lost on the way. One goroutine uses it.
type dispatcher struct {
	registry *registry
	share    *share
	send     func(worker string, u *unit)
	waiting  []*unit                     // that no worker has
	held     map[string]map[string]*unit // by worker and id
	sent     map[*unit]struct{}          // that workers have or had; without an answer, or with one since lately
	skipped  int                         // workers in a row that had room but could take no unit
}

// holder is a worker that has a unit.
type holder struct {
	worker string
	sent   time.Time
}

func newDispatcher(r *registry, s *share, send func(worker string, u *unit)) *dispatcher {
	d := &dispatcher{registry: r, share: s, send: send, held: map[string]map[string]*unit{}, sent: map[*unit]struct{}{}}
	s.pool.room(r.names()...) // their hellos came during an earlier session
	return d
}

// close gives back the room of units that are no longer wanted.
func (d *dispatcher) close() {
	for worker, units := range d.held {
		for _, u := range units {
			d.refund(u)
		}
		d.share.release(worker, len(units))
	}
	d.share.wait(0)
}

// sendUnit sends a unit to a worker. The message may be lost.
func (c *Coordinator) sendUnit(worker string, u *unit) {
	data, err := json.Marshal(&u.sent)
	if err != nil {
		c.Log(err.Error()) // cannot happen: its job had a digest
		return
	}
	_ = c.nc.Publish(wire.UnitSubject(c.run, worker), data)
}

// enqueue has a unit wait for a worker. If one had it, it was not played.
func (d *dispatcher) enqueue(u *unit) {
	d.refund(u)
	if !u.queued {
		u.queued = true
		d.waiting = append(d.waiting, u)
	}
	d.handOut()
}

// enqueueFirst has units wait before all others.
func (d *dispatcher) enqueueFirst(units []*unit) {
	units = slices.DeleteFunc(units, func(u *unit) bool { return u.queued })
	for _, u := range units {
		d.refund(u)
		u.queued = true
	}
	d.waiting = slices.Concat(units, d.waiting)
	d.handOut()
}

// refund takes back what a unit was charged.
func (d *dispatcher) refund(u *unit) {
	d.share.refund(u.expected)
	u.expected = 0
}

// room notes that a worker may have room.
func (d *dispatcher) room(worker string) { d.share.pool.room(worker) }

// handOut sends waiting units to the workers that have room, one to each in turn.
func (d *dispatcher) handOut() {
	d.share.wait(len(d.waiting))
	for len(d.waiting) > 0 {
		worker, ok := d.share.take()
		if !ok {
			break
		}
		u := d.next(worker)
		if u == nil {
			d.share.wait(len(d.waiting))
			within := declinedFor
			if len(d.waiting) == 0 {
				within = 0 // they were answered meanwhile
			}
			d.share.decline(worker, within)
			if d.skipped++; d.skipped > d.registry.size() {
				break
			}
			continue
		}
		d.skipped = 0
		d.give(u, worker)
	}
	d.skipped = 0
	d.share.wait(len(d.waiting))
}

// maxLook bounds how many waiting units are looked at for a worker.
const maxLook = 64

// next takes the first waiting unit that a worker may have.
func (d *dispatcher) next(worker string) *unit {
	for i := 0; i < min(len(d.waiting), maxLook); i++ {
		u := d.waiting[i]
		if u.state != unanswered || u.result != nil || len(u.holders) > 0 {
			u.queued = false
			d.waiting = slices.Delete(d.waiting, i, i+1) // it was answered meanwhile
			i--
			continue
		}
		if d.held[worker][u.id] != nil || slices.Contains(u.failedTo, worker) {
			continue
		}
		u.queued = false
		if i == 0 {
			d.waiting = d.waiting[1:]
		} else {
			d.waiting = slices.Delete(d.waiting, i, i+1)
		}
		return u
	}
	return nil
}

// give sends a unit to a worker.
func (d *dispatcher) give(u *unit, worker string) {
	now := time.Now()
	if u.firstSent.IsZero() {
		u.firstSent = now
	}
	d.sent[u] = struct{}{}
	u.holders = append(u.holders, holder{worker, now})
	u.expected = d.share.charge(u.job.Try > 0)
	d.hold(worker)[u.id] = u
	d.send(worker, u)
}

func (d *dispatcher) hold(worker string) map[string]*unit {
	if d.held[worker] == nil {
		d.held[worker] = map[string]*unit{}
	}
	return d.held[worker]
}

// freed notes that a worker no longer has a unit. Its place is free.
func (d *dispatcher) freed(u *unit, worker string) {
	if u != nil {
		d.release(u, worker)
	}
	d.room(worker)
}

// release forgets that a worker has a unit.
func (d *dispatcher) release(u *unit, worker string) {
	if d.held[worker][u.id] != nil {
		d.share.release(worker, 1)
	}
	delete(d.held[worker], u.id)
	if len(d.held[worker]) == 0 {
		delete(d.held, worker)
	}
	u.holders = slices.DeleteFunc(u.holders, func(h holder) bool { return h.worker == worker })
	if u.state != unanswered || u.result != nil {
		d.refund(u) // the answer is the coordinator's own
	}
}

// count returns how many units without an answer a worker has for which which is true.
func (d *dispatcher) count(worker string, which func(u *unit, h *holder) bool) (n int) {
	for _, u := range d.held[worker] {
		i := slices.IndexFunc(u.holders, func(h holder) bool { return h.worker == worker })
		if u.state == unanswered && u.result == nil && which(u, &u.holders[i]) {
			n++
		}
	}
	return n
}

// takeAll takes from a worker the units for which which is true, nil for all, and has those
// without another holder wait before all others. It returns how many had no answer.
func (d *dispatcher) takeAll(worker string, which func(u *unit, h *holder) bool) (n int) {
	var again []*unit
	for _, u := range d.held[worker] {
		i := slices.IndexFunc(u.holders, func(h holder) bool { return h.worker == worker })
		if which != nil && !which(u, &u.holders[i]) {
			continue
		}
		d.release(u, worker)
		if u.state != unanswered || u.result != nil {
			continue
		}
		n++
		if which != nil && u.deterministic {
			u.failedTo = append(u.failedTo, worker)
		}
		if len(u.holders) == 0 {
			again = append(again, u)
		}
	}
	slices.SortFunc(again, func(a, b *unit) int { return a.firstSent.Compare(b.firstSent) })
	if len(again) > 0 {
		d.enqueueFirst(again)
	}
	return n
}

// idle reports whether no units wait and some worker has room.
func (d *dispatcher) idle() bool { return len(d.waiting) == 0 && d.share.pool.idle() }

// holding returns the workers that have units.
func (d *dispatcher) holding() (workers []string) {
	for worker := range d.held {
		workers = append(workers, worker)
	}
	return workers
}

// reconcile compares what workers have with their new hellos: units that a hello does not
// list, though they were sent long before it, were lost on the way.
func (d *dispatcher) reconcile(now time.Time) {
	for _, h := range d.registry.hellos(d.share.takeGreeted()) {
		listed := map[string]bool{}
		for _, id := range h.units {
			listed[id] = true
		}
		var lost []*unit
		for id, u := range d.held[h.worker] {
			i := slices.IndexFunc(u.holders, func(x holder) bool { return x.worker == h.worker })
			if listed[id] || !h.leaving && h.seen.Sub(u.holders[i].sent) < deliveryTime {
				continue
			}
			d.release(u, h.worker)
			if u.state == unanswered && u.result == nil && len(u.holders) == 0 {
				lost = append(lost, u)
			}
		}
		if len(lost) > 0 {
			d.enqueueFirst(lost)
			d.room(h.worker)
		}
	}
	d.handOut()
}
