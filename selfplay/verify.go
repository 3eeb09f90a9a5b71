package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"golang.org/x/sync/errgroup"
)

// Verify reports whether the result can belong to the task, as far as can be seen without
// playing it: its number, seed and opening, one score and one depth a move, legal
// moves, and an end by the rules. A result from another machine that passes may still be
// wrong: only playing it again shows that.
func (r *Result) Verify(task Task) error {
	job, try := task.Play()
	switch {
	case r.Number != job.Number || r.Try != try || r.Seed != job.Seed:
		return fmt.Errorf("game %d, try %d, seed %d: the job was %d, %d, %d", r.Number, r.Try, r.Seed, job.Number, try,
			job.Seed)
	case r.Start != job.Start:
		return fmt.Errorf("game %d does not have the start position of its job", r.Number)
	case r.Opening != len(job.Opening) || len(r.Moves) < r.Opening || !slices.Equal(r.Moves[:r.Opening], job.Opening):
		return fmt.Errorf("game %d does not have the opening of its job", r.Number)
	case len(r.Scores) != len(r.Moves) || len(r.Depths) != len(r.Moves):
		return fmt.Errorf("game %d has %d moves, %d scores, %d depths", r.Number, len(r.Moves), len(r.Scores), len(r.Depths))
	case len(r.Times) != 0 && len(r.Times) != len(r.Moves):
		return fmt.Errorf("game %d has %d moves, but %d times", r.Number, len(r.Moves), len(r.Times))
	case r.Result < board.BlackWins || r.Result > board.WhiteWins:
		return fmt.Errorf("game %d has the result %d", r.Number, r.Result)
	case len(r.Fault) > maxFault || len(r.Void) > maxFault:
		return fmt.Errorf("game %d has a fault of %d bytes, want %d at most", r.Number, len(r.Fault)+len(r.Void), maxFault)
	case len(r.FaultLog) > maxFaultLog || r.FaultLog != "" && r.Fault == "" || strings.ContainsFunc(r.FaultLog, isControl):
		return fmt.Errorf("game %d has a log of %d bytes for the fault %q, want %d at most, of printable text", r.Number,
			len(r.FaultLog), r.Fault, maxFaultLog)
	case (r.Void != "") != (r.Termination == VoidGame) || r.Void != "" && r.Fault != "":
		return fmt.Errorf("game %d ended by %s, and is void because of %q", r.Number, r.Termination, r.Void)
	case !r.stallsPossible(job):
		return fmt.Errorf("game %d has the stalls %v", r.Number, r.Stalls)
	case r.Termination == TimeForfeit && job.Limits[0].Deterministic() && job.Limits[1].Deterministic():
		return fmt.Errorf("game %d was lost on time without a limit of time", r.Number)
	case r.Late && r.Fault == "" || r.Termination == TimeForfeit && !r.Late:
		return fmt.Errorf("game %d ended by %s with late = %v", r.Number, r.Termination, r.Late)
	}
	game, _, err := r.Replay()
	if err != nil {
		return err
	}
	if _, yes := r.Forfeited(); yes != (r.Fault != "") {
		return fmt.Errorf("game %d ended by %s with the fault %q", r.Number, r.Termination, r.Fault)
	}
	result, why, over := game.Outcome()
	switch {
	case over && r.Fault == "" && r.Void == "" && (result != r.Result || why != r.Termination):
		return fmt.Errorf("game %d ended %s by %s, not %s by %s", r.Number, result, why, r.Result, r.Termination)
	case !over && !r.ended(job):
		return fmt.Errorf("game %d is not over by %s", r.Number, r.Termination)
	case !over && r.Termination == TimeForfeit:
		if want := flagged(game.Position(), r.toMove()); want != r.Result {
			return fmt.Errorf("game %d ended %s by %s, not %s", r.Number, r.Result, r.Termination, want)
		}
	case !over && r.Termination != tablebase && (r.Result == board.Draw) != (r.Termination == AdjudicatedDraw ||
		r.Termination == moveLimit ||
		r.Termination == VoidGame):
		return fmt.Errorf("game %d ended %s by %s", r.Number, r.Result, r.Termination)
	}
	return r.verifyLength(job)
}

// stallsPossible reports whether each side with stalls had a limit of time.
func (r *Result) stallsPossible(job *Job) bool {
	for side, n := range r.Stalls {
		if n < 0 || n > 0 && job.Limits[side].Deterministic() {
			return false
		}
	}
	return true
}

// verifyLength reports games that are longer than their jobs allow, or that ended at the
// move limit before it was reached.
func (r *Result) verifyLength(job *Job) error {
	plies := len(r.Moves) - r.Opening
	if most := job.maxPlies(); plies > most || plies < most && r.Termination == moveLimit {
		return fmt.Errorf("game %d ended by %s after %d plies: the job allows %d", r.Number, r.Termination, plies, most)
	}
	return nil
}

// ended reports whether something other than the rules of chess ended the game.
func (r *Result) ended(job *Job) bool {
	switch r.Termination {
	case AdjudicatedWin, AdjudicatedDraw, moveLimit, VoidGame:
		return true
	case tablebase:
		return job.Rule.Tables != nil
	}
	_, yes := r.Forfeited()
	return yes
}

// ErrPreflight says that a player does not work: it did not start, or did not play a move.
var ErrPreflight = errors.New("the player does not work")

// Limits of the move in a preflight.
const (
	preflightNodes = 1000
	preflightTime  = 100 * time.Millisecond
	preflightClock = 10 * time.Second // for the game: a first search may be slow
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
	return cmp.Or(failed...)
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
		l.MoveTime, l.Clock.Margin = min(l.MoveTime, preflightTime), maxClock
	}
	return l
}
