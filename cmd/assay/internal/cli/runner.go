package cli

import (
	"context"

	"github.com/assay-chess/assay/selfplay"
)

// RunnerOf makes the runner of a run in the folder out. Done is called at its end.
type RunnerOf func(out string, replayShare float64, log func(string)) (r selfplay.Runner, done func(), err error)

type runnerKey struct{}

// WithRunner has the commands that play games take their runner from a queue.
func WithRunner(ctx context.Context, f RunnerOf) context.Context {
	return context.WithValue(ctx, runnerKey{}, f)
}

// RunnerFrom returns what WithRunner set; nil if a command runs by itself.
func RunnerFrom(ctx context.Context) RunnerOf {
	f, _ := ctx.Value(runnerKey{}).(RunnerOf)
	return f
}
