package worker

import (
	"context"

	"github.com/assay-chess/assay/selfplay"
)

// slot plays one job at a time, and keeps the players open in between. It is a
// selfplay.Local of one game at once, called like a function.
type slot struct {
	open    selfplay.Opener
	jobs    chan selfplay.Job
	results chan selfplay.Result
	done    chan error // receives the error of the Local; nil while none runs
	specs   map[string]bool
}

// maxSpecs is how many players a slot keeps open.
const maxSpecs = 6

func newSlot(open selfplay.Opener) *slot { return &slot{open: open} }

// play plays a job. An error does not spoil the slot.
func (s *slot) play(ctx context.Context, job selfplay.Job) (selfplay.Result, error) {
	if len(s.specs) > maxSpecs {
		s.close()
	}
	if s.done == nil {
		s.start(ctx)
	}
	for _, spec := range job.Players {
		s.specs[spec.String()] = true
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
		<-s.done // errors of closing players do not matter
		s.done = nil
	}
}
