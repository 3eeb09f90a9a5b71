package worker

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// errands are the units that a worker was sent to check: by itself, and past the queue,
// which could lease them to whom they are about. Lost ones are the coordinator's concern.
type replayQueue struct {
	*player
	waiting chan *wire.Unit

	mu     sync.Mutex
	queued map[string]struct{} // by id
}

func newReplayQueue(h *player) *replayQueue {
	return &replayQueue{player: h, waiting: make(chan *wire.Unit, wire.MaxReplays), queued: map[string]struct{}{}}
}

// hear takes a message with a unit to check.
func (e *replayQueue) receive(m *nats.Msg) {
	var u wire.Unit
	if json.Unmarshal(m.Data, &u) != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.queued[u.ID]; known {
		return
	}
	select {
	case e.waiting <- &u:
		e.queued[u.ID] = struct{}{}
	default:
	}
}

// ids are those of the units that are not answered yet.
func (e *replayQueue) ids() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.queued))
}

func (e *replayQueue) done(u *wire.Unit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.queued, u.ID)
}

// serve plays and answers one unit after the other until ctx ends, which is no error.
func (e *replayQueue) serve(ctx context.Context) error {
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
