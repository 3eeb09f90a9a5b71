package roster

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/assay-chess/assay/engine/quote"
)

// maxShown bounds the name of a player for people, in characters.
const maxShown = 60

// Named splits what a user types as a player into the name under which people see it and a
// specification for Open, Identify or ParseSource. The name is the text itself, or NAME of
// name=NAME: before it or after the colon of its kind:
//
//	name=base:./engine-base?Hash=16
//	uci:name=base:./engine-base?Hash=16
//	assay:name=tuned:weights=tuned.json
//
// A word with a path separator is the program of a foreign engine: ./engine?Hash=16 is
// uci:./engine?Hash=16.
func Named(text string) (shown, spec string, err error) {
	spec = text
	if name, rest, ok := cutName(text); ok {
		shown, spec = name, rest
	} else if kind, settings, more := strings.Cut(text, ":"); more {
		if name, rest, ok := cutName(settings); ok {
			shown, spec = name, kind+":"+rest
		} else if name, ok := strings.CutPrefix(settings, "name="); ok && kind != "uci" && kind != "git" {
			shown, spec = name, kind // assay:name=new, with nothing after it
		}
	}
	if isProgram(spec) {
		spec = foreignPrefix + spec
	}
	switch {
	case shown == "" && spec == text, shown == "" && spec == foreignPrefix+text:
		return withoutTimeouts(text), spec, nil
	case strings.TrimSpace(shown) == "":
		return "", "", fmt.Errorf("player %q: name= needs a name", text)
	case utf8.RuneCountInString(shown) > maxShown || shown != quote.Text(shown):
		return "", "", fmt.Errorf("player %q: want a name of up to %d characters, without control characters", text, maxShown)
	}
	return shown, spec, nil
}

// withoutTimeouts returns a foreign player as typed without its timeouts: they are no part of its name.
func withoutTimeouts(text string) string {
	command := text[len(foreignSettings.FindString(text)):]
	settings := strings.TrimSuffix(text, command)
	short := timeouts.ReplaceAllString(settings, "")
	if short == foreignPrefix && short != settings && isProgram(command) {
		return command
	}
	return short + command
}

var (
	foreignSettings = regexp.MustCompile(`^uci:(?:[a-z]+=[^:/]*:)*`)
	timeouts        = regexp.MustCompile(`\b(?:timeout|start)=[^:]*:`)
)

// cutName splits name=NAME: off the text.
func cutName(text string) (name, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, "name=")
	if !ok {
		return "", "", false
	}
	return strings.Cut(after, ":")
}

// isProgram reports whether the first word of a specification is a path: it has a separator
// before any colon that is not a drive's.
func isProgram(spec string) bool {
	if len(spec) > 2 && spec[1] == ':' && (spec[2] == '\\' || spec[2] == '/') {
		return true // C:\engine.exe
	}
	word, _, _ := strings.Cut(spec, ":")
	word, _, _ = strings.Cut(word, "?")
	return strings.ContainsAny(word, `/\`) && !strings.Contains(word, "=")
}
