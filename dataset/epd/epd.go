// Package epd reads and writes lists of positions, one a line: opening books in EPD
// or FEN, and positions with the result of their game in the spellings in use:
//
//	FEN [0.5]
//	FEN | 1-0
//	FEN 1/2-1/2
//	EPD c9 "1-0";
//
// It takes byte-order marks, CRLF, blank lines, comment lines that begin with #, a
// missing last newline, and dashes for the counters. Tables with a score or other
// columns are not its business.
//
// The standard of EPD is in Edwards, "Portable Game Notation Specification and
// Implementation Guide" (1994), section 16.2.
//
// Start reading at Read.
package epd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// MaxLine bounds the length of a line, in bytes.
const MaxLine = 64 << 10

// Line is one position of a list.
type Line struct {
	Number int // in the file, from 1
	Board  board.Position
	// Result of the game: 1 White won, 0.5 draw, 0 Black won. It is there if
	// HasResult.
	Result    float32
	HasResult bool
	// Ops are the EPD operations behind the position: "bm" -> "Nf3", quotes taken off.
	Ops map[string]string
}

// LineError is what is wrong with one line. The lines behind it can still be read.
type LineError struct {
	Number int // of the line, from 1
	Err    error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Number, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the positions of a list in order. A line that is not one is yielded as
// a *LineError, and the sequence goes on; any other error is one of reading r, and
// the last.
func Read(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, MaxLine)
		for number := 1; ; number++ {
			text, err := readLine(in)
			if err != nil && !errors.Is(err, errLong) {
				if !errors.Is(err, io.EOF) {
					yield(Line{Number: number}, fmt.Errorf("epd: line %d: %w", number, err))
				}
				return
			}
			if number == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			text = strings.TrimSpace(text)
			if err == nil && (text == "" || text[0] == '#') {
				continue
			}
			var line Line
			if err == nil {
				line, err = Parse(text)
			}
			line.Number = number
			if err != nil {
				err = &LineError{number, err}
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

var errLong = fmt.Errorf("longer than %d bytes", MaxLine)

// readLine returns the next line, or errLong after skipping one that is too long.
func readLine(in *bufio.Reader) (string, error) {
	text, err := in.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) && len(text) > 0 {
		return string(text), nil
	}
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = in.ReadSlice('\n')
	}
	if long && (err == nil || errors.Is(err, io.EOF)) {
		return "", errLong
	}
	return "", err
}

// Parse reads one line.
func Parse(s string) (Line, error) {
	var line Line
	fields, rest := takeFields(s)
	if len(fields) < 4 {
		return line, fmt.Errorf("want a position of at least four fields, got %.80q", s)
	}
	rest, err := line.takeResult(rest)
	if err != nil {
		return line, err
	}
	if err := line.parseOps(rest); err != nil {
		return line, err
	}
	fields = append(fields, "0", "1")[:max(6, len(fields))]
	for i, op := range []string{"hmvc", "fmvn"} {
		if v, ok := line.Ops[op]; ok {
			fields[4+i] = v
		}
	}
	line.Board, err = board.ParseFEN(strings.Join(fields, " "))
	return line, err
}

// takeFields returns the four or six fields of the position that s begins with (a
// dash for a counter becomes 0 and 1), and the rest.
func takeFields(s string) (fields []string, rest string) {
	rest = strings.TrimSpace(s)
	for len(fields) < 6 && rest != "" {
		end := strings.IndexAny(rest, " \t;|")
		if end < 0 {
			end = len(rest)
		}
		field := rest[:end]
		switch n := len(fields); {
		case n < 4:
		case field == "-":
			field = strconv.Itoa(n - 4)
		case field == "" || strings.Trim(field, "0123456789") != "" || strings.HasPrefix(rest[end:], ";") && n == 4:
			return fields, rest
		}
		fields = append(fields, field)
		rest = strings.TrimLeft(rest[end:], " \t")
	}
	if len(fields) == 5 { // one counter alone is none
		return fields[:4], rest
	}
	return fields, rest
}

// results are the spellings of a game's result.
var results = map[string]float32{
	"1-0": 1, "0-1": 0, "1/2-1/2": 0.5, "1/2": 0.5,
	"1.0": 1, "0.0": 0, "0.5": 0.5, "1": 1, "0": 0, "1.": 1, "0.": 0, ".5": 0.5,
}

// takeResult reads a result that stands apart from the operations, and returns what
// is behind it.
func (l *Line) takeResult(s string) (rest string, err error) {
	s = strings.TrimSpace(s)
	text := ""
	switch {
	case strings.HasPrefix(s, "["):
		var closed bool
		if text, rest, closed = strings.Cut(s[1:], "]"); !closed {
			return s, errors.New("[ without ]")
		}
	case strings.HasPrefix(s, "|"):
		text, rest, _ = strings.Cut(strings.TrimLeft(s[1:], " \t"), " ")
	default:
		text, rest, _ = strings.Cut(s, " ")
		if _, ok := results[strings.TrimSuffix(text, ";")]; !ok {
			return s, nil
		}
		text = strings.TrimSuffix(text, ";")
	}
	return rest, l.setResult(strings.TrimSpace(text))
}

func (l *Line) setResult(text string) error {
	r, ok := results[text]
	if !ok {
		return fmt.Errorf("result %.20q is not 1-0, 1/2-1/2, 0-1, 1.0, 0.5 or 0.0", text)
	}
	if l.HasResult && l.Result != r {
		return fmt.Errorf("results that contradict: %v and %v", l.Result, r)
	}
	l.Result, l.HasResult = r, true
	return nil
}

// parseOps reads operations: a name, operands, a semicolon. Semicolons within quotes
// do not count. An operand in quotes that is a result is the game's.
func (l *Line) parseOps(s string) error {
	for s = strings.TrimSpace(s); s != ""; {
		op, rest := cutOp(s)
		s = strings.TrimSpace(rest)
		name, operand, _ := strings.Cut(strings.TrimSpace(op), " ")
		if name == "" {
			continue
		}
		if c := name[0] | 0x20; c < 'a' || c > 'z' {
			return fmt.Errorf("%.40q is not an EPD operation", op)
		}
		operand = strings.TrimSpace(operand)
		quoted := len(operand) > 1 && operand[0] == '"' && operand[len(operand)-1] == '"'
		if quoted {
			operand = operand[1 : len(operand)-1]
			if _, is := results[operand]; is && name[0] == 'c' {
				if err := l.setResult(operand); err != nil {
					return err
				}
			}
		}
		if l.Ops == nil {
			l.Ops = map[string]string{}
		}
		l.Ops[name] = operand
	}
	return nil
}

// cutOp returns the text up to a semicolon outside quotes, and what follows it.
func cutOp(s string) (op, rest string) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// Write writes a position with the result of its game in brackets, as a line.
func Write(w io.Writer, p *board.Position, result float32) error {
	_, err := fmt.Fprintf(w, "%s [%s]\n", p.FEN(), strconv.FormatFloat(float64(result), 'f', -1, 32))
	return err
}
