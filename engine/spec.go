package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assay-chess/assay/engine/quote"
)

// Option is an option of a player, by its UCI name, and its value, which is empty for a button.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Spec names a player, with all that is set before it plays: one of selfplay/roster's players, an external engine, or
// an engine to be built from a commit. ParseSpec reads what people type (see selfplay/roster). Equal Specs but for the
// Label have equal Strings. The zero Spec is no player.
type Spec struct {
	Name    string   // of the roster's player; "uci" for an external engine, "git" for a commit
	Command []string // words of the external engine's command; the commit alone
	Weights string   // file or embedded name; empty: the player's own
	Options []Option // set when the player is opened, in this order
	Nodes   uint64   // replaces the nodes and the depth of each search; 0: does not
	Depth   int

	// Of external engines alone.
	MoveTimeout  time.Duration // of a move, beyond its limit; 0: the default
	StartTimeout time.Duration // 0: the default
	FullHistory  bool          // the engine gets all moves of a game
	WhiteView    bool          // its scores are from White's view

	Label string // for people: name=, or what was typed, without timeouts; no part of String
}

// Names of specifications whose players are not the roster's.
const (
	foreignName = "uci"
	gitName     = "git"
)

// External reports whether the player is an external engine.
func (s Spec) External() bool { return s.Name == foreignName }

// FromGit reports whether the player is an engine that is built from a commit.
func (s Spec) FromGit() bool { return s.Name == gitName }

// Threaded reports whether an external engine gets more than one thread.
func (s Spec) Threaded() bool {
	return s.External() && slices.ContainsFunc(s.Options, func(o Option) bool {
		return strings.Contains(strings.ToLower(o.Name), "thread") && o.Value != "1"
	})
}

// WithTimeouts returns the same player with timeouts, unless it has its own or is not foreign. 0 means the default.
func (s Spec) WithTimeouts(move, start time.Duration) Spec {
	if s.External() || s.FromGit() {
		s.MoveTimeout, s.StartTimeout = cmp.Or(s.MoveTimeout, move), cmp.Or(s.StartTimeout, start)
	}
	return s
}

// WithProgram returns the same external engine, which has no arguments, as the program at a path. What is to be
// built from a commit becomes foreign.
func (s Spec) WithProgram(path string) Spec {
	s.Name, s.Command = foreignName, []string{path}
	return s
}

// Shown returns the name for people.
func (s Spec) Shown() string { return cmp.Or(s.Label, s.String()) }

// LimitsText returns the player's own limits as the end of a specification, each after a colon.
func (s Spec) LimitsText() (text string) {
	if s.Nodes > 0 {
		text += fmt.Sprintf(":nodes=%d", s.Nodes)
	}
	if s.Depth > 0 {
		text += fmt.Sprintf(":depth=%d", s.Depth)
	}
	return text
}

// String returns the specification as ParseSpec reads it.
func (s Spec) String() string {
	if s.External() || s.FromGit() {
		return s.commandText()
	}
	text := s.Name
	if s.Weights != "" {
		text += ":weights=" + s.Weights
	}
	text += s.LimitsText()
	for _, o := range s.Options {
		text += ":" + o.Name + "=" + o.Value
	}
	return text
}

// commandText is String for external engines and commits.
func (s Spec) commandText() string {
	text := s.Name + s.LimitsText()
	if s.MoveTimeout > 0 {
		text += fmt.Sprintf(":timeout=%v", s.MoveTimeout)
	}
	if s.StartTimeout > 0 {
		text += fmt.Sprintf(":start=%v", s.StartTimeout)
	}
	if s.FullHistory {
		text += ":history=full"
	}
	if s.WhiteView {
		text += ":view=white"
	}
	separator := ":"
	for _, word := range s.Command {
		text += separator + quote.Word(word)
		separator = " "
	}
	separator = "?"
	for _, o := range s.Options { // spaces need no quotes; = does in a name, which quote.Word does not know
		text += separator + quote.Special(o.Name, `'"\&=`)
		if o.Value != "" {
			text += "=" + quote.Special(o.Value, `'"\&`)
		}
		separator = "&"
	}
	return text
}

// MarshalText implements encoding.TextMarshaler.
func (s Spec) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Spec) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpec(string(text))
	return err
}

// ErrSpec is wrapped by the errors of malformed specifications of external engines.
var ErrSpec = errors.New("want uci:[KEY=VALUE:]COMMAND[?OPTION=VALUE[&OPTION=VALUE]...]")

// ParseSpec parses the specification of a player. It does not know which players exist: see roster.Parse. The
// Spec that comes with an error has the player's name, if there is one.
//
// The label is the text itself, or NAME of name=NAME: before it or after the colon of its kind. A word with a path
// separator is the program of an external engine: ./engine?Hash=16 is uci:./engine?Hash=16.
func ParseSpec(text string) (Spec, error) {
	if text == "" {
		return Spec{}, nil
	}
	label, rest := cutLabel(text)
	typed := label == ""
	if isProgram(rest) {
		rest = foreignName + ":" + rest
	}
	name, settings, more := strings.Cut(rest, ":")
	s := Spec{Name: name, Label: label}
	switch {
	case typed:
		s.Label = text
	case strings.TrimSpace(label) == "", utf8.RuneCountInString(label) > maxLabel, label != quote.Text(label):
		return s, fmt.Errorf("player %q: %w", text, ErrLabel)
	}
	var err error
	switch {
	case s.External() || s.FromGit():
		err = s.parseForeign(settings, typed)
	case more:
		err = s.parseSettings(settings)
	}
	if err != nil {
		return s, fmt.Errorf("player %q: %w", text, err)
	}
	return s, nil
}

// maxLabel bounds a label, in characters.
const maxLabel = 60

// ErrLabel is wrapped by the errors of names for people.
var ErrLabel = fmt.Errorf("want a name of 1 to %d characters after name=, without control characters", maxLabel)

// cutLabel splits name=NAME: off a specification; without one the label is empty.
func cutLabel(text string) (label, rest string) {
	if after, ok := strings.CutPrefix(text, "name="); ok {
		if label, rest, ok = strings.Cut(after, ":"); ok {
			return cmp.Or(label, " "), rest
		}
		return "", text
	}
	kind, settings, _ := strings.Cut(text, ":")
	after, ok := strings.CutPrefix(settings, "name=")
	if !ok {
		return "", text
	}
	label, rest, more := strings.Cut(after, ":")
	switch {
	case more:
		return cmp.Or(label, " "), kind + ":" + rest
	case kind != foreignName && kind != gitName:
		return cmp.Or(label, " "), kind // assay:name=new, with nothing after it
	}
	return "", text
}

// isProgram reports whether the first word of a specification is a path: it has a separator before any colon that
// is not a drive's.
func isProgram(text string) bool {
	if len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') {
		return true // C:\engine.exe
	}
	word, _, _ := strings.Cut(text, ":")
	word, _, _ = strings.Cut(word, "?")
	return strings.ContainsAny(word, `/\`) && !strings.Contains(word, "=")
}

// parseSettings parses KEY=VALUE[:KEY=VALUE]... of a roster's player. A value may contain colons that no KEY=
// follows, as in a Windows path.
func (s *Spec) parseSettings(text string) error {
	seen := map[string]bool{}
	for more := true; more; {
		var part string
		part, text, more = strings.Cut(text, ":")
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return fmt.Errorf("%q is %w", part, ErrSetting)
		}
		name := strings.ToLower(key)
		if seen[name] {
			return fmt.Errorf("%s is set twice", key)
		}
		seen[name] = true
		for more && !startsSetting(text) {
			part, text, more = strings.Cut(text, ":")
			value += ":" + part
		}
		var err error
		switch name {
		case "weights":
			if s.Weights = value; value == "" {
				err = errors.New("weights= needs the name of a weight file or of embedded weights")
			}
		case "nodes", "depth":
			err = s.setLimit(name, value)
		default:
			s.Options = append(s.Options, Option{name, value})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ErrSetting is wrapped by the errors of settings without a value.
var ErrSetting = errors.New("not a setting KEY=VALUE")

// startsSetting reports whether the text after a colon starts with KEY=.
func startsSetting(text string) bool {
	key, _, ok := strings.Cut(text, "=")
	return ok && !strings.ContainsAny(key, `:/\. `)
}

// foreignKeys are the settings that may precede a command.
var foreignKeys = []string{"nodes", "depth", "timeout", "start", "history", "view"}

// parseForeign parses [KEY=VALUE:]...COMMAND[?OPTIONS]. Typed says that the label is what was typed, which has no
// timeouts.
func (s *Spec) parseForeign(text string, typed bool) error {
	seen, label := map[string]bool{}, s.Name+":"
	for {
		head, rest, ok := strings.Cut(text, ":")
		key, value, isSetting := strings.Cut(head, "=")
		if !ok || !isSetting || !slices.Contains(foreignKeys, key) {
			break
		}
		if seen[key] {
			return fmt.Errorf("%s is set twice", key)
		}
		seen[key] = true
		if err := s.setForeign(key, value); err != nil {
			return err
		}
		if key != "timeout" && key != "start" {
			label += head + ":"
		}
		text = rest
	}
	if typed && (seen["timeout"] || seen["start"]) {
		if s.Label = label + text; label == foreignName+":" && isProgram(text) {
			s.Label = text
		}
	}
	if err := s.parseCommand(text); err != nil {
		return err
	}
	if s.FromGit() {
		return s.checkCommit()
	}
	return nil
}

// parseCommand parses COMMAND[?OPTION=VALUE[&OPTION=VALUE]...].
func (s *Spec) parseCommand(text string) error {
	var err error
	if s.Command, s.Options, err = splitCommand(text); err != nil {
		return fmt.Errorf("%w: %w", ErrSpec, err)
	}
	if len(s.Command) == 0 || s.Command[0] == "" {
		if s.FromGit() {
			return errors.New("the commit is missing: want git:[KEY=VALUE:]REF[?OPTION=VALUE[&OPTION=VALUE]...]")
		}
		return fmt.Errorf("%w: the command is missing", ErrSpec)
	}
	for _, o := range s.Options {
		if strings.EqualFold(o.Name, "UCI_Chess960") {
			return fmt.Errorf("option %s: assay sets it for each game by its start position: leave it out", o.Name)
		}
	}
	return nil
}

func (s *Spec) checkCommit() error {
	switch ref := s.Command[0]; {
	case len(s.Command) > 1:
		return fmt.Errorf("%q after the commit: the engine takes no arguments", strings.Join(s.Command[1:], " "))
	case strings.Contains(ref, ":"):
		return fmt.Errorf("%q is no commit; settings are %s=, and stand before the commit",
			ref, strings.Join(foreignKeys, "=, "))
	}
	return nil
}

func (s *Spec) setForeign(key, value string) (err error) {
	switch key {
	case "nodes", "depth":
		return s.setLimit(key, value)
	case "history":
		if s.FullHistory = value == "full"; !s.FullHistory {
			err = fmt.Errorf("history=%s: want full, or leave it out for the moves since the last capture or pawn move", value)
		}
	case "view":
		if s.WhiteView = value == "white"; !s.WhiteView {
			err = fmt.Errorf("view=%s: want white, or leave it out for scores from the view of the side to move", value)
		}
	case "timeout":
		s.MoveTimeout, err = timeout(key, value)
	case "start":
		s.StartTimeout, err = timeout(key, value)
	}
	return err
}

// setLimit takes nodes= or depth=.
func (s *Spec) setLimit(key, value string) (err error) {
	if key == "depth" {
		s.Depth, err = number(key, value, 1<<20)
		return err
	}
	n, err := number(key, value, min(1<<60, math.MaxInt))
	s.Nodes = uint64(n)
	return err
}

func timeout(key, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s=%s is not a time above zero, such as 500ms or 5s", key, value)
	}
	return d, nil
}

func number(key, value string, limit int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > limit {
		return 0, fmt.Errorf("%s=%s is not a number from 1 to %d", key, value, limit)
	}
	return n, nil
}

// splitCommand splits COMMAND[?OPTION=VALUE[&OPTION=VALUE]...] into the words of the command and the options, by the
// rules of quote.Split. An unquoted ? ends the command. An option's value may contain unquoted spaces.
func splitCommand(text string) (words []string, options []Option, err error) {
	for {
		var word string
		var end byte
		if text = strings.TrimLeft(text, " \t"); text == "" {
			return words, nil, nil
		}
		if text[0] != '?' {
			if word, end, text, err = quote.Cut(text, " \t?"); err != nil {
				return nil, nil, err
			}
			words = append(words, word)
		} else {
			end, text = '?', text[1:]
		}
		if end == '?' {
			options, err = splitOptions(text)
			return words, options, err
		}
	}
}

// splitOptions parses OPTION=VALUE[&OPTION=VALUE]...
func splitOptions(text string) (options []Option, err error) {
	for end := byte('&'); end == '&'; {
		var name, value string
		if name, end, text, err = quote.Cut(text, "=&"); err == nil && end == '=' {
			value, end, text, err = quote.Cut(text, "&")
		}
		if err != nil {
			return nil, err
		}
		o := Option{strings.TrimSpace(name), strings.TrimSpace(value)}
		if o.Name == "" {
			return nil, errors.New("an option has no name")
		}
		options = append(options, o)
	}
	return options, nil
}
