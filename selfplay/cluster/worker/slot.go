package worker

import (
	"context"

	"github.com/assay-chess/assay/selfplay"
)

// seat plays one job after the other, with players that stay open in between: a
// selfplay.Local of one worker that can be asked.
type slot struct {
	open    selfplay.Opener
	jobs    chan selfplay.Job
	results chan selfplay.Result
	done    chan error // nil while nothing runs
	specs   map[string]bool
}

// maxSpecs is how many players a seat keeps open.
const maxSpecs = 6

func newSlot(open selfplay.Opener) *slot { return &slot{open: open} }

// play plays a job. After an error the seat is as good as new.
func (s *slot) play(ctx context.Context, job selfplay.Job) (selfplay.Result, error) {
	if len(s.specs) > maxSpecs {
		s.close()
	}
	if s.done == nil {
		s.start(ctx)
	}
	for _, spec := range job.Players {
		s.specs[spec] = true
	}
	select {
	case s.jobs <- job:
	case err := <-s.done:
		s.done = nil
		return selfplay.Result{}, err
	}
	select {
	case r := <-s.results:
		return r, nil
	case err := <-s.done:
		s.done = nil
		return selfplay.Result{}, err
	}
}

func (s *slot) start(ctx context.Context) {
	s.specs = map[string]bool{}
	s.jobs, s.results, s.done = make(chan selfplay.Job), make(chan selfplay.Result), make(chan error, 1)
	local := &selfplay.Local{Open: s.open, Workers: 1}
	go func(jobs <-chan selfplay.Job, results chan<- selfplay.Result, ended chan<- error) {
		ended <- local.Run(ctx, jobs, results)
	}(s.jobs, s.results, s.done)
}

// close closes the players.
func (s *slot) close() {
	if s.done != nil {
		close(s.jobs)
		<-s.done // what players say at their end is of no interest
		s.done = nil
	}
}
