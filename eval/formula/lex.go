package formula

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrFormula is wrapped by every error of this package.
var ErrFormula = errors.New("formula")

// Error is a mistake in the text of a formula.
type Error struct {
	Text string
	At   int // byte of Text
	What string
}

// Error returns what is wrong with the line and a caret below the place.
func (e *Error) Error() string {
	from := strings.LastIndexByte(e.Text[:e.At], '\n') + 1
	line, _, _ := strings.Cut(e.Text[from:], "\n")
	column := utf8.RuneCountInString(e.Text[from:e.At])
	before := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, e.Text[from:e.At])
	return fmt.Sprintf("formula, line %d, column %d: %s\n  %s\n  %s^", 1+strings.Count(e.Text[:from], "\n"), column+1, e.What, strings.TrimRight(line, "\r"), before)
}

// Unwrap returns ErrFormula.
func (e *Error) Unwrap() error { return ErrFormula }

// token is a word, a number or an operator of a text.
type token struct {
	at    int
	text  string // empty at the end
	value float64
	kind  byte // 'n' number, 'w' word, 'o' operator, 0 end
}

// operators, the longest first.
var operators = []string{"//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "^", "(", ")", "[", "]", ",", ";", "=", "<", ">"}

// maxText bounds the length of a formula in bytes.
const maxText = 1 << 16

// lex cuts a text into tokens. A number sign begins a comment to the end of the line.
func lex(text string) ([]token, error) {
	if len(text) > maxText {
		return nil, &Error{text, 0, fmt.Sprintf("%d bytes are more than %d", len(text), maxText)}
	}
	var out []token
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
		case c == '#':
			n := strings.IndexByte(text[at:], '\n')
			if n < 0 {
				n = len(text) - at
			}
			at += n
		case isDigit(c) || c == '.' && at+1 < len(text) && isDigit(text[at+1]):
			n := numberLength(text[at:])
			v, err := strconv.ParseFloat(text[at:at+n], 64)
			if err != nil || at+n < len(text) && isWord(text[at+n]) {
				return nil, &Error{text, at, "not a number"}
			}
			out = append(out, token{at, text[at : at+n], v, 'n'})
			at += n
		case isWord(c) && c != '.':
			n := 1
			for at+n < len(text) && (isWord(text[at+n]) || text[at+n] == '.') {
				n++
			}
			out = append(out, token{at, text[at : at+n], 0, 'w'})
			at += n
		default:
			op := operatorAt(text[at:])
			if op == "" {
				r, _ := utf8.DecodeRuneInString(text[at:])
				return nil, &Error{text, at, fmt.Sprintf("%q is no part of a formula", r)}
			}
			out = append(out, token{at, op, 0, 'o'})
			at += len(op)
		}
	}
	return append(out, token{at: len(text)}), nil
}

func operatorAt(text string) string {
	for _, op := range operators {
		if strings.HasPrefix(text, op) {
			return op
		}
	}
	return ""
}

// numberLength returns the length of the number that the text begins with.
func numberLength(text string) int {
	n := 0
	digits := func() {
		for n < len(text) && isDigit(text[n]) {
			n++
		}
	}
	digits()
	if n < len(text) && text[n] == '.' {
		n++
		digits()
	}
	if n+1 < len(text) && (text[n] == 'e' || text[n] == 'E') {
		m := n
		if n++; text[n] == '-' || text[n] == '+' {
			n++
		}
		if n == len(text) || !isDigit(text[n]) {
			return m
		}
		digits()
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || isDigit(c)
}

// CheckName returns an error if a formula cannot use the name: words of letters, digits and
// underscores that begin with no digit, joined by dots.
func CheckName(name string) error {
	if name == "" || isDigit(name[0]) || name[0] == '.' || strings.HasSuffix(name, ".") || strings.Contains(name, "..") {
		return fmt.Errorf("%w: %.40q is no name: want letters, digits, underscores and dots, no digit first", ErrFormula, name)
	}
	for i := range len(name) {
		if !isWord(name[i]) && name[i] != '.' {
			return fmt.Errorf("%w: %.40q is no name: want letters, digits, underscores and dots", ErrFormula, name)
		}
	}
	if word, _, _ := strings.Cut(name, "."); reserved[word] {
		return fmt.Errorf("%w: %q is a word of the language", ErrFormula, word)
	}
	return nil
}

var reserved = map[string]bool{
	"let": true, "value": true, "and": true, "or": true, "not": true, "if": true, "balance": true, "min": true, "max": true,
	"clamp": true, "abs": true, "sign": true, "sqrt": true, "trunc": true,
}
