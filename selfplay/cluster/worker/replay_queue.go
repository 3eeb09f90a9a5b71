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

// replayQueue holds the units that this worker has to replay. They come past the work queue,
// which could lease them to the worker that played them first. The coordinator notices lost
// ones. It is safe for concurrent use.
type replayQueue struct {
	*player
	waiting chan *wire.Unit

	mu     sync.Mutex
	queued map[string]struct{} // ids
}

func newReplayQueue(p *player) *replayQueue {
	return &replayQueue{player: p, waiting: make(chan *wire.Unit, wire.MaxReplays), queued: map[string]struct{}{}}
}

// receive queues the unit in a message, unless it is there already.
func (q *replayQueue) receive(m *nats.Msg) {
	var u wire.Unit
	if json.Unmarshal(m.Data, &u) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.queued[u.ID]; known {
		return
	}
	select {
	case q.waiting <- &u:
		q.queued[u.ID] = struct{}{}
	default:
	}
}

// ids returns the ids of the units that are not answered yet.
func (q *replayQueue) ids() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.queued))
}

func (q *replayQueue) done(u *wire.Unit) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.queued, u.ID)
}

// serve plays and answers one unit after the other until ctx ends; then it returns nil.
func (q *replayQueue) serve(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case u := <-q.waiting:
			a, err := q.perform(ctx, u)
			if a != nil {
				_, err = q.answer(ctx, a)
			}
			q.done(u)
			if err != nil {
				return err
			}
		}
	}
}
