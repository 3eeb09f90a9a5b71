package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// How long the queue may keep a request for units: Worker.Pull, where there was nothing to
// do for a while, since a thousand workers at rest ask a thousand times in that time; less
// where there was, because a queue that gets another leader forgets requests. One is never
// broken off, not even by a worker that leaves: units that are on their way then would be
// nobody's until their lease ran out.
const (
	defaultPollTimeout = 4 * time.Second
	busyPollTimeout    = time.Second
	busyFor            = 15 * time.Second // from its last unit, a worker is
)

// feed leases units for a worker's lanes: in one request, as many as lanes are free.
type fetcher struct {
	*Worker
	consumer  jetstream.Consumer
	units     chan jetstream.Msg
	freeLoops chan struct{} // one for each lane that is free
}

func newFetcher(w *Worker, lanes int) *fetcher {
	f := &fetcher{Worker: w, units: make(chan jetstream.Msg, lanes), freeLoops: make(chan struct{}, lanes)}
	for range lanes {
		f.freeLoops <- struct{}{}
	}
	return f
}

// serve leases units of a run until ctx ends, which is no error.
func (f *fetcher) serve(ctx context.Context, run string) error {
	defer close(f.units)
	for ctx.Err() == nil {
		if f.nc.IsClosed() {
			return ErrCredentials // the server closed it for good
		}
		if f.consumer == nil && !f.findQueue(ctx, run) {
			sleep(ctx, retryAfter)
			continue
		}
		select {
		case <-ctx.Done():
		case <-f.freeLoops:
			f.fetch(ctx)
		}
	}
	return nil
}

// find finds the run's queue.
func (f *fetcher) findQueue(ctx context.Context, run string) bool {
	ctx, cancel := context.WithTimeout(ctx, PollTimeout)
	defer cancel()
	var err error
	f.consumer, err = f.js.Consumer(ctx, UnitStream, run)
	return err == nil
}

// lease leases units for all lanes that are free, at least the one it was called for.
func (f *fetcher) fetch(ctx context.Context) {
	free := 1 + len(f.freeLoops)
	for range free - 1 {
		<-f.freeLoops
	}
	defer func() {
		for range free {
			f.freeLoops <- struct{}{}
		}
	}()
	units, err := f.consumer.Fetch(free, jetstream.FetchMaxWait(f.pollTimeout()))
	if err != nil {
		sleep(ctx, retryAfter)
		return
	}
	for m := range units.Messages() {
		f.leases.add(m)
		f.units <- m
		free--
	}
	if units.Error() != nil {
		sleep(ctx, retryAfter) // nobody has the queue, or another leads it now
	}
}

// pull is how long the queue may keep a request now.
func (f *fetcher) pollTimeout() time.Duration {
	if time.Since(time.Unix(0, f.lastWork.Load())) < busyFor {
		return min(busyPollTimeout, f.PollTimeout)
	}
	return f.PollTimeout
}

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
		ids = append(ids, m.Headers().Get(UnitHeader))
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
