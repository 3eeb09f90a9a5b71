package dataset

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/internal/guard"
	"github.com/assay-chess/assay/internal/durable"
)

// arrowFile is an Arrow IPC file that has passed the guard.
type arrowFile struct {
	r      io.ReaderAt
	blocks []guard.Block
	reader *ipc.FileReader
}

// openArrow reads the frame of a file of size bytes.
func openArrow(r io.ReaderAt, size int64, mem memory.Allocator) (*arrowFile, error) {
	blocks, err := guard.Check(r, size)
	if err != nil {
		return nil, damaged(err)
	}
	f := &arrowFile{r: r, blocks: blocks}
	err = safely(func() (err error) {
		f.reader, err = ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(mem))
		return err
	})
	if err != nil {
		return nil, damaged(err)
	}
	if f.reader.NumRecords() != len(blocks) {
		return nil, damaged(fmt.Errorf("%d record batches, expected %d", f.reader.NumRecords(), len(blocks)))
	}
	return f, nil
}

// rows returns the number of rows that the file says it has.
func (f *arrowFile) rows() (n int64) {
	for _, b := range f.blocks {
		n += b.Rows
	}
	return n
}

// batch decodes record batch i. The caller releases it.
func (f *arrowFile) batch(i int) (arrow.Record, error) {
	if err := guard.CheckBatch(f.r, f.blocks[i], f.reader.Schema()); err != nil {
		return nil, damaged(fmt.Errorf("record batch %d: %w", i, err))
	}
	var rec arrow.Record
	err := safely(func() (err error) {
		rec, err = f.reader.RecordAt(i)
		return err
	})
	if err == nil && rec.NumRows() != f.blocks[i].Rows {
		rec.Release()
		err = fmt.Errorf("%d rows, expected %d", rec.NumRows(), f.blocks[i].Rows)
	}
	if err != nil {
		return nil, damaged(fmt.Errorf("record batch %d: %w", i, err))
	}
	return rec, nil
}

func (f *arrowFile) close() { f.reader.Close() }

// damaged wraps ErrDamaged around an error of decoding.
func damaged(err error) error {
	if errors.Is(err, durable.ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", durable.ErrDamaged, err)
}

// safely turns a panic of the Arrow library into an error. Use it only around calls into
// that library and the decoding of its arrays.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the Arrow library failed: %v", p)
		}
	}()
	return f()
}

// bindBatch decompresses record batch i, and returns what decodes and checks its rows.
// The caller releases the batch.
func bindBatch[R any](f *arrowFile, i int, c *codec[R]) (rec arrow.Record, fetch func(int, *R) error, err error) {
	if rec, err = f.batch(i); err != nil {
		return nil, nil, err
	}
	cols := &columns{batch: rec, rows: int(rec.NumRows())}
	err = safely(func() error {
		fetch = c.bind(cols)
		return cols.err
	})
	if err != nil {
		rec.Release()
		return nil, nil, damaged(fmt.Errorf("record batch %d: %w", i, err))
	}
	return rec, fetch, nil
}

// fetchRow decodes row k of a batch.
func fetchRow[R any](fetch func(int, *R) error, k int, r *R) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be decoded: %v", p)
		}
	}()
	return fetch(k, r)
}
