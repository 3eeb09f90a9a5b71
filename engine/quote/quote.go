// Package quote makes text that others wrote harmless where people read it: names from files, of
// engines and of folders, tags of games, messages of other programs. Characters that a terminal or a
// browser would obey, such as escape sequences and those that change the writing direction, are
// written as JSON writes them: \u001b. It is the only place that does so, and a test of cmd/assay
// looks for output that bypasses it.
//
// Start reading at Text. Fprintf is for tables and messages, Lines for whole outputs.
//
// No promise of stability.
package quote

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Safe reports whether a character only shows itself.
func Safe(r rune) bool { return unicode.IsGraphic(r) }

// Text returns one line of text in which all characters are safe.
func Text(s string) string { return string(quoted([]byte(s), "")) }

// Lines is Text, but keeps tabs and newlines. It returns p itself if nothing is to be quoted.
func Lines(p []byte) []byte { return quoted(p, "\n\t") }

func quoted(p []byte, kept string) []byte {
	i := bytes.IndexFunc(p, func(r rune) bool {
		return !Safe(r) && !strings.ContainsRune(kept, r) || r == utf8.RuneError
	})
	if i < 0 {
		return p
	}
	b := bytes.Clone(p[:i])
	for p = p[i:]; len(p) > 0; {
		r, n := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && n == 1: // not UTF-8
			b = fmt.Appendf(b, `\x%02x`, p[0])
		case Safe(r) || strings.ContainsRune(kept, r):
			b = append(b, p[:n]...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r > 0xffff:
			r1, r2 := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, r1, r2)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		p = p[n:]
	}
	return b
}

// Fprintf is fmt.Fprintf with Text for every argument that is text or an error: the format is ours, its
// arguments may not be.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	safe := make([]any, len(args))
	for i, a := range args {
		safe[i] = a
		switch v := a.(type) {
		case string:
			safe[i] = Text(v)
		case error:
			safe[i] = Text(v.Error())
		case fmt.Stringer:
			if s := v.String(); s != Text(s) {
				safe[i] = Text(s)
			}
		default:
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				safe[i] = Text(v.String())
			}
		}
	}
	return fmt.Fprintf(w, format, safe...)
}

// Word quotes s as one word of a command line, if it needs quotes: for a POSIX shell and for Split.
func Word(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Special quotes s as Word does, but only if it has one of the special characters.
func Special(s, special string) string {
	if !strings.ContainsAny(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Split splits a command line into words.
//
// Spaces and tabs separate words. Single and double quotes quote them. A backslash quotes one of them, a
// quote, a backslash, ? or &; elsewhere it stands for itself, as in a Windows path. Nothing is expanded.
func Split(line string) (words []string, err error) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var word string
		if word, _, line, err = Cut(line, " \t"); err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// Cut returns the text before the first unquoted separator, without its quotes; that separator, or 0 at the
// end of the text; and the rest. It follows the rules of Split.
func Cut(text, separators string) (word string, end byte, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(" \t'\"\\?&", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case c == '\'' || c == '"':
			n, err := cutQuoted(&b, text[i:])
			if err != nil {
				return "", 0, "", err
			}
			i += n - 1
		case strings.IndexByte(separators, c) >= 0:
			return b.String(), c, text[i+1:], nil
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), 0, "", nil
}

// cutQuoted writes the quoted string at the start of the text and returns its length. Within double quotes a
// backslash quotes a double quote or a backslash.
func cutQuoted(b *strings.Builder, text string) (int, error) {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1, nil
		case quote == '"' && c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return 0, fmt.Errorf("the quote %c is not closed", quote)
}
