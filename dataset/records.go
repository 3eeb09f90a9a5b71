package dataset

import (
	"iter"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Schema returns the columns of the rows, with the metadata of the format.
func (r *Reader[R]) Schema() *arrow.Schema { return r.codec.schema() }

// Records yields every row in order, as All does, in record batches of that many rows; the
// last one may be shorter. A batch is valid until the next one.
func (r *Reader[R]) Records(rows int) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), r.Schema())
		defer b.Release()
		n := 0
		flush := func() bool {
			batch := b.NewRecord()
			defer batch.Release()
			n = 0
			return yield(batch, nil)
		}
		for row, err := range r.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			r.codec.append(b, &row)
			if n++; n == rows && !flush() {
				return
			}
		}
		if n > 0 {
			flush()
		}
	}
}
