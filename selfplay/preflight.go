package selfplay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// ErrPreflight says that a player does not work: it did not start, or did not play a move.
var ErrPreflight = errors.New("the player does not work")

// Limits of the move in a preflight.
const (
	preflightNodes = 1000
	preflightTime  = 100 * time.Millisecond
	preflightClock = time.Second // for the game
)

// Preflight starts each player once, on this machine, and asks it for one move. It is for
// the time before the first game: a player that never works would otherwise lose all its
// games, and its opponent would win a match without having played. The error is the first
// player's that has one: it wraps ErrPreflight, names the player, and contains the last line of its
// error output.
//
// Without an Opener it does nothing.
func (s *Place) Preflight(ctx context.Context, limits func(player int) Limits, players ...Player) error {
	if s.Open == nil {
		return nil
	}
	here := &Local{Open: s.Open}
	failed := make([]error, len(players))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, e := range players {
		group.Go(func() error {
			failed[i] = preflight(ctx, here, limits(i), e)
			return nil
		})
	}
	_ = group.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func preflight(ctx context.Context, here *Local, limits Limits, e Player) error {
	limits = limits.preflight()
	job := Job{Players: [2]engine.Spec{e.Spec}, Options: [2][]engine.Option{e.Options}, Limits: [2]Limits{limits, limits},
		Plies: 1}
	for ; ; job.Attempt++ {
		result, err := here.One(ctx, &job)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("%s: %w: %w", e.Label(), ErrPreflight, err)
		case result.Void != "" && job.Attempt < maxAttempt:
			continue
		case result.Void != "":
			return fmt.Errorf("%s: %w: %s", e.Label(), ErrPreflight, result.Void)
		case result.Fault != "":
			return fmt.Errorf("%s: %w: %s: %s", e.Label(), ErrPreflight, result.Termination,
				strings.TrimPrefix(result.Fault, board.White.String()+": "))
		}
		return nil
	}
}

// preflight returns limits of the same kind for a short search: some engines know only
// clocks. Whether the player keeps its clock is for the games to show.
func (l Limits) preflight() Limits {
	if l.Nodes > 0 {
		l.Nodes = min(l.Nodes, preflightNodes)
	}
	if l.Depth > 0 {
		l.Depth = 1
	}
	if l.Clock.Runs() {
		l.Clock = Clock{Base: min(l.Clock.Base, preflightClock), Increment: min(l.Clock.Increment, preflightTime),
			Moves: l.Clock.Moves, Margin: maxClock}
	}
	if l.MoveTime > 0 {
		l.MoveTime = min(l.MoveTime, preflightTime)
	}
	return l
}
