package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-chess/assay/dataset/internal/text"
)

// kind is the kind of a token.
type kind uint8

const (
	tokenEnd     kind = iota // end of the file
	tokenTag                 // text is `Name "Value"`, without the brackets
	tokenOpenTag             // a tag whose bracket is not closed on its line
	tokenSymbol              // a move, move number or result
	tokenComment             // text is what is between the braces, shortened
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
	text string
	line int
}

func (t token) isTag() bool { return t.kind == tokenTag || t.kind == tokenOpenTag }

// lexer divides a PGN file into tokens, in constant memory: long comments are shortened.
type lexer struct {
	in    *bufio.Reader
	line  int
	start bool // at the beginning of a line
	buf   []byte
	first string // what the games of this file begin with
	err   error  // of reading; tokens end there
}

func newLexer(r io.Reader) *lexer {
	l := &lexer{in: bufio.NewReaderSize(text.NewReader(r), 64<<10), line: 1, start: true}
	if head, err := l.in.Peek(3); err == nil && string(head) == "\xef\xbb\xbf" {
		_, _ = l.in.Discard(3) // they are buffered
	}
	return l
}

// begins takes the name of a tag that a game begins with; the first counts.
func (l *lexer) begins(tag string) {
	if l.first == "" {
		l.first = "[" + tag + " "
	}
}

// gameFollows reports whether a line that begins here is a game's first.
func (l *lexer) gameFollows() bool {
	for _, tag := range []string{firstTag, l.first} {
		head, _ := l.in.Peek(len(tag)) // shorter at the end of the file
		if tag != "" && strings.EqualFold(string(head), tag) {
			return true
		}
	}
	return false
}

// next returns the next character; ok is false at the end.
func (l *lexer) next() (c byte, ok bool) {
	c, err := l.in.ReadByte()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			l.err = err
		}
		return 0, false
	}
	if l.start = c == '\n'; l.start {
		l.line++
	}
	return c, true
}

func (l *lexer) back() {
	_ = l.in.UnreadByte() // a byte was just read
}

// until reads up to the character end, and reports whether it occurs.
func (l *lexer) until(end byte) bool {
	l.buf = l.buf[:0]
	for {
		c, ok := l.next()
		if !ok || c == end {
			return ok
		}
		if len(l.buf) < maxTokenLength {
			l.buf = append(l.buf, c)
		}
	}
}

// token returns the next token.
func (l *lexer) token() token {
	for {
		start := l.start
		c, ok := l.next()
		line := l.line
		switch {
		case !ok:
			return token{tokenEnd, "", line}
		case c == '%' && start:
			l.until('\n')
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '.':
		case c == ';':
			l.until('\n')
			return token{tokenComment, string(l.buf), line}
		case c == '{':
			return l.comment(line)
		case c == '[':
			return l.tag(line)
		case c == '(':
			return token{tokenOpen, "(", line}
		case c == ')':
			return token{tokenClose, ")", line}
		default:
			return l.word(c, line)
		}
	}
}

// comment reads to the closing brace. If the brace is missing, only this game is lost: a
// line that begins with the first tag of a game also ends the comment.
func (l *lexer) comment(line int) token {
	l.buf = l.buf[:0]
	for {
		c, ok := l.next()
		if c == '}' && ok {
			return token{tokenComment, string(l.buf), line}
		}
		if c == '\n' && ok {
			ok = !l.gameFollows()
		}
		if !ok {
			return token{tokenBad, "{ without }", line}
		}
		if len(l.buf) < maxTokenLength {
			l.buf = append(l.buf, c)
		}
	}
}

// opensGame reports whether a tag of that name is a game's first.
func (l *lexer) opensGame(name string) bool {
	return strings.EqualFold("["+name+" ", firstTag) || strings.EqualFold("["+name+" ", l.first)
}

// tag reads to the bracket that closes a tag; brackets within its quotes do not count. A tag
// ends with its line: of one that goes on, the rest is skipped.
func (l *lexer) tag(line int) token {
	l.buf = l.buf[:0]
	quoted, escaped := false, false
	for {
		c, ok := l.next()
		switch {
		case !ok || c == '\n':
			if text := bytes.TrimSpace(l.buf); bytes.HasSuffix(text, []byte(`"]`)) { // a quote within quotes
				return token{tokenTag, string(text[:len(text)-1]), line}
			}
			text := string(l.buf)
			l.skipRest()
			return token{tokenOpenTag, text, line}
		case escaped:
			escaped = false
		case c == '\\' && quoted:
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return token{tokenTag, string(l.buf), line}
		}
		if len(l.buf) < maxTokenLength {
			l.buf = append(l.buf, c)
		}
	}
}

// skipRest skips the lines up to the one that closes a tag, a line that begins a tag, or an
// empty line.
func (l *lexer) skipRest() {
	for closed := false; !closed; {
		if head, _ := l.in.Peek(1); len(head) == 0 || strings.Contains("[\r\n", string(head)) {
			return
		}
		ok := l.until('\n')
		closed = !ok || bytes.HasSuffix(bytes.TrimSpace(l.buf), []byte("]"))
	}
}

// word reads a symbol or a glyph that begins with c.
func (l *lexer) word(c byte, line int) token {
	k := tokenSymbol
	if c == '$' {
		k = tokenGlyph
	} else if !isSymbol(c) {
		return token{tokenBad, fmt.Sprintf("%q", c), line}
	}
	l.buf = append(l.buf[:0], c)
	for {
		c, ok := l.next()
		if !ok {
			break
		}
		if !isSymbol(c) {
			if c == '\n' {
				l.line--
			}
			l.back()
			l.start = false
			if c == '"' { // of a torn tag: the result in [Result "1-0"] is not the game's end
				k = tokenBad
			}
			break
		}
		if len(l.buf) < maxTokenLength {
			l.buf = append(l.buf, c)
		}
	}
	return token{k, string(l.buf), line}
}

func isSymbol(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_+#=:-/*!?", c) >= 0
}
