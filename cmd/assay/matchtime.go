package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
)

// timeFlags are the flags of a match that have to do with time.
type timeFlags struct {
	moveTime     string
	clock        string
	margin       time.Duration
	moveTimeout  time.Duration
	startTimeout time.Duration
}

func (f *timeFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.moveTime, "movetime", "", "time a move, as 100ms; or A's,B's")
	fs.StringVar(&f.clock, "tc", "", "clock for the game, [MOVES/]SECONDS[+INCREMENT], as 8+0.08; or A's,B's")
	fs.DurationVar(&f.margin, "time-margin", selfplay.ClockMargin, "how far a clock may be overdrawn; more for a busy machine")
	fs.DurationVar(&f.moveTimeout, "move-timeout", uci.DefaultMoveTimeout, "time that a foreign engine may take beyond a limit that is no clock's")
	fs.DurationVar(&f.startTimeout, "start-timeout", uci.DefaultStartTimeout, "time that a foreign engine may take to be ready")
}

// limits returns A's and B's limits of time.
func (f *timeFlags) limits() (lim [2]selfplay.Limits, err error) {
	if f.moveTime != "" && f.clock != "" {
		return lim, usagef("--movetime and --tc both say how long a move may take: give one of them")
	}
	if f.moveTimeout <= 0 || f.startTimeout <= 0 {
		return lim, usagef("--move-timeout and --start-timeout are times above zero")
	}
	if f.margin < time.Millisecond || f.margin > time.Second {
		return lim, usagef("--time-margin %v: want a time from 1ms to 1s", f.margin)
	}
	if f.moveTime != "" {
		err = eachSide(f.moveTime, func(side int, text string) error {
			d, err := time.ParseDuration(text)
			if err != nil || d < time.Millisecond {
				return usagef("--movetime %s: want a time of at least 1ms, as 100ms", text)
			}
			lim[side].MoveTime = d
			return nil
		})
	}
	if f.clock != "" {
		err = eachSide(f.clock, func(side int, text string) error {
			c, err := selfplay.ParseClock(text)
			if err != nil {
				return usagef("--tc: %w", err)
			}
			if f.margin != selfplay.ClockMargin {
				c.Margin = f.margin
			}
			lim[side].Clock = c
			return nil
		})
	}
	return lim, err
}

// eachSide hands on A's and B's part of "A's,B's", or for both what is not divided.
func eachSide(text string, set func(side int, text string) error) error {
	a, b, two := strings.Cut(text, ",")
	if !two {
		b = a
	}
	return errors.Join(set(0, a), set(1, b))
}

// impatient is how long a foreign engine is waited for that did not start at once, so
// that its games do not take long to be lost.
const impatient = 2 * time.Second

// entrant names a player, and opens it once. A foreign engine that does not start now
// is warned of: whatever it fails to do costs its own games, never the match.
func (f *timeFlags) entrant(spec, warning string, stderr io.Writer) (selfplay.Entrant, error) {
	e, err := entrant(roster.WithTimeouts(spec, f.moveTimeout, f.startTimeout))
	if errors.Is(err, uci.ErrStart) {
		fmt.Fprintf(stderr, "%s: %v; it loses the games that it does not start for within %v (is it a UCI engine? does it need a longer --start-timeout?)\n", warning, err, min(f.startTimeout, impatient))
		e.Spec, err = roster.WithTimeouts(spec, f.moveTimeout, min(f.startTimeout, impatient)), nil
	}
	return e, err
}

// entrants names A and B and says who checks openings.
func (f *matchFlags) entrants(c *match.Config, args []string, stderr io.Writer) error {
	for i, to := range []*selfplay.Entrant{&c.A, &c.B} {
		e, err := f.times.entrant(args[i], fmt.Sprintf("match: warning: %c", 'A'+i), stderr)
		if err != nil {
			return err
		}
		*to = e
	}
	var err error
	c.Check.Player, err = openingChecker(c.B, c.A) // B rather than A, who is the newer
	return err
}

// openingChecker returns who checks random openings: the first of the players whose
// search is the modern one, or else a small one of it. A foreign engine that fails in a
// check has no game that it could cost; and what a program of a paper says of a position
// may be no centipawns at all, as random's 0.
func openingChecker(players ...selfplay.Entrant) (selfplay.Entrant, error) {
	for _, e := range players {
		if name, _, _ := strings.Cut(e.Spec, ":"); name == "assay" {
			return e, nil
		}
	}
	return entrant(smallChecker)
}

// crowded warns of games that take each other's time.
func (f *matchFlags) crowded(c *match.Config) string {
	timed := !c.Limits.Deterministic() || !c.LimitsB.Deterministic()
	if cores := runtime.GOMAXPROCS(0); timed && f.Concurrency > cores {
		return fmt.Sprintf("%d games at once on %d cores take each other's time; give --concurrency %d or fewer", f.Concurrency, cores, cores)
	}
	return ""
}
