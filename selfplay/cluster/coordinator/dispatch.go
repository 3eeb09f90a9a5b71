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
	send     func(worker string, u *unit)
	waiting  []*unit                     // that no worker has
	held     map[string]map[string]*unit // by worker and id
}

func newDispatcher(r *registry, send func(worker string, u *unit)) *dispatcher {
	d := &dispatcher{registry: r, send: send, held: map[string]map[string]*unit{}}
	r.rooms.room(r.names()...) // their hellos came during an earlier session
	return d
}

// close gives back the room of units that are no longer wanted.
func (d *dispatcher) close() {
	for worker, units := range d.held {
		d.registry.rooms.release(worker, len(units))
	}
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

// enqueue has a unit wait for a worker.
func (d *dispatcher) enqueue(u *unit) {
	if !u.queued {
		u.queued = true
		d.waiting = append(d.waiting, u)
	}
	d.handOut()
}

// room notes that a worker may have room.
func (d *dispatcher) room(worker string) { d.registry.rooms.room(worker) }

// handOut sends waiting units to the workers that have room, one to each in turn.
func (d *dispatcher) handOut() {
	for skipped := 0; len(d.waiting) > 0 && skipped <= d.registry.size(); {
		worker, ok := d.registry.rooms.take()
		if !ok {
			break
		}
		if u := d.next(worker); u != nil {
			skipped = 0
			d.give(u, worker)
			continue
		}
		skipped++ // it has room, but can take no unit
		d.registry.rooms.release(worker, 1)
	}
}

// maxLook bounds how many waiting units are looked at for a worker.
const maxLook = 64

// next takes the first waiting unit that a worker may have.
func (d *dispatcher) next(worker string) *unit {
	for i := 0; i < min(len(d.waiting), maxLook); {
		u := d.waiting[i]
		answered := u.state != unanswered || u.holder != "" // meanwhile
		if !answered && slices.Contains(u.failedTo, worker) {
			i++
			continue
		}
		u.queued = false
		if i == 0 {
			d.waiting = d.waiting[1:]
		} else {
			d.waiting = slices.Delete(d.waiting, i, i+1)
		}
		if !answered {
			return u
		}
	}
	return nil
}

// give sends a unit to a worker.
func (d *dispatcher) give(u *unit, worker string) {
	u.holder, u.given = worker, time.Now()
	if u.firstSent.IsZero() {
		u.firstSent = u.given
	}
	if d.held[worker] == nil {
		d.held[worker] = map[string]*unit{}
	}
	d.held[worker][u.id] = u
	d.send(worker, u)
}

// freed notes that a worker no longer has a unit. Its place is free.
func (d *dispatcher) freed(u *unit, worker string) {
	d.release(u, worker)
	d.room(worker)
}

// release forgets that a worker has a unit.
func (d *dispatcher) release(u *unit, worker string) {
	if u.holder == worker {
		u.holder = ""
		d.registry.rooms.release(worker, 1)
		delete(d.held[worker], u.id)
		if len(d.held[worker]) == 0 {
			delete(d.held, worker)
		}
	}
}

// at returns the units of a worker for which which is true, those first that were sent first.
func (d *dispatcher) at(worker string, which func(u *unit) bool) (units []*unit) {
	for _, u := range d.held[worker] {
		if which(u) {
			units = append(units, u)
		}
	}
	slices.SortFunc(units, func(a, b *unit) int { return a.firstSent.Compare(b.firstSent) })
	return units
}

// takeFrom takes units from a worker, and has those without an answer wait before all others.
// It returns how many these are.
func (d *dispatcher) takeFrom(worker string, units []*unit) (n int) {
	var again []*unit
	for _, u := range units {
		d.release(u, worker)
		if u.state == unanswered {
			u.queued = true
			again = append(again, u)
		}
	}
	if len(again) > 0 {
		d.waiting = slices.Concat(again, d.waiting)
		d.handOut()
	}
	return len(again)
}

// takeAll takes all units from a worker.
func (d *dispatcher) takeAll(worker string) int {
	return d.takeFrom(worker, d.at(worker, func(*unit) bool { return true }))
}

// idle reports whether no units wait and some worker has room.
func (d *dispatcher) idle() bool { return len(d.waiting) == 0 && d.registry.rooms.idle() }

// reconcile compares what workers have with their new hellos: units that a hello does not
// list, though they were sent long before it, were lost on the way.
func (d *dispatcher) reconcile() {
	for _, h := range d.registry.hellos(d.registry.rooms.takeGreeted()) {
		listed := map[string]bool{}
		for _, id := range h.units {
			listed[id] = true
		}
		lost := d.at(h.worker, func(u *unit) bool {
			return !listed[u.id] && (h.leaving || h.seen.Sub(u.given) >= deliveryTime)
		})
		if d.takeFrom(h.worker, lost) > 0 {
			d.room(h.worker)
		}
	}
	d.handOut()
}
