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
	defaultPull = 4 * time.Second
	busyPull    = time.Second
	busy        = 15 * time.Second // from its last unit, a worker is
)

// feed leases units for a worker's lanes: in one request, as many as lanes are free.
type feed struct {
	*Worker
	consumer jetstream.Consumer
	leased   chan jetstream.Msg
	idle     chan struct{} // one for each lane that is free
}

func newFeed(w *Worker, lanes int) *feed {
	f := &feed{Worker: w, leased: make(chan jetstream.Msg, lanes), idle: make(chan struct{}, lanes)}
	for range lanes {
		f.idle <- struct{}{}
	}
	return f
}

// serve leases units of a run until ctx ends, which is no error.
func (f *feed) serve(ctx context.Context, run string) error {
	defer close(f.leased)
	for ctx.Err() == nil {
		if f.nc.IsClosed() {
			return ErrCredentials // the server closed it for good
		}
		if f.consumer == nil && !f.find(ctx, run) {
			sleep(ctx, pause)
			continue
		}
		select {
		case <-ctx.Done():
		case <-f.idle:
			f.lease(ctx)
		}
	}
	return nil
}

// find finds the run's queue.
func (f *feed) find(ctx context.Context, run string) bool {
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	var err error
	f.consumer, err = f.js.Consumer(ctx, unitStream, run)
	return err == nil
}

// lease leases units for all lanes that are free, at least the one it was called for.
func (f *feed) lease(ctx context.Context) {
	free := 1 + len(f.idle)
	for range free - 1 {
		<-f.idle
	}
	defer func() {
		for range free {
			f.idle <- struct{}{}
		}
	}()
	units, err := f.consumer.Fetch(free, jetstream.FetchMaxWait(f.pull()))
	if err != nil {
		sleep(ctx, pause)
		return
	}
	for m := range units.Messages() {
		f.leases.add(m)
		f.leased <- m
		free--
	}
	if units.Error() != nil {
		sleep(ctx, pause) // nobody has the queue, or another leads it now
	}
}

// pull is how long the queue may keep a request now.
func (f *feed) pull() time.Duration {
	if time.Since(time.Unix(0, f.worked.Load())) < busy {
		return min(busyPull, f.Pull)
	}
	return f.Pull
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
		ids = append(ids, m.Headers().Get(idHeader))
	}
	return ids
}

// keep tells the queue, again and again until ctx ends, that the units are in good hands.
func (s *leases) keep(ctx context.Context, every time.Duration) {
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
