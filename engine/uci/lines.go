package uci

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/assay-chess/assay/engine/quote"
)

// maxLine bounds a line, in bytes. It has room for a game of 200,000 moves.
const maxLine = 1 << 20

// lineReader reads lines and holds at most maxLine bytes of each.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line, with control characters replaced by spaces, and the length
// of the whole line. A line longer than maxLine is cut. The last line may have no newline.
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

// printable replaces control characters, NUL bytes and carriage returns among them, by
// spaces.
func printable(r rune) rune {
	if quote.Safe(r) {
		return r
	}
	return ' '
}
