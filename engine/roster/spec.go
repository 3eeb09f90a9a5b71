package roster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/search"
)

// maxHashMB bounds the transposition table that a specification may ask for.
const maxHashMB = 65536

// settings is a specification but for the name.
type settings struct {
	weights string
	hash    int
	limits
	options []option
}

// option is a setting that is an option of the player.
type option struct{ name, value string }

// apply sets the player's options. If one fails it closes the player.
func (s *settings) apply(p engine.Player) error {
	for _, o := range s.options {
		if err := p.SetOption(o.name, o.value); err != nil {
			return errors.Join(err, p.Close())
		}
	}
	return nil
}

// optionsIdentity returns the options as part of a player's identity, sorted by name.
func (s *settings) optionsIdentity() (id string) {
	sorted := slices.Clone(s.options)
	slices.SortFunc(sorted, func(a, b option) int { return strings.Compare(a.name, b.name) })
	for _, o := range sorted {
		id += ":" + o.name + "=" + o.value
	}
	return id
}

// parse parses a specification. A value may contain colons that no KEY= follows, as in a
// Windows path.
func parse(spec string) (entry, *settings, error) {
	name, rest, more := strings.Cut(spec, ":")
	e, err := find(name)
	if err != nil {
		return entry{}, nil, err
	}
	s := &settings{weights: e.weights, hash: search.DefaultHashMB}
	seen := map[string]bool{}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ":")
		key, value, ok := strings.Cut(part, "=")
		if !ok || !slices.Contains(e.settings, key) && (e.options == nil || !e.options(key)) {
			return entry{}, nil, fmt.Errorf("player %q: %q is not a setting of %s (there are: %s)", spec, part, name, e.settingsText())
		}
		if seen[strings.ToLower(key)] {
			return entry{}, nil, fmt.Errorf("player %q: %s is set twice", spec, key)
		}
		seen[strings.ToLower(key)] = true
		for more && !startsSetting(rest, e.settings) {
			part, rest, more = strings.Cut(rest, ":")
			value += ":" + part
		}
		if !slices.Contains(e.settings, key) {
			s.options = append(s.options, option{strings.ToLower(key), value})
			continue
		}
		if err := s.set(key, value); err != nil {
			return entry{}, nil, fmt.Errorf("player %q: %w", spec, err)
		}
	}
	return e, s, nil
}

// settingsText lists the settings for an error message.
func (e *entry) settingsText() string {
	text := strings.Join(e.settings, "=, ") + "="
	if e.name == "assay" {
		text += "; and the search's parameters: assay uci --tunable"
	}
	return text
}

// startsSetting reports whether the text after a colon starts with KEY=.
func startsSetting(rest string, keys []string) bool {
	key, _, ok := strings.Cut(rest, "=")
	return ok && slices.Contains(keys, key) || ok && !strings.ContainsAny(key, `:/\. `)
}

func (s *settings) set(key, value string) (err error) {
	switch key {
	case "weights":
		if s.weights = value; value == "" {
			err = fmt.Errorf("weights= needs the name of a weight file or of embedded weights")
		}
	case "hash":
		s.hash, err = positive(key, value, maxHashMB)
	case "nodes", "depth":
		err = s.limits.set(key, value)
	}
	return err
}

func positive(key, value string, limit int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > limit {
		return 0, fmt.Errorf("%s=%s is not a number from 1 to %d", key, value, limit)
	}
	return n, nil
}
