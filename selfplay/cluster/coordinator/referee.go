package coordinator

import (
	"context"
	"slices"
	"sync"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// referee plays units in the coordinator's own process, one at a time: those on which workers
// disagree, replays if there is only one worker, and what workers cannot play or take too
// long for.
type referee struct {
	verdicts chan verdict
	done     sync.WaitGroup

	mu    sync.Mutex
	queue []*unit
	wake  chan struct{}
}

// verdict is the referee's result of a unit.
type verdict struct {
	unit   *unit
	sum    string
	result *selfplay.Result
	err    error
}

func newReferee(ctx context.Context, open selfplay.Opener) *referee {
	j := &referee{verdicts: make(chan verdict, 16), wake: make(chan struct{}, 1)}
	j.done.Go(func() {
		for {
			u := j.next(ctx)
			if u == nil {
				return
			}
			v := verdict{unit: u}
			var r selfplay.Result
			if r, v.err = playHere(ctx, open, u.job); v.err == nil {
				v.result = &r
				v.sum, v.err = wire.Checksum(&r)
			}
			select {
			case j.verdicts <- v:
			case <-ctx.Done():
				return
			}
		}
	})
	return j
}

// playHere plays a job in this process.
func playHere(ctx context.Context, open selfplay.Opener, job selfplay.Job) (selfplay.Result, error) {
	jobs, results := make(chan selfplay.Job, 1), make(chan selfplay.Result, 1)
	jobs <- job
	close(jobs)
	if err := (&selfplay.Local{Open: open, Workers: 1}).Run(ctx, jobs, results); err != nil {
		return selfplay.Result{}, err
	}
	return <-results, nil
}

// request asks for a unit to be played. Asking twice has no effect.
func (r *referee) request(u *unit) {
	r.mu.Lock()
	if !slices.Contains(r.queue, u) {
		r.queue = append(r.queue, u)
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// busy reports whether units wait to be played.
func (r *referee) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue) > 0
}

// cancel withdraws a request.
func (r *referee) cancel(u *unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = slices.DeleteFunc(r.queue, func(x *unit) bool { return x == u })
}

// next waits for a request; it returns nil when ctx ends.
func (r *referee) next(ctx context.Context) *unit {
	for {
		r.mu.Lock()
		if len(r.queue) > 0 {
			u := r.queue[0]
			r.queue = r.queue[1:]
			r.mu.Unlock()
			return u
		}
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		}
	}
}

// clear withdraws all requests, since their series is over.
func (r *referee) clear() {
	r.mu.Lock()
	r.queue = nil
	r.mu.Unlock()
}

// wait waits until the referee has stopped, after its context ended.
func (r *referee) wait() { r.done.Wait() }
