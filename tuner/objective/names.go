package objective

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/tuner/rows"
)

// names returns what each parameter is called.
func (p *Params) Names(terms []rows.Term) []string {
	out := make([]string, p.N)
	add := func(j int, name string) {
		if j == Fixed {
			return
		}
		if out[j] != "" {
			out[j] += " = "
		}
		out[j] += name
	}
	for t, term := range terms {
		if p.MG[t] == p.EG[t] {
			add(p.MG[t], term.Name)
			continue
		}
		add(p.MG[t], term.Name+" mg")
		add(p.EG[t], term.Name+" eg")
	}
	return out
}

// ErrConfig means that the configuration of a fit makes no sense.
var ErrConfig = errors.New("bad configuration")

// ErrName means that a freeze or prior names neither a term nor a group.
var ErrName = errors.New("no such term or group")

// Frozen says which terms are frozen: those that the names, each a term or a group, choose,
// and those that are fixed.
func Frozen(terms []rows.Term, names []string) ([]bool, error) {
	if err := checkNames(terms, names); err != nil {
		return nil, err
	}
	out := make([]bool, len(terms))
	for t, term := range terms {
		out[t] = term.Fixed
		for _, n := range names {
			out[t] = out[t] || n == term.Name || n == term.Group
		}
	}
	return out, nil
}

func checkNames(terms []rows.Term, names []string) error {
	known := make(map[string]bool, 2*len(terms))
	for _, t := range terms {
		known[t.Name], known[t.Group] = true, true
	}
	for _, n := range names {
		if !known[n] {
			return fmt.Errorf("%w: %q (groups: %s)", ErrName, n, strings.Join(GroupNames(terms), ", "))
		}
	}
	return nil
}

// groupNames returns the groups in order of first appearance.
func GroupNames(terms []rows.Term) []string {
	var out []string
	seen := make(map[string]bool)
	for _, t := range terms {
		if !seen[t.Group] {
			seen[t.Group] = true
			out = append(out, t.Group)
		}
	}
	return out
}
