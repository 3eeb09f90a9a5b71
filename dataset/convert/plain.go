package convert

import (
	"bufio"
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
		switch {
		case key == "e" || err != nil && len(fields) > 0:
			if row, e := plainRow(fields, im.Comments.View == pgn.White, err); e != nil {
				b.refuse("line", max(first, 1), e)
			} else {
				im.ces.Add(1)
				if row.Score == dataset.NoScore {
					b.foreign++
				}
				b.rows = append(b.rows, row)
			}
			clear(fields)
		case key != "":
			if len(fields) == 0 {
				first = number
			}
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

// readBinpack reads a .binpack, whose views and units are those of .plain.
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
