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

	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/internal/source"
)

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

// chunk is a part of a file. It begins with a game.
type chunk struct {
	text   string
	line   int    // of its beginning
	only   bool   // its tags count, its moves do not
	first  string // what games begin with: see lexer
	open   bool   // its last game goes on in the next chunk
	last   bool   // of the file
	broken bool   // by an error of reading
	games  []held
}

// splitter divides a file into chunks.
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
	c = &chunk{text: text, line: s.line, first: s.first, only: s.only}
	marker := "\n" + cmp.Or(s.first, firstTag)
	switch end := nextGame(text, marker); {
	case s.open && end < len(text):
		c.text = text[:end]
	case s.err != nil:
		c.last, c.broken = true, !errors.Is(s.err, io.EOF)
	default:
		c.text = text[:lastGame(text, marker)]
		c.open = c.text == ""
	}
	if c.open { // what is left shows which line is before a game
		c.text = text[:cmp.Or(strings.LastIndexByte(text[:len(text)/2], '\n')+1, len(text)/2)]
	}
	s.open = c.open
	s.line += strings.Count(c.text, "\n")
	s.buf = append(s.buf[:0], s.buf[len(c.text):]...)
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
		for p := c.parser(c.text); ; {
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
		b = append(b, c.text...)
		p.open, p.last, p.broken = c.open && len(b) < maxGame, c.last, c.broken
		p.long = c.open && !p.open
	}
	p.lex = lexer{text: string(b), pos: p.lex.pos - from, line: p.lex.line, first: p.lex.first}
}

func (c *chunk) parser(text string) *parser {
	whole := len(text) == len(c.text)
	return &parser{lex: lexer{text: text, line: c.line, first: c.first}, only: c.only,
		open: c.open, last: c.last && whole, broken: c.broken && whole}
}

// parse parses the games of a chunk.
func (c *chunk) parse() {
	for c.text != "" {
		n := nextGame(c.text, "\n"+cmp.Or(c.first, firstTag))
		p := c.parser(c.text[:n])
		for h, ok := p.next(); ok; h, ok = p.next() {
			c.games = append(c.games, h)
		}
		c.text, c.line = c.text[n:], p.lex.line
	}
}

// read is Read, but the scores are not settled. Several goroutines parse.
func (s *splitter) read(workers int) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		ctx, stop := context.WithCancel(context.Background())
		ready := make(chan *chunk)
		go func() {
			defer close(ready)
			_ = inorder.Run(ctx, workers, s.split, func(_ context.Context, chunks iter.Seq[*chunk]) error {
				for c := range chunks {
					c.parse()
				}
				return nil
			}, func(c *chunk) error {
				select {
				case ready <- c:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}()
		defer func() {
			stop()
			for range ready { // until nobody reads any more
			}
		}()
		for c := range ready {
			for _, h := range c.games {
				if !yield(h.g, h.err) {
					return
				}
			}
		}
		if !errors.Is(s.err, io.EOF) {
			yield(nil, fmt.Errorf("pgn: line %d: %w", s.line, s.err))
		}
	}
}
