package uci

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	logSize    = 16 << 10 // most bytes kept of a conversation
	logLineMax = 2 << 10  // of one line
)

// conversation keeps the last lines between us and a program.
type conversation struct {
	started time.Time // of the first line
	data    []byte    // at most twice logSize
}

// add adds a line, with the time since the first one in milliseconds.
func (c *conversation) add(direction string, line []byte) {
	now := time.Now()
	if c.started.IsZero() {
		c.started, c.data = now, make([]byte, 0, 2*logSize) // it grows no more
	}
	if len(c.data) > 2*logSize-logLineMax-64 {
		c.data = c.data[:copy(c.data, c.data[len(c.data)-logSize:])]
	}
	var digits [20]byte // not with fmt: this runs twice a move
	ms := strconv.AppendInt(digits[:0], now.Sub(c.started).Milliseconds(), 10)
	c.data = append(c.data, "       "[min(len(ms), 7):]...)
	c.data = append(append(c.data, ms...), ' ')
	c.data = append(c.data, direction...)
	if len(line) > logLineMax {
		const part = logLineMax / 2
		c.data = append(append(c.data, line[:part]...), " ... "...)
		line = line[len(line)-part:]
	}
	c.data = append(append(c.data, line...), '\n')
}

func (c *conversation) addLines(direction string, text []byte) {
	for line := range bytes.Lines(text) {
		c.add(direction, bytes.TrimSuffix(line, []byte("\n")))
	}
}

// text returns whole lines, at most logSize bytes of them.
func (c *conversation) text() string {
	data := c.data
	if over := len(data) - logSize; over > 0 {
		data = data[over:]
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	return string(data)
}

// logText returns the end of the conversation with the process and of its error output.
func (p *process) logText() string {
	text := "milliseconds, > to the engine, < from it\n" + p.log.text()
	if noise := strings.TrimSpace(p.noise.Text()); noise != "" {
		text += "\nlast on its error output\n" + noise + "\n"
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return printable(r)
	}, strings.ToValidUTF8(text, "?"))
}

// How much of a line is read, in bytes: at first, because hundreds of engines may play at once, and at most; the rest
// is skipped.
const firstLineBuffer, lineBufferSize = 4 << 10, 64 << 10

// lineBuffer reads lines into a buffer that grows up to a bound. It returns as much of a longer
// line as fits and skips the rest. Unlike bufio.Reader it loses no data when a read
// fails for a while, at a deadline for example.
type lineBuffer struct {
	from     io.Reader
	buf      []byte
	low, top int  // buf[low:top] was read and not yet returned
	skipping bool // up to the end of a line whose beginning was returned
}

// next returns the next line without its newline, valid until the next call. The last
// line may have no newline.
func (b *lineBuffer) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(b.buf[b.low:b.top], '\n'); i >= 0 {
			line := b.buf[b.low : b.low+i]
			b.low += i + 1
			if !b.skipping {
				return line, nil
			}
			b.skipping = false
			continue
		}
		switch {
		case b.skipping:
			b.low, b.top = 0, 0
		case b.low > 0:
			b.top = copy(b.buf, b.buf[b.low:b.top])
			b.low = 0
		case b.top == len(b.buf) && len(b.buf) < lineBufferSize:
			b.buf = append(b.buf, make([]byte, len(b.buf))...)
		case b.top == len(b.buf):
			b.low, b.top, b.skipping = 0, 0, true
			return b.buf, nil
		}
		n, err := b.from.Read(b.buf[b.top:])
		b.top += n
		if err != nil && n == 0 {
			if !errors.Is(err, io.EOF) || b.top == 0 || b.skipping {
				return nil, err
			}
			line := b.buf[:b.top]
			b.low, b.top = 0, 0
			return line, nil
		}
	}
}

// discard drops what was read but not returned, and the rest of a line whose beginning is
// more than blanks.
func (b *lineBuffer) discard() {
	last, whole := b.buf[b.low:b.top], false
	if i := bytes.LastIndexByte(last, '\n'); i >= 0 {
		last, whole = last[i+1:], true
	}
	word, _ := nextWord(last)
	b.skipping = b.skipping && !whole || len(word) > 0
	b.low, b.top = 0, 0
}

// nextWord returns the first word of a line and what follows it. Spaces and control
// characters, carriage returns and NUL bytes included, separate words.
func nextWord(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	j := i
	for j < len(line) && !isBlank(line[j]) {
		j++
	}
	return line[i:j], line[j:]
}

func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }
