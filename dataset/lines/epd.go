// Package lines reads and writes text formats of positions, a line each: lists in EPD or FEN (Parse), tables in CSV or
// TSV (Table), and evaluations of Lichess (ParseLichess); it writes JSON lines of positions and games.
//
// Lists are opening books, or positions with the result of their game in the usual spellings:
//
//	FEN [0.5]
//	FEN | 1-0
//	FEN 1/2-1/2
//	EPD c9 "1-0";
//	FEN;score;result
//	FEN | score | result
//	FEN [0.5] score
//	EPD ce 34; c9 "1-0";
//	FEN; [0.5]
//
// They may have byte-order marks, line breaks of every kind, blank lines, comment lines that begin with #, a missing
// last newline, and dashes for the counters. The standard of EPD is in Edwards, "Portable Game Notation Specification
// and Implementation Guide" (1994), section 16.2.
//
// A row of a table is a line: a cell may be quoted, but cannot contain a line break.
//
// In JSON lines the names are the columns of data sets; 64-bit numbers are strings, because JavaScript would
// round them, and unknown values are null. There is no reader: the JSON lines of other programs have other names.
//
// Start reading at Parse, Table and Header.
//
// No promise of stability.
package lines

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// MaxLine is about the longest line in bytes that readers of lists take.
const MaxLine = 64 << 10

// line is one position of a list.
type line struct {
	Board board.Position
	// Result of the game: 1 White won, 0.5 draw, 0 Black won. It is there if
	// hasResult.
	Result    float32
	hasResult bool
	// Score in centipawns, as the file has it, or dataset.NoScore. A ce operation is from
	// the side to move's view; for other spellings the file does not say.
	Score int16
	// Foreign says that the score was a mate or beyond dataset.MateScore; Score is NoScore.
	Foreign bool
	ce      bool // Score comes from a ce operation
	// ops are the EPD operations after the position, without quotes: "bm" -> "Nf3".
	ops map[string]string
}

// errNoResult says that a line has a position but no result.
var errNoResult = errors.New(
	"no result after the position; want [0.5], | 1-0, c9 \"1/2-1/2\"; or another usual spelling")

// Row converts a line, which must have a result. Mover says that scores that are not in a
// ce operation are from the side to move's view; else they are White's.
func (l *line) Row(mover bool) (dataset.PositionRow, error) {
	r := dataset.PositionRow{Board: l.Board, Ply: uint16(l.Board.Ply()), Score: l.Score, Result: l.Result, Weight: 1}
	if !l.hasResult {
		return r, errNoResult
	}
	if (mover || l.ce) && l.Score != dataset.NoScore && l.Board.SideToMove() == board.Black {
		r.Score = -r.Score
	}
	return r, nil
}

// OfMover reports whether the score is in a ce operation, which is from the side to move's view.
func (l *line) OfMover() bool { return l.ce }

// Parse reads one line.
func Parse(s string) (line, error) {
	line := line{Score: dataset.NoScore}
	s = strings.TrimSpace(s)
	if text, rest, _ := strings.Cut(s, " "); isRanks(rest) { // "1.0 FEN"
		if _, ok := resultSpellings[text]; ok {
			_ = line.setResult(text) // it is known
			s = strings.TrimSpace(rest)
		}
	}
	n, end, plain := fieldsEnd(s)
	if n < 4 {
		return line, fmt.Errorf("want a position of at least four fields, got %.80q", s)
	}
	rest, err := line.takeLabels(s[end:])
	if err == nil && line.hasResult {
		err = checkClosed(rest)
	}
	if err == nil {
		err = line.parseOps(rest)
	}
	if err != nil {
		return line, err
	}
	fen := s[:end]
	_, half := line.ops["hmvc"]
	if _, full := line.ops["fmvn"]; half || full || !plain {
		fen = line.withCounters(fen)
	}
	line.Board, err = board.ParseFEN(fen)
	return line, err
}

// isRanks reports whether the first word are the ranks of a position.
func isRanks(s string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Count(first, "/") == 7
}

// withCounters adds the two counters to the first four fields: from the operations, or
// defaults in place of dashes.
func (l *line) withCounters(fen string) string {
	// The same blanks as in fieldsEnd: ParseFEN refuses all others.
	fields := strings.FieldsFunc(fen, func(c rune) bool { return c == ' ' || c == '\t' })
	fields = append(fields, "0", "1")[:max(6, len(fields))]
	for i, op := range []string{"hmvc", "fmvn"} {
		if fields[4+i] == "-" {
			fields[4+i] = strconv.Itoa(i)
		}
		if v, ok := l.ops[op]; ok {
			fields[4+i] = v
		}
	}
	return strings.Join(fields, " ")
}

// fieldsEnd returns the end of the position at the start of s, and its number of fields:
// four or six. Plain says that no counter is a dash.
func fieldsEnd(s string) (n, end int, plain bool) {
	plain = true
	four := 0 // where the fourth field ends
	for i := 0; n < 6; {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		start := i
		for i < len(s) && s[i] != ' ' && s[i] != '\t' && s[i] != ';' && s[i] != '|' {
			i++
		}
		field := s[start:i]
		if field == "" {
			break
		}
		if n >= 4 {
			if field != "-" && strings.Trim(field, digits) != "" || n == 4 && i < len(s) && s[i] == ';' {
				break
			}
			plain = plain && field != "-"
		}
		n++
		end = i
		if n == 4 {
			four = i
		}
	}
	if n == 5 { // a single counter does not count
		return 4, four, true
	}
	return n, end, plain
}

// takeLabels reads a result, and a score if there is one, that are not operations, and
// returns the rest.
func (l *line) takeLabels(s string) (rest string, err error) {
	s = strings.TrimSpace(s)
	if text := strings.TrimLeft(s, "; \t"); text != "" && text[0] == '[' {
		s = text
	}
	switch {
	case s == "":
		return "", nil
	case s[0] == '[':
		text, rest, closed := strings.Cut(s[1:], "]")
		if !closed {
			return s, errors.New("[ without ]")
		}
		if err := l.setResult(strings.TrimSpace(text)); err != nil {
			return s, err
		}
		return l.takeScore(strings.TrimSpace(rest))
	case s[0] == '|':
		return "", l.columns(s[1:], '|')
	case s[0] == ';' && isColumns(s[1:]):
		return "", l.columns(s[1:], ';')
	}
	text, rest, _ := strings.Cut(s, " ")
	text = strings.TrimSuffix(text, ";")
	if _, ok := resultSpellings[text]; !ok {
		return s, nil
	}
	return rest, l.setResult(text)
}

// takeScore reads a single number after a result in brackets.
func (l *line) takeScore(s string) (rest string, err error) {
	text, rest, _ := strings.Cut(s, " ")
	text = strings.TrimSuffix(text, ";")
	if text == "" || strings.Trim(text, "+-0123456789mM#") != "" {
		return s, nil
	}
	return rest, l.setScore(text)
}

// isColumns reports whether s is score;result and not operations, which begin with letters.
func isColumns(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return false
	}
	first, _, _ := strings.Cut(s, ";")
	if _, ok := winners[strings.TrimSpace(first)]; ok {
		return true
	}
	_, foreign, err := parseScore(strings.TrimSpace(first))
	return strings.IndexByte("+-.0123456789\"", s[0]) >= 0 || err == nil && foreign // a mate
}

// columns reads a result, or a score and a result.
func (l *line) columns(s string, sep byte) error {
	s = strings.TrimRight(strings.TrimSpace(s), ";")
	first, second, two := strings.Cut(s, string(sep))
	first, second = strings.Trim(first, " \t\""), strings.Trim(second, " \t\"")
	if !two {
		return l.setResult(first)
	}
	// "result | score" is in use too. It is recognized by a spelling that can only be a
	// result.
	if _, err := strconv.Atoi(first); err != nil {
		if _, is := resultSpellings[first]; is {
			first, second = second, first
		}
	}
	if err := l.setScore(first); err != nil {
		return err
	}
	return l.setResult(second)
}

func (l *line) setScore(text string) (err error) {
	l.Score, l.Foreign, err = parseScore(text)
	return err
}

func (l *line) setResult(text string) error {
	r, err := parseResult(text)
	if err != nil {
		return err
	}
	if l.hasResult && l.Result != r {
		return fmt.Errorf("contradictory results: %v and %v", l.Result, r)
	}
	l.Result, l.hasResult = r, true
	return nil
}

// parseOps reads operations: a name, operands, a semicolon. Semicolons within quotes do not
// end it. A quoted operand that is a result is the result of the game.
func (l *line) parseOps(s string) error {
	for s = strings.TrimSpace(s); s != ""; {
		op, rest := cutOp(s)
		s = strings.TrimSpace(rest)
		name, operand, _ := strings.Cut(strings.TrimSpace(op), " ")
		if name == "" {
			continue
		}
		if strings.Trim(name[:1], letters) != "" || strings.Trim(name, nameText) != "" {
			return fmt.Errorf("%.40q is not an EPD operation", op)
		}
		operand = strings.TrimSpace(operand)
		quoted := len(operand) > 1 && operand[0] == '"' && operand[len(operand)-1] == '"'
		if quoted {
			operand = operand[1 : len(operand)-1]
			if _, is := resultSpellings[operand]; is && name[0] == 'c' {
				if err := l.setResult(operand); err != nil {
					return err
				}
			}
		}
		if name == "ce" {
			l.ce = true
			if err := l.setScore(operand); err != nil {
				return err
			}
		}
		if l.ops == nil {
			l.ops = map[string]string{}
		}
		l.ops[name] = operand
	}
	return nil
}

// checkClosed looks at what follows a result that is no operation. Without the semicolon
// that closes an operation it may be anything: a second position, or a score in words.
func checkClosed(s string) error {
	for s = strings.TrimSpace(s); s != ""; {
		op, rest := cutOp(s)
		if len(op) == len(s) {
			return fmt.Errorf("%.40q after the result is no score, and no EPD operation that ends with a semicolon", op)
		}
		s = strings.TrimSpace(rest)
	}
	return nil
}

// An operation is named by a letter, then letters, digits and underscores: Edwards (1994), section
// 16.1.3. Part of a position cannot name one.
const (
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
	nameText = letters + digits + "_"
)

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

// AppendEPD appends a row as a line of EPD with the operations c9 (the result), ce (the score,
// from the side to move's view) if there is one, fmvn and hmvc (the counters), in the
// alphabetical order that the standard asks for. The error is ErrSpelling.
func AppendEPD(b []byte, r *dataset.PositionRow) ([]byte, error) {
	if r.Result != 0 && r.Result != 0.5 && r.Result != 1 {
		return b, fmt.Errorf("result %v: %w", r.Result, ErrSpelling)
	}
	position, half, full := cutCounters(r.Board.FEN())
	b = append(b, position...)
	b = append(b, ` c9 "`...)
	b = append(b, [3]string{"0-1", "1/2-1/2", "1-0"}[int(2*r.Result)]...)
	b = append(b, `";`...)
	if r.Score != dataset.NoScore {
		score := int64(r.Score)
		if r.Board.SideToMove() == board.Black {
			score = -score
		}
		b = append(b, " ce "...)
		b = append(strconv.AppendInt(b, score, 10), ';')
	}
	b = append(append(b, " fmvn "...), full...)
	b = append(append(b, "; hmvc "...), half...)
	return append(b, ";\n"...), nil
}

// ErrSpelling says that a result is a number for which games have no spelling.
var ErrSpelling = errors.New("EPD has the results 1-0, 1/2-1/2 and 0-1 alone")

// cutCounters divides a FEN into the four fields of EPD and the two counters.
func cutCounters(fen string) (position, half, full string) {
	i := strings.LastIndexByte(fen, ' ')
	position, full = fen[:i], fen[i+1:]
	i = strings.LastIndexByte(position, ' ')
	return position[:i], position[i+1:], full
}

// AppendFEN appends a position with the result of its game in brackets, as a line, such as
// tuners of evaluations read.
func AppendFEN(b []byte, p *board.Position, result float32) []byte {
	b = append(b, p.FEN()...)
	b = append(b, " ["...)
	b = strconv.AppendFloat(b, float64(result), 'f', -1, 32)
	if result == 0 || result == 1 {
		b = append(b, ".0"...) // some programs look for the three characters
	}
	return append(b, "]\n"...)
}
