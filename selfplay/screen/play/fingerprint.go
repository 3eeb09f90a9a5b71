package play

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/screen"
)

// Try plays a game of each player with itself, on this machine. It returns what the games were, moves, scores and
// nodes, and how long a game takes when as many are played at once as the screen does. Players that search alike have
// equal games, unless time limits them.
func (c *Config) Try(ctx context.Context, players ...selfplay.Entrant) (games []string, each time.Duration, err error) {
	var jobs []selfplay.Job
	for _, e := range players {
		jobs = append(jobs, c.Setup.Job(0, e, e))
	}
	started := time.Now()
	results, err := c.local(ctx, c.Concurrency, jobs)
	for i := range results {
		if err == nil && results[i].Void != "" {
			err = fmt.Errorf("%s: %w: %s", players[i].Label(), selfplay.ErrPreflight, results[i].Void)
		}
		games = append(games, fmt.Sprint(results[i].Moves, results[i].Scores, results[i].Nodes))
	}
	return games, time.Since(started) / time.Duration(max(1, len(players))), err
}

// local plays games on this machine.
func (c *Config) local(ctx context.Context, atOnce int, list []selfplay.Job) ([]selfplay.Result, error) {
	jobs, results := make(chan selfplay.Job, len(list)), make(chan selfplay.Result, len(list))
	for i := range list {
		list[i].Number = uint64(i)
		jobs <- list[i]
	}
	close(jobs)
	if err := (&selfplay.Local{Open: c.Open, Elsewhere: c.Elsewhere, Workers: atOnce}).Run(ctx, jobs,
		results); err != nil {
		return nil, err
	}
	games := make([]selfplay.Result, len(list))
	for range list {
		g := <-results
		games[g.Number] = g
	}
	return games, nil
}

// positions are those that are searched to compare speeds.
var positions = []string{board.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"}

// speedNodes are those of a search that compares speeds.
const speedNodes = 30000

// Speeds compares the nodes a second of the players before the first game: in pairs of the design they play two plies
// from the same positions, one game at a time. Errors are large while the machine does other things.
func (c *Config) Speeds(ctx context.Context) ([]screen.Speed, error) {
	var jobs []selfplay.Job
	var pairs []screen.Pair
	for n := range uint64(3*c.Design.Factors + 10) {
		p := screen.Pair{Opening: n}
		p.A, p.B = c.Design.Comparison(n*screen.PerOpening+n%screen.PerOpening, screen.Fixed{})
		for _, sides := range [2][2]screen.Subset{{p.A, p.B}, {p.B, p.A}} {
			job := c.Setup.Job(n, c.Player(sides[0]), c.Player(sides[1]))
			job.Start, job.Plies = positions[n%uint64(len(positions))], 2
			job.Limits = [2]selfplay.Limits{{Nodes: speedNodes}, {Nodes: speedNodes}}
			jobs = append(jobs, job)
		}
		pairs = append(pairs, p)
	}
	games, err := c.local(ctx, 1, jobs)
	if err != nil {
		return nil, err
	}
	t := tally{terminations: map[string]int64{}}
	for i, p := range pairs {
		t.add(games[2*i:2*i+2], p.A, p.B)
	}
	return c.Design.Speeds(pairs, t.speeds), nil
}
