package roster

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/uci/sandbox"
)

// WeightsOf returns the file or embedded name of a player's weights, and a function that
// returns the specification of the same player with another name for them, because their
// path differs on another machine. For a player without weights, name is empty and renamed
// is nil.
func WeightsOf(spec string) (name string, renamed func(name string) string, err error) {
	if Foreign(spec) {
		return "", nil, nil
	}
	e, s, err := parse(spec)
	if err != nil || !slices.Contains(e.settings, "weights") {
		return "", nil, err
	}
	return s.weights, func(name string) string { return s.format(&e, name) }, nil
}

// format returns the specification of a player with weights, as parse takes it.
func (s *settings) format(e *entry, weights string) string {
	words := []string{e.name, "weights=" + weights}
	if slices.Contains(e.settings, "hash") {
		words = append(words, fmt.Sprintf("hash=%d", s.hash))
	}
	return strings.Join(words, ":") + s.limits.String() + s.optionsIdentity()
}

// Command returns the program of a foreign engine's specification, as a full path if it
// can be found, and a function that returns the specification of the same engine with
// another copy of the program. That function is for specifications from another machine:
// it refuses whatever could do more than run the program, that is arguments and options
// that may name files.
func Command(spec string) (path string, with func(path string) (string, error), err error) {
	f, err := parseForeign(spec)
	if err != nil {
		return "", nil, fmt.Errorf("player %q: %w", spec, err)
	}
	path = f.command.Path
	if found, err := exec.LookPath(path); err == nil {
		path = found
	}
	return path, func(path string) (string, error) {
		if len(f.command.Args) > 0 {
			return "", fmt.Errorf("player %q: a specification from another machine must not have arguments", spec)
		}
		for _, o := range f.command.Options {
			if err := CheckOption(spec, o.Name, o.Value); err != nil {
				return "", err
			}
		}
		return f.format(path), nil
	}, nil
}

// WithSandbox returns the specification of the same foreign engine, which has no arguments,
// contained with that much memory, in MB; 0: not contained.
func WithSandbox(spec string, memory int) (string, error) {
	f, err := parseForeign(spec)
	if err != nil {
		return "", fmt.Errorf("player %q: %w", spec, err)
	}
	f.command.Sandbox = nil
	if memory > 0 {
		f.command.Sandbox = &sandbox.Limits{Memory: memory}
	}
	return f.format(f.command.Path), nil
}

// CheckOption returns an error for an option of a foreign engine, sent by another machine,
// that may name a file for the engine to read or write.
func CheckOption(spec, name, value string) error {
	if strings.ContainsAny(value, `/\`) || slices.ContainsFunc([]string{"file", "path", "log", "book"}, func(word string) bool { return strings.Contains(strings.ToLower(name), word) }) {
		return fmt.Errorf("player %q: the option %s may name a file; a specification from another machine must not set it", spec, name)
	}
	return nil
}

// format returns the specification with another program, as parseForeign takes it.
func (f *foreign) format(path string) string {
	text := foreignPrefix + strings.TrimPrefix(f.limits.String()+":", ":")
	if f.command.MoveTimeout > 0 {
		text += fmt.Sprintf("timeout=%v:", f.command.MoveTimeout)
	}
	if f.command.StartTimeout > 0 {
		text += fmt.Sprintf("start=%v:", f.command.StartTimeout)
	}
	if f.command.FullHistory {
		text += "history=full:"
	}
	if f.command.WhiteView {
		text += "view=white:"
	}
	if f.command.Sandbox != nil {
		text += fmt.Sprintf("sandbox=%d:", f.command.Sandbox.Memory)
	}
	text += quoteWord(path)
	for i, o := range f.command.Options {
		text += string("?&"[min(i, 1)]) + o.Name
		if o.Value != "" {
			text += "=" + quoteValue(o.Value)
		}
	}
	return text
}
