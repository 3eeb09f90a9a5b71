package uci

import (
	"bytes"
	"errors"
	"io"
)

// lookedAt is how much of a line is looked at, in bytes.
const lookedAt = 64 << 10

// lineBuffer reads lines into a buffer that does not grow. Of a line that is longer
// than the buffer it returns as much as fits. Unlike bufio.Reader it loses nothing to an
// error that passes, such as a deadline.
type lineBuffer struct {
	from     io.Reader
	buf      []byte
	low, top int  // what is in buf and was not returned
	skipping bool // the rest of a line of which the beginning was returned
}

// next returns the next line without its end. It is valid until the next call. A last
// line may lack its end.
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

// discard drops what has been read but not returned.
func (b *lineBuffer) discard() {
	if b.top > b.low {
		b.skipping = b.buf[b.top-1] != '\n'
	}
	b.low, b.top = 0, 0
}

// nextWord returns the first word of a line and what follows it. Whatever is no
// printable character divides words: returns and NUL bytes too.
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

// equalFold compares a word with a lower-case one, whatever the word's case is.
func equalFold(word []byte, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i, c := range word {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
