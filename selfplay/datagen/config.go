package datagen

import (
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// ErrConfig is wrapped by the errors about a configuration that cannot be run.
var ErrConfig = errors.New("datagen: impossible configuration")

// Config says what to play and where to write it.
type Config struct {
	Out     string             // folder of the data set and the run
	Games   uint64             // how many
	Players []selfplay.Entrant // one, against itself, or two, who change colours with each game
	Limits  selfplay.Limits    // of each move
	Rule    selfplay.Adjudication
	Plies   int // a game is drawn after so many plies of play; 0: selfplay.DefaultMaxPlies

	Opening      opening.Spec
	CheckNodes   uint64 // of the search that checks a random opening; 0: selfplay.CheckLimits
	OpeningScore int    // centipawns above which an opening is not played; 0: selfplay.DefaultMaxOpeningScore, below 0: no check

	Seed       uint64
	Generation uint64
	Stage      string // tag of the seeds; empty: "selfplay"

	// What follows does not change a byte of the data.

	Open     selfplay.Opener
	Runner   selfplay.Runner // nil: selfplay.Local with Workers
	Workers  int             // 0: one a core
	Program  string          // version, for the manifest
	Resume   string          // command line that resumes the run
	Progress func(done, total int64, note string)
}

// Standard returns the configuration of careful training data: games of a player with
// itself under the limits, random openings, adjudication of clear wins only.
func Standard(out string, games uint64, player selfplay.Entrant, limits selfplay.Limits) Config {
	return Config{Out: out, Games: games, Players: []selfplay.Entrant{player}, Limits: limits,
		Rule: selfplay.StandardAdjudication()}
}

// identity is all that decides the bytes, as config.json and the manifest have it.
type identity struct {
	Games        uint64                `json:"games"`
	Players      []string              `json:"players"`
	Limits       selfplay.Limits       `json:"limits"`
	Rule         selfplay.Adjudication `json:"adjudication"`
	Plies        int                   `json:"max_plies"`
	Opening      opening.Description   `json:"opening"`
	CheckNodes   uint64                `json:"check_nodes,omitempty"`
	OpeningScore int                   `json:"opening_score,omitempty"`
	Seed         uint64                `json:"seed,string"`
	Generation   uint64                `json:"generation"`
	Stage        string                `json:"stage"`
	Program      string                `json:"program"`
}

// defaults fills in what was left open.
func (c *Config) defaults() {
	if c.Stage == "" {
		c.Stage = "selfplay"
	}
	if c.Plies <= 0 {
		c.Plies = selfplay.DefaultMaxPlies
	}
	check := selfplay.OpeningCheck{Nodes: c.CheckNodes, Score: c.OpeningScore}.Settle(c.Opening.Book != "", c.Players[0], c.Limits)
	c.CheckNodes, c.OpeningScore = check.Nodes, check.Score
	if c.Runner == nil {
		c.Runner = &selfplay.Local{Open: c.Open, Workers: c.Workers}
	}
}

func (c *Config) validate() error {
	switch {
	case c.Games == 0:
		return fmt.Errorf("%w: no games", ErrConfig)
	case len(c.Players) < 1 || len(c.Players) > 2:
		return fmt.Errorf("%w: %d players: want one or two", ErrConfig, len(c.Players))
	case c.Limits.Nodes > math.MaxUint32:
		return fmt.Errorf("%w: %d nodes a move are more than the format can say", ErrConfig, c.Limits.Nodes)
	}
	if err := c.Limits.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Games: c.Games, Limits: c.Limits, Rule: c.Rule, Plies: c.Plies, Opening: openings.Describe(),
		CheckNodes: c.CheckNodes, OpeningScore: c.OpeningScore,
		Seed: c.Seed, Generation: c.Generation, Stage: c.Stage, Program: c.Program}
	for _, p := range c.Players {
		id.Players = append(id.Players, p.Identity())
	}
	return id
}
