// Package datagen makes training data: numbered games, each from its own opening, written
// in the order of their numbers as a data set of assay.games/1.
//
// The data set depends on the configuration and the seed alone: not on the number of
// workers, nor on how often the run was killed and resumed. A resumed run plays no finished
// game again: those that are in no listed shard are in a journal. With limits of time games depend on the
// machine: the identity says that nothing is promised. Its folder is at once the data set
// (shards, manifest.json) and the run (config.json, events.jsonl, result.json).
//
// It does not compare players (selfplay/match does) and trains nothing.
//
// Start reading at Config and Run.
//
// No promise of stability.
package datagen

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Config says what to play and where to write it: Out is the folder of the data set and
// of the run. Random openings are checked by the first player.
type Config struct {
	selfplay.Setup

	Games   uint64            // how many; a run may be given more later
	Players []selfplay.Player // one, against itself, or two, who swap colors after each game
}

// identity is everything that decides the bytes of a game, as config.json and the manifest have it. The number of
// games is no part of it: a longer run begins with the games of a shorter one.
type identity struct {
	Players []string `json:"players"`
	selfplay.RulesIdentity
	selfplay.OpeningIdentity
	selfplay.SeedIdentity
	Reproducible string `json:"reproducible,omitempty"` // why not; empty if equal configurations give equal bytes
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	switch {
	case c.Games == 0:
		return fmt.Errorf("%w: no games", selfplay.ErrConfig)
	case len(c.Players) < 1 || len(c.Players) > 2:
		return fmt.Errorf("%w: %d players: want one or two", selfplay.ErrConfig, len(c.Players))
	}
	return c.Setup.Complete("selfplay", c.Players[0])
}

func (c *Config) identity(openings opening.Source) identity {
	var id identity
	for _, p := range c.Players {
		id.Players = append(id.Players, p.Identity())
	}
	id.RulesIdentity, id.OpeningIdentity, id.SeedIdentity = c.Setup.Identity(openings)
	if id.Checker == id.Players[0] {
		id.Checker = "" // the default
	}
	if !c.Limits.Deterministic() {
		id.Reproducible = "no: games under limits of time depend on the machine"
	}
	return id
}

// Open opens a data set of games, complete or not. Of a run in progress or interrupted it has the
// games 0 to n-1, in shards or in the journal, whatever order they finished in; those after the
// first that is missing are left out.
func Open(dir string) (*dataset.Reader[dataset.GameRow], error) {
	r, err := dataset.OpenGames(dir, dataset.Unfinished)
	if err != nil || r.Manifest() == nil || r.Manifest().Complete {
		return r, err
	}
	games, err := gamelog.ReadPending(dir, uint64(r.Len()))
	if err != nil {
		return nil, err
	}
	var id identity
	if err := json.Unmarshal(r.Manifest().Config, &id); err != nil || len(id.Players) == 0 {
		clear(games) // another program's run played them
	}
	rows := newRowMaker(id, r.Manifest().Config)
	var more []dataset.GameRow
	for _, g := range gapless(games, uint64(r.Len())) {
		row, err := rows.row(&g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", dir, durable.ErrDamaged, err)
		}
		more = append(more, *row)
	}
	if err := r.Extend(more); err != nil {
		return nil, err
	}
	if r.Len() == 0 {
		return nil, fmt.Errorf("%s: %w: no game is finished yet", dir, dataset.ErrIncomplete)
	}
	return r, nil
}

// gapless returns the games from the first number on, up to one that is missing.
func gapless(games map[uint64]selfplay.Result, first uint64) (list []selfplay.Result) {
	for {
		g, ok := games[first+uint64(len(list))]
		if !ok {
			return list
		}
		list = append(list, g)
	}
}

// rowMaker makes rows of games, from what the manifest says about all of them.
type rowMaker struct {
	runID   string
	nodes   uint64
	players []string
}

// newRowMaker returns the maker for the identity, and for its JSON.
func newRowMaker(id identity, doc any) rowMaker {
	return rowMaker{gamelog.RunID(doc), id.Limits.Nodes, id.Players}
}

func (m rowMaker) row(r *selfplay.Result) (*dataset.GameRow, error) {
	sides := sidesOf(r.Number, len(m.players))
	return gamelog.Row(r, m.runID, m.nodes, m.players[sides[0]], m.players[sides[1]])
}

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

	gamelog.Process
	Plied int64 `json:"-"` // plies of the games it played, openings left out

	Warnings []string              `json:"-"` // about stalls and limits that a player ignores
	Views    *dataset.ViewFault    `json:"-"` // a fault of the players' scores; nil if there is none
	Nodes    uint64                `json:"-"` // searched in games by this process
	Search   selfplay.SeriesReport `json:"-"` // of openings, by this process

	views dataset.Views
}

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
