package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
)

// What users of other programs type by habit, and what they hear of it.

// flagError explains an unknown flag: the nearest one, or the way from another runner's
// command line.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
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

// habits turns --preset and --rounds into the flags that they stand for.
func (f *matchFlags) habits(cmd *cobra.Command) error {
	if f.rounds > 0 {
		if f.games > 0 && f.games != 2*f.rounds {
			return cli.Usagef("--games %d and --rounds %d (%d games): give one of them", f.games, f.rounds, 2*f.rounds)
		}
		f.games = 2 * f.rounds
	}
	if f.preset == "" {
		return nil
	}
	return applyPreset(cmd, f.preset)
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

// preset is a way to test of the field, by name.
type preset struct{ name, tc, sprt string }

var presets = []preset{
	{"stc", "8+0.08", "0,5"},
	{"ltc", "40+0.4", "0,5"},
	{"nonreg", "8+0.08", "-5,0"},
}

// applyPreset sets the flags of a preset that are not on the command line.
func applyPreset(cmd *cobra.Command, name string) error {
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
	if i < 0 {
		return cli.Usagef("--preset %s: there are stc, ltc and nonreg", name)
	}
	limited := slices.ContainsFunc([]string{"tc", "movetime", "nodes", "depth"}, cmd.Flags().Changed)
	for flag, set := range map[string]struct {
		given bool
		value string
	}{"tc": {limited, presets[i].tc}, "sprt": {cmd.Flags().Changed("sprt"), presets[i].sprt}} {
		if set.given {
			continue
		}
		if err := cmd.Flags().Set(flag, set.value); err != nil {
			return cli.Usage(err)
		}
	}
	return nil
}
