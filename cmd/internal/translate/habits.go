package translate

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

	"github.com/assay-chess/assay/engine/quote"
)

// Habits has a line for each habit of users of other programs: words, flags or keys of arguments, a colon, and
// what to type in assay.
//
//go:embed habits.txt
var Habits string

// Instead returns "; type ..." for a word of another program after a command; empty if it is none, or needs a flag that
// the command does not have. The user's values are filled in later.
func Instead(command string, has func(flag string) bool, word string) string {
	for line := range strings.Lines(Habits) {
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

// Fill puts the values of a command line into a text of Instead.
func Fill(text string, args []string) string {
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

// Argument is Instead for the first of some arguments.
func Argument(command string, has func(flag string) bool, args []string) string {
	text := args[0]
	key, _, named := strings.Cut(text, "=")
	numbers := strings.FieldsFunc(strings.Join(args, " "), func(r rune) bool { return r == ' ' || r == ',' })
	kind := fmt.Sprintf("#%d", len(numbers))
	if slices.ContainsFunc(numbers, func(word string) bool { _, err := strconv.ParseFloat(word, 64); return err != nil }) {
		_, err := os.Stat(text)
		kind = map[bool]string{true: "/", false: "*"}[err == nil || strings.Contains(text, "/")]
	}
	say := Instead(command, has, kind)
	if kind[0] == '#' {
		say = Fill(say, numbers)
	}
	switch {
	case strings.Contains(text, ":"): // an own way to name a player
		return ""
	case strings.HasPrefix(text, "option."):
		return Instead(command, has, "option.")
	case named:
		return Instead(command, has, key+"=")
	}
	return cmp.Or(Instead(command, has, cmp.Or(filepath.Ext(text), text)), say, Instead(command, has, "*"))
}

// InAssay returns the command for a command line of another runner, also if it follows a command, or match and
// players, on a line of its own. It is empty if the words are none.
func InAssay(args []string) string {
	runner := "fastchess"
	if len(args) > 1 && slices.Contains(Runners, args[0]) {
		runner, args = args[0], args[1:]
	}
	at := slices.IndexFunc(args, func(word string) bool { return strings.HasPrefix(word, "-") })
	if at < 0 || at > 1 && args[0] != "match" || !slices.ContainsFunc(args, IsForeign) {
		return ""
	}
	players := args[min(at, 1):at]
	var words []string
	for _, p := range players {
		words = append(words, "-engine", "cmd="+p)
	}
	c, err := Match(runner, append(words, args[at:]...))
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
