package ladder

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// maxPlayers is the largest number of players: the cost of a fit grows with its cube.
const maxPlayers = 500

// Config says who is rated, and by which games. With Out empty nothing is kept. Random
// openings are checked by the first player.
type Config struct {
	selfplay.Setup

	Players  []selfplay.Player
	Schedule Schedule
	Games    uint64  // at most; even; may grow on resume
	Within   float64 // end when every 95 % interval is within ± this many Elo; 0: play all games

	Anchor    int     // player whose Elo is AnchorElo; -1: the mean of all players is 0
	AnchorElo float64 // any number
}

// batch is how many pairs are chosen at once, and batchesAhead how many batches may be
// under way. A choice so depends on the same results for any number of workers.
const batch, batchesAhead = 8, 2

// identity is everything that decides a game, as config.json has it. The anchor only
// moves the scale, but the Elo of the result is on that scale.
type identity struct {
	Players []string `json:"players"`
	selfplay.RulesIdentity
	Schedule  Schedule `json:"schedule"`
	Within    float64  `json:"within,omitempty"`
	Anchor    int      `json:"anchor"`
	AnchorElo float64  `json:"anchor_elo"`
	selfplay.OpeningIdentity
	Seed    uint64 `json:"seed,string"`
	Program string `json:"program"`
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	if c.Schedule == "" {
		c.Schedule = Widest
	}
	if err := c.validate(); err != nil {
		return err
	}
	return nil
}

func (c *Config) validate() error {
	switch {
	case len(c.Players) < 2 || len(c.Players) > maxPlayers:
		return fmt.Errorf("%w: %d players: want 2 to %d", selfplay.ErrConfig, len(c.Players), maxPlayers)
	case c.Games == 0 || c.Games%2 != 0:
		return fmt.Errorf("%w: %d games: pairs need an even number above zero", selfplay.ErrConfig, c.Games)
	case c.Within < 0 || math.IsNaN(c.Within):
		return fmt.Errorf("%w: intervals within %v Elo", selfplay.ErrConfig, c.Within)
	case c.Anchor < -1 || c.Anchor >= len(c.Players) || math.IsNaN(c.AnchorElo) || math.Abs(c.AnchorElo) > 1e6:
		return fmt.Errorf("%w: player %d cannot be the anchor at %v Elo", selfplay.ErrConfig, c.Anchor, c.AnchorElo)
	case c.Generation != 0 || c.Stage != "":
		return fmt.Errorf("%w: a ladder has no generation and no stage", selfplay.ErrConfig)
	}
	if _, err := ParseSchedule(string(c.Schedule)); err != nil {
		return err
	}
	var names []string
	for _, p := range c.Players {
		if p.Spec.Name == "" {
			return fmt.Errorf("%w: a player without a specification", selfplay.ErrConfig)
		}
		if slices.Contains(names, p.Identity()) {
			return fmt.Errorf("%w: %s takes part twice", selfplay.ErrConfig, p.Identity())
		}
		names = append(names, p.Identity())
	}
	return c.Setup.Complete("ladder", c.Players[0])
}

// end is the number of pairs, at most.
func (c *Config) end() uint64 { return c.Games / 2 }

// need returns how many openings the ladder needs at most.
func (c *Config) need() uint64 { return (c.end() + c.stride() - 1) / c.stride() }

// stride is how many pairs start from the same opening: as many as a round has.
func (c *Config) stride() uint64 {
	if c.Schedule == Widest {
		return 1
	}
	return uint64(len(c.Schedule.round(len(c.Players))))
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Schedule: c.Schedule, Within: c.Within, Anchor: c.Anchor, AnchorElo: c.AnchorElo,
		Seed: c.Seed, Program: c.Program}
	id.RulesIdentity, id.OpeningIdentity, _ = c.Setup.Identity(openings)
	for _, p := range c.Players {
		id.Players = append(id.Players, p.Identity())
	}
	return id
}
