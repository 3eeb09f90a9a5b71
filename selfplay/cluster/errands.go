package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
)

// maxErrands bounds the checks that wait at a worker. The coordinator sends what a worker
// does not say that it has to another.
const maxErrands = 64

// errands are the units that a worker was sent to check: by itself, and past the queue,
// which could lease them to whom they are about. Lost ones are the coordinator's concern.
type errands struct {
	*hand
	waiting chan *Unit

	mu   sync.Mutex
	held map[string]struct{} // by id
}

func newErrands(h *hand) *errands {
	return &errands{hand: h, waiting: make(chan *Unit, maxErrands), held: map[string]struct{}{}}
}

// hear takes a message with a unit to check.
func (e *errands) hear(m *nats.Msg) {
	var u Unit
	if json.Unmarshal(m.Data, &u) != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.held[u.ID]; known {
		return
	}
	select {
	case e.waiting <- &u:
		e.held[u.ID] = struct{}{}
	default:
	}
}

// ids are those of the units that are not answered yet.
func (e *errands) ids() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.held))
}

func (e *errands) done(u *Unit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.held, u.ID)
}

// serve plays and answers one unit after the other until ctx ends, which is no error.
func (e *errands) serve(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case u := <-e.waiting:
			a, err := e.perform(ctx, u)
			if a != nil {
				_, err = e.answer(ctx, a)
			}
			e.done(u)
			if err != nil {
				return err
			}
		}
	}
}
