package cli

import (
	"regexp"
	"strings"
)

var (
	// inner are names of packages before an error's text, which say nothing to a user.
	inner = regexp.MustCompile(`(^|: )(?:(?:ladder|durable|datagen|gamelog|selfplay|opening): )+`)
	// patience are the timeouts that a command gave to an engine's specification.
	patience = regexp.MustCompile(`\b(uci|git):(?:(?:timeout|start)=[^:\s]+:)+`)
)

// Plain returns an error's text without what only a programmer of assay knows.
func Plain(text string) string {
	return patience.ReplaceAllString(inner.ReplaceAllString(text, "$1"), "$1:")
}

// Named is an error about a player with its name in place of its specification.
func Named(err error, spec, name string) error {
	text := strings.ReplaceAll(err.Error(), spec, name)
	if !strings.Contains(text, name) {
		text = name + ": " + text
	}
	return renamed{err, text}
}

type renamed struct {
	error
	text string
}

func (r renamed) Error() string { return r.text }
func (r renamed) Unwrap() error { return r.error }
