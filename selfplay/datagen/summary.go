package datagen

import (
	"math"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
)

// Summary counts the games of a data set. It is computed from the games on disk, so it is
// the same for a run that was resumed.
type Summary struct {
	Games        int64            `json:"games"`
	Plies        int64            `json:"plies"` // that were searched
	Unscored     int64            `json:"plies_without_score,omitempty"`
	WhiteWins    int64            `json:"white_wins"`
	Draws        int64            `json:"draws"`
	BlackWins    int64            `json:"black_wins"`
	Terminations map[string]int64 `json:"terminations"`

	// Adjudicated counts games whose scores met the rule, PlayedOn how many of them were
	// played on, Disagreed how many of these ended differently. Of these the other side
	// won Reversed; the rest were drawn, perhaps only because the player cannot win a won
	// endgame.
	Adjudicated int64 `json:"adjudicated"`
	PlayedOn    int64 `json:"played_on"`
	Disagreed   int64 `json:"disagreed"`
	Reversed    int64 `json:"reversed"`

	// Timed reports that the games were played under limits of time: the same configuration
	// gives other games.
	Timed bool `json:"timed,omitempty"`

	DataID string `json:"data_id,omitempty"` // of the manifest; empty within it

	// The fields below describe this process, not the data; Warnings also games of its journal.

	Already bool          `json:"-"` // the data set was complete before
	Played  int64         `json:"-"` // games played by this process
	Plied   int64         `json:"-"` // their plies, openings left out
	Took    time.Duration `json:"-"`

	Warnings []string              `json:"-"` // about stalls and limits that a player ignores
	Views    *dataset.ViewFault    `json:"-"` // a fault of the players' scores; nil if there is none
	Nodes    uint64                `json:"-"` // searched in games by this process
	Search   selfplay.SeriesReport `json:"-"` // of openings, by this process

	views dataset.Views
}

// add counts a game.
func (s *Summary) add(rule selfplay.Adjudication, g *dataset.GameRow) {
	s.Games++
	*[]*int64{&s.BlackWins, &s.Draws, &s.WhiteWins}[g.Result+1]++
	if s.Terminations == nil {
		s.Terminations = map[string]int64{}
	}
	s.Terminations[g.Termination]++
	for _, score := range g.Scores[g.OpeningPlies:] {
		s.Plies++
		if score == dataset.NoScore {
			s.Unscored++
		}
	}
	if dataset.Forfeit(g.Termination) != "" {
		return // who played on and lost by a fault says nothing about the adjudication
	}
	s.views.Game(g)
	ply, verdict, ok := rule.Verdict(board.ToMove(g.Start, 0), g.Scores, int(g.OpeningPlies))
	if !ok {
		return
	}
	s.Adjudicated++
	if ply < len(g.Moves) {
		s.PlayedOn++
		if verdict != board.GameResult(g.Result) {
			s.Disagreed++
		}
		if verdict == -board.GameResult(g.Result) && verdict != board.Draw {
			s.Reversed++
		}
	}
}

// Forfeits returns the number of games that a player forfeited.
func (s *Summary) Forfeits() (n int64) {
	for why, games := range s.Terminations {
		if dataset.Forfeit(why) != "" {
			n += games
		}
	}
	return n
}

// MaxDisagreement is the largest acceptable share of adjudicated games with another true
// result.
const MaxDisagreement = 0.01

// Disagreement returns the share of games played on that ended differently from their
// adjudication, with Wilson's 95 % interval; 0, 0, 1 if none was played on. A lower end
// above MaxDisagreement means that the rule puts errors into the data.
func (s *Summary) Disagreement() (share, lo, hi float64) {
	n, k := float64(s.PlayedOn), float64(s.Disagreed)
	if n == 0 {
		return 0, 0, 1
	}
	const z = 1.959964
	p := k / n
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return p, max(0, mid-half), min(1, mid+half)
}
