package play

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/tuner/spsa"
)

// Config has the parameters and the games. Random openings are checked by Player
// with its start values; Progress counts iterations.
type Config struct {
	selfplay.Setup // its Seed is SPSA's too

	Player     selfplay.Player
	SPSA       spsa.Config
	Pairs      int    // of games an iteration; 0: 1
	Validation uint64 // games between the answer and the start; 0: none

	ValidationProgress func(done, total int64, note string) // of its games
}

// identity is everything that decides the result, as config.json has it.
type identity struct {
	Player string `json:"player"`
	selfplay.RulesIdentity
	SPSA       spsa.Config `json:"spsa"`
	Pairs      int         `json:"pairs"`
	Validation uint64      `json:"validation_games"`
	selfplay.OpeningIdentity
	Program string `json:"program"`
}

// complete fills in what was left open, and reports what cannot be played.
func (c *Config) complete() error {
	if c.Pairs == 0 {
		c.Pairs = 1
	}
	c.SPSA.Ahead, c.SPSA.Seed = max(c.SPSA.Ahead, 1), c.Seed
	if err := c.SPSA.Validate(); err != nil {
		return err
	}
	if err := c.validate(); err != nil {
		return fmt.Errorf("spsa: %w", err)
	}
	return nil
}

func (c *Config) validate() error {
	switch {
	case c.Out == "":
		return fmt.Errorf("%w: no folder to keep the run in", selfplay.ErrConfig)
	case c.Player.Spec.Name == "":
		return fmt.Errorf("%w: no player", selfplay.ErrConfig)
	case c.Pairs < 1 || c.Pairs > 10_000:
		return fmt.Errorf("%w: %d pairs an iteration: want 1 to 10000", selfplay.ErrConfig, c.Pairs)
	case c.Validation%2 != 0:
		return fmt.Errorf("%w: %d games of validation: pairs need an even number", selfplay.ErrConfig, c.Validation)
	case c.Generation != 0 || c.Stage != "":
		return fmt.Errorf("%w: a tuning by games has no generation and no stage", selfplay.ErrConfig)
	}
	// The checker sets its values itself: a player keeps its last game's.
	return c.Setup.Complete("spsa", c.With(c.start()))
}

// need returns how many openings the iterations need.
func (c *Config) need() uint64 { return uint64(c.SPSA.Iterations) * uint64(c.Pairs) }

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Player: c.Player.Identity(), SPSA: c.SPSA, Pairs: c.Pairs, Validation: c.Validation, Program: c.Program}
	id.RulesIdentity, id.OpeningIdentity, _ = c.Setup.Identity(openings)
	return id
}

func (c *Config) start() []float64 {
	values := make([]float64, len(c.SPSA.Parameters))
	for i := range values {
		values[i] = c.SPSA.Parameters[i].Start
	}
	return values
}

// With returns the player with values, rounded for integer parameters.
func (c *Config) With(values []float64) selfplay.Player {
	e := c.Player
	e.Options = c.options(values)
	var text []string
	for _, o := range e.Options {
		text = append(text, o.Name+"="+o.Value)
	}
	set := " " + strings.Join(text, " ")
	e.ID, e.Name = c.Player.Identity()+set, c.Player.Label()+set
	return e
}

// options returns values as options of the player.
func (c *Config) options(values []float64) []engine.Option {
	options := append([]engine.Option(nil), c.Player.Options...)
	for i := range c.SPSA.Parameters {
		p := &c.SPSA.Parameters[i]
		options = append(options, engine.Option{Name: p.Name, Value: Text(p, values[i])})
	}
	return options
}

// Text returns a parameter's value as the text of an option: an integer if required, else
// with digits down to a thousandth of its c_end.
func Text(p *spsa.Parameter, value float64) string {
	if p.Integer {
		return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
	}
	digits := max(0, int(math.Ceil(3-math.Log10(p.CEnd))))
	return strconv.FormatFloat(value, 'f', digits, 64)
}

// DefaultAhead is how many iterations of assay spsa are under way at once, if CONFIG has no other number.
const DefaultAhead = 4

// FileParameter is one of the values to be tuned, as a file has it.
type FileParameter struct {
	Name  string   `json:"name"`
	Type  string   `json:"type,omitempty"`
	Start *float64 `json:"start"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	CEnd  float64  `json:"c_end,omitempty"`
	REnd  float64  `json:"r_end,omitempty"`
}

// Parameters returns the values that a run of that many pairs of games tunes, with the default c_end and
// r_end of those that have none. Errors name the parameter.
func Parameters(list []FileParameter, pairs int) ([]spsa.Parameter, error) {
	var all []spsa.Parameter
	for i := range list {
		p, err := list[i].parameter()
		if err != nil {
			return nil, fmt.Errorf("parameter %d, %q: %w", i+1, list[i].Name, err)
		}
		if p.REnd == 0 {
			p.REnd = spsa.DefaultREnd(pairs, len(list))
		}
		all = append(all, p)
	}
	return all, nil
}

func (p *FileParameter) parameter() (spsa.Parameter, error) {
	if p.Start == nil || p.Min == nil || p.Max == nil {
		return spsa.Parameter{}, errors.New("start, min and max are required")
	}
	q := spsa.Parameter{Name: p.Name, Start: *p.Start, Min: *p.Min, Max: *p.Max, CEnd: p.CEnd, REnd: p.REnd, Integer: true}
	switch p.Type {
	case "", "int":
	case "float":
		q.Integer = false
	default:
		return q, fmt.Errorf("type = %q: want int or float", p.Type)
	}
	if q.CEnd == 0 {
		q.CEnd = (q.Max - q.Min) / spsa.CEndsInRange
		if q.Integer {
			q.CEnd = max(q.CEnd, 0.5)
		}
	}
	return q, nil
}
