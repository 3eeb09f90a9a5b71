package historic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrOption is wrapped by the errors of Options.Set.
var ErrOption = errors.New("option")

// Options are the settings of a player: what its paper leaves open or suggests varying. A
// name is a single word, so that it can be part of a player's specification
// (shannon-a:moves=1). Case does not matter.
type Options []Option

// Option is one setting, made by Number, Switch, Choice or Text.
type Option struct {
	name    string
	declare string // the UCI declaration after the name
	set     func(value string) error
}

// Number is a whole number from low to high. Its default is the current *value.
func Number(name string, value *int, low, high int) Option {
	return Option{name, fmt.Sprintf("type spin default %d min %d max %d", *value, low, high), func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return fmt.Errorf("%q is not a number from %d to %d", s, low, high)
		}
		*value = n
		return nil
	}}
}

// Switch is a setting that is true or false.
func Switch(name string, value *bool) Option {
	return Option{name, fmt.Sprintf("type check default %v", *value), func(s string) error {
		if s != "true" && s != "false" {
			return fmt.Errorf("%q is neither true nor false", s)
		}
		*value = s == "true"
		return nil
	}}
}

// Choice is a setting that is one of several words.
func Choice(name string, value *string, words ...string) Option {
	declare := "type combo default " + *value
	for _, w := range words {
		declare += " var " + w
	}
	return Option{name, declare, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%q is not one of %s", s, strings.Join(words, ", "))
		}
		*value = s
		return nil
	}}
}

// Text is a string that set parses. UCI's <empty> is passed as "".
func Text(name string, set func(value string) error) Option {
	return Option{name, "type string default <empty>", func(s string) error {
		if s == "<empty>" {
			s = ""
		}
		return set(s)
	}}
}

// Then returns the option with a function to call after it is set, whose error is returned
// by Set.
func (o Option) Then(f func() error) Option {
	set := o.set
	o.set = func(value string) error {
		if err := set(value); err != nil {
			return err
		}
		return f()
	}
	return o
}

// Lines returns the declarations of the options in UCI format.
func (o Options) Lines() []string {
	lines := make([]string, len(o))
	for i, option := range o {
		lines[i] = "option name " + option.name + " " + option.declare
	}
	return lines
}

// Set sets an option. An invalid value changes nothing; the error wraps ErrOption.
func (o Options) Set(name, value string) error {
	names := make([]string, len(o))
	for i, option := range o {
		if strings.EqualFold(option.name, name) {
			if err := option.set(value); err != nil {
				return fmt.Errorf("%w %s: %w", ErrOption, option.name, err)
			}
			return nil
		}
		names[i] = strings.ToLower(option.name)
	}
	if len(o) == 0 {
		return fmt.Errorf("%w %q is unknown; this player has no options", ErrOption, name)
	}
	return fmt.Errorf("%w %q is unknown; the options are %s", ErrOption, name, strings.Join(names, ", "))
}
