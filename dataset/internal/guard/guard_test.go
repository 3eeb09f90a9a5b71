package guard

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/internal/setup"
)

// A batch may have exactly the largest number of rows, and not one more.
func TestRowsOfABatch(t *testing.T) {
	for rows, good := range map[int]bool{maxBatchRows: true, maxBatchRows + 1: false} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Boolean}}, nil)
		bits := memory.NewBufferBytes(make([]byte, rows/8+1))
		column := array.NewBooleanData(array.NewData(arrow.FixedWidthTypes.Boolean, rows,
			[]*memory.Buffer{nil, bits}, nil, 0, 0))
		out := &buffer{}
		w := setup.Must(ipc.NewFileWriter(out, ipc.WithSchema(schema), ipc.WithZstd()))
		setup.Check(t, w.Write(array.NewRecord(schema, []arrow.Array{column}, int64(rows))))
		setup.Check(t, w.Close())
		blocks, err := Check(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if good && (err != nil || blocks[0].Rows != int64(rows)) ||
			!good && (err == nil || !strings.Contains(err.Error(), "rows are out of range")) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// buffer is one that the writer of files may ask for its position.
type buffer struct{ bytes.Buffer }

func (b *buffer) Seek(int64, int) (int64, error) { return int64(b.Len()), nil }
