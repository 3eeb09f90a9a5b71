package gamelogtest

import (
	"context"

	"github.com/assay-chess/assay/selfplay"
)

// Changing is a runner that changes the results of another.
type Changing struct {
	selfplay.Runner
	Change func(*selfplay.Result)
}

// Run implements selfplay.Runner.
func (c *Changing) Run(ctx context.Context, jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	inner, ended := make(chan selfplay.Result), make(chan error, 1)
	go func() { ended <- c.Runner.Run(ctx, jobs, inner) }()
	for {
		select {
		case err := <-ended:
			return err
		case r := <-inner:
			c.Change(&r)
			select {
			case results <- r:
			case <-ctx.Done():
				return <-ended
			}
		}
	}
}
