package worker

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
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
			return wire.ErrCredentials // the server closed it for good
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
	ctx, cancel := context.WithTimeout(ctx, wire.PollTimeout)
	defer cancel()
	var err error
	f.consumer, err = f.js.Consumer(ctx, wire.UnitStream, run)
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
