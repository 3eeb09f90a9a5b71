package pgn

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/internal/source"
)

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

// skipMoves passes over words, up to one that could be a result.
func (l *lexer) skipMoves() {
	for i := l.pos; i < len(l.text); l.pos = i {
		switch c := l.text[i]; {
		case c == ' ' || c == '.':
			i++
		case symbols[c] && c > '1':
			for i < len(l.text) && symbols[l.text[i]] {
				i++
			}
			if i == len(l.text) {
				return // it may go on
			}
		default:
			return
		}
	}
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

const (
	// chunkSize is about how many bytes of a file are parsed at once.
	chunkSize = 128 << 10
	// maxGame bounds a game, in bytes. A longer one is refused. dataset.MaxPlies moves with long comments take half of it.
	maxGame = 8 << 20
)

// held is a game, or an error, that waits for its turn.
type held struct {
	g   *Game
	err error
}

// chunk is a part of a file, with a parser at its first game.
type chunk struct {
	parser
	games []held
}

type splitter struct {
	in    io.Reader
	buf   []byte // read, but not in a chunk yet
	line  int
	only  bool // of chunks, as first
	first string
	open  bool // buf goes on with the last game of the last chunk
	err   error
}

func newSplitter(r io.Reader, size int) *splitter {
	s := &splitter{in: source.Text(r), line: 1, buf: make([]byte, 0, size)}
	s.fill()
	s.buf = bytes.TrimPrefix(s.buf, []byte("\xef\xbb\xbf"))
	if tag := beginning.FindSubmatch(s.buf); tag != nil {
		s.first = string(tag[1])
	}
	return s
}

// beginning is how a file begins whose games begin with that tag.
var beginning = regexp.MustCompile(`^(?:\s|[;%].*\n)*(\[\w+ )"`)

// fill reads until the buffer is full.
func (s *splitter) fill() {
	for s.err == nil && len(s.buf) < cap(s.buf) {
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.err = s.buf[:len(s.buf)+n], err
	}
}

// next returns the next chunk: up to the last game that begins in the buffer; or, if a game goes on,
// to its end.
func (s *splitter) next() (c *chunk, ok bool) {
	s.fill()
	text := string(s.buf)
	c = &chunk{parser: parser{lex: lexer{text: text, line: s.line, first: s.first}, only: s.only}}
	marker := "\n" + cmp.Or(s.first, firstTag)
	switch end := nextGame(text, marker); {
	case s.open && end < len(text):
		c.lex.text = text[:end]
	case s.err != nil:
		c.last, c.broken = true, !errors.Is(s.err, io.EOF)
	default:
		c.lex.text = text[:lastGame(text, marker)]
		c.open = c.lex.text == ""
	}
	if c.open { // the rest shows which line is before a game
		c.lex.text = text[:cmp.Or(strings.LastIndexByte(text[:len(text)/2], '\n')+1, len(text)/2)]
	}
	s.open = c.open
	s.line += strings.Count(c.lex.text, "\n")
	s.buf = append(s.buf[:0], s.buf[len(c.lex.text):]...)
	return c, text != ""
}

// nextGame returns where the second game of a text begins, its length if there is none. A game begins
// with a line that has the marker, behind a result: the parser agrees wherever the text is cut.
func nextGame(text, marker string) int {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], marker)
		if i < 0 {
			return len(text)
		}
		if at += i; behindResult(text[:at]) {
			return at + 1
		}
	}
}

// lastGame returns where the last game begins, 0 if it is the first.
func lastGame(text, marker string) int {
	for end := len(text); ; {
		if end = strings.LastIndex(text[:end], marker); end < 0 {
			return 0
		}
		if behindResult(text[:end]) {
			return end + 1
		}
	}
}

// behindResult reports whether the last line of a text ends with a game's result, and a comment at most.
func behindResult(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.HasSuffix(line, "}") {
		line = strings.TrimRight(line[:max(0, strings.LastIndexByte(line, '{'))], " \t")
	}
	tag := strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "[%") // a torn one
	if tag || strings.HasPrefix(line, "%") || strings.IndexByte(line, ';') >= 0 {
		return false
	}
	return endsInResult(line)
}

// split sends all chunks. One that ends within a game is parsed here.
func (s *splitter) split(_ context.Context, send func(*chunk) error) error {
	for c, ok := s.next(); ok; c, ok = s.next() {
		if !c.open {
			if err := send(c); err != nil {
				return err
			}
			continue
		}
		for p := &c.parser; ; {
			was := *p
			h, ok := p.next()
			if p.lex.ended && p.open {
				*p = was
				p.extend(s)
				continue
			}
			if !ok {
				break
			}
			if err := send(&chunk{games: []held{h}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// extend doubles the text that is not parsed yet.
func (p *parser) extend(s *splitter) {
	from := max(0, p.lex.pos-1)
	b := []byte(p.lex.text[from:])
	for most := 2*len(b) + 1; p.open && len(b) < most; {
		c, _ := s.next()
		b = append(b, c.lex.text...)
		p.open, p.last, p.broken = c.open && len(b) < maxGame, c.last, c.broken
		p.long = c.open && !p.open
	}
	p.lex = lexer{text: string(b), pos: p.lex.pos - from, line: p.lex.line, first: p.lex.first}
}

func (c *chunk) parse() {
	for text := c.lex.text; text != ""; text = c.lex.text {
		p, n := c.parser, nextGame(text, "\n"+cmp.Or(c.lex.first, firstTag))
		p.lex.text, p.last, p.broken = text[:n], c.last && n == len(text), c.broken && n == len(text)
		for h, ok := p.next(); ok; h, ok = p.next() {
			c.games = append(c.games, h)
		}
		c.lex.text, c.lex.line = text[n:], p.lex.line
	}
}

// read is Read, but the scores are not settled. Several goroutines parse.
func (s *splitter) read(workers int) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		enough := errors.New("enough")
		err := inorder.Run(context.Background(), workers, s.split, func(_ context.Context, chunks iter.Seq[*chunk]) error {
			for c := range chunks {
				c.parse()
			}
			return nil
		}, func(c *chunk) error {
			for _, h := range c.games {
				if !yield(h.g, h.err) {
					return enough
				}
			}
			return nil
		})
		if err == nil && !errors.Is(s.err, io.EOF) {
			yield(nil, fmt.Errorf("pgn: line %d: %w", s.line, s.err))
		}
	}
}
