package play

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/tuner/spsa"
)

// ErrConfig is wrapped by the errors about a configuration that cannot be run.
var ErrConfig = errors.New("spsa: impossible configuration")

// Config says what is tuned, and by which games.
type Config struct {
	Out    string // folder of the run
	Player selfplay.Entrant
	Limits selfplay.Limits // of each move
	Rule   selfplay.Adjudication
	Plies  int // a game is drawn after so many plies of play; 0: selfplay.DefaultMaxPlies

	SPSA       spsa.Config // its Seed is that of the games too
	Pairs      int         // of games an iteration; 0: 1
	Validation uint64      // games between the answer and the start; 0: none

	Opening      opening.Spec
	Checker      selfplay.Entrant // whose search checks random openings; zero: Player with its start values
	CheckNodes   uint64           // of that search; 0: selfplay.CheckLimits
	OpeningScore int              // centipawns above which an opening is not played; 0: selfplay.DefaultMaxOpeningScore, below 0: no check

	// What follows changes nothing of the result.

	Open     selfplay.Opener
	Runner   selfplay.Runner                      // nil: selfplay.Local with Workers
	Workers  int                                  // 0: one a core
	Program  string                               // version
	Resume   string                               // command line that resumes the run
	Progress func(done, total int64, note string) // of iterations

	ValidationProgress func(done, total int64, note string) // of its games
}

// identity is all that decides the result, as config.json has it.
type identity struct {
	Player       string                `json:"player"`
	Limits       selfplay.Limits       `json:"limits"`
	Rule         selfplay.Adjudication `json:"adjudication"`
	Plies        int                   `json:"max_plies"`
	SPSA         spsa.Config           `json:"spsa"`
	Pairs        int                   `json:"pairs"`
	Validation   uint64                `json:"validation_games"`
	Opening      opening.Description   `json:"opening"`
	Checker      string                `json:"checker,omitempty"`
	CheckNodes   uint64                `json:"check_nodes,omitempty"`
	OpeningScore int                   `json:"opening_score,omitempty"`
	Program      string                `json:"program"`
}

func (c *Config) defaults() {
	c.Pairs = max(c.Pairs, 1)
	c.SPSA.Ahead = max(c.SPSA.Ahead, 1)
	if c.Plies <= 0 {
		c.Plies = selfplay.DefaultMaxPlies
	}
	// By the player with values of its own: it keeps those of its last game.
	check := selfplay.OpeningCheck{Checker: c.Checker, Nodes: c.CheckNodes, Score: c.OpeningScore}.Settle(c.Opening.Book != "", c.Entrant(c.start()), c.Limits)
	c.Checker, c.CheckNodes, c.OpeningScore = check.Checker, check.Nodes, check.Score
	if c.Runner == nil {
		c.Runner = &selfplay.Local{Open: c.Open, Workers: c.Workers}
	}
}

func (c *Config) validate() error {
	if err := c.SPSA.Validate(); err != nil {
		return err
	}
	switch {
	case c.Out == "":
		return fmt.Errorf("%w: no folder to keep the run in", ErrConfig)
	case c.Player.Spec == "":
		return fmt.Errorf("%w: no player", ErrConfig)
	case c.Pairs < 0 || c.Pairs > 10_000:
		return fmt.Errorf("%w: %d pairs an iteration: want 1 to 10000", ErrConfig, c.Pairs)
	case c.Validation%2 != 0:
		return fmt.Errorf("%w: %d games of validation: pairs need an even number", ErrConfig, c.Validation)
	case c.Limits.Nodes > math.MaxUint32:
		return fmt.Errorf("%w: %d nodes a move are more than the data format can say", ErrConfig, c.Limits.Nodes)
	}
	if err := c.Limits.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// checkBook refuses a book that does not last.
func (c *Config) checkBook(openings opening.Source) error {
	need := uint64(c.SPSA.Iterations) * uint64(c.Pairs)
	if n := openings.Len(); n > 0 && need > n {
		return fmt.Errorf("%w: %d iterations of %d pairs need %d openings: %w: %s has %d",
			ErrConfig, c.SPSA.Iterations, c.Pairs, need, opening.ErrExhausted, c.Opening.Book, n)
	}
	return nil
}

func (c *Config) identity(openings opening.Source) identity {
	return identity{Player: c.Player.Identity(), Limits: c.Limits, Rule: c.Rule, Plies: c.Plies,
		SPSA: c.SPSA, Pairs: c.Pairs, Validation: c.Validation,
		Opening: openings.Describe(), Checker: c.Checker.Identity(), CheckNodes: c.CheckNodes, OpeningScore: c.OpeningScore,
		Program: c.Program}
}

func (c *Config) start() []float64 {
	values := make([]float64, len(c.SPSA.Parameters))
	for i := range values {
		values[i] = c.SPSA.Parameters[i].Start
	}
	return values
}

// Entrant returns the player with values, rounded where they have to be whole.
func (c *Config) Entrant(values []float64) selfplay.Entrant {
	e := c.Player
	e.Options = c.options(values)
	var text []string
	for _, o := range e.Options {
		text = append(text, o.Name+"="+o.Value)
	}
	e.Name = c.Player.Identity() + " " + strings.Join(text, " ")
	return e
}

// options returns values as options of the player.
func (c *Config) options(values []float64) []selfplay.Option {
	options := append([]selfplay.Option(nil), c.Player.Options...)
	for i := range c.SPSA.Parameters {
		p := &c.SPSA.Parameters[i]
		options = append(options, selfplay.Option{Name: p.Name, Value: Text(p, values[i])})
	}
	return options
}

// Text returns a parameter's value as an option has it: a whole number where it has to
// be one, else as few digits as tell it from its neighbours at a thousandth of its c_end.
func Text(p *spsa.Parameter, value float64) string {
	if p.Integer {
		return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
	}
	digits := max(0, int(math.Ceil(3-math.Log10(p.CEnd))))
	return strconv.FormatFloat(value, 'f', digits, 64)
}
