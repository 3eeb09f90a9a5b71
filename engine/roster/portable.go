package roster

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// WeightsOf returns what a specification names as its weights, file or embedded name, and
// a function that returns the specification of the same player with another name for
// them: on another machine they lie elsewhere. Players without weights have no name and
// a nil function.
func WeightsOf(spec string) (name string, renamed func(name string) string, err error) {
	if Foreign(spec) {
		return "", nil, nil
	}
	e, s, err := parse(spec)
	if err != nil || !slices.Contains(e.settings, "weights") {
		return "", nil, err
	}
	return s.weights, func(name string) string { return s.weighed(&e, name) }, nil
}

// weighed writes the settings of a player with weights, as parse reads them.
func (s *settings) weighed(e *entry, weights string) string {
	words := []string{e.name, "weights=" + weights}
	if slices.Contains(e.settings, "hash") {
		words = append(words, fmt.Sprintf("hash=%d", s.hash))
	}
	if s.nodes > 0 {
		words = append(words, fmt.Sprintf("nodes=%d", s.nodes))
	}
	if s.depth > 0 {
		words = append(words, fmt.Sprintf("depth=%d", s.depth))
	}
	return strings.Join(words, ":") + s.optionsIdentity()
}

// Command returns the program of a foreign engine's specification, as a whole path where
// it can be found, and a function that returns the specification of the same engine with
// another copy of the program. That function refuses what would let whoever wrote the
// specification do more on another machine than run that program: arguments, and options
// that name files.
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
			return "", fmt.Errorf("player %q: arguments of a program are not taken from elsewhere", spec)
		}
		for _, o := range f.command.Options {
			if err := CheckOption(spec, o.Name, o.Value); err != nil {
				return "", err
			}
		}
		return f.at(path), nil
	}, nil
}

// CheckOption refuses options of a foreign engine that may name a file, which it would read
// or write: whoever wrote them is elsewhere.
func CheckOption(spec, name, value string) error {
	if strings.ContainsAny(value, `/\`) || slices.ContainsFunc([]string{"file", "path", "log", "book"}, func(word string) bool { return strings.Contains(strings.ToLower(name), word) }) {
		return fmt.Errorf("player %q: the option %s may name a file, and is not taken from elsewhere", spec, name)
	}
	return nil
}

// at writes the specification with another program, as parseForeign reads it.
func (f *foreign) at(path string) string {
	text := foreignPrefix
	if f.nodes > 0 {
		text += fmt.Sprintf("nodes=%d:", f.nodes)
	}
	if f.depth > 0 {
		text += fmt.Sprintf("depth=%d:", f.depth)
	}
	if f.command.MoveTimeout > 0 {
		text += fmt.Sprintf("timeout=%v:", f.command.MoveTimeout)
	}
	if f.command.StartTimeout > 0 {
		text += fmt.Sprintf("start=%v:", f.command.StartTimeout)
	}
	text += quoteWord(path)
	for i, o := range f.command.Options {
		text += string("?&"[min(i, 1)]) + o.Name
		if o.Value != "" {
			text += "=" + o.Value
		}
	}
	return text
}
