package worker

import (
	"context"
	"sync"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/nats-io/nats.go/jetstream"
)

// leases are the units that a worker holds.
type leases struct {
	mu   sync.Mutex
	held map[jetstream.Msg]struct{}
}

func (s *leases) add(m jetstream.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[jetstream.Msg]struct{}{}
	}
	s.held[m] = struct{}{}
}

func (s *leases) remove(m jetstream.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, m)
}

// ids are those of the units.
func (s *leases) ids() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.held))
	for m := range s.held {
		ids = append(ids, m.Headers().Get(wire.UnitHeader))
	}
	return ids
}

// keep tells the queue, again and again until ctx ends, that the units are in good hands.
func (s *leases) renew(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		for m := range s.held {
			_ = m.InProgress() // the next one may arrive
		}
		s.mu.Unlock()
	}
}
