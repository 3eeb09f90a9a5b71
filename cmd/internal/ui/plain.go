package ui

import (
	"fmt"
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

// Named is an error about a player, with its name.
func Named(err error, name string) error {
	if strings.Contains(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
