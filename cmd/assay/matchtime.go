package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
)

// timeFlags are the flags of a match about time.
type timeFlags struct {
	moveTime     string
	clock        string
	margin       time.Duration
	moveTimeout  time.Duration
	startTimeout time.Duration
}

// register adds the flags to those of a command. With sides, A and B may have different limits.
func (f *timeFlags) register(fs *pflag.FlagSet, sides bool) {
	moveTime, clock := "time a move, such as 100ms", "clock for the game, [MOVES/]SECONDS[+INCREMENT], such as 8+0.08"
	if sides {
		moveTime += "; or one for A and one for B: 100ms,50ms"
		clock += "; or one for A and one for B: 8+0.08,4+0.04"
	}
	fs.StringVar(&f.moveTime, "movetime", "", moveTime)
	fs.StringVar(&f.clock, "tc", "", clock)
	fs.DurationVar(&f.margin, "time-margin", selfplay.ClockMargin, "by how much a player may exceed its time before it loses; raise it on a busy machine")
	fs.DurationVar(&f.moveTimeout, "move-timeout", uci.DefaultMoveTimeout, "time for a foreign engine to answer beyond a limit other than a clock")
	fs.DurationVar(&f.startTimeout, "start-timeout", uci.DefaultStartTimeout, "time for a foreign engine to start")
}

// limits returns A's and B's limits of time.
func (f *timeFlags) limits() (lim [2]selfplay.Limits, err error) {
	if f.moveTime != "" && f.clock != "" {
		return lim, cli.Usagef("--movetime and --tc both limit the time: give one of them")
	}
	if f.moveTimeout <= 0 || f.startTimeout <= 0 {
		return lim, cli.Usagef("--move-timeout and --start-timeout must be above zero")
	}
	if f.margin < time.Millisecond || f.margin > time.Second {
		return lim, cli.Usagef("--time-margin %v: want a time from 1ms to 1s", f.margin)
	}
	if f.moveTime != "" {
		err = eachSide(f.moveTime, func(side int, text string) error {
			d, err := time.ParseDuration(text)
			if err != nil || d < time.Millisecond {
				return cli.Usagef("--movetime %s: want a time of at least 1ms, such as 100ms", text)
			}
			lim[side].MoveTime = d
			return nil
		})
	}
	if f.clock != "" && err == nil {
		err = eachSide(f.clock, func(side int, text string) error {
			c, err := selfplay.ParseClock(text)
			if err != nil {
				return cli.Usagef("--tc: %w", err)
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

// eachSide calls set with the parts of "A,B", or with the whole text for both.
func eachSide(text string, set func(side int, text string) error) error {
	a, b, two := strings.Cut(text, ",")
	if !two {
		b = a
	}
	if err := set(0, a); err != nil {
		return err
	}
	return set(1, b)
}

// entrant names a player, builds it if it is git:REF, and starts it once. What is the
// player's name in errors.
func (f *timeFlags) entrant(git *gitFlags, spec, what string) (selfplay.Entrant, error) {
	e, err := git.entrant(roster.WithTimeouts(spec, f.moveTimeout, f.startTimeout))
	if errors.Is(err, uci.ErrStart) {
		err = verdictAdvice(fmt.Errorf("%s: %w: %w", what, selfplay.ErrPreflight, err), "")
	}
	return e, err
}

// entrants names A and B and chooses who checks openings.
func (f *matchFlags) entrants(c *match.Config, players players) error {
	list, err := players.entrants(&f.times, &f.git, func(i int) string { return fmt.Sprintf("match: %c", 'A'+i) })
	if err != nil {
		return err
	}
	c.A, c.B, c.Pinned = list[0], list[1], f.git.pinned()
	if f.Opening.Book != "" {
		return nil // nothing to check
	}
	c.Check.Player, err = openingChecker(c.B, c.A) // B first: A is usually the newer
	return err
}

// openingChecker returns who checks random openings: the first of the players that is
// assay, or else a small assay. A foreign engine could fail in a check, where it has no
// game to lose, and the scores of historic programs need not be centipawns.
func openingChecker(players ...selfplay.Entrant) (selfplay.Entrant, error) {
	for _, e := range players {
		if name, _, _ := strings.Cut(e.Spec, ":"); name == "assay" {
			return e, nil
		}
	}
	return cli.Entrant(cli.SmallChecker)
}

// crowded returns a warning if more timed games run at once than there are cores.
func (f *matchFlags) crowded(c *match.Config) string {
	return crowdedGames(!c.Limits.Deterministic() || !c.LimitsB.Deterministic(), f.Concurrency)
}

func crowdedGames(timed bool, games int) string {
	if cores := runtime.GOMAXPROCS(0); timed && games > cores {
		return fmt.Sprintf("%d timed games at once on %d cores slow each other down; use --concurrency %d or less", games, cores, cores)
	}
	return ""
}
