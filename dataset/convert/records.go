package convert

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/records"
)

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
