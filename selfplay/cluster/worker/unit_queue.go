package worker

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// unitQueue holds the units that the coordinator sent this worker: games and checks of
// openings, or replays. The coordinator learns from hellos which ones got lost on the way.
// It is safe for concurrent use.
type unitQueue struct {
	*player
	waiting chan *wire.Unit

	mu     sync.Mutex
	queued map[string]struct{} // ids
}

const (
	// retryAfter is the pause after something went wrong.
	retryAfter = 500 * time.Millisecond
	// answerTimeout is how long a coordinator may take to put an answer on disk.
	answerTimeout = 5 * time.Second
)

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// newUnitQueue returns a queue of at most that many waiting units.
func newUnitQueue(p *player, most int) *unitQueue {
	return &unitQueue{player: p, waiting: make(chan *wire.Unit, most), queued: map[string]struct{}{}}
}

// receive queues the unit in a message, unless it is there already.
func (q *unitQueue) receive(m *nats.Msg) {
	var u wire.Unit
	if json.Unmarshal(m.Data, &u) != nil || u.ID == "" {
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
func (q *unitQueue) ids() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.queued))
}

func (q *unitQueue) done(u *wire.Unit) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.queued, u.ID)
}

// drop forgets the units that are not being played.
func (q *unitQueue) drop() {
	for {
		select {
		case u := <-q.waiting:
			q.done(u)
		default:
			return
		}
	}
}

// serve plays and answers one unit after the other until ctx ends; then it returns nil.
func (q *unitQueue) serve(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case u := <-q.waiting:
			a, err := q.perform(ctx, u)
			if a != nil {
				err = q.answer(ctx, a)
			}
			q.done(u)
			if err != nil {
				return err
			}
			if a != nil && (a.Failed != "" || a.Returned != "") {
				sleep(ctx, retryAfter)
			}
		}
	}
	return nil
}
