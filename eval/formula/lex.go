package formula

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrFormula is wrapped by every error of this package.
var ErrFormula = errors.New("formula")

// textError is a mistake in the text of a formula.
type textError struct {
	text string
	at   int // byte of text
	what string
}

// Error returns the mistake, the line, and a caret below the place.
func (e *textError) Error() string {
	from := strings.LastIndexByte(e.text[:e.at], '\n') + 1
	line, _, _ := strings.Cut(e.text[from:], "\n")
	column := utf8.RuneCountInString(e.text[from:e.at])
	before := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, e.text[from:e.at])
	return fmt.Sprintf("formula, line %d, column %d: %s\n  %s\n  %s^",
		1+strings.Count(e.text[:from], "\n"), column+1, e.what, strings.TrimRight(line, "\r"), before)
}

// Unwrap returns ErrFormula.
func (e *textError) Unwrap() error { return ErrFormula }

// token is a word, a number or an operator of a text.
type token struct {
	at    int
	text  string // empty at the end
	value float64
	kind  kind
}

type kind int

const (
	end kind = iota
	number
	word
	operator
)

// lexeme matches blanks and comments, or a token: a number, a word or an operator.
var lexeme = regexp.MustCompile(`^(?:[ \t\r\n]+|#[^\n]*|((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)|` +
	`([A-Za-z_][A-Za-z0-9_.]*)|(//|[<>=!]=|[-+*/^()[\],;=<>]))`)

// maxText bounds the length of a formula in bytes.
const maxText = 1 << 16

// lex cuts a text into tokens. A number sign begins a comment to the end of the line.
func lex(text string) ([]token, error) {
	if len(text) > maxText {
		return nil, &textError{text, 0, fmt.Sprintf("%d bytes are more than %d", len(text), maxText)}
	}
	var out []token
	for at := 0; at < len(text); {
		m := lexeme.FindStringSubmatchIndex(text[at:])
		if m == nil {
			r, _ := utf8.DecodeRuneInString(text[at:])
			return nil, &textError{text, at, fmt.Sprintf("%q does not belong in a formula", r)}
		}
		t := token{at: at, text: text[at : at+m[1]]}
		at += m[1]
		for k := number; k <= operator; k++ {
			if m[2*k] >= 0 {
				t.kind = k
			}
		}
		if t.kind == number {
			var err error
			if t.value, err = strconv.ParseFloat(t.text, 64); err != nil || wordAt.MatchString(text[at:]) {
				return nil, &textError{text, t.at, "not a number"}
			}
		}
		if t.kind != end {
			out = append(out, t)
		}
	}
	return append(out, token{at: len(text)}), nil
}

var (
	wordAt   = regexp.MustCompile(`^[A-Za-z0-9_]`)
	goodName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$`)
)

// checkName returns an error if a formula cannot use the name: words of letters, digits and
// underscores that begin with no digit, joined by dots.
func checkName(name string) error {
	if !goodName.MatchString(name) {
		return fmt.Errorf("%w: %.40q is not a valid name: want letters, digits, underscores and dots, no digit first",
			ErrFormula, name)
	}
	if first, _, _ := strings.Cut(name, "."); arguments[first] != [2]int{} || reserved[first] {
		return fmt.Errorf("%w: %q is a word of the language", ErrFormula, first)
	}
	return nil
}

// reserved are the words of the language beside the names of functions.
var reserved = map[string]bool{"let": true, "value": true, "and": true, "or": true, "not": true}
