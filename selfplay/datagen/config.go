package datagen

import (
	"fmt"

	"github.com/assay-chess/assay/selfplay"
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
