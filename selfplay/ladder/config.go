package ladder

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// ErrConfig is wrapped by the errors about a configuration that cannot be run.
var ErrConfig = errors.New("ladder: impossible configuration")

// MaxPlayers is how many can be rated: the work of a fit grows with their third power.
const MaxPlayers = 500

// Config says who is rated, and by which games.
type Config struct {
	Out      string // folder of the run; empty: nothing is kept
	Players  []selfplay.Entrant
	Limits   selfplay.Limits // of each move, for all
	Rule     selfplay.Adjudication
	Plies    int // a game is drawn after so many plies of play; 0: selfplay.DefaultMaxPlies
	Schedule Schedule
	Games    uint64  // the most; even
	Within   float64 // end when every 95 % interval is within +- so many Elo; 0: play all games

	Anchor    int     // player whose Elo is AnchorElo; -1: the mean of all
	AnchorElo float64 // any number

	Opening      opening.Spec
	Checker      selfplay.Entrant // whose search checks random openings; zero: the first player
	CheckNodes   uint64           // of that search; 0: selfplay.CheckLimits
	OpeningScore int              // centipawns above which an opening is not played; 0: selfplay.DefaultMaxOpeningScore, below 0: no check
	Seed         uint64

	// What follows changes nothing of the result.

	Open     selfplay.Opener
	Runner   selfplay.Runner // nil: selfplay.Local with Workers
	Workers  int             // 0: one a core
	Program  string          // version
	Resume   string          // command line that resumes the run
	Progress func(done, total int64, note string)
}

// batch is how many pairs are chosen at once, and batchesAhead how many batches may be
// under way: what decides a choice is then known whatever the number of workers.
const batch, batchesAhead = 8, 2

// stage is the tag of the seeds.
const stage = "ladder"

// identity is all that decides the games, as config.json has it. The anchor only moves
// the scale, but the result tells Elo on it.
type identity struct {
	Players      []string              `json:"players"`
	Limits       selfplay.Limits       `json:"limits"`
	Rule         selfplay.Adjudication `json:"adjudication"`
	Plies        int                   `json:"max_plies"`
	Schedule     Schedule              `json:"schedule"`
	Games        uint64                `json:"games"`
	Within       float64               `json:"within,omitempty"`
	Anchor       int                   `json:"anchor"`
	AnchorElo    float64               `json:"anchor_elo"`
	Opening      opening.Description   `json:"opening"`
	Checker      string                `json:"checker,omitempty"`
	CheckNodes   uint64                `json:"check_nodes,omitempty"`
	OpeningScore int                   `json:"opening_score,omitempty"`
	Seed         uint64                `json:"seed,string"`
	Program      string                `json:"program"`
}

func (c *Config) defaults() {
	if c.Schedule == "" {
		c.Schedule = Widest
	}
	if c.Plies <= 0 {
		c.Plies = selfplay.DefaultMaxPlies
	}
	check := selfplay.OpeningCheck{Checker: c.Checker, Nodes: c.CheckNodes, Score: c.OpeningScore}.Settle(c.Opening.Book != "", c.Players[0], c.Limits)
	c.Checker, c.CheckNodes, c.OpeningScore = check.Checker, check.Nodes, check.Score
	if c.Runner == nil {
		c.Runner = &selfplay.Local{Open: c.Open, Workers: c.Workers}
	}
}

func (c *Config) validate() error {
	switch {
	case len(c.Players) < 2 || len(c.Players) > MaxPlayers:
		return fmt.Errorf("%w: %d players: want 2 to %d", ErrConfig, len(c.Players), MaxPlayers)
	case c.Games == 0 || c.Games%2 != 0:
		return fmt.Errorf("%w: %d games: pairs need an even number above zero", ErrConfig, c.Games)
	case c.Within < 0 || math.IsNaN(c.Within):
		return fmt.Errorf("%w: intervals within %v Elo", ErrConfig, c.Within)
	case c.Anchor < -1 || c.Anchor >= len(c.Players) || math.IsNaN(c.AnchorElo) || math.Abs(c.AnchorElo) > 1e6:
		return fmt.Errorf("%w: player %d is no anchor at %v Elo", ErrConfig, c.Anchor, c.AnchorElo)
	case c.Limits.Nodes > math.MaxUint32:
		return fmt.Errorf("%w: %d nodes a move are more than the data format can say", ErrConfig, c.Limits.Nodes)
	}
	if c.Schedule != "" {
		if _, err := ParseSchedule(string(c.Schedule)); err != nil {
			return err
		}
	}
	var names []string
	for _, p := range c.Players {
		if p.Spec == "" {
			return fmt.Errorf("%w: a player without a name", ErrConfig)
		}
		if slices.Contains(names, p.Identity()) {
			return fmt.Errorf("%w: %s takes part twice", ErrConfig, p.Identity())
		}
		names = append(names, p.Identity())
	}
	if err := c.Limits.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// end is the number of pairs, at most.
func (c *Config) end() uint64 { return c.Games / 2 }

// checkBook refuses a book that does not last.
func (c *Config) checkBook(openings opening.Source) error {
	need := (c.end() + c.stride() - 1) / c.stride()
	if n := openings.Len(); n > 0 && need > n {
		return fmt.Errorf("%w: %d games need %d openings: %w: %s has %d", ErrConfig, c.Games, need, opening.ErrExhausted, c.Opening.Book, n)
	}
	return nil
}

// stride is how many pairs begin from the same opening: a round's.
func (c *Config) stride() uint64 {
	if c.Schedule == Widest {
		return 1
	}
	return uint64(len(c.Schedule.round(len(c.Players))))
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Limits: c.Limits, Rule: c.Rule, Plies: c.Plies, Schedule: c.Schedule, Games: c.Games, Within: c.Within,
		Anchor: c.Anchor, AnchorElo: c.AnchorElo,
		Opening: openings.Describe(), Checker: c.Checker.Identity(), CheckNodes: c.CheckNodes, OpeningScore: c.OpeningScore,
		Seed: c.Seed, Program: c.Program}
	for _, p := range c.Players {
		id.Players = append(id.Players, p.Identity())
	}
	return id
}
