package translate

import (
	"errors"
	"fmt"
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
	margin string
}

// read adds the KEY=VALUE words of -engine or -each.
func (e *engine) read(t *translation, words []string) error {
	list, err := pairs(words)
	if err != nil {
		return err
	}
	for _, kv := range list {
		if err := e.set(t, kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) set(t *translation, key, value string) (err error) {
	if e.limits == nil {
		e.limits = map[string]string{}
	}
	switch key {
	case "cmd":
		e.command = value
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
		e.margin, err = number(value)
	case "proto":
		if value != "uci" {
			return fmt.Errorf("protocol %s: assay plays with UCI engines only", value)
		}
	case "restart":
		if value == "on" {
			t.note("restart=on: assay sends ucinewgame before each game and keeps the process")
		}
	case "ponder":
		t.note("ponder: engines do not ponder in matches of assay")
	case "stderr", "initstr", "whitepov", "book", "bookdepth", "trust", "reuse", "score", "tscale":
		t.note("%s=%s has no counterpart and was left out", key, value)
	default:
		name, isOption := strings.CutPrefix(key, "option.")
		if !isOption {
			return fmt.Errorf("%q is not known", key)
		}
		e.options = append(e.options, [2]string{name, value})
	}
	return err
}

// with returns the engine with what all have and it does not say itself.
func (e engine) with(each engine) engine {
	limits := map[string]string{}
	for _, source := range []map[string]string{each.limits, e.limits} {
		for key, value := range source {
			limits[key] = value
		}
	}
	e.limits = limits
	var options [][2]string
	for _, o := range append(slices.Clone(each.options), e.options...) {
		options = slices.DeleteFunc(options, func(old [2]string) bool { return old[0] == o[0] })
		options = append(options, o)
	}
	e.options = options
	if e.margin == "" {
		e.margin = each.margin
	}
	if e.dir == "" {
		e.dir = each.dir
	}
	e.args = strings.TrimSpace(each.args + " " + e.args)
	return e
}

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

// clock turns [MOVES/][MINUTES:]SECONDS[+INCREMENT] into [MOVES/]SECONDS[+INCREMENT].
func clock(text string) (string, error) {
	if text == "inf" {
		return "", errors.New("no clock (inf): give a limit, such as nodes=5000 or tc=8+0.08")
	}
	moves, rest, hasMoves := strings.Cut(text, "/")
	if !hasMoves {
		moves, rest = "", text
	}
	base, increment, _ := strings.Cut(rest, "+")
	if minutes, secs, ok := strings.Cut(base, ":"); ok {
		m, err1 := strconv.ParseFloat(minutes, 64)
		s, err2 := strconv.ParseFloat(secs, 64)
		if err1 != nil || err2 != nil {
			return "", fmt.Errorf("tc=%s: want [MOVES/][MINUTES:]SECONDS[+INCREMENT]", text)
		}
		base = strconv.FormatFloat(60*m+s, 'f', -1, 64)
	}
	for _, part := range []string{base, increment, moves} {
		if _, err := strconv.ParseFloat(part, 64); part != "" && err != nil || base == "" {
			return "", fmt.Errorf("tc=%s: want [MOVES/][MINUTES:]SECONDS[+INCREMENT]", text)
		}
	}
	if moves != "" {
		base = moves + "/" + base
	}
	if increment != "" {
		base += "+" + increment
	}
	return base, nil
}

// seconds turns a time in seconds into assay's spelling, such as 100ms.
func seconds(text string) (string, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s <= 0 {
		return "", fmt.Errorf("%q: want seconds above 0", text)
	}
	return strconv.FormatFloat(1000*s, 'f', -1, 64) + "ms", nil
}

// number checks that the text is a whole number of 0 or more.
func number(text string) (string, error) {
	if _, err := strconv.ParseUint(text, 10, 63); err != nil {
		return "", fmt.Errorf("%q: want a whole number", text)
	}
	return text, nil
}
