package eval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName bounds the names of models, terms and groups, in bytes.
const MaxName = 128

// CheckName reports what cannot be the name of a model, a term or a group, ours or a
// foreign evaluation's: names reach terminals, file names and source code, so they are
// 1 to MaxName bytes of printable characters, with blanks only inside.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("an empty name")
	case len(name) > MaxName:
		return fmt.Errorf("the name %.40q... has %d bytes, at most %d are allowed", name, len(name), MaxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q is not UTF-8", name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("the name %q begins or ends with a blank", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the name %q has the character %U, which cannot be printed", name, r)
		}
	}
	return nil
}
