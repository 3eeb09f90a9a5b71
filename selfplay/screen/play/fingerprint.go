package play

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
)

// Try plays a game of each player with itself, on this machine. It returns what the games were, moves, scores and
// nodes, and how long a game takes when as many are played at once as the screen does. Players that search alike have
// equal games, unless time limits them.
func (c *Config) Try(ctx context.Context, players ...selfplay.Entrant) (games []string, each time.Duration, err error) {
	runner := &selfplay.Local{Open: c.Open, Workers: c.Concurrency}
	jobs, results := make(chan selfplay.Job), make(chan selfplay.Result)
	ended := make(chan error, 1)
	started := time.Now()
	go func() { ended <- runner.Run(ctx, jobs, results) }()
	go func() {
		defer close(jobs)
		for i, e := range players {
			job := selfplay.Job{Number: uint64(i), Players: [2]engine.Spec{e.Spec, e.Spec},
				Options: [2][]engine.Option{e.Options, e.Options},
				Limits:  [2]selfplay.Limits{c.Limits, c.Limits}, Rule: c.Rule, Plies: c.MaxPlies, Seed: 1}
			select {
			case jobs <- job:
			case <-ctx.Done():
				return
			}
		}
	}()
	games = make([]string, len(players))
	for range players {
		select {
		case g := <-results:
			if g.Void != "" {
				err = fmt.Errorf("%s: %w: %s", players[g.Number].Label(), selfplay.ErrPreflight, g.Void)
			}
			games[g.Number] = fmt.Sprint(g.Moves, g.Scores, g.Nodes)
		case err := <-ended:
			return nil, 0, err
		}
	}
	took := time.Since(started)
	if e := <-ended; err == nil {
		err = e
	}
	return games, took / time.Duration(max(1, len(players))), err
}
