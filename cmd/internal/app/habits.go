package app

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/translate"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
)

// habitsText has a line for each habit of users of other programs: words, flags or keys of arguments, a colon, and
// what to type in assay.
//
//go:embed habits.txt
var habitsText string

// instead returns "; type ..." for a word of another program after a command; empty if it is none, or needs a flag that
// the command does not have. The user's values are filled in later.
func instead(command string, has func(flag string) bool, word string) string {
	for line := range strings.Lines(habitsText) {
		words, say, _ := strings.Cut(strings.TrimSpace(line), ": ")
		flag, isFlag := strings.CutPrefix(say, "--")
		switch {
		case strings.HasPrefix(words, "#") || !slices.ContainsFunc(strings.Fields(words), func(w string) bool {
			return w == word || w == command+":"+word
		}):
		case isFlag && !has(strings.Trim(strings.Fields(flag)[0], ",")):
		case strings.HasPrefix(say, "./engine") && !has("win-score"):
		default:
			return "; type " + strings.ReplaceAll(say, "{|", "{"+word+"|")
		}
	}
	return ""
}

var givenValue = regexp.MustCompile(`\{([-\w.]*=?)\|([^|}]*)\|?([^}]*)\}`)

// fill puts the values of a command line into a text of instead.
func fill(text string, args []string) string {
	return givenValue.ReplaceAllStringFunc(text, func(place string) string {
		m := givenValue.FindStringSubmatch(place)
		value := cmp.Or(given(args, m[1]), m[2])
		n, err := strconv.Atoi(value)
		switch _, e := strconv.ParseFloat(value, 64); {
		case m[3] == "dir":
			value = strings.TrimSuffix(value, ".pgn")
		case m[3] == "x2" && err == nil:
			value = strconv.Itoa(2 * n)
		case m[3] != "" && m[3] != "x2" && e == nil:
			value += m[3]
		}
		return value
	})
}

// given returns what a command line gives to a flag, to the word before = or ., or as the argument with a number or an
// ending.
func given(args []string, key string) (value string) {
	if n, err := strconv.Atoi(key); err == nil && n < len(args) && !strings.HasPrefix(args[n], "-") {
		return quote.Word(args[n])
	}
	flag := strings.HasPrefix(key, "--")
	for i, arg := range args {
		if flag && strings.HasPrefix(arg, "-") { // of one dash or two, -j4 too
			arg = "--" + strings.TrimLeft(shorthandNumber.ReplaceAllString(arg, "-$1=$2"), "-")
		}
		if len(key) > 3 && len(arg) >= len(key) && strings.EqualFold(arg[:len(key)], key) {
			arg = key + arg[len(key):]
		}
		switch after, ok := strings.CutPrefix(arg, key); {
		case key != "" && key[0] == '.' && strings.HasSuffix(arg, key):
			return quote.Word(arg)
		case !ok || key == "":
		case after == "" && flag && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			value = strings.TrimPrefix(args[i+1], "file=")
		case after != "" && (!flag || after[0] == '=' || after[0] == '.'):
			value = after
			if flag {
				value = strings.TrimLeft(after, "=.")
			}
		}
	}
	if value == "" {
		return ""
	}
	return quote.Word(value)
}

// shorthandNumber is a flag of one letter with its number, such as -j4.
var shorthandNumber = regexp.MustCompile(`^-([A-Za-z])([0-9.]+)$`)

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
		return first + cmp.Or(instead(name, flagsOf(cmd), word), ui.DidYouMean(word, "", commandNames(cmd)),
			argument(name, flagsOf(cmd), []string{word}))
	}
	if say := instead(name, flagsOf(root), strings.ToLower(word)); say != "" {
		return first + say
	}
	for _, group := range root.Commands() {
		if cmd, _, err := group.Find([]string{word}); err == nil && cmd != group {
			return first + "; type " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
		}
	}
	return first + ui.DidYouMean(word, "assay ", commandNames(root))
}

// inAssay returns the command for a command line of another runner, also if it follows a command, or match and
// players, on a line of its own. It is empty if the words are none.
func inAssay(args []string) string {
	runner := "fastchess"
	if len(args) > 1 && slices.Contains(translate.Runners, args[0]) {
		runner, args = args[0], args[1:]
	}
	at := slices.IndexFunc(args, func(word string) bool { return strings.HasPrefix(word, "-") })
	if at < 0 || at > 1 && args[0] != "match" ||
		!slices.ContainsFunc(args, translate.IsForeign) {
		return ""
	}
	players := args[min(at, 1):at]
	var words []string
	for _, p := range players {
		words = append(words, "-engine", "cmd="+p)
	}
	c, err := translate.Match(runner, append(words, args[at:]...))
	if err != nil && at == 0 {
		return fmt.Sprintf("this is a command line of %s, but %v", runner, err)
	}
	if err != nil {
		return ""
	}
	for i, p := range players {
		if c.Args[1+i] == "uci:"+p {
			c.Args[1+i] = p
		}
	}
	played := slices.Contains(args, "-rounds") || slices.Contains(args, "-games")
	if games := slices.Index(c.Args, "--games"); at > 0 && !played {
		c.Args = slices.Delete(c.Args, games, games+2) // the default of assay
	}
	return fmt.Sprintf("this is a command line of %s; in assay it is\n%s", runner, c.Line())
}

// onlyPlayers explains an argument that is no player, but a KEY=VALUE of another runner, a file or a commit.
func onlyPlayers(args []string) error {
	for i, text := range args {
		if i+1 < len(args) && !isFile(text) && isFile(text+" "+args[i+1]) {
			return ui.Usagef("%s is no file; type %s", text, quote.Word(text+" "+args[i+1]))
		}
		if file, option, ok := strings.Cut(text, ":"); ok && !isFile(text) && isFile(file) {
			return ui.Usagef("%s is no file; type %s", text, quote.Word(file+"?"+option))
		}
		if say := argument("match", func(flag string) bool { return flag != "pgn" }, []string{text}); say != "" {
			return ui.Usagef("%s is not a player%s", text, say)
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// argument is instead for the first of some arguments.
func argument(command string, has func(flag string) bool, args []string) string {
	text := args[0]
	key, _, named := strings.Cut(text, "=")
	numbers := strings.FieldsFunc(strings.Join(args, " "), func(r rune) bool { return r == ' ' || r == ',' })
	kind := fmt.Sprintf("#%d", len(numbers))
	if slices.ContainsFunc(numbers, func(word string) bool { _, err := strconv.ParseFloat(word, 64); return err != nil }) {
		_, err := os.Stat(text)
		kind = map[bool]string{true: "/", false: "*"}[err == nil || strings.Contains(text, "/")]
	}
	say := instead(command, has, kind)
	if kind[0] == '#' {
		say = fill(say, numbers)
	}
	switch {
	case strings.Contains(text, ":"): // an own way to name a player
		return ""
	case strings.HasPrefix(text, "option."):
		return instead(command, has, "option.")
	case named:
		return instead(command, has, key+"=")
	}
	return cmp.Or(instead(command, has, cmp.Or(filepath.Ext(text), text)), say, instead(command, has, "*"))
}

// flagError explains an unknown flag: the nearest one, or the way from another runner's
// command line.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 { // its flags are those of no command
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
			return ui.Usage(fmt.Errorf("unknown flag: -%s%s", word, noFlag(cmd, shorthandNumber.ReplaceAllString("-"+word, "-$1")[1:])))
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
		if say := instead(cmd.Name(), flagsOf(cmd), "--"+name); say != "" {
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
