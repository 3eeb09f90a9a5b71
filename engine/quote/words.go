package quote

import (
	"fmt"
	"strings"
)

// Word quotes s as one word of a command line, if it needs quotes: for a POSIX shell and for Split.
func Word(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"
	if s != "" && strings.Trim(s, plain) == "" {
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
