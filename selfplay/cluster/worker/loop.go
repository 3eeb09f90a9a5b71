package worker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// lane has one leased unit after the other played and answered.
type loop struct {
	*player
	fetcher *fetcher
}

const (
	// pause is how long a worker waits when something is amiss.
	retryAfter = 500 * time.Millisecond
	// answerWithin is how long a coordinator may take to write an answer down.
	answerTimeout = 5 * time.Second
)

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// serve works until there are no more units, which is no error. When ctx ends, a unit that
// is being played is played to its end; one that is not goes back to the queue.
func (l *loop) serve(ctx context.Context) error {
	for m := range l.fetcher.units {
		if err := l.work(ctx, m); err != nil {
			return err
		}
		l.fetcher.freeLoops <- struct{}{}
	}
	return nil
}

// work does what a unit asks for, and acknowledges it when its answer is on disk. The lease
// is kept until then, however long the coordinator is away.
func (l *loop) work(ctx context.Context, m jetstream.Msg) error {
	defer l.leases.remove(m)
	if ctx.Err() != nil {
		giveBack(m, 0)
		return nil
	}
	var u wire.Unit
	if err := json.Unmarshal(m.Data(), &u); err != nil {
		_ = m.Term() // whatever it is, it is not for us
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
	case a.Failed != "":
		sleep(ctx, retryAfter)
		giveBack(m, retryAfter)
	default:
		_ = m.Ack() // does it not arrive, the unit is leased again, and its second answer compared
	}
	return err
}

// back gives a unit back, for others to lease after the delay. Does that not arrive, its
// lease runs out.
func giveBack(m jetstream.Msg, delay time.Duration) { _ = m.NakWithDelay(delay) }
