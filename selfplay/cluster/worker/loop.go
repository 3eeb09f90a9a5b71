package worker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// loop plays and answers one leased unit after the other.
type loop struct {
	*player
	fetcher *fetcher
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

// serve works until the fetcher has no more units. When ctx ends, it finishes the unit that
// it plays, and gives the others back to the queue.
func (l *loop) serve(ctx context.Context) error {
	for m := range l.fetcher.units {
		if err := l.work(ctx, m); err != nil {
			return err
		}
		l.fetcher.freeLoops <- struct{}{}
	}
	return nil
}

// work plays a unit, and acknowledges it once its answer is on disk. The lease is renewed
// until then, however long the coordinator is away.
func (l *loop) work(ctx context.Context, m jetstream.Msg) error {
	defer l.leases.remove(m)
	if ctx.Err() != nil {
		giveBack(m, 0)
		return nil
	}
	var u wire.Unit
	if err := json.Unmarshal(m.Data(), &u); err != nil {
		_ = m.Term() // not a unit: no worker can play it
		return nil
	}
	a, err := l.perform(ctx, &u)
	kept := false
	if a != nil {
		kept, err = l.answer(ctx, a)
	}
	switch {
	case !kept:
		giveBack(m, 0)
	case a.Failed != "" || a.Returned != "":
		sleep(ctx, retryAfter)
		giveBack(m, retryAfter)
	default:
		_ = m.Ack() // if it is lost, the unit is leased again, and its second answer compared
	}
	return err
}

// giveBack returns a unit to the queue, for other workers to lease after the delay. If the
// message is lost, the lease expires.
func giveBack(m jetstream.Msg, delay time.Duration) { _ = m.NakWithDelay(delay) }
