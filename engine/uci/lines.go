package uci

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// maxLine bounds a line, in bytes: room for a game of tens of thousands of moves.
const maxLine = 1 << 20

// lineReader reads lines without holding more than maxLine bytes of any.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line without its end and without control characters, and its
// whole length. Where that is above maxLine the line is cut. A last line may lack its
// end.
func (l *lineReader) next() (line string, length int, err error) {
	var b strings.Builder
	for {
		part, err := l.r.ReadSlice('\n')
		length += len(part)
		if length <= maxLine {
			b.Write(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (length == 0 || !errors.Is(err, io.EOF)):
			return "", length, err
		}
		return strings.Map(printable, b.String()), length, nil
	}
}

// printable makes blanks of control characters: NUL bytes and returns among them.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
