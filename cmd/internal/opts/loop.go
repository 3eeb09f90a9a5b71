package opts

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/selfplay"
)

// Loop is the table [learn] of an assay.toml: how assay learn --engine tunes an engine. Typed flags of the same names
// replace its values.
type Loop struct {
	Flags *pflag.FlagSet

	Nodes              uint64
	Clock, Book        string
	Games, Generations int
	Hours              float64
	Lambda, Decay      float64 // Decay: of rows, by promotion
	Freeze             []string
	Gate               string
	Final, AtClock     int // games of the matches at the end
	FinalClock         string
}

// NewLoop returns the defaults.
func NewLoop() *Loop {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	o := &Loop{Flags: fs}
	fs.Uint64Var(&o.Nodes, "nodes", 0, fmt.Sprintf("nodes per move (default %d without tc)", DefaultNodes))
	fs.StringVar(&o.Clock, "tc", "", clock)
	fs.StringVar(&o.Book, "book", "", "opening book: EPD, FEN or PGN, compressed or not (default: random plies)")
	fs.IntVar(&o.Games, "games", 0, "games of a generation")
	fs.IntVar(&o.Generations, "generations", 0, "most generations (default 1)")
	fs.Float64Var(&o.Lambda, "lambda", 0.3,
		"share of the result in the target of the fit; the rest is the engine's own search")
	fs.Float64Var(&o.Decay, "decay", 0.5,
		"weight of positions of --add, and from before a promotion, for each promotion since")
	fs.StringSliceVar(&o.Freeze, "freeze", nil, "tables or numbers that keep their values")
	fs.StringVar(&o.Gate, "gate", "0,10", "elo0,elo1 of the SPRT that promotes a generation")
	fs.IntVar(&o.Final, "final-games", 0,
		"games of the match at the end (default 1000; with hours all that fit, and this is the most)")
	o.AddTyped(fs)
	return o
}

// AddTyped adds the settings that are flags of assay learn --engine alone.
func (o *Loop) AddTyped(fs *pflag.FlagSet) {
	fs.Float64Var(&o.Hours, "hours", 0, "with --engine: time for the whole run (default 2.5)")
	fs.IntVar(&o.AtClock, "clock-games", 200, "with --engine: most games of the match at --clock, at the end; 0: none")
	fs.StringVar(&o.FinalClock, "clock", "4+0.04", "with --engine: "+clock)
}

// Gates returns the hypotheses of Gate.
func (o *Loop) Gates() (elo0, elo1 float64, err error) {
	elo0, elo1, err = bounds(o.Gate)
	if err != nil || !(elo0 >= 0 && elo0 < elo1) {
		err = fmt.Errorf("want a test for a gain, such as [0, 10], not [%s]: one from below 0 promotes weaker engines",
			o.Gate)
	}
	return elo0, elo1, err
}

// Replace gives the settings the values of the flags of the same names that were typed.
func (o *Loop) Replace(typed *pflag.FlagSet) (err error) {
	typed.Visit(func(f *pflag.Flag) {
		if o.Flags.Lookup(f.Name) == nil || err != nil {
			return
		}
		if err = o.Flags.Set(f.Name, f.Value.String()); err == nil {
			err = o.check(f.Value.String())
		}
		if err != nil {
			err = fmt.Errorf("--%s: %w", f.Name, err)
		}
	})
	if typed.Changed("nodes") {
		o.Clock = ""
	}
	if typed.Changed("hours") {
		o.Games = 0
	}
	return err
}

func (o *Loop) take(l Line) error {
	f, given := o.Flags.Lookup(l.flag()), func(name string) bool { return o.Flags.Changed(name) }
	if f == nil {
		return fmt.Errorf("unknown setting of [learn] (there are: %s)",
			strings.ReplaceAll(strings.Join(Names(o.Flags), ", "), "-", "_"))
	}
	if err := o.Flags.Set(f.Name, l.Text); err != nil {
		return fmt.Errorf("%q: want %s", l.Text, strings.TrimPrefix(f.Usage, "with --engine: "))
	}
	switch {
	case given("nodes") && given("tc"):
		return errors.New("nodes and tc both limit a move: give one of them")
	case given("games") && given("hours"):
		return errors.New("games and hours both say how long a generation plays: give one of them")
	}
	return o.check(l.Text)
}

// check checks the values, whoever gave them; the newest is text.
func (o *Loop) check(text string) error {
	given := o.Flags.Changed
	switch {
	case given("nodes") && o.Nodes == 0, given("generations") && o.Generations < 1, given("final-games") && o.Final < 1:
		return fmt.Errorf("want 1 or more, not %s", text)
	case given("games") && o.Games < 2:
		return fmt.Errorf("want 2 or more, not %s", text)
	case o.AtClock < 0:
		return fmt.Errorf("want 0 or more, not %s", text)
	case o.Final%2 != 0, o.AtClock%2 != 0:
		return fmt.Errorf("want an even number of games, not %s", text)
	case given("hours") && !(o.Hours > 0 && o.Hours <= math.MaxFloat64):
		return fmt.Errorf("want more than 0, not %s", text)
	case !(o.Lambda >= 0 && o.Lambda <= 1):
		return fmt.Errorf("want a share from 0 to 1, not %s", text)
	case !(o.Decay > 0 && o.Decay <= 1):
		return fmt.Errorf("want a weight above 0, up to 1, not %s", text)
	}
	for _, c := range []string{cmp.Or(o.Clock, o.FinalClock), o.FinalClock} {
		if _, err := selfplay.ParseClock(c); err != nil {
			return err
		}
	}
	_, _, err := o.Gates()
	return err
}
