package selfplay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
)

// Play plays the job's game between White's and Black's player. A player that never
// gets to move may be nil.
//
// A player's fault costs it the game: Result.Termination is IllegalMove, PlayerFailed or,
// if it exceeded its time, TimeForfeit (a draw if the other has only its king);
// Result.Fault says what happened. If a player's
// program cannot be started at all the game is void. An error means that there is no
// result: the context ended, or the job is invalid.
//
// While this process did not run (see package stall) no clock runs.
func Play(ctx context.Context, job *Job, players [2]engine.Player) (Result, error) {
	return playOnce(ctx, job, players, nil)
}

// errStalled says that a game was given up because this process did not run while a
// player's time ran.
var errStalled = errors.New("stalled")

// playOnce plays the job's game. With stalls not nil the first stall while a player's time
// runs is counted there and ends the game with errStalled.
func playOnce(ctx context.Context, job *Job, players [2]engine.Player, stalls *[2]int) (Result, error) {
	game, err := replay(job.Start, job.Opening)
	if err != nil {
		return Result{}, fmt.Errorf("game %d: opening: %w", job.Number, err)
	}
	for _, side := range []board.Color{board.White, board.Black} {
		if err := job.Limits[side].Validate(); err != nil && players[side] != nil {
			return Result{}, fmt.Errorf("game %d: %w", job.Number, err)
		}
	}
	t := newTable(job, game, players)
	if err := t.begin(); err != nil {
		return Result{}, err
	}
	for !t.over() {
		if err := t.move(ctx); err != nil {
			return Result{}, err
		}
		if stalls != nil && t.result.Stalls != [2]int{} {
			*stalls = t.result.Stalls
			return Result{}, errStalled
		}
	}
	t.result.Moves = game.Moves()
	return t.result, nil
}

// table is a game in progress.
type table struct {
	job      *Job
	game     *board.Game
	players  [2]engine.Player
	result   Result
	referee  referee
	clocks   clocks
	watch    machine.Watch
	settled  bool // by adjudication or a fault
	playOn   bool // the game was adjudicated and is played on
	timed    bool // the time of each move is recorded
	maxPlies int  // with the opening
}

func newTable(job *Job, game *board.Game, players [2]engine.Player) *table {
	opening := len(job.Opening)
	t := &table{job: job, game: game, players: players, referee: referee{rule: job.Rule}, clocks: newClocks(job.Limits),
		maxPlies: opening + job.maxPlies()}
	t.result = Result{Number: job.Number, Try: job.Try, Players: job.PlayerTexts(), Start: job.Start, Opening: opening,
		Seed:   job.Seed,
		Scores: make([]int16, opening, opening+128), Depths: make([]uint8, opening, opening+128)}
	for i := range t.result.Scores {
		t.result.Scores[i] = engine.NoScore
	}
	if t.timed = !job.Limits[0].Deterministic() || !job.Limits[1].Deterministic(); t.timed {
		t.result.Times = make([]uint32, opening, opening+128)
	}
	return t
}

// begin sets the players' options and starts a new game in each. Each gets its own seed,
// so that a player against itself does not make the same random choices twice.
func (t *table) begin() error {
	for side, p := range t.players {
		if p == nil {
			continue
		}
		for _, o := range t.job.Options[side] {
			if err := p.SetOption(o.Name, o.Value); err != nil {
				t.failed(board.Color(side), fmt.Sprintf("option %s=%s", o.Name, o.Value), err)
				return nil
			}
		}
		if err := p.NewGame(Seed(t.job.Seed, 0, "player", uint64(side))); err != nil {
			t.failed(board.Color(side), "new game", err)
			return nil
		}
	}
	return nil
}

// failed ends a game that has not started because a player failed.
func (t *table) failed(side board.Color, doing string, err error) {
	if !errors.Is(err, engine.ErrNotStarted) {
		t.forfeit(side, PlayerFailed, fmt.Sprintf("%s: %v", doing, err))
		t.result.Late = errors.Is(err, engine.ErrTimeout)
		return
	}
	t.settled = true
	t.result.Result, t.result.Termination = board.Draw, VoidGame
	t.result.Void = bounded(fmt.Sprintf("%s: %s: %v", side, doing, err))
}

// over reports whether the game has ended. The rules of chess come before adjudication.
func (t *table) over() bool {
	if t.settled && (t.result.Fault != "" || t.result.Void != "") {
		return true
	}
	if result, why, over := t.game.Outcome(); over {
		t.result.Result, t.result.Termination = result, why
		return true
	}
	if t.settled {
		return true
	}
	if len(t.game.Moves()) >= t.maxPlies {
		t.result.Result, t.result.Termination = board.Draw, moveLimit
		return true
	}
	return false
}

// move lets the side to move search and plays its move.
func (t *table) move(ctx context.Context) error {
	side := t.game.Position().SideToMove()
	if t.players[side] == nil {
		return fmt.Errorf("game %d: no player for %s", t.job.Number, side)
	}
	lim := t.job.Limits[side].search()
	t.clocks.limit(side, &lim)
	found, took, err := t.search(ctx, side, lim)
	t.result.Time[side] += took
	t.result.Nodes[side] += found.Nodes
	if ctx.Err() != nil {
		return ctx.Err() // the answer was cut short
	}
	if what, ok := t.clocks.spend(side, took); !ok {
		t.forfeit(side, TimeForfeit, what+account(found, err))
		return nil
	}
	if err != nil {
		why := PlayerFailed
		if errors.Is(err, board.ErrMove) {
			why = IllegalMove
		}
		t.forfeit(side, why, err.Error())
		t.result.Late = errors.Is(err, engine.ErrTimeout)
		return nil
	}
	if !t.game.Position().IsLegal(found.Move) {
		t.forfeit(side, IllegalMove, fmt.Sprintf("%s is not legal in %s", found.Move, t.game.Position().FEN()))
		return nil
	}
	if t.timed {
		t.result.Times = append(t.result.Times, uint32((took+time.Millisecond-1)/time.Millisecond))
	}
	t.record(side, found)
	return nil
}

// search lets the side's player search, and returns how long it took. Stalls are counted
// if they could matter, and their time does not count.
func (t *table) search(ctx context.Context, side board.Color, lim engine.Limits) (engine.Result, time.Duration, error) {
	timed := !t.job.Limits[side].Deterministic()
	if timed {
		t.watch.Start()
	}
	start := time.Now()
	found, err := t.players[side].Search(ctx, t.game, lim)
	took := time.Since(start)
	if timed {
		n, stalled := t.watch.Stop()
		t.result.Stalls[side] += n
		took = max(took-stalled, 0)
	}
	return found, took, err
}

// account returns the time that a player that lost on time reports itself. If it is
// shorter, the rest was spent on communication.
func account(found engine.Result, err error) string {
	switch {
	case err != nil:
		return ": " + err.Error()
	case found.Time > 0:
		return fmt.Sprintf("; %v by its own account", found.Time.Round(time.Millisecond))
	}
	return ""
}

func (t *table) record(side board.Color, found engine.Result) {
	score := found.Score.White(side)
	t.result.Scores = append(t.result.Scores, score)
	t.result.Depths = append(t.result.Depths, uint8(min(max(found.Depth, 0), 255)))
	t.game.Push(found.Move)
	if result, ok := t.job.Rule.Tables.Result(t.game.Position()); ok {
		t.settled, t.result.Result, t.result.Termination = true, result, Tablebase
		return
	}
	if t.playOn {
		return
	}
	result, why, over := t.referee.observe(side, score)
	switch {
	case over && t.job.Rule.playsOn(t.job.Seed):
		t.playOn = true
	case over:
		t.settled, t.result.Result, t.result.Termination = true, result, why
	}
}

func (t *table) forfeit(loser board.Color, why board.Termination, what string) {
	t.settled = true
	t.result.Result, t.result.Termination = board.WinFor(loser.Other()), why
	if t.result.Late = why == TimeForfeit; t.result.Late {
		t.result.Result = flagged(t.game.Position(), loser)
	}
	t.result.Fault = bounded(fmt.Sprintf("%s: %s", loser, what))
	t.result.FaultLog = faultLog(t.players[loser])
}

// flagged returns the result of a game in which the side exceeds its time: the other wins,
// unless it has no more than its king and cannot mate (article 6.9 of FIDE's laws).
func flagged(p *board.Position, side board.Color) board.GameResult {
	if p.ByColor(side.Other()).Count() == 1 {
		return board.Draw
	}
	return board.WinFor(side.Other())
}

// maxFaultLog bounds the log of a player that forfeited, in bytes.
const maxFaultLog = 32 << 10

// isControl reports whether a log cannot contain the character.
func isControl(c rune) bool { return unicode.IsControl(c) && c != '\n' }

// faultLog returns the end of the player's log, if it keeps one.
func faultLog(p engine.Player) string {
	l, ok := engine.As[engine.Logger](p)
	if !ok {
		return ""
	}
	text := strings.Map(func(c rune) rune {
		if isControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(l.Log(), "?"))
	return strings.ToValidUTF8(text[max(0, len(text)-maxFaultLog):], "")
}

// bounded returns the beginning of a text that may contain the output of a program.
func bounded(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxFault)], "")
}

// maxFault bounds the text of a fault, in bytes.
const maxFault = 1000
