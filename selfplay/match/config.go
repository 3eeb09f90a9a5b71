package match

import (
	"fmt"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Config says who plays, how, and when the match ends. With Out empty nothing is kept.
// Random openings are checked by B, which is usually the older of the two.
type Config struct {
	selfplay.Setup

	A, B    selfplay.Player // results are from A's view
	LimitsB selfplay.Limits // of each move of B; zero: Limits, as A's

	Games     uint64     // with Test the most, else the number; even. 0 with Test: no end. May grow on resume
	Test      *sprt.Test // nil: play all Games
	Corrected bool       // narrow the test's bounds by the measured overshoot (see sprt.Walk)
}

// identity is everything that decides the result but the number of games, as config.json has it.
type identity struct {
	A      string             `json:"a"`
	B      string             `json:"b"`
	Limits [2]selfplay.Limits `json:"limits"` // in place of the one of RulesIdentity
	selfplay.RulesIdentity
	Test      *sprt.Test `json:"sprt"`
	Corrected bool       `json:"overshoot_corrected"`
	selfplay.OpeningIdentity
	selfplay.SeedIdentity
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	if err := c.validate(); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return nil
}

func (c *Config) validate() error {
	switch {
	case c.A.Spec.Name == "" || c.B.Spec.Name == "":
		return fmt.Errorf("%w: a match needs two players", selfplay.ErrConfig)
	case c.Games%2 != 0:
		return fmt.Errorf("%w: %d games: pairs need an even number", selfplay.ErrConfig, c.Games)
	case c.Games == 0 && c.Test == nil:
		return fmt.Errorf("%w: neither a number of games nor a test ends the match", selfplay.ErrConfig)
	}
	if c.Test != nil {
		if err := c.Test.Validate(); err != nil {
			return fmt.Errorf("%w: %w", selfplay.ErrConfig, err)
		}
	}
	if c.LimitsB == (selfplay.Limits{}) {
		c.LimitsB = c.Limits
	}
	b := c.Setup // the check of an opening is measured by B's limits
	b.Limits = c.LimitsB
	if err := b.Complete("match", c.B); err != nil {
		return fmt.Errorf("player B: %w", err)
	}
	c.Check = b.Check
	return c.Setup.Complete("match", c.B)
}

// limits returns the limits of A (0) or B (1).
func (c *Config) limits(player int) selfplay.Limits {
	return [2]selfplay.Limits{c.Limits, c.LimitsB}[player]
}

// need returns how many openings the match is sure to need.
func (c *Config) need() uint64 {
	if c.Test != nil {
		return 0
	}
	return c.Games / 2
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{A: c.A.Identity(), B: c.B.Identity(), Limits: [2]selfplay.Limits{c.Limits, c.LimitsB},
		Test: c.Test, Corrected: c.Corrected}
	id.RulesIdentity, id.OpeningIdentity, id.SeedIdentity = c.Setup.Identity(openings)
	return id
}

// Warnings returns what a reader of the result should know.
func (c *Config) Warnings() []string {
	var list []string
	if c.A.IsSame(c.B) && (c.LimitsB == c.Limits || c.LimitsB == selfplay.Limits{}) {
		list = append(list, fmt.Sprintf("both players are the same program, %s: the match measures only noise",
			c.A.Identity()))
	}
	return list
}
