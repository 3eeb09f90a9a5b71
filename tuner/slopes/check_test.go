package slopes

import (
	"errors"
	"strings"
	"testing"
)

// Each way in which a program contradicts itself is named, with a position or a table.
func TestCheck(t *testing.T) {
	dir, _ := positions(t, 700)
	for _, c := range []struct {
		special string
		err     error
		text    string // in the error or the warning
	}{
		{"", nil, ""},
		{"risky", nil, ""},
		{"state", errOrder, "in the other order"},
		{"cache", errNumbers, "material alone too"},
		{"stale", errNumbers, "for material alone too"},
		{"random", errFresh, "of 600 positions, as "},
		{"mover", ErrView, "have the same value, as "},
		{"asymmetric", nil, "do not have the negative value"},
		{"deaf", errNumbers, "a file gives material[0].0 the value"},
	} {
		t.Run(c.special, func(t *testing.T) {
			warning, err := Check(t.Context(), Config{Command: command(t, c.special), Numbers: newFake("").list,
				Positions: []string{dir}})
			if !errors.Is(err, c.err) || c.err == nil && err != nil {
				t.Fatalf("%v", err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v", err)
				}
				return
			}
			if (warning == "") != (c.text == "") || !strings.Contains(warning, c.text) {
				t.Errorf("%s", warning)
			}
		})
	}
}
