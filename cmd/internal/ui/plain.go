package ui

import (
	"fmt"
	"regexp"
	"strings"
)

// patience are the timeouts that a command gave to an engine's specification.
var patience = regexp.MustCompile(`\b(uci|git):(?:(?:timeout|start)=[^:\s]+:)+`)

// Plain strips the timeouts that a command added to the texts of players.
func Plain(text string) string { return patience.ReplaceAllString(text, "$1:") }

// Named is an error about a player, with its name.
func Named(err error, name string) error {
	if strings.Contains(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
