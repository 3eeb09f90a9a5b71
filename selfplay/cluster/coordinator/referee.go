package coordinator

import (
	"context"
	"slices"
	"sync"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// judge plays units in the coordinator's own process: what workers disagree about, the
// checks of a worker who is alone, and what workers cannot play, or do not get done with.
// It plays one at a time.
type referee struct {
	verdicts chan verdict
	done     sync.WaitGroup

	mu    sync.Mutex
	queue []*unit
	wake  chan struct{}
}

// verdict is what the judge made of a unit.
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

// playHere plays one job in this process.
func playHere(ctx context.Context, open selfplay.Opener, job selfplay.Job) (selfplay.Result, error) {
	jobs, results := make(chan selfplay.Job, 1), make(chan selfplay.Result, 1)
	jobs <- job
	close(jobs)
	if err := (&selfplay.Local{Open: open, Workers: 1}).Run(ctx, jobs, results); err != nil {
		return selfplay.Result{}, err
	}
	return <-results, nil
}

// ask has a unit played. Asking twice is asking once.
func (j *referee) request(u *unit) {
	j.mu.Lock()
	if !slices.Contains(j.queue, u) {
		j.queue = append(j.queue, u)
	}
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// drop takes back what nobody wants to know any more.
func (j *referee) cancel(u *unit) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue = slices.DeleteFunc(j.queue, func(x *unit) bool { return x == u })
}

// next waits for a unit; nil if ctx ends.
func (j *referee) next(ctx context.Context) *unit {
	for {
		j.mu.Lock()
		if len(j.queue) > 0 {
			u := j.queue[0]
			j.queue = j.queue[1:]
			j.mu.Unlock()
			return u
		}
		j.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-j.wake:
		}
	}
}

// forget drops what a series that ended wanted to know.
func (j *referee) clear() {
	j.mu.Lock()
	j.queue = nil
	j.mu.Unlock()
}

// wait returns when the judge's context has ended and it has stopped.
func (j *referee) wait() { j.done.Wait() }
