package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// maxFaultsShown is how many faults of players are reported while games are played.
const maxFaultsShown = 10

// faultReporter is a runner that reports faults of players and void games as they happen.
type faultReporter struct {
	selfplay.Runner
	report func(text string)

	mu    sync.Mutex
	shown int
}

// Run implements selfplay.Runner.
func (f *faultReporter) Run(ctx context.Context, jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
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

func (f *faultReporter) see(r *selfplay.Result) {
	what, why := string(r.Termination), r.Fault
	if r.Void != "" {
		what, why = "void", r.Void
	}
	if why == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown++
	switch {
	case f.shown == maxFaultsShown+1:
		f.report("further faults are not shown; with --out the journal has all of them")
	case f.shown > maxFaultsShown:
	case r.Try > 0:
		f.report(fmt.Sprintf("check of opening %d: %s: %s", r.Number, what, why))
	default:
		f.report(fmt.Sprintf("game %d: %s: %s", r.Number, what, why))
	}
}

// faultsText says where to read about the forfeits of the run in the folder.
func faultsText(out string) string {
	switch n := gamelog.FaultLogs(out); {
	case out == "":
		return "with --out, logs are kept"
	case n > 0:
		return fmt.Sprintf("logs of %d in %s", n, filepath.Join(out, gamelog.FaultsName))
	}
	return "see the journal"
}

// say prints a line between those of the progress bar.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // it is drawn again at the next update
	}
	fmt.Fprintf(p.w, "%s: %s\n", p.label, text)
}
