package screen

import (
	"fmt"
	"math"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// FixFrom is the number of games from which a screen fixes factors that are decided: shorter ones have too few left.
const FixFrom = 10000

// Factor is a change of the player with two levels.
type Factor struct {
	Name string `json:"name"`
	Off  string `json:"off,omitempty"` // what the levels stand for: the value of an option, the id of a patch
	On   string `json:"on"`
}

// Config says what is screened, and by which games. With Out empty nothing is kept.
type Config struct {
	selfplay.Setup

	Base    selfplay.Player // the player with all factors off
	Factors []Factor
	Design  *Design
	Lost    []Subset // builds of the design that failed, and which it has dropped
	Player  func(Subset) selfplay.Player
	Games   uint64 // a multiple of 8, the games of an opening
	Fix     bool   // factors that are decided keep their better level; of a random design
}

// GamesPerOpening is the number of games that start from one opening.
const GamesPerOpening = 2 * perOpening

// identity is everything that decides the games, as config.json has it.
type identity struct {
	Base    string   `json:"base"`
	Factors []Factor `json:"factors"`
	Design  Kind     `json:"design"`
	Lost    []Subset `json:"lost_builds,omitempty"`
	selfplay.RulesIdentity
	Games uint64 `json:"games"`
	Fix   bool   `json:"fix,omitempty"`
	selfplay.OpeningIdentity
	selfplay.SeedIdentity
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	var err error
	switch {
	case len(c.Factors) != c.Design.Factors:
		err = fmt.Errorf("%w: %d factors, the design has %d", selfplay.ErrConfig, len(c.Factors), c.Design.Factors)
	case c.Games == 0 || c.Games%GamesPerOpening != 0:
		err = fmt.Errorf("%w: %d games: want a multiple of %d, the games of an opening", selfplay.ErrConfig, c.Games,
			GamesPerOpening)
	case c.Fix && c.Design.Kind != Random:
		err = fmt.Errorf("%w: fixed factors need builds outside the design", selfplay.ErrConfig)
	default:
		err = c.Setup.Complete("screen", c.Base)
	}
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Base: c.Base.Identity(), Factors: c.Factors, Design: c.Design.Kind, Lost: c.Lost, Games: c.Games,
		Fix: c.Fix}
	id.RulesIdentity, id.OpeningIdentity, id.SeedIdentity = c.Setup.Identity(openings)
	return id
}

// pairs is the number of pairs.
func (c *Config) pairs() uint64 { return c.Games / 2 }

// looks returns the number of pairs at each look.
func (c *Config) looks() (list []uint64) {
	for _, share := range lookShares {
		list = append(list, uint64(math.Ceil(share*float64(c.pairs()))))
	}
	return list
}

// names returns the names of a subset's factors.
func (c *Config) names(s Subset) (list []string) {
	for j, f := range c.Factors {
		if s.Has(j) {
			list = append(list, f.Name)
		}
	}
	return list
}
