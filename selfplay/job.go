// Package selfplay plays games of chess between two players: one game at a time
// (Play), many at once (Runner, Local), and whole numbered series in which every
// opening is played once (Series).
//
// Numbers alone decide the games. A Job says everything about a game: number,
// players, opening, limits, adjudication, seed. A Series makes jobs from numbers and
// delivers the results in the order of the numbers, so the outcome does not depend on
// how many workers play or which of them is faster. A Setup is the part of a
// configuration that all runs share.
//
// The package writes no files and counts no points: selfplay/datagen makes data sets of
// games, selfplay/match compares two players, selfplay/opening proposes openings. It
// does not know which players exist: the caller passes a function that opens them.
//
// Start reading at Job and Play; then Runner, Series and Setup.
//
// No promise of stability.
package selfplay

import (
	"fmt"
	"math"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// DefaultMaxPlies is the number of plies of play after which a game is a draw, unless the
// job says otherwise.
const DefaultMaxPlies = 400

// Task is what a Runner does: a *Job or a *Probe.
type Task interface {
	// Play returns the Job to play, and which try it is of a Probe; 0 for a Job. The Result names both.
	Play() (job *Job, try int)
}

// Job is everything needed to play one game, on any machine.
type Job struct {
	Number  uint64         `json:"number"`  // of the game in its series
	Players [2]engine.Spec `json:"players"` // White's and Black's
	// set before the game; a player keeps them until they are set again
	Options [2][]engine.Option `json:"options,omitzero"`
	Start   string             `json:"start,omitempty"`
	Opening []board.Move       `json:"opening,omitempty"` // moves from Start to where play begins
	Limits  [2]Limits          `json:"limits"`            // White's and Black's
	Rule    Adjudication       `json:"rule"`
	Plies   int                `json:"plies,omitempty"` // plies of play after which the game is a draw; 0: DefaultMaxPlies
	Seed    uint64             `json:"seed,string"`

	// Attempt is above zero for a game that is played again because it was void, or because
	// the other game of its pair was. The seed stays: it is the same game.
	Attempt int `json:"attempt,omitempty"`
}

// Play implements Task.
func (j *Job) Play() (job *Job, try int) { return j, 0 }

// Probe is the check of an opening: one search of its last position, whose score decides whether it is played.
type Probe struct {
	Number  uint64 // of the opening
	Try     int    // which candidate for it this is, from 1
	Attempt int    // how often this search was void
	Check   *Check
	Opening *board.Game
}

// Play implements Task: the player makes one move.
func (p *Probe) Play() (job *Job, try int) {
	job = &Job{Number: p.Number, Plies: 1, Attempt: p.Attempt, Seed: Seed(p.Check.Seed, uint64(p.Try), "check", p.Number)}
	side := p.Opening.Position().SideToMove()
	job.Players[side], job.Options[side] = p.Check.Player.Spec, p.Check.Player.Options
	job.Limits[side] = Limits{Nodes: p.Check.Nodes}
	job.setOpening(p.Opening)
	return job, p.Try
}

// Specs returns the specifications of the players, as a Result has them.
func (j *Job) Specs() [2]string { return [2]string{j.Players[0].String(), j.Players[1].String()} }

// maxAttempt is the Attempt of a game that is not played again: if it is void too, the series
// ends.
const maxAttempt = 2

// maxPlies is the number of plies of play after which the game is a draw.
func (j *Job) maxPlies() int {
	if j.Plies <= 0 {
		return DefaultMaxPlies
	}
	return j.Plies
}

// Result is what was played of a Task, with its cost. For the same Task only Time differs
// from machine to machine.
type Result struct {
	Number  uint64       `json:"number"`
	Try     int          `json:"try,omitempty"`    // of a Probe; 0: a game
	Players [2]string    `json:"players"`          // White's and Black's, the text of the Job's players
	Worker  string       `json:"worker,omitempty"` // that played it on another machine
	Start   string       `json:"start,omitempty"`  // FEN of the first position; empty for standard chess's
	Opening int          `json:"opening"`          // plies of Moves that were given, not played
	Moves   []board.Move `json:"moves"`
	// Scores[i] is the search before Moves[i]: White's view, engine.NoScore for the opening and where the player gave none
	Scores []int16 `json:"scores"`
	Depths []uint8 `json:"depths"` // Depths[i] is the depth of that search in plies, at most 255

	// Times[i] is the time for Moves[i], in milliseconds, rounded up. It is empty without limits of
	// time, because games and their files are then the same on every machine.
	Times []uint32 `json:"times_ms,omitempty"`

	Result      board.GameResult  `json:"result"`
	Termination board.Termination `json:"termination"`
	Fault       string            `json:"fault,omitempty"` // what the player that forfeited did wrong, and its side
	Late        bool              `json:"late,omitempty"`  // that player forfeited for want of time

	// answered says that the player that forfeited on time has answered since, and can play on.
	answered bool

	// FaultLog is the end of the conversation with the engine that forfeited, and of its error
	// output. It is empty if the player keeps none (see engine.Logger).
	FaultLog string `json:"fault_log,omitempty"`

	// Void says why the game must not be counted, such as a program that could not be started, or a clock that ran
	// out while this machine was late. The reason never depends on the moves. A void game has no fault, and is a draw by
	// VoidGame.
	Void string `json:"void,omitempty"`

	// Stalls is how often the program that plays the games did not run for 250 ms while White's or
	// Black's time ran. It is zero without limits of time. A Local plays such a game again with the
	// same seed, at most twice, and adds up the stalls: with three or more the game counted had one.
	Stalls [2]int `json:"stalls,omitzero"`

	Seed  uint64           `json:"seed,string"`
	Nodes [2]uint64        `json:"nodes"`   // White's and Black's, over the game
	Time  [2]time.Duration `json:"time_ns"` // White's and Black's, over the game
}

// Rescale multiplies the times of the game by f: what it would have taken on a machine of
// 1/f of the speed.
func (r *Result) Rescale(f float64) {
	for i, ms := range r.Times {
		r.Times[i] = uint32(math.Ceil(float64(ms) * f))
	}
	for side := range r.Time {
		r.Time[side] = time.Duration(float64(r.Time[side]) * f)
	}
}

// Unscored returns the numbers of White's and Black's searches that had no score.
func (r *Result) Unscored() (n [2]int64) {
	last := int(r.toMove())
	for i := r.Opening; i < len(r.Scores); i++ {
		if r.Scores[i] == engine.NoScore {
			n[(last+len(r.Scores)-i)%2]++
		}
	}
	return n
}

// Forfeited reports whether a player's fault ended the game, and which side's. That side lost,
// or the game is a draw: see flagged.
func (r *Result) Forfeited() (loser board.Color, yes bool) {
	switch r.Termination {
	case IllegalMove, PlayerFailed, TimeForfeit:
	default:
		return board.White, false
	}
	switch r.Result {
	case board.WhiteWins:
		return board.Black, true
	case board.Draw: // on time, against a lone king
		return r.toMove(), true
	}
	return board.White, true
}

// toMove returns the side to move at the end.
func (r *Result) toMove() board.Color { return board.ToMove(r.Start, len(r.Moves)) }

// Replay returns the game with all its moves, and the key of the position after the
// opening.
func (r *Result) Replay() (game *board.Game, opening uint64, err error) {
	game, err = r.OpeningGame()
	if err != nil {
		return nil, 0, err
	}
	opening = game.Position().Key()
	if err := push(game, r.Moves[r.Opening:]); err != nil {
		return nil, 0, fmt.Errorf("game %d: %w", r.Number, err)
	}
	return game, opening, nil
}

// OpeningGame returns the game at the end of its opening.
func (r *Result) OpeningGame() (*board.Game, error) {
	if r.Opening < 0 || r.Opening > len(r.Moves) {
		return nil, fmt.Errorf("game %d: %d opening plies, but %d moves", r.Number, r.Opening, len(r.Moves))
	}
	game, err := replay(r.Start, r.Moves[:r.Opening])
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", r.Number, err)
	}
	return game, nil
}

// setOpening makes the game so far the opening of the job.
func (j *Job) setOpening(game *board.Game) {
	j.Start = ""
	if start := game.Start(); start != board.StartPosition() {
		j.Start = start.FEN()
	}
	j.Opening = game.Moves()
}

// replay returns the game with the moves played from the position.
func replay(start string, moves []board.Move) (*board.Game, error) {
	position := board.StartPosition()
	if start != "" {
		var err error
		if position, err = board.ParseFEN(start); err != nil {
			return nil, err
		}
	}
	game := board.NewGame(position)
	return game, push(game, moves)
}

func push(game *board.Game, moves []board.Move) error {
	for i, m := range moves {
		if !game.Position().IsLegal(m) {
			return fmt.Errorf("move %d: %s is not legal in %s", i, m, game.Position().FEN())
		}
		game.Push(m)
	}
	return nil
}
