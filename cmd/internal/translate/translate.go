// Package translate turns the command lines of other match runners into commands of assay.
//
// It knows fastchess, cutechess-cli and c-chess-cli by their manuals, and runs none of them.
// What has no counterpart becomes a note. Start reading at Match. Habits lists what their users
// type first after assay, and what it is there.
package translate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
)

// Command is the translation of a command line.
type Command struct {
	// Args are the arguments of assay: match, the players, the flags.
	Args []string
	// Notes say what assay does by itself, does differently, or cannot do.
	Notes []string
}

// Runners are the programs whose command lines can be translated.
var Runners = []string{"fastchess", "cutechess-cli", "c-chess-cli"}

// Match translates the arguments of a runner (one of Runners) into a command of assay. The
// error names an option that the runner does not have, or a value that cannot be read.
func Match(runner string, args []string) (*Command, error) {
	if !slices.Contains(Runners, runner) {
		return nil, fmt.Errorf("no such runner: %q; known are %s", runner, strings.Join(Runners, ", "))
	}
	t := &translation{runner: runner, rounds: 1, games: 1}
	if runner == "fastchess" {
		t.rounds, t.games = 2, 2
	}
	for _, o := range group(args) {
		apply, known := options[o.name]
		switch why := noFlag[o.name]; {
		case why != "":
			t.note("%s: %s", o.name, why)
		case !known:
			return nil, fmt.Errorf("%s: unknown %s option", o.name, runner)
		default:
			if err := apply(t, o.values); err != nil {
				return nil, fmt.Errorf("%s: %w", strings.Join(append([]string{o.name}, o.values...), " "), err)
			}
		}
	}
	return t.command()
}

// IsForeign reports whether a word is an option of a runner, with one dash, that is not the same with two in assay.
func IsForeign(word string) bool {
	name := strings.TrimPrefix(word, "-")
	same := slices.Contains(append([]string{"st", "concurrency", "recover", "gauntlet"}, limitKeys...), name)
	return len(name) == len(word)-1 && (options[word] != nil || noFlag[word] != "") && !same
}

// Why says why assay has no flag for an option; empty if it has one, or does not know the option.
func Why(option string) string { return noFlag[option] }

// words are an option of a runner with the words after it.
type words struct {
	name   string
	values []string
}

// group splits a command line into options. Options start with one dash, or with two.
func group(args []string) []words {
	var list []words
	for _, word := range args {
		if starts(word) || len(list) == 0 {
			list = append(list, words{name: strings.Replace(word, "--", "-", 1)})
			continue
		}
		last := &list[len(list)-1]
		last.values = append(last.values, word)
	}
	return list
}

// starts reports whether a word starts an option. Negative numbers do not.
func starts(word string) bool {
	name := strings.TrimLeft(word, "-")
	return word != name && name != "" && (name[0] < '0' || name[0] > '9') && name[0] != '.'
}

// Line returns the command as it is typed in a POSIX shell.
func (c *Command) Line() string {
	return "assay " + ui.Words(c.Args)
}

// limitKeys are the limits in the order in which they are written.
var limitKeys = []string{"tc", "movetime", "nodes", "depth"}

// command puts the command together.
func (t *translation) command() (*Command, error) {
	if len(t.engines) < 2 {
		return nil, errors.New(strings.Join(append([]string{fmt.Sprintf("want two engines or more (-engine cmd=...), got %d",
			len(t.engines))}, t.notes...), "; "))
	}
	if err := t.possible(); err != nil {
		return nil, err
	}
	list := make([]engine, len(t.engines))
	for i, e := range t.engines {
		list[i] = e.with(t.each)
		list[i].enter(t)
	}
	limits, own, err := t.limits(list)
	if err != nil {
		return nil, err
	}
	c := &Command{Args: []string{"match"}}
	for i, e := range list {
		player, err := e.player(own[i])
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, player)
	}
	c.Args = append(c.Args, limits...)
	c.Args = append(c.Args, "--games", strconv.FormatUint(t.total(), 10))
	if t.gauntlet && len(list) > 2 {
		c.Args = append(c.Args, "--gauntlet")
	}
	c.Args = append(c.Args, t.flags...)
	if t.recover {
		c.Args = append(c.Args, "--recover")
	}
	// assay adjudicates by default; the other runners do not.
	if !t.win {
		c.Args = append(c.Args, "--win-plies", "0")
	}
	if t.format != "" && !strings.Contains(strings.ToLower(t.book), "."+t.format) {
		t.note("format=%s: assay goes by the name of the file: end it in .%s", t.format, t.format)
	}
	if t.random && !t.seeded {
		t.note("order=random: the order follows --seed; give another one for another match")
	}
	c.Notes = slices.Compact(t.notes)
	return c, nil
}

// possible returns why assay cannot play the tournament.
func (t *translation) possible() error {
	switch players := len(t.engines); {
	case t.sprt && players > 2:
		return fmt.Errorf("-sprt compares two engines, got %d", players)
	case t.gauntlet && t.seeds > 1:
		return fmt.Errorf("-seeds %d: assay plays gauntlets of one engine against the others; "+
			"give one command for each of the first %d", t.seeds, t.seeds)
	case t.chess960 && t.book == "":
		return errors.New("Chess960 needs a book of its positions: -openings file=FILE format=epd")
	}
	return nil
}

// total is the number of games, which assay plays in pairs.
func (t *translation) total() uint64 {
	n, encounters := t.rounds*t.games, uint64(1)
	if players := uint64(len(t.engines)); t.gauntlet {
		encounters = players - 1
	} else {
		encounters = players * (players - 1) / 2
	}
	n *= encounters
	if n%2 == 1 {
		n++
		t.note("assay plays pairs of games: %d", n)
	}
	return n
}

// limits returns the flags that limit all players' moves, and the limits that a player has
// by itself.
func (t *translation) limits(list []engine) (flags []string, own [][]string, err error) {
	own = make([][]string, len(list))
	for _, key := range limitKeys {
		values := make([]string, len(list))
		for i, e := range list {
			values[i] = e.limits[key]
		}
		distinct := slices.Compact(slices.Clone(values))
		switch {
		case len(distinct) == 1 && values[0] == "": // no engine has it
		case len(distinct) == 1:
			flags = append(flags, "--"+key, values[0])
		case key == "nodes" || key == "depth":
			for i, v := range values {
				if v != "" {
					own[i] = append(own[i], key)
				}
			}
		case len(list) == 2 && !slices.Contains(values, ""):
			flags = append(flags, "--"+key, strings.Join(values, ","))
		default:
			return nil, nil, t.differ(list, key, values)
		}
	}
	if slices.Contains(flags, "--tc") && slices.Contains(flags, "--movetime") {
		return nil, nil, fmt.Errorf("tc and st both limit the time: give one of them")
	}
	if len(flags) == 0 && slices.ContainsFunc(own, func(keys []string) bool { return len(keys) == 0 }) {
		return nil, nil, fmt.Errorf("no limit: give tc=8+0.08, st=0.1, nodes=5000 or depth=8 (in -each or for each -engine)")
	}
	return append(flags, t.margin(list)...), own, nil
}

// differ returns the error for a limit of time that assay cannot play.
func (t *translation) differ(list []engine, key string, values []string) error {
	var each []string
	for i, v := range values {
		each = append(each, fmt.Sprintf("%s has %s", cmp.Or(list[i].name, list[i].command), cmp.Or(v, "none")))
	}
	return fmt.Errorf("%s: %s; assay gives all engines a clock, or none: give it in -each", key, strings.Join(each, ", "))
}

// margin returns the flag for the largest margin of the engines.
func (t *translation) margin(list []engine) []string {
	margin, differ := list[0].margin, false
	for _, e := range list[1:] {
		differ = differ || e.margin != list[0].margin
		margin = max(margin, e.margin)
	}
	if differ {
		t.note("timemargin differs between the engines; assay gives all of them %d ms", margin)
	}
	if margin == 0 {
		return nil
	}
	if margin > 1000 {
		t.note("timemargin=%d: assay allows up to a second", margin)
	}
	return []string{"--time-margin", strconv.FormatUint(min(margin, 1000), 10) + "ms"}
}
