package uci

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxOptions bounds how many options of an engine are remembered.
const maxOptions = 1024

// option is what an engine announced about an option. What is missing or makes no
// sense limits nothing.
type option struct {
	Name      string
	kind      string // check, spin, combo, button, string; in lower case
	preset    string // the default
	low, high *int64 // of a spin
	vars      []string
	text      string // of the announcement, after the word option
}

// parseOption reads what follows the word "option".
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

// optionKey tells whether a word begins another part of an announcement. A name ends
// only with "type", so that it may hold the other words.
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

// find returns the announced option with the name, whatever its case; nil if there is
// none.
func (c *Client) find(name string) *option {
	i := slices.IndexFunc(c.options, func(o option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		return nil
	}
	return &c.options[i]
}

// check returns the announced option with the name and the value as the engine spells
// it. Its errors wrap ErrOption.
func (c *Client) check(name, value string) (*option, string, error) {
	o := c.find(name)
	if o == nil {
		return nil, "", fmt.Errorf("%w %q is unknown to it%s", ErrOption, clip(name), c.suggest(name))
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return nil, "", fmt.Errorf("%w %s: a value is one line", ErrOption, o.Name)
	}
	value, why := o.accept(strings.TrimSpace(value))
	if why != "" {
		return nil, "", fmt.Errorf("%w %s: %q is not %s", ErrOption, o.Name, clip(value), why)
	}
	return o, value, nil
}

// suggest names the options that the name is a part of, or that are a part of it.
func (c *Client) suggest(name string) string {
	var like []string
	lower := strings.ToLower(name)
	for _, o := range c.options {
		other := strings.ToLower(o.Name)
		if len(like) < 5 && (strings.Contains(other, lower) || strings.Contains(lower, other)) {
			like = append(like, o.Name)
		}
	}
	switch {
	case len(like) > 0:
		return "; it has " + strings.Join(like, ", ")
	case len(c.options) == 0:
		return "; it announces no options"
	}
	return ""
}

// accept returns a value in the engine's spelling, or what it should be.
func (o *option) accept(value string) (string, string) {
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
			return value, o.interval()
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
			return value, "for a button, which has no value"
		}
	}
	return value, ""
}

func (o *option) interval() string {
	text := "a whole number"
	if o.low != nil {
		text += fmt.Sprintf(" from %d", *o.low)
	}
	if o.high != nil {
		text += fmt.Sprintf(" to %d", *o.high)
	}
	return text
}

// appendOption appends the command that sets an option; a button has no value.
func appendOption(out []byte, name, value string) []byte {
	out = append(append(out, "setoption name "...), name...)
	if value != "" {
		out = append(append(out, " value "...), value...)
	}
	return append(out, '\n')
}
