// Package translate turns the command lines of other match runners into commands of assay.
//
// It knows fastchess, cutechess-cli and c-chess-cli by their manuals, and runs none of them.
// What has no counterpart becomes a note. Start reading at Match.
package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/quote"
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
	options := table()
	for _, o := range group(args) {
		apply, known := options[o.name]
		if !known {
			return nil, fmt.Errorf("%s: unknown %s option", o.name, runner)
		}
		if err := apply(t, o.values); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(append([]string{o.name}, o.values...), " "), err)
		}
	}
	return t.command()
}

// IsForeign reports whether a word is an option of a runner, with one dash, that is not the same with two in assay.
func IsForeign(word string) bool {
	name := strings.TrimPrefix(word, "-")
	same := slices.Contains(append([]string{"st", "concurrency", "recover", "gauntlet"}, limitKeys...), name)
	return len(name) == len(word)-1 && table()[word] != nil && !same
}

// Why says why assay has no flag for an option; empty if it has one, or does not know the option.
func Why(option string) string { return noFlag[option] }

// option is an option of a runner with the words after it.
type option struct {
	name   string
	values []string
}

// group splits a command line into options. Options start with one dash, or with two.
func group(args []string) []option {
	var list []option
	for _, word := range args {
		if starts(word) || len(list) == 0 {
			list = append(list, option{name: strings.Replace(word, "--", "-", 1)})
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

// pairs splits KEY=VALUE words, in their order.
func pairs(words []string) ([][2]string, error) {
	var list [][2]string
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%q: want KEY=VALUE", word)
		}
		list = append(list, [2]string{key, value})
	}
	return list, nil
}

// Line returns the command as it is typed in a POSIX shell.
func (c *Command) Line() string {
	words := []string{"assay"}
	for _, arg := range c.Args {
		words = append(words, quote.Word(arg))
	}
	return strings.Join(words, " ")
}
