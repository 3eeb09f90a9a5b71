package match

import (
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// ErrConfig is wrapped by the errors about a configuration that cannot be run.
var ErrConfig = errors.New("match: impossible configuration")

// Config says who plays, how, and when it ends.
type Config struct {
	Out    string             // folder of the run; empty: nothing is kept
	A, B   selfplay.Entrant   // results are A's view
	Limits [2]selfplay.Limits // of each move of A and of B
	Rule   selfplay.Adjudication
	Plies  int // a game is drawn after so many plies of play; 0: selfplay.DefaultMaxPlies

	Games     uint64     // with Test the most, else exactly so many; even. 0 with Test: no end
	Test      *sprt.Test // nil: play all Games
	Corrected bool       // draw the test's bounds in by the measured overshoot (see sprt.Walk)

	Opening      opening.Spec
	Checker      selfplay.Entrant // whose search checks random openings; zero: B, the known one
	CheckNodes   uint64           // of that search; 0: selfplay.CheckLimits of B's limits
	OpeningScore int              // centipawns above which an opening is not played; 0: selfplay.DefaultMaxOpeningScore, below 0: no check

	Seed       uint64
	Generation uint64
	Stage      string // tag of the seeds, so that no match replays another's openings; empty: "match"

	// What follows changes nothing of the result.

	Open     selfplay.Opener
	Runner   selfplay.Runner // nil: selfplay.Local with Workers
	Workers  int             // 0: one a core
	Program  string          // version
	Resume   string          // command line that resumes the match
	Progress func(done, total int64, note string)
}

// identity is all that decides the result, as config.json has it.
type identity struct {
	A            string                `json:"a"`
	B            string                `json:"b"`
	Limits       [2]selfplay.Limits    `json:"limits"`
	Rule         selfplay.Adjudication `json:"adjudication"`
	Plies        int                   `json:"max_plies"`
	Games        uint64                `json:"games"`
	Test         *sprt.Test            `json:"sprt"`
	Corrected    bool                  `json:"overshoot_corrected"`
	Opening      opening.Description   `json:"opening"`
	Checker      string                `json:"checker,omitempty"`
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
		c.Stage = "match"
	}
	if c.Plies <= 0 {
		c.Plies = selfplay.DefaultMaxPlies
	}
	check := selfplay.OpeningCheck{Checker: c.Checker, Nodes: c.CheckNodes, Score: c.OpeningScore}.Settle(c.Opening.Book != "", c.B, c.Limits[1])
	c.Checker, c.CheckNodes, c.OpeningScore = check.Checker, check.Nodes, check.Score
	if c.Runner == nil {
		c.Runner = &selfplay.Local{Open: c.Open, Workers: c.Workers}
	}
}

func (c *Config) validate() error {
	if c.A.Spec == "" || c.B.Spec == "" {
		return fmt.Errorf("%w: a match needs two players", ErrConfig)
	}
	for i, l := range c.Limits {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("%w: player %c: %w", ErrConfig, 'A'+i, err)
		}
		if l.Nodes > math.MaxUint32 {
			return fmt.Errorf("%w: %d nodes a move are more than the data format can say", ErrConfig, l.Nodes)
		}
	}
	switch {
	case c.Games%2 != 0:
		return fmt.Errorf("%w: %d games: pairs need an even number", ErrConfig, c.Games)
	case c.Games == 0 && c.Test == nil:
		return fmt.Errorf("%w: neither a number of games nor a test says when it ends", ErrConfig)
	}
	if c.Test != nil {
		if err := c.Test.Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	return nil
}

// checkBook refuses a book that cannot last to the end of a match of fixed length.
func (c *Config) checkBook(openings opening.Source) error {
	if n := openings.Len(); n > 0 && c.Test == nil && c.Games/2 > n {
		return fmt.Errorf("%w: %d games need %d openings: %w: %s has %d", ErrConfig, c.Games, c.Games/2, opening.ErrExhausted, c.Opening.Book, n)
	}
	return nil
}

func (c *Config) identity(openings opening.Source) identity {
	return identity{A: c.A.Identity(), B: c.B.Identity(), Limits: c.Limits, Rule: c.Rule, Plies: c.Plies,
		Games: c.Games, Test: c.Test, Corrected: c.Corrected,
		Opening: openings.Describe(), Checker: c.Checker.Identity(), CheckNodes: c.CheckNodes, OpeningScore: c.OpeningScore,
		Seed: c.Seed, Generation: c.Generation, Stage: c.Stage, Program: c.Program}
}

// Warnings returns what makes the answer of this match worth less than it seems.
func (c *Config) Warnings() []string {
	var list []string
	if c.A.Identity() == c.B.Identity() && c.Limits[0] == c.Limits[1] {
		list = append(list, fmt.Sprintf("both players are %s: the match measures nothing but its own noise", c.A.Identity()))
	}
	return list
}
