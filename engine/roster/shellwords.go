package roster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/uci"
)

// SplitCommand splits COMMAND[?OPTION=VALUE[&OPTION=VALUE]...] into the words of the
// command and the options.
//
// Spaces separate words. Single and double quotes quote spaces, ? and &. A backslash quotes
// one of these, a quote or a backslash; elsewhere it stands for itself, as in a Windows
// path. Nothing is expanded. An option's value may contain unquoted spaces.
func SplitCommand(s string) (words []string, options []uci.Option, err error) {
	text := s
	for {
		var word string
		var end byte
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return words, nil, nil
		}
		if text[0] != '?' {
			if word, end, text, err = cutWord(text, " \t?"); err != nil {
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
func splitOptions(text string) ([]uci.Option, error) {
	var options []uci.Option
	for {
		name, end, rest, err := cutWord(text, "=&")
		if err != nil {
			return nil, err
		}
		o := uci.Option{Name: strings.TrimSpace(name)}
		if o.Name == "" {
			return nil, errors.New("an option has no name")
		}
		if end == '=' {
			var value string
			if value, end, rest, err = cutWord(rest, "&"); err != nil {
				return nil, err
			}
			o.Value = strings.TrimSpace(value)
		}
		options = append(options, o)
		if end != '&' {
			return options, nil
		}
		text = rest
	}
}

// cutWord returns the text before the first unquoted separator, without its quotes; that
// separator, or 0 at the end of the text; and the rest.
func cutWord(text, separators string) (word string, end byte, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(" \t'\"\\?&", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case c == '\'' || c == '"':
			n, err := quoted(&b, text[i:])
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

// quoted writes the quoted string at the start of the text and returns its length. Within
// double quotes a backslash quotes a double quote or a backslash.
func quoted(b *strings.Builder, text string) (int, error) {
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

// quoteWord quotes a word for SplitCommand.
func quoteWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t'\"\\?&") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteValue quotes the value of an option for SplitCommand. Spaces need no quotes.
func quoteValue(value string) string {
	if !strings.ContainsAny(value, "'\"\\&") {
		return value
	}
	return quoteWord(value)
}
