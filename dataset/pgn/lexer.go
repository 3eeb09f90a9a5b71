package pgn

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	tokenEnd     kind = iota // end of the text
	tokenTag                 // text is `Name "Value"`, without the brackets
	tokenOpenTag             // a tag whose bracket is not closed on its line
	tokenSymbol              // a move, move number or result; a result as this package writes it
	tokenComment             // text is the part between the braces, shortened
	tokenOpen                // (
	tokenClose               // )
	tokenGlyph               // $12
	tokenBad                 // an unexpected character
)

// maxTokenLength is the number of bytes kept of a token.
const maxTokenLength = 4096

// firstTag is the first tag of the games in most files.
const firstTag = "[Event "

type token struct {
	kind kind
	text string // a part of the lexer's text
	line int
}

func (t token) isTag() bool { return t.kind == tokenTag || t.kind == tokenOpenTag }

// lexer divides a part of a PGN file, from the beginning of a line on, into tokens.
type lexer struct {
	text  string
	pos   int
	line  int
	first string // what the games of this file begin with, beside firstTag; "" if that is unknown
	ended bool   // a token ended because the text did
}

// gameAt reports whether a line that begins there is a game's first.
func (l *lexer) gameAt(pos int) bool {
	for _, tag := range [...]string{firstTag, l.first} {
		end := pos + len(tag)
		if tag != "" && end <= len(l.text) && strings.EqualFold(l.text[pos:end], tag) {
			return true
		}
	}
	return false
}

// opensGame reports whether a tag of that name is a game's first.
func (l *lexer) opensGame(name string) bool {
	return strings.EqualFold("["+name+" ", firstTag) || strings.EqualFold("["+name+" ", l.first)
}

// end goes to the end of the text.
func (l *lexer) end() { l.pos, l.ended = len(l.text), true }

func shorten(s string) string { return s[:min(len(s), maxTokenLength)] }

// rest reads to the end of the line.
func (l *lexer) rest() string {
	s := l.text[l.pos:]
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		l.end()
		return shorten(s)
	}
	l.pos += i + 1
	l.line++
	return shorten(s[:i])
}

// token returns the next token.
func (l *lexer) token() token {
	for l.pos < len(l.text) {
		start, line := l.pos, l.line
		c := l.text[start]
		if n, result := l.resultAt(start); n > 0 {
			l.pos += n
			return token{tokenSymbol, result, line}
		}
		l.pos++
		switch {
		case symbols[c]:
			return l.word(tokenSymbol, start)
		case c == '\n':
			l.line++
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '.':
		case c == '%' && (start == 0 || l.text[start-1] == '\n'):
			l.rest()
		case c == ';':
			return token{tokenComment, l.rest(), line}
		case c == '{':
			return l.comment()
		case c == '[':
			return l.tag()
		case c == '(':
			return token{tokenOpen, "(", line}
		case c == ')':
			return token{tokenClose, ")", line}
		case c == '$':
			return l.word(tokenGlyph, start)
		default:
			r, n := utf8.DecodeRuneInString(l.text[start:])
			if r == utf8.RuneError && n == 1 {
				r = rune(c) // ISO 8859-1
			}
			l.pos = start + n
			return token{tokenBad, fmt.Sprintf("%q", r), line}
		}
	}
	l.ended = true
	return token{tokenEnd, "", l.line}
}

// resultAt reads a result, if there is one. That in a torn tag [Result "1-0"] is not the game's end.
func (l *lexer) resultAt(at int) (n int, result string) {
	switch s := l.text[at:]; s[0] {
	case '0', '1', "½"[0], "½"[1]:
		l.ended = l.ended || len(s) < longestResult
		if n, result = spelled(s); strings.HasPrefix(s[n:], `"`) {
			return 0, ""
		}
	}
	return n, result
}

// comment reads to the closing brace. If the brace is missing, only this game is lost: a
// line that begins with the first tag of a game also ends the comment.
func (l *lexer) comment() token {
	line, text := l.line, l.text[l.pos:]
	end := strings.IndexByte(text, '}')
	if end >= 0 {
		text = text[:end]
	}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		l.line++
		if l.gameAt(l.pos + i) {
			l.pos += i
			return token{tokenBad, "{ without }", line}
		}
	}
	if end < 0 {
		l.end()
		return token{tokenBad, "{ without }", line}
	}
	l.pos += end + 1
	return token{tokenComment, shorten(text), line}
}

// tag reads to the bracket that closes a tag; brackets within its quotes do not count. A tag
// ends with its line: of one that goes on, the rest is skipped.
func (l *lexer) tag() token {
	line, start := l.line, l.pos
	quoted, escaped := false, false
	for i := start; i < len(l.text) && l.text[i] != '\n'; i++ {
		switch c := l.text[i]; {
		case escaped:
			escaped = false
		case c == '\\' && quoted:
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			l.pos = i + 1
			return token{tokenTag, shorten(l.text[start:i]), line}
		}
	}
	text := l.rest()
	if s := strings.TrimSpace(text); strings.HasSuffix(s, `"]`) { // a quote within quotes
		return token{tokenTag, s[:len(s)-1], line}
	}
	l.skipRest()
	return token{tokenOpenTag, text, line}
}

// skipRest skips the lines up to the one that closes a tag, a line that begins a tag, or an
// empty line.
func (l *lexer) skipRest() {
	for closed := false; !closed; {
		if l.pos == len(l.text) {
			l.ended = true
			return
		}
		if strings.IndexByte("[\r\n", l.text[l.pos]) >= 0 {
			return
		}
		closed = strings.HasSuffix(strings.TrimSpace(l.rest()), "]")
	}
}

// word reads a symbol or a glyph.
func (l *lexer) word(k kind, start int) token {
	end := l.pos
	for end < len(l.text) && symbols[l.text[end]] {
		end++
	}
	l.pos = end
	switch {
	case end == len(l.text):
		l.ended = true
	case l.text[end] == '"': // of a torn tag: the result in [Result "1-0"] is not the game's end
		k = tokenBad
	}
	return token{k, shorten(l.text[start:end]), l.line}
}

// symbols are the characters of moves, move numbers and results.
var symbols = func() (set [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-/*!?" {
		set[c] = true
	}
	return set
}()
