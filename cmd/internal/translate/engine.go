package translate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// engine is a player of the other runner, or what -each says of all.
type engine struct {
	command, name, dir string
	args               string
	options            [][2]string
	// limits are tc, movetime, nodes and depth in assay's spelling.
	limits map[string]string
	margin uint64 // milliseconds
	// timeout is how long the engine may be silent, in assay's spelling.
	timeout string
	white   bool // whitepov
}

// noCounterpart are the keys of engines that need nothing in assay, or cannot be had.
var noCounterpart = map[string]string{
	"ponder":    "engines do not ponder in matches of assay",
	"trust":     "assay checks every result by itself",
	"debug":     "with --out, the dialogue of a forfeited game is kept in the folder",
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
		key, value, _ := strings.Cut(w, "=")
		if !strings.Contains(w, "=") && noCounterpart[key] == "" && key != "whitepov" {
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
	if why := noCounterpart[key]; why != "" {
		if key != "restart" || value == "on" {
			t.note("%s: %s", key, why)
		}
		return nil
	}
	switch key {
	case "cmd":
		e.command = value
		if t.runner != "fastchess" { // where it is a command, and not a file
			e.command, e.args, _ = strings.Cut(value, " ")
		}
		if dir, _ := path.Split(e.command); t.runner == "c-chess-cli" && dir != "" && dir != "./" {
			t.note("cmd=%s: assay starts engines in the current folder, not in %s", e.command, dir)
		}
	case "whitepov":
		e.white = true
	case "name":
		e.name = value
	case "dir":
		e.dir = value
	case "arg", "args":
		e.args = strings.TrimSpace(e.args + " " + value)
	case "tc":
		e.limits["tc"], err = clock(value)
	case "st", "movetime":
		e.limits["movetime"], err = seconds(value)
	case "nodes":
		e.limits["nodes"], err = number(value)
	case "depth", "plies":
		e.limits["depth"], err = number(value)
	case "timemargin":
		e.margin, err = strconv.ParseUint(value, 10, 32)
		if err != nil {
			return fmt.Errorf("timemargin=%s: want milliseconds", value)
		}
	case "timeout":
		e.timeout, err = seconds(value)
	case "proto":
		if value != "uci" {
			return fmt.Errorf("protocol %s: assay plays with UCI engines only", value)
		}
	case "conf":
		return fmt.Errorf("conf=%s: assay does not read engines.json of Cute Chess; give cmd= and the options", value)
	default:
		return e.option(t, key, value)
	}
	return err
}

func (e *engine) option(t *translation, key, value string) error {
	name, isOption := strings.CutPrefix(key, "option.")
	switch {
	case !isOption || name == "":
		return fmt.Errorf("%q is not known", key)
	case strings.EqualFold(name, "UCI_Chess960"):
		t.note("%s: assay sets it itself, as the opening needs it", key)
	default:
		e.options = append(e.options, [2]string{name, value})
	}
	return nil
}

// with returns the engine with what -each gives all. Like the other runners, -each wins, wherever it
// stands.
func (e engine) with(each engine) engine {
	limits := map[string]string{}
	for _, source := range []map[string]string{e.limits, each.limits} {
		maps.Copy(limits, source)
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

// shown is the engine's name in errors.
func (e engine) shown() string { return cmp.Or(e.name, e.command) }

// player returns the engine as a player of assay. Limits in own are of this engine alone.
func (e engine) player(own []string) (string, error) {
	if e.command == "" {
		return "", errors.New("an -engine has no cmd=")
	}
	var b strings.Builder
	b.WriteString("uci:")
	if e.name != "" {
		fmt.Fprintf(&b, "name=%s:", strings.NewReplacer(":", "-", "?", "").Replace(e.name))
	}
	for _, key := range own {
		fmt.Fprintf(&b, "%s=%s:", key, e.limits[key])
	}
	if e.timeout != "" {
		fmt.Fprintf(&b, "timeout=%s:", e.timeout)
	}
	if e.white {
		b.WriteString("view=white:")
	}
	b.WriteString(word(e.command))
	if e.args != "" {
		b.WriteString(" " + e.args)
	}
	for i, o := range e.options {
		b.WriteString([]string{"?", "&"}[min(i, 1)] + o[0])
		if o[1] != "" {
			b.WriteString("=" + value(o[1]))
		}
	}
	return b.String(), nil
}

// word quotes a word of an engine's command for assay.
func word(text string) string {
	if !strings.ContainsAny(text, " \t'\"\\?&") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// value quotes an option's value, which may have spaces.
func value(text string) string {
	if !strings.ContainsAny(text, "'\"\\&") {
		return text
	}
	return word(text)
}

// clock turns [MOVES/][MINUTES:]SECONDS[+INCREMENT] into [MOVES/]SECONDS[+INCREMENT]. No clock is "".
func clock(text string) (string, error) {
	wrong := fmt.Errorf("tc=%s: want [MOVES/][MINUTES:]SECONDS[+INCREMENT]", text)
	moves, rest, hasMoves := strings.Cut(text, "/")
	if !hasMoves {
		moves, rest = "", text
	}
	if rest == "inf" || rest == "infinite" {
		return "", nil
	}
	base, increment, hasIncrement := strings.Cut(rest, "+")
	minutes, secs, hasMinutes := strings.Cut(base, ":")
	if !hasMinutes {
		minutes, secs = "0", base
	}
	total := 0.0
	for i, part := range []string{minutes, secs} {
		part = strings.TrimSuffix(part, "s")
		if !decimal(part) {
			return "", wrong
		}
		n, _ := strconv.ParseFloat(part, 64)
		total += n * []float64{60, 1}[i]
	}
	increment = strings.TrimSuffix(increment, "s")
	if hasIncrement && !decimal(increment) {
		return "", wrong
	}
	each, _ := strconv.ParseFloat(increment, 64)
	if total+each == 0 {
		return "", nil
	}
	out := strconv.FormatFloat(total, 'f', -1, 64)
	switch n, err := strconv.ParseUint(moves, 10, 32); {
	case moves == "" || moves == "inf" || moves == "infinite" || err == nil && n == 0:
	case err != nil:
		return "", wrong
	default:
		out = moves + "/" + out
	}
	if each > 0 {
		out += "+" + increment
	}
	return out, nil
}

// decimal reports whether the text is a number of 0 or more, written with digits and a point.
func decimal(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "0123456789.") == ""
}

// seconds turns a time in seconds into assay's spelling, such as 100ms.
func seconds(text string) (string, error) {
	s, _ := strconv.ParseFloat(text, 64)
	if !decimal(text) || s <= 0 {
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
