package coordinator

import (
	"context"
	"slices"
	"sync"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// referee plays units for the coordinator, one at a time: those on which workers
// disagree, replays if there is only one worker, and what workers cannot play or take too
// long for. One goroutine uses it.
type referee struct {
	ctx      context.Context
	here     selfplay.PlayFunc // in this process, or in a child of it
	queue    []*unit
	playing  bool         // until the session has called finished
	verdicts chan verdict // has room for the one that is under way
	games    sync.WaitGroup
}

// verdict is the referee's result of a unit.
type verdict struct {
	unit   *unit
	sum    string
	result *selfplay.Result
	err    error
}

func newReferee(ctx context.Context, here selfplay.PlayFunc) *referee {
	return &referee{ctx: ctx, here: here, verdicts: make(chan verdict, 1)}
}

// request asks for a unit to be played. Asking twice has no effect.
func (r *referee) request(u *unit) {
	if !slices.Contains(r.queue, u) {
		r.queue = append(r.queue, u)
	}
	r.playNext()
}

// cancel withdraws a request.
func (r *referee) cancel(u *unit) {
	r.queue = slices.DeleteFunc(r.queue, func(x *unit) bool { return x == u })
}

// finished notes that the session has received a verdict.
func (r *referee) finished() {
	r.playing = false
	r.playNext()
}

func (r *referee) playNext() {
	if r.playing || len(r.queue) == 0 {
		return
	}
	u := r.queue[0]
	r.queue, r.playing = r.queue[1:], true
	r.games.Go(func() { r.verdicts <- r.play(u) })
}

func (r *referee) play(u *unit) verdict {
	v := verdict{unit: u}
	result, err := r.here(r.ctx, &u.job)
	if v.err = err; err == nil {
		v.result = &result
		v.sum, v.err = wire.Checksum(v.result)
	}
	return v
}
