package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/assay-chess/assay/selfplay"
)

// maxFaultsTold is how many faults of players are told while games are played.
const maxFaultsTold = 10

// faultTeller is a runner that tells what players did wrong, as it happens.
type faultTeller struct {
	selfplay.Runner
	tell func(text string)

	mu   sync.Mutex
	told int
}

// Run implements selfplay.Runner.
func (f *faultTeller) Run(ctx context.Context, jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	inner, ended := make(chan selfplay.Result), make(chan error, 1)
	go func() { ended <- f.Runner.Run(ctx, jobs, inner) }()
	for {
		select {
		case err := <-ended:
			return err
		case r := <-inner:
			f.see(&r)
			select {
			case results <- r:
			case <-ctx.Done():
				return <-ended
			}
		}
	}
}

func (f *faultTeller) see(r *selfplay.Result) {
	if r.Fault == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told++
	switch {
	case f.told == maxFaultsTold+1:
		f.tell("more faults are not told here; with --out the journal has them all")
	case f.told > maxFaultsTold:
	case r.Try > 0:
		f.tell(fmt.Sprintf("check of opening %d: %s: %s", r.Number, r.Termination, r.Fault))
	default:
		f.tell(fmt.Sprintf("game %d: %s: %s", r.Number, r.Termination, r.Fault))
	}
}

// say writes a line among those of progress.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // it is drawn again at the next update
	}
	fmt.Fprintf(p.w, "%s: %s\n", p.label, text)
}
