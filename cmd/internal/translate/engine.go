package translate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
)

// engine is a player of the other runner, or what -each says of all.
type engine struct {
	command, name, dir string
	args               string
	options            [][2]string
	limits             map[string]string // tc, movetime, nodes and depth in assay's spelling
	margin             uint64            // milliseconds
	timeout            string            // how long the engine may be silent, in assay's spelling
	white              bool              // whitepov
}

// noCounterpart are the keys of engines that need nothing in assay, or cannot be had.
var noCounterpart = map[string]string{
	"ponder":    "engines do not ponder in matches of assay",
	"trust":     "assay checks every result by itself",
	"debug":     keepsDialogue,
	"stderr":    "what an engine writes to standard error is shown if it fails",
	"initstr":   "assay sends engines options only (option.NAME=VALUE)",
	"book":      "assay takes openings from --book alone; an engine's Polyglot book may be an option of the engine",
	"bookdepth": "assay takes openings from --book alone; an engine's Polyglot book may be an option of the engine",
	"reuse":     "assay keeps an engine's process for all games and sends ucinewgame before each",
	"restart":   "assay keeps an engine's process for all games and sends ucinewgame before each",
	"tscale":    "assay waits for engines as long as --move-timeout and --start-timeout say",
}

// read adds the words of -engine or -each: KEY=VALUE, or a key alone.
func (e *engine) read(t *translation, words []string) error {
	for _, w := range words {
		key, value, hasValue := strings.Cut(w, "=")
		if !hasValue && noCounterpart[key] == "" && key != "whitepov" {
			return fmt.Errorf("%q: want KEY=VALUE", w)
		}
		if err := e.set(t, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) set(t *translation, key, value string) (err error) {
	if e.limits == nil {
		e.limits = map[string]string{}
	}
	name, isOption := strings.CutPrefix(key, "option.")
	switch why := noCounterpart[key]; {
	case key == "restart" && value != "on":
	case why != "":
		t.note("%s: %s", key, why)
	case key == "cmd" && t.runner != "fastchess": // where it is a command, and not a file
		command, args, _ := strings.Cut(value, " ")
		e.command, e.args = command, strings.TrimSpace(args+" "+e.args)
	case key == "cmd":
		e.command = value
	case key == "whitepov":
		e.white = true
	case key == "name":
		e.name = value
	case key == "dir":
		e.dir = value
	case key == "arg": // one argument
		e.args = strings.TrimSpace(e.args + " " + quote.Special(value, " \t'\"\\?&"))
	case key == "args":
		e.args = strings.TrimSpace(e.args + " " + value)
	case key == "tc":
		e.limits["tc"], err = clock(value)
	case key == "st" || key == "movetime":
		e.limits["movetime"], err = seconds(value)
	case key == "nodes" || key == "depth" || key == "plies":
		e.limits[cmp.Or(map[string]string{"plies": "depth"}[key], key)], err = number(value)
	case key == "timemargin":
		if e.margin, err = strconv.ParseUint(value, 10, 32); err != nil {
			err = fmt.Errorf("timemargin=%s: want milliseconds", value)
		}
	case key == "timeout":
		e.timeout, err = seconds(value)
	case key == "proto" && value == "uci":
	case key == "proto":
		err = fmt.Errorf("protocol %s: assay plays with UCI engines only", value)
	case key == "conf":
		err = fmt.Errorf("conf=%s: assay does not read engines.json of Cute Chess; give cmd= and the options", value)
	case isOption && strings.EqualFold(name, "UCI_Chess960"):
		t.note("%s: assay sets it itself, as the opening needs it", key)
	case isOption && name != "":
		e.options = append(e.options, [2]string{name, value})
	default:
		err = fmt.Errorf("%q is not known", key)
	}
	return err
}

// enter makes the command a path from the current folder. fastchess runs the file in dir; the other runners look a name
// without a slash up in PATH.
func (e *engine) enter(t *translation) {
	if e.dir == "" {
		return
	}
	t.note("dir=%s: assay starts engines in the current folder; give the path of what the engine reads, or a script "+
		"that changes the folder", e.dir)
	if filepath.IsAbs(e.command) || t.runner != "fastchess" && !strings.Contains(e.command, "/") {
		return
	}
	if e.command = filepath.Join(e.dir, e.command); !filepath.IsAbs(e.command) {
		e.command = "./" + e.command
	}
}

// with returns the engine with what -each gives all. Like the other runners, -each wins, wherever it
// stands.
func (e engine) with(each engine) engine {
	limits := maps.Clone(each.limits)
	if limits == nil {
		limits = map[string]string{}
	}
	for key, value := range e.limits {
		limits[key] = cmp.Or(limits[key], value)
	}
	e.limits = limits
	var options [][2]string
	for _, o := range append(slices.Clone(e.options), each.options...) {
		options = slices.DeleteFunc(options, func(old [2]string) bool { return old[0] == o[0] })
		options = append(options, o)
	}
	e.options = options
	e.command, e.name, e.dir = cmp.Or(each.command, e.command), cmp.Or(each.name, e.name), cmp.Or(each.dir, e.dir)
	e.white = e.white || each.white
	e.margin, e.timeout = cmp.Or(each.margin, e.margin), cmp.Or(each.timeout, e.timeout)
	e.args = strings.TrimSpace(e.args + " " + each.args)
	return e
}

// player returns the engine as a player of assay. Limits in own are of this engine alone.
func (e engine) player(own []string) (string, error) {
	if e.command == "" {
		return "", errors.New("an -engine has no cmd=")
	}
	text := "uci:" + ui.If(e.name != "", "name=%s:", strings.NewReplacer(":", "-", "?", "").Replace(e.name))
	for _, key := range own {
		text += key + "=" + e.limits[key] + ":"
	}
	text += ui.If(e.timeout != "", "timeout=%s:", e.timeout) + ui.If(e.white, "view=white:")
	text = strings.TrimSpace(text + quote.Special(e.command, " \t'\"\\?&") + " " + e.args)
	for i, o := range e.options {
		text += []string{"?", "&"}[min(i, 1)] + o[0]
		if o[1] != "" {
			text += "=" + quote.Special(o[1], "'\"\\&")
		}
	}
	return text, nil
}

// clockText is [MOVES/][MINUTES:]SECONDS[+INCREMENT].
var clockText = regexp.MustCompile(strings.ReplaceAll(
	`^(?:(\d+|inf|infinite)/)?(?:(NUMBER):)?(inf|infinite|NUMBERs?)(?:\+(NUMBER)s?)?$`, `NUMBER`, `(?:\d+\.?\d*|\.\d+)`))

// clock returns a clock as [MOVES/]SECONDS[+INCREMENT]. No clock is "".
func clock(text string) (string, error) {
	m := clockText.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("tc=%s: want [MOVES/][MINUTES:]SECONDS[+INCREMENT]", text)
	}
	minutes, _ := strconv.ParseFloat(m[2], 64)
	base, _ := strconv.ParseFloat(strings.TrimSuffix(m[3], "s"), 64)
	increment, _ := strconv.ParseFloat(m[4], 64)
	if base += 60 * minutes; strings.HasPrefix(m[3], "inf") || base+increment == 0 {
		return "", nil
	}
	out := strconv.FormatFloat(base, 'f', -1, 64)
	if moves, _ := strconv.Atoi(m[1]); moves > 0 {
		out = m[1] + "/" + out
	}
	if increment > 0 {
		out += "+" + m[4]
	}
	return out, nil
}

// seconds turns a time in seconds into assay's spelling, such as 100ms.
func seconds(text string) (string, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s > 0 && s < 1e6) {
		return "", fmt.Errorf("%q: want seconds above 0", text)
	}
	return strconv.FormatFloat(1000*s, 'f', -1, 64) + "ms", nil
}

// number checks that the text is a whole number. The other runners take 0 as no limit, which is "".
func number(text string) (string, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return "", fmt.Errorf("%q: want a whole number", text)
	}
	if n == 0 {
		return "", nil
	}
	return text, nil
}
