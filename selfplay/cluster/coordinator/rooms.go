package coordinator

import (
	"maps"
	"slices"
	"sync"
)

// rooms is which workers have room for a unit, one after the other in turn. It is safe for concurrent use.
type rooms struct {
	registry *registry

	mu      sync.Mutex
	held    map[string]int  // units that a worker has or may be sent
	roomy   []string        // workers that may have room for a unit, the next one first
	listed  map[string]bool // those in roomy
	greeted map[string]bool // workers with units that said hello since takeGreeted
}

func newRooms(r *registry) *rooms {
	return &rooms{registry: r, held: map[string]int{}, listed: map[string]bool{}, greeted: map[string]bool{}}
}

// room notes that workers may have room.
func (r *rooms) room(workers ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, worker := range workers {
		r.list(worker)
	}
}

// greet notes that a worker said hello: the session compares its units with it.
func (r *rooms) greet(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[worker] > 0 {
		r.greeted[worker] = true
	}
	r.list(worker)
}

// takeGreeted returns the workers with units that said hello since it was called last.
func (r *rooms) takeGreeted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := slices.Collect(maps.Keys(r.greeted))
	clear(r.greeted)
	return names
}

func (r *rooms) list(worker string) {
	if !r.listed[worker] {
		r.listed[worker] = true
		r.roomy = append(r.roomy, worker)
	}
}

// take returns a worker to which a unit may be sent now; false if there is none. The caller sends it a unit, or
// releases it.
func (r *rooms) take() (worker string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.roomy) > 0 {
		worker = r.roomy[0]
		r.roomy = r.roomy[1:]
		if r.held[worker] < r.registry.quota(worker) {
			r.roomy = append(r.roomy, worker)
			r.held[worker]++
			return worker, true
		}
		delete(r.listed, worker)
	}
	return "", false
}

// release notes that a worker no longer has that many units.
func (r *rooms) release(worker string, units int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[worker] -= units; r.held[worker] <= 0 {
		delete(r.held, worker)
	}
}

// idle reports whether a worker without units has room.
func (r *rooms) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.roomy, func(worker string) bool {
		return r.held[worker] == 0 && r.registry.quota(worker) > 0
	})
}
