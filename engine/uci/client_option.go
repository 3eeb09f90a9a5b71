package uci

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
)

// maxOptions is how many options an engine may announce.
const maxOptions = 1 << 16

// option is an option as the engine announced it. Missing or malformed bounds do not
// limit its values.
type option struct {
	Name      string
	kind      string // check, spin, combo, button or string, in lower case
	preset    string // the default
	low, high *int64 // of a spin
	vars      []string
	text      string // of the announcement, after the word option
}

// parseOption parses what follows the word "option".
func parseOption(text []byte) (option, bool) {
	var o option
	var key string
	var value [][]byte
	keep := func() { o.set(key, string(bytes.Join(value, []byte(" ")))) }
	for word, rest := nextWord(text); len(word) > 0; word, rest = nextWord(rest) {
		if k, ok := optionKey(word); ok && (key != "name" || k == "type") {
			keep()
			key, value = k, nil
			continue
		}
		value = append(value, word)
	}
	keep()
	o.text = clean(string(text), 1000)
	return o, o.Name != ""
}

// optionKey reports whether a word starts a new part of an announcement. Only "type"
// ends a name, so a name may contain the other words.
func optionKey(word []byte) (string, bool) {
	for _, key := range []string{"name", "type", "default", "min", "max", "var"} {
		if string(word) == key {
			return key, true
		}
	}
	return "", false
}

func (o *option) set(key, value string) {
	value = clean(value, 1000)
	switch key {
	case "name":
		o.Name = value
	case "type":
		o.kind = strings.ToLower(value)
	case "default":
		o.preset = value
	case "var":
		o.vars = append(o.vars, value)
	case "min", "max":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return
		}
		if key == "min" {
			o.low = &n
		} else {
			o.high = &n
		}
	}
}

// findOption returns the announced option with the name, ignoring case, or nil.
func (c *Client) findOption(name string) *option {
	i := slices.IndexFunc(c.options, func(o option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		return nil
	}
	return &c.options[i]
}

// checkOption returns the announced option with the name, and the value in the engine's
// spelling. Its errors wrap ErrOption.
func (c *Client) checkOption(name, value string) (*option, string, error) {
	o := c.findOption(name)
	if o == nil {
		return nil, "", fmt.Errorf("%w %q: the engine does not have it%s", ErrOption, clip(name), c.similarOptions(name))
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return nil, "", fmt.Errorf("%w %s: the value must be one line", ErrOption, o.Name)
	}
	value, want := o.normalize(strings.TrimSpace(value))
	if want != "" {
		return nil, "", fmt.Errorf("%w %s: %q is not %s", ErrOption, o.Name, clip(value), want)
	}
	return o, value, nil
}

// similarOptions names, for an error message, the options that contain the name or that
// it contains, or else the nearest one.
func (c *Client) similarOptions(name string) string {
	var like []string
	lower := strings.ToLower(name)
	nearest, most := "", 0.5
	for _, o := range c.options {
		other := strings.ToLower(o.Name)
		if len(like) < 5 && (strings.Contains(other, lower) || strings.Contains(lower, other)) {
			like = append(like, o.Name)
		}
		if near := levenshtein.Similarity(lower, other, nil); near >= most {
			nearest, most = o.Name, near
		}
	}
	if len(like) == 0 && nearest != "" {
		like = append(like, nearest)
	}
	switch {
	case len(like) > 0:
		return "; it has " + strings.Join(like, ", ")
	case len(c.options) == 0:
		return "; it announces no options"
	}
	return ""
}

// normalize returns the value in the engine's spelling. If the option does not take the
// value, want says what it takes.
func (o *option) normalize(value string) (normal, want string) {
	switch o.kind {
	case "check":
		lower := strings.ToLower(value)
		if lower != "true" && lower != "false" {
			return value, "true or false"
		}
		return lower, ""
	case "spin":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || o.low != nil && n < *o.low || o.high != nil && n > *o.high {
			return value, o.rangeText()
		}
	case "combo":
		i := slices.IndexFunc(o.vars, func(v string) bool { return strings.EqualFold(v, value) })
		if i >= 0 {
			return o.vars[i], ""
		}
		if len(o.vars) > 0 {
			return value, "one of " + strings.Join(o.vars, ", ")
		}
	case "button":
		if value != "" {
			return value, "empty, as a button has no value"
		}
	}
	return value, ""
}

func (o *option) rangeText() string {
	text := "a whole number"
	if o.low != nil {
		text += fmt.Sprintf(" from %d", *o.low)
	}
	if o.high != nil {
		text += fmt.Sprintf(" to %d", *o.high)
	}
	return text
}

// follow notes the value that an option has in the process, if a search depends on it.
func (c *Client) follow(o *option, value string) {
	switch strings.ToLower(o.Name) {
	case "uci_chess960":
		c.chess960 = strings.EqualFold(value, "true")
	case "multipv":
		n, _ := strconv.Atoi(value)
		c.multiPV = max(n, 1)
	}
}

// ownLines returns the number of lines of a search that asks for no number.
func (c *Client) ownLines() int {
	for _, o := range c.command.Options {
		if strings.EqualFold(o.Name, "MultiPV") {
			n, _ := strconv.Atoi(o.Value)
			return max(n, 1)
		}
	}
	return 1
}

// appendOption appends the command that sets an option. Only a button has no value: the value of
// a string may be empty, and engines look for the word.
func (c *Client) appendOption(out []byte, o *option, value string) []byte {
	c.follow(o, value)
	out = append(append(out, "setoption name "...), o.Name...)
	if o.kind != "button" {
		out = append(out, " value"...)
		if value != "" {
			out = append(append(out, ' '), value...)
		}
	}
	return append(out, '\n')
}
