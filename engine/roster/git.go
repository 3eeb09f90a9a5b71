package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/uci"
)

// gitPrefix begins the specification of an engine that is built from a commit.
const gitPrefix = "git:"

// Source is the parsed specification git:[KEY=VALUE:]...REF[?OPTIONS] of an engine whose
// program is built from a commit. The keys and options are those of foreign engines. Open
// and Identify do not take it: build the program, then open what Built returns.
type Source struct {
	Ref string // a commit as git names it, or "." for the working tree
	foreign
}

// FromGit reports whether the specification is of an engine that is built from a commit.
func FromGit(spec string) bool { return strings.HasPrefix(spec, gitPrefix) }

// ParseSource parses the specification of an engine that is built from a commit.
func ParseSource(spec string) (*Source, error) {
	text := strings.TrimPrefix(spec, gitPrefix)
	if text == "" || text[0] == '?' {
		return nil, fmt.Errorf("player %q: the commit is missing: want git:[KEY=VALUE:]REF[?OPTION=VALUE[&OPTION=VALUE]...]", spec)
	}
	f, err := parseForeign(foreignPrefix + text)
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	s := &Source{Ref: f.command.Path, foreign: *f}
	switch {
	case len(f.command.Args) > 0:
		return nil, fmt.Errorf("player %q: %q after the commit: the engine takes no arguments", spec, strings.Join(f.command.Args, " "))
	case strings.Contains(s.Ref, ":"):
		return nil, fmt.Errorf("player %q: %q is no commit; settings are %s=, and stand before the commit", spec, s.Ref, strings.Join(foreignKeys, "=, "))
	}
	return s, nil
}

// SetDefault sets an option of the engine, unless the specification does.
func (s *Source) SetDefault(name, value string) {
	if !slices.ContainsFunc(s.command.Options, func(o uci.Option) bool { return strings.EqualFold(o.Name, name) }) {
		s.command.Options = append(s.command.Options, uci.Option{Name: name, Value: value})
	}
}

// Built returns the specification of the engine as the program at a path, and its identity:
// what was built, in place of the program's checksum, since two builds of a commit need not
// have the same bytes.
func (s *Source) Built(path, what string) (spec, identity string) {
	return s.format(path), shorten(gitPrefix + what + s.settingsIdentity())
}
