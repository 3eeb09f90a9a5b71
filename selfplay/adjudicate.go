package selfplay

import (
	"errors"

	"gonum.org/v1/gonum/mathext"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/syzygy"
)

// The ends of a game that are not in the rules of chess (see board.Termination).
const (
	AdjudicatedWin  board.Termination = "adjudicated-win"  // both players' scores said so
	AdjudicatedDraw board.Termination = "adjudicated-draw" // both players' scores said so
	moveLimit       board.Termination = "move-limit"       // a draw: the game was too long
	IllegalMove     board.Termination = "illegal-move"     // the player that played it loses
	PlayerFailed    board.Termination = "player-failed"    // the player whose search failed loses
	// a player that exceeds its time loses, or draws against a lone king
	TimeForfeit board.Termination = "time-forfeit"
	// tablebase: tablebases know the result, also of a game that is played on after its adjudication
	tablebase board.Termination = "tablebase"
	VoidGame  board.Termination = "void" // must not be counted: Result.Void says why
)

// Adjudication says when a game is ended by the scores of its players. The zero
// value never ends one.
//
// Both players must agree, unless OneSided: scores of consecutive plies alternate between
// the players. A search without a score agrees with nothing: it ends every row of plies, and
// the next row decides only once both players have given scores again. How often adjudication is wrong is
// measured: a share of the games that it would end is played on, and the results are compared (see
// Verdict).
type Adjudication struct {
	WinScore int `json:"win_score,omitempty"` // a win at |score| >= WinScore centipawns ...
	WinPlies int `json:"win_plies,omitempty"` // ... for this many plies in a row; 0: never

	// OneSided lets the loser's scores alone decide a win, as if it resigned: after half
	// of WinPlies of its own moves in a row, whatever the winner's scores are.
	OneSided bool `json:"win_one_sided,omitempty"`

	DrawScore int `json:"draw_score,omitempty"` // a draw at |score| <= DrawScore centipawns ...
	DrawPlies int `json:"draw_plies,omitempty"` // ... for this many plies in a row; 0: never
	DrawFrom  int `json:"draw_from,omitempty"`  // ... none of them before this ply of play

	PlayOn float64 `json:"play_on,omitempty"` // share of adjudicated games that are played on, 0 to 1

	Tables *syzygy.Judge `json:"tablebases,omitempty"` // ends games as soon as it knows their result; nil: none
}

// StandardAdjudication is a careful default for training data: wins at 1,000 centipawns
// for six plies, no draws, one game in twenty played on.
func StandardAdjudication() Adjudication {
	return Adjudication{WinScore: 1000, WinPlies: 6, PlayOn: 0.05}
}

// Verdict returns the first ply of scores after which the game would be adjudicated,
// and how. Scores are a game's: White's view, engine.NoScore where there was none;
// the first of them, opening plies, were not searched. first is the side that moved first;
// ply is the number of moves played by then. A longer game was played on; whether its result
// agrees measures the rule.
func (a Adjudication) Verdict(first board.Color, scores []int16, opening int) (ply int, result board.GameResult,
	ok bool) {
	j := referee{rule: a}
	for i := opening; i < len(scores); i++ {
		if result, _, over := j.observe(first^board.Color(i%2), scores[i]); over {
			return i + 1, result, true
		}
	}
	return 0, board.Draw, false
}

// playsOn reports whether the game with this seed is played on after its adjudication.
func (a Adjudication) playsOn(seed uint64) bool {
	return chance(seed, "play-on") < a.PlayOn
}

// referee watches the scores of one game.
type referee struct {
	rule               Adjudication
	plies              int // observed
	white, black, draw int // plies in a row up to now whose scores say so

	resigned [2]int  // of White and of Black: own moves in a row with a lost score
	silent   [2]bool // whether the last search of White and of Black had no score
}

// observe takes the score of the side's next move, White's view, or engine.NoScore.
func (j *referee) observe(side board.Color, stored int16) (board.GameResult, board.Termination, bool) {
	score, known := int(stored), stored != engine.NoScore
	won, lost := known && score >= j.rule.WinScore, known && score <= -j.rule.WinScore
	j.white, j.black = row(j.white, won), row(j.black, lost)
	j.resigned[side] = row(j.resigned[side], [2]bool{lost, won}[side])
	j.draw = row(j.draw, known && max(score, -score) <= j.rule.DrawScore && j.plies >= j.rule.DrawFrom)
	j.plies++
	j.silent[side] = !known
	switch plies := j.rule.WinPlies; {
	case plies <= 0:
	case j.rule.OneSided:
		if 2*j.resigned[side] >= plies {
			return board.WinFor(side.Other()), AdjudicatedWin, true
		}
	case j.silent[side.Other()]: // a rule of a single ply would ask one player alone
	case j.white >= plies:
		return board.WhiteWins, AdjudicatedWin, true
	case j.black >= plies:
		return board.BlackWins, AdjudicatedWin, true
	}
	if j.rule.DrawPlies > 0 && j.draw >= j.rule.DrawPlies && j.silent == [2]bool{} {
		return board.Draw, AdjudicatedDraw, true
	}
	return board.Draw, "", false
}

func row(n int, continues bool) int {
	if continues {
		return n + 1
	}
	return 0
}

// ErrNoVerdict says that games were played but decide nothing, because too many of them
// failed. They are kept, and the run can be resumed.
var ErrNoVerdict = errors.New("no verdict")

// ErrBusy says, beside ErrNoVerdict, that games were lost on time while the machine was busier
// than its cores: that says nothing about the players.
var ErrBusy = errors.New("the machine was busier than its cores")

// DefaultMaxForfeits is the share of its games that a player may forfeit, unless a
// Tolerance says otherwise.
const DefaultMaxForfeits = 0.02

const (
	// forfeitLevel is the level of the test for too many forfeits. It is small because the
	// test is made again and again while games are played.
	forfeitLevel = 0.001
	// maxVoid is the share of the pairs that may be void.
	maxVoid = 0.01
)

// Tolerance says how many games may fail before a run has no verdict.
type Tolerance struct {
	MaxForfeits float64 // share of its games that a player may forfeit; 0: DefaultMaxForfeits; below 0: none
	Recover     bool    // forfeits count as losses, however many there are
}

// Share returns the share of its games that a player may forfeit.
func (t Tolerance) Share() float64 {
	switch {
	case t.MaxForfeits == 0:
		return DefaultMaxForfeits
	case t.MaxForfeits < 0:
		return 0
	}
	return t.MaxForfeits
}

// Forfeits reports whether that number of forfeits is too many for the games: whether a player
// that forfeits the tolerated share of its games would forfeit as many with a probability
// below 0.001 (one-sided exact binomial test).
func (t Tolerance) Forfeits(forfeits, games int64) bool {
	return !t.Recover && binomialTail(forfeits, games, t.Share()) < forfeitLevel
}

// Void reports whether that many pairs were void that the machine is unfit: more than
// 1 % of all pairs, and more than there are slots. One pause of the machine voids a game in
// each slot, and says nothing about the games before and after it.
func (t Tolerance) Void(void, counted int64, slots int) bool {
	return void > int64(slots) && float64(void) > maxVoid*float64(void+counted)
}

// Look reports whether a run with this number of games looks at its forfeits: at powers of
// two, so that the number of looks, and of false alarms, stays small.
func (t Tolerance) Look(games int64) bool { return games > 0 && games&(games-1) == 0 }

// binomialTail returns the probability of k or more successes in n trials with probability p
// each.
func binomialTail(k, n int64, p float64) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 1
	case k > n || p <= 0:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}
