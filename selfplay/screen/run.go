package screen

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Run plays the screen to its end and returns its result. With Out it continues where an earlier call stopped, and
// returns the result of a complete screen without playing. After an error it can be resumed; if Out has another
// configuration, the error is a *durable.ConfigChangedError. If too many games failed, the error wraps
// selfplay.ErrNoVerdict, and the result has the verdict gamelog.NoVerdict.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(ctx, c.Games/GamesPerOpening)
	if err != nil {
		return nil, fmt.Errorf("screen: %w", err)
	}
	s := &session{Config: c, openings: openings, decisions: []decision{},
		faults: faults{byLevel: make([][2]int64, len(c.Factors))}}
	alone := c.Tolerance
	alone.Recover = true // forfeits are judged by level
	s.games = gamelog.Pairs{Name: "screen", Over: s.over, Count: s.count, After: s.progress,
		Guard: gamelog.Guard{Tolerance: alone, Slots: c.Runner.Parallel(), Names: []string{c.Base.Label()}}}
	return gamelog.PlayRun(ctx, &s.games, gamelog.Run[Result]{Setup: &s.Setup, Try: []selfplay.Player{c.Base},
		Players: []*selfplay.Player{&s.Base}, Identity: s.identity(openings), Header: s.header,
		Reload: func(run *durable.Run, r *Result) error {
			r.Process = gamelog.Before(run)
			return nil
		}, Games: c.Games, Play: s.play})
}

// session is a screen in progress.
type session struct {
	Config
	faults
	openings  opening.Source
	games     gamelog.Pairs
	pairs     []scoredPair // counted
	fixed     []stratum    // from which pair on; none: from no pair
	decided   Subset
	decisions []decision
	look      int    // the next
	reason    string // why there is no verdict
}

// stratum is a part of the pairs with the same fixed factors.
type stratum struct {
	from uint64
	fixedFactors
}

func (s *session) play(ctx context.Context) (*Result, error) {
	series := s.Setup.Series(opening.Rounds{Source: s.openings, Pairs: perOpening})
	series.Job, series.End, series.Repeats = s.job, s.Config.pairs(), true
	series.Hold = func(pair uint64) bool {
		return s.Fix && s.look < len(lookShares) && pair >= s.looks()[s.look]
	}
	err := s.games.Play(ctx, series)
	if err == nil && s.reason != "" {
		err = fmt.Errorf("screen: %w: %s", selfplay.ErrNoVerdict, s.reason)
	}
	r := s.conclude()
	switch {
	case r.Verdict != "":
		return r, err
	case err != nil:
		return nil, err
	}
	return r, s.games.Finish(r)
}

// over reports whether nothing more counts: all pairs are, all factors are decided, or games failed.
func (s *session) over() bool {
	return uint64(len(s.pairs)) >= s.Config.pairs() || s.reason != "" ||
		s.decided.Size() == len(s.Factors) && s.look < len(lookShares)
}

// sides returns the subsets A and B of a game, and which of them has White: A in the first game of a pair.
func (s *session) sides(game uint64) (sides [2]Subset, white int) {
	pair := game / 2
	var fixed fixedFactors
	for _, f := range s.fixed {
		if pair >= f.from {
			fixed = f.fixedFactors
		}
	}
	sides[0], sides[1] = s.Design.comparison(pair, fixed)
	return sides, int(game % 2)
}

func (s *session) job(number uint64) selfplay.Job {
	sides, white := s.sides(number)
	return s.Setup.Job(number, s.Player(sides[white]), s.Player(sides[1-white]))
}

// header names the players of a game. Identities have the subset's number, since they must be short.
func (s *session) header(g *selfplay.Result) gamelog.Header {
	sides, white := s.sides(g.Number)
	player := func(of Subset) selfplay.Player {
		return selfplay.Player{ID: fmt.Sprintf("%s subset %b", s.Base.Identity(), of), Name: s.label(of)}
	}
	return gamelog.HeaderOf(g.Number, [2]selfplay.Limits{s.Limits, s.Limits},
		[2]selfplay.Player{player(sides[white]), player(sides[1-white])})
}

// count counts a pair, and looks whether factors are decided if it is time to.
func (s *session) count(pair []selfplay.Result) error {
	number := uint64(len(s.pairs))
	sides, _ := s.sides(2 * number)
	points := int(pair[0].Result) - int(pair[1].Result)
	s.pairs = append(s.pairs, scoredPair{A: sides[0], B: sides[1], Score: 0.5 + float64(points)/4,
		Opening: number / perOpening, Stratum: len(s.fixed)})
	s.faults.add(pair, sides[0], sides[1])
	if n := number + 1; n&(n-1) == 0 || n == s.Config.pairs() {
		s.reason = s.tooMany(s.games.Guard.Tally.Games(), s.Tolerance, s.Base.Label())
	}
	for s.look < len(lookShares) && number+1 >= s.looks()[s.look] {
		s.decide(number + 1)
	}
	return nil
}

// decide looks at the first pairs.
func (s *session) decide(pairs uint64) {
	e := s.Design.effects(s.pairs)
	now := e.decide(s.look, s.decided)
	s.look++
	if now == s.decided {
		return
	}
	fix := s.Fix && s.look < len(lookShares)
	s.decisions = append(s.decisions, decision{Games: 2 * pairs, Factors: s.names(now &^ s.decided), Fixed: fix})
	if fix {
		var was fixedFactors
		if len(s.fixed) > 0 {
			was = s.fixed[len(s.fixed)-1].fixedFactors
		}
		s.fixed = append(s.fixed, stratum{pairs, e.fix(now, was)})
	}
	s.decided = now
}

func (s *session) progress() {
	note := ""
	if s.decided != 0 {
		note = fmt.Sprintf("decided: %d of %d factors", s.decided.Size(), len(s.Factors))
	}
	s.Progress(2*int64(len(s.pairs)), int64(s.Games), note)
}

// Try plays a game of each player with itself, on this machine. It returns what the games were, moves, scores and
// nodes, and how long a game takes when as many are played at once as the screen does. Players that search alike have
// equal games, unless time limits them.
func (c *Config) Try(ctx context.Context, players ...selfplay.Player) (games []string, each time.Duration, err error) {
	tasks, results := make(chan selfplay.Task, len(players)), make(chan selfplay.Result, len(players))
	for i, e := range players {
		job := c.Setup.Job(0, e, e)
		job.Number = uint64(i)
		tasks <- &job
	}
	close(tasks)
	started := time.Now()
	local := selfplay.Local{Open: c.Open, Workers: c.Concurrency}
	if err := local.Run(ctx, tasks, results); err != nil {
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
