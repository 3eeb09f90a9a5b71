package eval

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrWeight is wrapped by the errors of SetWeight.
var ErrWeight = errors.New("bad weight")

// Suffixes of names that mean one value of a tapered term.
const (
	OnlyMG = ".mg"
	OnlyEG = ".eg"
)

// SetWeight returns a copy of the weights with one of them set, as players take it for an
// option: the name of a term sets both of its values, with OnlyMG or OnlyEG appended one of a
// tapered term. The value is a whole number of centipawns. It reports false if the name is
// none of the model's; an error wraps ErrWeight.
func (m *Model) SetWeight(w []Coef, name, value string) ([]Coef, bool, error) {
	term, suffix := m.findWeight(name)
	if term < 0 {
		return w, false, nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return nil, true, fmt.Errorf("%w: %q is not a whole number of centipawns", ErrWeight, value)
	}
	next := slices.Clone(w)
	if suffix != OnlyEG {
		next[term].MG = int32(n)
	}
	if suffix != OnlyMG {
		next[term].EG = int32(n)
	}
	if err := m.Check(next); err != nil {
		return nil, true, fmt.Errorf("%w: %w", ErrWeight, err)
	}
	return next, true, nil
}

// findWeight returns the index of the term that a name means, -1 if there is none, and the
// name's suffix.
func (m *Model) findWeight(name string) (term int, suffix string) {
	if i, ok := m.Term(name); ok {
		return i, ""
	}
	for _, suffix := range []string{OnlyMG, OnlyEG} {
		if term, ok := strings.CutSuffix(name, suffix); ok {
			if i, ok := m.Term(term); ok && m.Terms[i].Tapered {
				return i, suffix
			}
		}
	}
	return -1, ""
}
