package worker

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// How long the queue may hold a request for units. The default is long, because a thousand
// idle workers send a thousand requests in that time. A worker that had units lately asks
// more often, because a queue forgets requests when it changes its leader. No request is
// canceled, even if the worker leaves: a unit on its way would belong to no one until its
// lease expires.
const (
	defaultPollTimeout = 4 * time.Second
	busyPollTimeout    = time.Second
	busyFor            = 15 * time.Second // since its last unit, a worker counts as busy
)

// fetcher leases units for a worker's loops. One request asks for as many as loops are free.
type fetcher struct {
	*Worker
	consumer  jetstream.Consumer
	units     chan jetstream.Msg
	freeLoops chan struct{} // one token for each free loop
}

func newFetcher(w *Worker, loops int) *fetcher {
	f := &fetcher{Worker: w, units: make(chan jetstream.Msg, loops), freeLoops: make(chan struct{}, loops)}
	for range loops {
		f.freeLoops <- struct{}{}
	}
	return f
}

// serve leases units of a run until ctx ends; then it returns nil.
func (f *fetcher) serve(ctx context.Context, run string) error {
	defer close(f.units)
	for ctx.Err() == nil {
		if f.nc.IsClosed() {
			return wire.ErrCredentials // the server closed the connection for good
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

// findQueue finds the run's queue, and reports whether it did.
func (f *fetcher) findQueue(ctx context.Context, run string) bool {
	ctx, cancel := context.WithTimeout(ctx, wire.PollTimeout)
	defer cancel()
	var err error
	f.consumer, err = f.js.Consumer(ctx, wire.UnitStream, run)
	return err == nil
}

// fetch leases units for all free loops. The caller has taken the token of one of them.
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
		sleep(ctx, retryAfter) // no server has the queue, or it changes its leader
	}
}

// pollTimeout is how long the queue may hold a request now.
func (f *fetcher) pollTimeout() time.Duration {
	if time.Since(time.Unix(0, f.lastWork.Load())) < busyFor {
		return min(busyPollTimeout, f.PollTimeout)
	}
	return f.PollTimeout
}
