package selfplay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
// While this process did not run (see machine.Watch) no clock runs. A game is void if a player exceeded its time by no
// more than this process ran late during the move, unless it was void twice before.
//
// With giveUp the first stall while a player's time runs ends the game with errStalled; the result has the stall alone.
func Play(ctx context.Context, job *Job, players [2]engine.Player, giveUp bool) (Result, error) {
	game, err := replay(job.Start, job.Opening)
	if err != nil {
		return Result{}, fmt.Errorf("game %d: opening: %w", job.Number, err)
	}
	for _, side := range []board.Color{board.White, board.Black} {
		if err := job.Limits[side].Validate(); err != nil && players[side] != nil {
			return Result{}, fmt.Errorf("game %d: %w", job.Number, err)
		}
	}
	g := newLiveGame(job, game, players)
	g.begin()
	if g.timed {
		machine.AwaitStarts()
	}
	for !g.over() {
		if err := g.move(ctx); err != nil {
			return Result{}, err
		}
		if giveUp && g.result.Stalls != [2]int{} {
			return Result{Stalls: g.result.Stalls}, errStalled
		}
	}
	g.result.Moves = game.Moves()
	return g.result, nil
}

// errStalled says that a game was given up because this process did not run while a
// player's time ran.
var errStalled = errors.New("stalled")

type liveGame struct {
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

func newLiveGame(job *Job, game *board.Game, players [2]engine.Player) *liveGame {
	opening := len(job.Opening)
	g := &liveGame{job: job, game: game, players: players, referee: referee{rule: job.Rule}, clocks: newClocks(job.Limits),
		maxPlies: opening + job.maxPlies()}
	g.result = Result{Number: job.Number, Players: job.Specs(), Start: job.Start, Opening: opening,
		Seed:   job.Seed,
		Scores: make([]int16, opening, opening+128), Depths: make([]uint8, opening, opening+128)}
	for i := range g.result.Scores {
		g.result.Scores[i] = engine.NoScore
	}
	if g.timed = !job.Limits[0].Deterministic() || !job.Limits[1].Deterministic(); g.timed {
		g.result.Times = make([]uint32, opening, opening+128)
	}
	return g
}

// begin sets the players' options and starts a new game in each. Each gets its own seed,
// so that a player against itself does not make the same random choices twice.
func (g *liveGame) begin() {
	for side, p := range g.players {
		if p == nil {
			continue
		}
		for _, o := range g.job.Options[side] {
			if err := p.SetOption(o.Name, o.Value); err != nil {
				g.failed(board.Color(side), fmt.Sprintf("option %s=%s", o.Name, o.Value), err)
				return
			}
		}
		if err := p.NewGame(Seed(g.job.Seed, 0, "player", uint64(side))); err != nil {
			g.failed(board.Color(side), "new game", err)
			return
		}
	}
}

// failed ends a game that has not started because a player failed.
func (g *liveGame) failed(side board.Color, doing string, err error) {
	if !errors.Is(err, engine.ErrNotStarted) {
		g.forfeit(side, PlayerFailed, fmt.Sprintf("%s: %v", doing, err))
		g.result.Late = errors.Is(err, engine.ErrTimeout)
		return
	}
	g.void(fmt.Sprintf("%s: %s: %v", side, doing, err))
}

// void ends a game that must not be counted.
func (g *liveGame) void(why string) {
	g.settled = true
	g.result.Result, g.result.Termination = board.Draw, VoidGame
	g.result.Void = bounded(why)
}

// over reports whether the game has ended. The rules of chess come before adjudication.
func (g *liveGame) over() bool {
	if g.settled && (g.result.Fault != "" || g.result.Void != "") {
		return true
	}
	if result, why, over := g.game.Outcome(); over {
		g.result.Result, g.result.Termination = result, why
		return true
	}
	if g.settled {
		return true
	}
	if len(g.game.Moves()) >= g.maxPlies {
		g.result.Result, g.result.Termination = board.Draw, moveLimit
		return true
	}
	return false
}

// move lets the side to move search and plays its move.
func (g *liveGame) move(ctx context.Context) error {
	side := g.game.Position().SideToMove()
	if g.players[side] == nil {
		return fmt.Errorf("game %d: no player for %s", g.job.Number, side)
	}
	lim := g.job.Limits[side].search()
	g.clocks.limit(side, &lim)
	found, took, err := g.search(ctx, side, lim)
	g.result.Time[side] += took
	g.result.Nodes[side] += found.Nodes
	if ctx.Err() != nil {
		return ctx.Err() // the answer was cut short
	}
	if what, over := g.clocks.spend(side, took); over > 0 {
		if late := g.watch.Late(); over <= late && g.job.Attempt < maxAttempt {
			g.void(fmt.Sprintf("%s: %s: this machine was too busy: it ran up to %v late", side, what,
				late.Round(time.Millisecond)))
			return nil
		}
		g.forfeit(side, TimeForfeit, what+account(found, err))
		g.result.answered = err == nil
		return nil
	}
	if err != nil {
		why := PlayerFailed
		if errors.Is(err, board.ErrMove) {
			why = IllegalMove
		}
		g.forfeit(side, why, err.Error())
		g.result.Late = errors.Is(err, engine.ErrTimeout)
		return nil
	}
	if !g.game.Position().IsLegal(found.Move) {
		g.forfeit(side, IllegalMove, fmt.Sprintf("%s is not legal in %s", found.Move, g.game.Position().FEN()))
		return nil
	}
	if g.timed {
		g.result.Times = append(g.result.Times, uint32((took+time.Millisecond-1)/time.Millisecond))
	}
	g.record(side, found)
	return nil
}

// turns bounds how many clocks run at once: hundreds of games wait here for their turn, not with a running clock for a
// processor core.
var turns = make(chan struct{}, 24*runtime.GOMAXPROCS(0))

// search lets the side's player search, and returns how long it took. Stalls are counted
// if they could matter, and their time does not count.
func (g *liveGame) search(ctx context.Context, side board.Color, lim engine.Limits) (engine.Result,
	time.Duration, error) {
	timed := !g.job.Limits[side].Deterministic()
	if timed {
		turns <- struct{}{}
		defer func() { <-turns }()
		g.watch.Start()
	}
	start := time.Now()
	found, err := g.players[side].Search(ctx, g.game, lim)
	took := time.Since(start)
	if timed {
		n, stalled := g.watch.Stop()
		g.result.Stalls[side] += n
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

func (g *liveGame) record(side board.Color, found engine.Result) {
	score := found.Score.White(side)
	g.result.Scores = append(g.result.Scores, score)
	g.result.Depths = append(g.result.Depths, uint8(min(max(found.Depth, 0), 255)))
	g.game.Push(found.Move)
	if result, ok := g.job.Rule.Tables.Result(g.game.Position()); ok {
		g.settled, g.result.Result, g.result.Termination = true, result, tablebase
		return
	}
	if g.playOn {
		return
	}
	result, why, over := g.referee.observe(side, score)
	switch {
	case over && g.job.Rule.playsOn(g.job.Seed):
		g.playOn = true
	case over:
		g.settled, g.result.Result, g.result.Termination = true, result, why
	}
}

func (g *liveGame) forfeit(loser board.Color, why board.Termination, what string) {
	g.settled = true
	g.result.Result, g.result.Termination = board.WinFor(loser.Other()), why
	if g.result.Late = why == TimeForfeit; g.result.Late {
		g.result.Result = flagged(g.game.Position(), loser)
	}
	g.result.Fault = bounded(fmt.Sprintf("%s: %s", loser, what))
	g.result.FaultLog = faultLog(g.players[loser])
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
