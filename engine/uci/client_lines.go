package uci

import (
	"bytes"
	"errors"
	"io"
)

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
