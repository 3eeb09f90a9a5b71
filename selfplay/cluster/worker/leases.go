package worker

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// leases are the units that a worker holds. It is safe for concurrent use.
type leases struct {
	mu   sync.Mutex
	held map[jetstream.Msg]struct{}
}

func (l *leases) add(m jetstream.Msg) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[jetstream.Msg]struct{}{}
	}
	l.held[m] = struct{}{}
}

func (l *leases) remove(m jetstream.Msg) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, m)
}

// ids returns the ids of the units.
func (l *leases) ids() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := make([]string, 0, len(l.held))
	for m := range l.held {
		ids = append(ids, m.Headers().Get(wire.UnitHeader))
	}
	return ids
}

// renew extends the leases at intervals until ctx ends.
func (l *leases) renew(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		for m := range l.held {
			_ = m.InProgress() // if it is lost, the next one may arrive
		}
		l.mu.Unlock()
	}
}
