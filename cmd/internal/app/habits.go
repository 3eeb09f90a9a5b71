package app

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/translate"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
)

// swallowed returns an error if a flag took the name of the next flag for its value.
func swallowed(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := strings.Trim(f.Value.String(), "[]")
		if name, ok := strings.CutPrefix(value, "--"); ok && cmd.Flags().Lookup(name) != nil {
			err = ui.Usagef("--%s needs a value, but %s follows it", f.Name, value)
		}
	})
	return err
}

// flagsOf returns what knows the flags of a command.
func flagsOf(cmd *cobra.Command) func(string) bool {
	return func(name string) bool { return cmd.Flags().Lookup(name) != nil }
}

// unknownCommand explains an error about a word that is no command.
func unknownCommand(root *cobra.Command, text string) string {
	var word, parent string
	if _, err := fmt.Sscanf(text, "unknown command %q for %q", &word, &parent); err != nil {
		return text
	}
	first, _, _ := strings.Cut(text, "\n")
	name := strings.TrimPrefix(parent, "assay ")
	if cmd, _, err := root.Find(strings.Fields(parent)[1:]); err == nil && cmd != root {
		return first + cmp.Or(translate.Instead(name, flagsOf(cmd), word), ui.DidYouMean(word, "", commandNames(cmd)),
			translate.Argument(name, flagsOf(cmd), []string{word}))
	}
	if say := translate.Instead(name, flagsOf(root), strings.ToLower(word)); say != "" {
		return first + say
	}
	for _, group := range root.Commands() {
		if cmd, _, err := group.Find([]string{word}); err == nil && cmd != group {
			return first + "; type " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
		}
	}
	return first + ui.DidYouMean(word, "assay ", commandNames(root))
}

// onlyPlayers explains an argument that is no player, but a KEY=VALUE of another runner, a file or a commit.
func onlyPlayers(args []string) error {
	for i, text := range args {
		if i+1 < len(args) && !isFile(text) && isFile(text+" "+args[i+1]) {
			return ui.Usagef("%s is no file; type %s", text, quote.Word(text+" "+args[i+1]))
		}
		if at := strings.IndexAny(text, ":,"); at > 0 && !isFile(text) &&
			strings.ContainsAny(text[:at], `/\`) && isFile(text[:at]) { // a name is none, such as assay:hash=1 beside a build
			return ui.Usagef("%s is no file; type %s", text, quote.Word(strings.TrimSuffix(text[:at]+"?"+text[at+1:], "?")))
		}
		if say := translate.Argument("match", func(flag string) bool { return flag != "pgn" }, []string{text}); say != "" {
			return ui.Usagef("%s is not a player%s", text, say)
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// flagError explains an unknown flag: the nearest one, or the way from another runner's
// command line.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 { // its flags belong to no command
		return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: --"); ok {
		return ui.Usagef("--%s needs a value: %s", name, cmd.Flags().Lookup(name).Usage)
	}
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		return ui.Usage(fmt.Errorf("%w%s", err, noFlag(cmd, name)))
	}
	if _, word, ok := strings.Cut(text, "unknown shorthand flag: "); ok {
		if _, word, ok = strings.Cut(word, " in -"); ok {
			return ui.Usage(fmt.Errorf("unknown flag: -%s%s", word, noFlag(cmd, strings.TrimRight(word, "0123456789."))))
		}
	}
	if text, kind, ok := strings.Cut(text, ": strconv.Parse"); ok {
		var value, flag string
		_, _ = fmt.Sscanf(text, "invalid argument %q for %q", &value, &flag) // pflag's own text
		if strings.HasPrefix(value, "--") {
			return ui.Usagef("%s needs a value, but %s follows it", flag, value)
		}
		return ui.Usagef("%s: want %s%s", text, map[bool]string{true: "true or false", false: "a number"}[kind[0] == 'B'],
			inDigits(flag, value))
	}
	return ui.Usage(err)
}

// inDigits says how to write a number that ends with a unit or has an exponent: 10k, 1e6, 8h.
func inDigits(flag, value string) string {
	if value == "" {
		return ""
	}
	unit := map[byte]float64{'k': 1e3, 'K': 1e3, 'm': 1e6, 'M': 1e6, 'h': 1}[value[len(value)-1]]
	number, err := strconv.ParseFloat(value[:len(value)-1], 64)
	if unit == 0 {
		number, err = strconv.ParseFloat(value, 64)
		unit = 1
	}
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; type %s %.10g", flag, number*unit)
}

// noFlag says what to type in place of a flag with one dash or two that the command does not have.
func noFlag(cmd *cobra.Command, name string) string {
	if name == "all" && cmd.HasParent() {
		return "; type assay help " + strings.TrimPrefix(cmd.CommandPath(), "assay ") + " --all for all of the help"
	}
	if name, _, _ = strings.Cut(name, "."); cmd.Flags().Lookup(name) != nil {
		return "; flags have two dashes: --" + name
	}
	for _, name := range []string{name, strings.ToLower(name)} {
		if say := translate.Instead(cmd.Name(), flagsOf(cmd), "--"+name); say != "" {
			return say
		}
	}
	if why := translate.Why("-" + name); why != "" && cmd.Flags().Lookup("win-score") != nil {
		return "; " + why
	}
	return ui.DidYouMean(name, "--", opts.Names(cmd.Flags()))
}

// missingArgument names the first argument of the usage line that is not there.
func missingArgument(cmd *cobra.Command, args []string) string {
	required := 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "[") || strings.HasPrefix(word, "--") {
			break
		}
		if required == len(args) {
			return strings.TrimRight(word, ".")
		}
		required++
	}
	return ""
}
