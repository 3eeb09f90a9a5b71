package convert

import (
	"fmt"
	"io"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/bullet"
)

// recordBlock is the number of bytes of records parsed at once.
const recordBlock = 8192 * bullet.Size

// readRecords reads one file of bulletformat.
func readRecords(send func(*batch[dataset.PositionRow]) error, name string, r io.Reader) error {
	for first, last := int64(1), false; !last; {
		var block []byte
		var err error
		if block, last, err = fill(r, make([]byte, 0, recordBlock)); err != nil {
			return errRead(name, 0, err)
		}
		b := &batch[dataset.PositionRow]{file: name, begins: first == 1}
		if n := len(block) % bullet.Size; n != 0 {
			b.err = fmt.Errorf("%d bytes behind record %d: records have %d; the file is not bulletformat, or was cut: %w",
				n, first+int64(len(block)/bullet.Size)-1, bullet.Size, io.ErrUnexpectedEOF)
		}
		number := first
		b.parse = func(b *batch[dataset.PositionRow]) { parseRecords(b, number, block) }
		first += int64(len(block) / bullet.Size)
		if err := send(b); err != nil {
			return err
		}
	}
	return nil
}

func parseRecords(b *batch[dataset.PositionRow], number int64, block []byte) {
	b.rows = make([]dataset.PositionRow, 0, len(block)/bullet.Size)
	for ; len(block) >= bullet.Size; block = block[bullet.Size:] {
		row, foreign, err := bullet.Parse(block[:bullet.Size])
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
