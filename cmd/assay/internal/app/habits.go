package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
)

// What users of other programs type by habit, and the hints that they get.

// otherWords are the words of other programs for flags.
var otherWords = map[string]string{"openings": "book", "workers": "concurrency", "cores": "concurrency",
	"procs": "concurrency"}

// flagError explains an unknown flag: the nearest one, or the way from another runner's
// command line.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		if word := otherWords[name]; cmd.Flags().Lookup(word) != nil {
			name = word
		}
		return cli.Usage(fmt.Errorf("%w%s", err, cli.DidYouMean(name, "--", flagNames(cmd))))
	}
	if _, word, ok := strings.Cut(text, "unknown shorthand flag: "); ok {
		if _, word, ok = strings.Cut(word, " in -"); ok {
			return cli.Usage(fmt.Errorf("unknown flag: -%s%s", word, oneDash(cmd, word)))
		}
	}
	return cli.Usage(err)
}

// oneDash says what to type in place of a flag with one dash.
func oneDash(cmd *cobra.Command, word string) string {
	switch {
	case slices.Contains([]string{"engine", "each", "quick", "openings", "rounds"}, word):
		return "; for a command line of fastchess or cutechess-cli: assay translate fastchess ..."
	case cmd.Flags().Lookup(word) != nil:
		return "; flags have two dashes: --" + word
	}
	return cli.DidYouMean(word, "--", flagNames(cmd))
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// missingArgument names the first argument of the usage line that is not there.
func missingArgument(cmd *cobra.Command, args []string) string {
	required := 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "[") {
			break
		}
		if required == len(args) {
			return strings.TrimRight(word, ".")
		}
		required++
	}
	return ""
}

// habits turns --preset and --rounds into the settings that they stand for.
func (s *session) habits() error {
	if s.Rounds > 0 {
		if s.Games > 0 && s.Games != 2*s.Rounds {
			return cli.Usagef("--games %d and --rounds %d (%d games): give one of them", s.Games, s.Rounds, 2*s.Rounds)
		}
		if err := s.Put("games", fmt.Sprint(2*s.Rounds)); err != nil {
			return err
		}
	}
	return s.ApplyPreset()
}

// sprtBounds reads the bounds of a test as the runners write them: 0,5 or [0, 5] or
// elo0=0 elo1=5.
func sprtBounds(text string) (elo0, elo1 float64, err error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;[]", r) })
	if len(fields) == 2 {
		low, err0 := strconv.ParseFloat(strings.TrimPrefix(fields[0], "elo0="), 64)
		high, err1 := strconv.ParseFloat(strings.TrimPrefix(fields[1], "elo1="), 64)
		if err0 == nil && err1 == nil {
			return low, high, nil
		}
	}
	return 0, 0, cli.Usagef("--sprt %s: want elo0,elo1, such as 0,10", text)
}

// secondBound takes the second bound of --sprt 0 5 from the arguments, where the shell put it.
func secondBound(bounds string, args []string) (string, []string) {
	isBound := func(text string) bool {
		_, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimPrefix(text, "elo0="), "elo1="), 64)
		return err == nil
	}
	if i := slices.IndexFunc(args, isBound); isBound(bounds) && i >= 0 {
		return bounds + "," + args[i], slices.Delete(slices.Clone(args), i, i+1)
	}
	return bounds, args
}
