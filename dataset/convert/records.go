package convert

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/bullet"
	"github.com/assay-chess/assay/dataset/internal/viri"
	"github.com/assay-chess/assay/engine/board"
)

// recordSize is the length of a record of every format here, in bytes.
const recordSize = bullet.Size

// recordBlock is the number of bytes of records parsed at once.
const recordBlock = 8192 * recordSize

// recordReader is a format of records.
type recordReader struct {
	format string
	parse  func(rec []byte) (r dataset.PositionRow, foreign bool, err error)
}

// marlin reads a record of marlinformat.
func (im *importer) marlin(rec []byte) (r dataset.PositionRow, foreign bool, err error) {
	r, foreign, err = viri.Position(rec)
	if im.Mover && !foreign && r.Board.SideToMove() == board.Black {
		r.Score = -r.Score
	}
	return r, foreign, err
}

// readRecords reads one file of records.
func readRecords(send func(*batch[dataset.PositionRow]) error, name string, r io.Reader, f recordReader) error {
	in := bufio.NewReaderSize(r, recordBlock)
	for number := int64(1); ; {
		buf, err := in.Peek(recordBlock)
		if err != nil && !errors.Is(err, io.EOF) {
			return errRead(name, 0, err)
		}
		block, first := bytes.Clone(buf), number
		b := &batch[dataset.PositionRow]{file: name, begins: first == 1}
		b.parse = func(b *batch[dataset.PositionRow]) { f.records(b, first, block) }
		number += int64(len(block) / recordSize)
		if n := len(block) % recordSize; n != 0 {
			b.err = fmt.Errorf("%d bytes behind record %d: records have %d; the file is not %s, or was cut: %w",
				n, number-1, recordSize, f.format, io.ErrUnexpectedEOF)
		}
		if e := send(b); e != nil || errors.Is(err, io.EOF) {
			return e
		}
		if _, err := in.Discard(len(block)); err != nil {
			return err
		}
	}
}

func (f recordReader) records(b *batch[dataset.PositionRow], number int64, block []byte) {
	b.rows = make([]dataset.PositionRow, 0, len(block)/recordSize)
	for ; len(block) >= recordSize; block = block[recordSize:] {
		row, foreign, err := f.parse(block[:recordSize])
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
