package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrUTF16 says that a file is UTF-16 or UTF-32, in which no line would parse.
var ErrUTF16 = errors.New("want UTF-8")

// ErrNUL says that a file has a byte that no text has. The offset in its error counts from 0, in
// the unpacked text.
var ErrNUL = errors.New("is NUL, which no text contains")

// encodingLength is how much of a file shows its encoding, in bytes.
const encodingLength = 1024

// Text returns the text of r in which a carriage return alone, the line break of old
// Macs, is a newline. CRLF stays as it is. Reading UTF-16 or UTF-32, with or without a
// byte-order mark, gives ErrUTF16 (wrapped), and a NUL byte ErrNUL.
func Text(r io.Reader) io.Reader { return &textReader{in: bufio.NewReaderSize(r, 64<<10)} }

type textReader struct {
	in     *bufio.Reader
	opened bool
	read   int64 // bytes
	err    error // of the encoding, or of a NUL
}

func (t *textReader) Read(p []byte) (int, error) {
	if !t.opened {
		t.opened = true
		head, _ := t.in.Peek(encodingLength) // an error of reading comes again
		if name := wide(head); name != "" {
			t.err = fmt.Errorf("the file is %s: %w; convert it with: iconv -f %s -t UTF-8", name, ErrUTF16, name)
		}
	}
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.in.Read(p)
	if i := bytes.IndexByte(p[:n], 0); i >= 0 {
		t.err = fmt.Errorf("byte %d %w: the file is damaged, or of another format", t.read+int64(i), ErrNUL)
		n, err = i, t.err
	}
	t.read += int64(n)
	for i := 0; i < n; i++ {
		j := bytes.IndexByte(p[i:n], '\r')
		if j < 0 {
			break
		}
		if i += j; !t.newlineFollows(p[i+1 : n]) {
			p[i] = '\n'
		}
	}
	return n, err
}

// newlineFollows reports whether a newline follows what was read.
func (t *textReader) newlineFollows(rest []byte) bool {
	if len(rest) == 0 {
		rest, _ = t.in.Peek(1) // nothing follows where it fails
	}
	return len(rest) > 0 && rest[0] == '\n'
}

// ErrLong says that a line is longer than its reader allows.
var ErrLong = errors.New("the line is too long")

// ReadLine returns the next line without its newline, and holds little more than most bytes
// of it. After ErrLong the rest of the line is still to be read. If no newline follows, the
// error is io.EOF, with the rest.
func ReadLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		case len(line) > most:
			return nil, ErrLong
		}
	}
}

// wide names the encoding of a file with more than one byte a character, or returns the
// empty string.
func wide(head []byte) string {
	for _, m := range []struct{ mark, name string }{
		{"\xff\xfe\x00\x00", "UTF-32"}, {"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
	} {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.name
		}
	}
	// Without a mark: positions and moves are ASCII, so every second byte is zero.
	var zeros [2]int
	half := len(head) / 2
	for i, c := range head[:2*half] {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case half < 4:
	case zeros[0] == 0 && 10*zeros[1] >= 9*half:
		return "UTF-16LE"
	case zeros[1] == 0 && 10*zeros[0] >= 9*half:
		return "UTF-16BE"
	}
	return ""
}
