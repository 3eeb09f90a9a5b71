package screen

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// Try plays a game of each player with itself, on this machine. It returns what the games were, moves, scores and
// nodes, and how long a game takes when as many are played at once as the screen does. Players that search alike have
// equal games, unless time limits them.
func (c *Config) Try(ctx context.Context, players ...selfplay.Player) (games []string, each time.Duration, err error) {
	jobs, results := make(chan selfplay.Job, len(players)), make(chan selfplay.Result, len(players))
	for i, e := range players {
		job := c.Setup.Job(0, e, e)
		job.Number = uint64(i)
		jobs <- job
	}
	close(jobs)
	started := time.Now()
	local := selfplay.Local{Open: c.Open, Workers: c.Concurrency}
	if err := local.Run(ctx, jobs, results); err != nil {
		return nil, 0, err
	}
	each = time.Since(started) / time.Duration(max(1, len(players)))
	games = make([]string, len(players))
	for range players {
		g := <-results
		if err == nil && g.Void != "" {
			err = fmt.Errorf("%s: %w: %s", players[g.Number].Label(), selfplay.ErrPreflight, g.Void)
		}
		games[g.Number] = fmt.Sprint(g.Moves, g.Scores, g.Nodes)
	}
	return games, each, err
}
