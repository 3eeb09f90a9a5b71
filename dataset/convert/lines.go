package convert

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/records"
	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/source"
)

// chunkSize is the number of bytes parsed at once. It is also the maximum length of a line.
const chunkSize = 256 << 10

// bom is the byte-order mark that some editors write at the start of UTF-8 files.
const bom = "\ufeff"

var errLong = fmt.Errorf("the line is longer than %d bytes", lines.MaxLine)

// chunk is a number of whole lines.
type chunk struct {
	first int64 // number of the first line, from 1
	text  string
	long  bool // one line that is too long, without its text
}

// readChunks divides a text into chunks, in constant memory. After an error it returns the line it reached.
func readChunks(r io.Reader, emit func(chunk) error) (line int64, err error) {
	in := bufio.NewReaderSize(r, chunkSize)
	for line = 1; ; {
		buf, err := in.Peek(chunkSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return line, err
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		switch {
		case errors.Is(err, io.EOF) && len(buf) == 0:
			return line, nil
		case errors.Is(err, io.EOF):
			end = len(buf)
		case end == 0:
			if err := emit(chunk{first: line, long: true}); err != nil {
				return line, err
			}
			for err := bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
				_, err = in.ReadSlice('\n') // an error comes again
			}
			line++
			continue
		}
		if err := emit(chunk{first: line, text: string(buf[:end])}); err != nil {
			return line, err
		}
		line += int64(bytes.Count(buf[:end], []byte{'\n'}))
		if _, err := in.Discard(end); err != nil {
			return line, err
		}
	}
}

type lineReader func(line string) (r dataset.PositionRow, foreign bool, err error)

func (im *importer) readPositions(ctx context.Context, send func(*batch[dataset.PositionRow]) error) error {
	return im.eachFile(ctx, func(f Format, name string, r *source.File) error {
		var read lineReader
		if f == formatPlain || f == formatEPD && r.Plain() {
			return im.readPlain(send, name, r)
		}
		switch f {
		case formatBullet:
			return readRecords(send, name, r)
		case formatBinpack:
			return im.readBinpack(send, name, r)
		case formatEPD:
			read = im.readEPD
		case formatLichess:
			read = func(line string) (dataset.PositionRow, bool, error) { return lines.ParseLichess(line, im.Mover) }
		}
		begins := true
		line, err := readChunks(source.Text(r), func(c chunk) error {
			b := &batch[dataset.PositionRow]{file: name, begins: begins}
			begins = false
			if c.first == 1 {
				c.text = strings.TrimPrefix(c.text, bom)
			}
			if read == nil && !c.long {
				if read, b.err = im.table(&c); b.err != nil {
					return send(b)
				}
			}
			row := read
			b.parse = func(b *batch[dataset.PositionRow]) { parseLines(b, c, row) }
			return send(b)
		})
		if err != nil && ctx.Err() == nil {
			return errRead(name, line, err)
		}
		return err
	})
}

// eachFile opens the files of all inputs one after the other.
func (im *importer) eachFile(ctx context.Context, visit func(f Format, name string, r *source.File) error) error {
	var total, before int64
	for _, in := range im.inputs {
		total += in.Size()
	}
	for i, in := range im.inputs {
		read := func(n int64) {
			if im.Progress != nil {
				im.Progress(min(before+n, total), total, "bytes")
			}
		}
		raw := im.formats[i].binary() && !source.Packed(in.Path)
		f, err := in.Open(ctx, raw, read)
		if err != nil {
			return err
		}
		err = visit(im.formats[i], f.Name, f)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
		before += in.Size()
	}
	return nil
}

// readEPD reads one line of a list of positions.
func (im *importer) readEPD(text string) (r dataset.PositionRow, foreign bool, err error) {
	l, err := lines.Parse(text)
	if err == nil {
		r, err = l.Row(im.Mover)
	}
	if l.OfMover() {
		if im.ces.Add(1); im.Comments.View == pgn.White && l.Score != dataset.NoScore {
			r.Score = l.Score // its writer does not know what ce means
		}
	}
	if err == nil {
		err = r.Check()
	}
	return r, l.Foreign, err
}

// table determines the columns of a table, and removes the header.
func (im *importer) table(c *chunk) (lineReader, error) {
	for line := range strings.Lines(c.text) {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			c.first++
			c.text = c.text[len(line):]
			continue
		}
		t := &lines.Table{Columns: im.Columns, Separator: lines.Separator(text), Results: im.Results, Mover: im.Mover}
		if t.Columns == nil {
			columns, err := lines.Header(text)
			if im.Results == nil && lines.Sample(c.text) {
				return im.sample(text), nil
			}
			if err != nil {
				return nil, err
			}
			t.Columns = columns
			c.first++
			c.text = c.text[len(line):]
		}
		return t.Row, nil
	}
	return nil, nil
}

// sample reads a table without a header that c-chess-cli wrote.
func (im *importer) sample(text string) lineReader {
	if im.Notice != nil {
		im.Notice("warning", "the table has no header and results 0, 1 and 2: read as c-chess-cli's fen,score,result from "+
			"the view of the side to move")
	}
	t := &lines.Table{Columns: lines.SampleColumns, Separator: lines.Separator(text), Results: []string{"0", "1", "2"},
		Mover: true}
	return func(line string) (dataset.PositionRow, bool, error) {
		im.ces.Add(1)
		r, foreign, err := t.Row(line)
		if !im.MoverResults && r.Board.SideToMove() == board.Black {
			r.Result = 1 - r.Result
		}
		return r, foreign, err
	}
}

// parseLines parses the lines of a chunk. Blank lines and comments are skipped.
func parseLines(b *batch[dataset.PositionRow], c chunk, read lineReader) {
	if c.long {
		b.refuse("line", c.first, errLong)
		return
	}
	number := c.first - 1
	b.rows = make([]dataset.PositionRow, 0, strings.Count(c.text, "\n")+1)
	for line := range strings.Lines(c.text) {
		number++
		text := strings.TrimRight(line, "\r\n")
		if t := strings.TrimSpace(text); t == "" || t[0] == '#' {
			continue
		}
		if len(text) > lines.MaxLine {
			b.refuse("line", number, errLong)
			continue
		}
		row, foreign, err := read(text)
		switch {
		case errors.Is(err, lines.ErrResultScale), errors.Is(err, lines.ErrHalfPoints):
			b.err = fmt.Errorf("line %d: %w", number, err)
			return
		case err != nil:
			b.refuse("line", number, err)
			continue
		case foreign:
			b.foreign++
		}
		b.rows = append(b.rows, row)
	}
}

// plainBatch is the number of positions in a batch.
const plainBatch = 4096

// readPlain reads what Stockfish's tools write as .plain: for each position the lines fen, move,
// score, ply and result, and a line "e". Score and result, 1 to -1, are from the mover's view;
// --score-view white is for a writer that does not know.
func (im *importer) readPlain(send func(*batch[dataset.PositionRow]) error, name string, r io.Reader) error {
	in := bufio.NewReaderSize(source.Text(r), 1<<16)
	b := &batch[dataset.PositionRow]{file: name, begins: true}
	fields, first := map[string]string{}, int64(0)
	for number := int64(1); ; number++ {
		line, err := source.ReadLine(in, lines.MaxLine)
		if err != nil && !errors.Is(err, io.EOF) {
			return errRead(name, number, err)
		}
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(line), bom)), " ")
		if len(fields) == 0 {
			first = number
		}
		switch {
		case key == "e" || err != nil && (key != "" || len(fields) > 0):
			cut := err
			if key == "e" {
				cut = nil // only the last line break is missing
			}
			if row, e := plainRow(fields, im.Comments.View == pgn.White, cut); e != nil {
				b.refuse("line", first, e)
			} else {
				im.ces.Add(1)
				if row.Score == dataset.NoScore {
					b.foreign++
				}
				b.rows = append(b.rows, row)
			}
			clear(fields)
		case key != "":
			fields[key] = value
		}
		if err == nil && len(b.rows)+len(b.refused) < plainBatch {
			continue
		}
		full := b
		b = &batch[dataset.PositionRow]{file: name}
		if e := send(full); e != nil || err != nil {
			return e
		}
	}
}

// readBinpack reads a .binpack, which has the views and units of .plain.
func (im *importer) readBinpack(send func(*batch[dataset.PositionRow]) error, name string, r io.Reader) error {
	b := &batch[dataset.PositionRow]{file: name, begins: true}
	var unsent error
	white := im.Comments.View == pgn.White
	err := records.ReadBinpack(r, white, func(row *dataset.PositionRow, bad *records.PositionError) error {
		if bad != nil {
			b.refuse("byte", bad.Byte, bad.Err)
		} else {
			b.rows = append(b.rows, *row)
			im.ces.Add(1)
			if row.Score == dataset.NoScore {
				b.foreign++
			}
		}
		if len(b.rows)+len(b.refused) == plainBatch {
			unsent = send(b)
			b = &batch[dataset.PositionRow]{file: name}
		}
		return unsent
	})
	if unsent != nil {
		return unsent
	}
	b.err = err
	return send(b)
}

// plainRow makes a row of the fields of a position.
func plainRow(fields map[string]string, white bool, cut error) (r dataset.PositionRow, err error) {
	if cut != nil {
		return r, errors.New("the file ends before the line e of this position")
	}
	if r.Board, err = board.ParseFEN(fields["fen"]); err != nil {
		return r, err
	}
	var numbers [3]int
	for i, key := range []string{"score", "ply", "result"} {
		if numbers[i], err = strconv.Atoi(fields[key]); err != nil {
			return r, fmt.Errorf("%s %q is not a whole number", key, fields[key])
		}
	}
	score, ply, result := numbers[0], numbers[1], numbers[2]
	if result < -1 || result > 1 || ply < 0 || ply > dataset.MaxPlies {
		return r, fmt.Errorf("result %d, ply %d: want -1, 0 or 1, and at most %d", result, ply, dataset.MaxPlies)
	}
	if r.Board.SideToMove() == board.Black {
		if result = -result; !white {
			score = -score
		}
	}
	r.Ply, r.Result, r.Weight, r.Score = uint16(ply), float32(result+1)/2, 1, dataset.NoScore
	if score >= -dataset.MateScore && score <= dataset.MateScore { // 32002 stands for none
		r.Score = int16(score)
	}
	return r, r.Check()
}

// recordBlock is the number of bytes of records parsed at once.
const recordBlock = 8192 * records.BulletSize

// readRecords reads one file of bulletformat.
func readRecords(send func(*batch[dataset.PositionRow]) error, name string, r io.Reader) error {
	in := bufio.NewReaderSize(r, recordBlock)
	for number := int64(1); ; {
		buf, err := in.Peek(recordBlock)
		if err != nil && !errors.Is(err, io.EOF) {
			return errRead(name, 0, err)
		}
		block, first := bytes.Clone(buf), number
		b := &batch[dataset.PositionRow]{file: name, begins: first == 1}
		b.parse = func(b *batch[dataset.PositionRow]) { parseRecords(b, first, block) }
		number += int64(len(block) / records.BulletSize)
		if n := len(block) % records.BulletSize; n != 0 {
			b.err = fmt.Errorf("%d bytes behind record %d: records have %d; the file is not bulletformat, or was cut: %w",
				n, number-1, records.BulletSize, io.ErrUnexpectedEOF)
		}
		if e := send(b); e != nil || errors.Is(err, io.EOF) {
			return e
		}
		if _, err := in.Discard(len(block)); err != nil {
			return err
		}
	}
}

func parseRecords(b *batch[dataset.PositionRow], number int64, block []byte) {
	b.rows = make([]dataset.PositionRow, 0, len(block)/records.BulletSize)
	for ; len(block) >= records.BulletSize; block = block[records.BulletSize:] {
		row, foreign, err := records.ParseBullet(block[:records.BulletSize])
		if err != nil {
			b.refuse("record", number, err)
		} else {
			b.rows = append(b.rows, row)
			if foreign {
				b.foreign++
			}
		}
		number++
	}
}
