package dataset

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
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
func openArrow(r io.ReaderAt, size int64) (*arrowFile, error) {
	blocks, err := guard.Check(r, size)
	if err != nil {
		return nil, damaged(err)
	}
	f := &arrowFile{r: r, blocks: blocks}
	err = safely(func() (err error) {
		f.reader, err = ipc.NewFileReader(io.NewSectionReader(r, 0, size))
		return err
	})
	if err != nil {
		return nil, damaged(err)
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

// batch decodes record batch i.
func (f *arrowFile) batch(i int) (arrow.Record, error) {
	if err := guard.CheckBatch(f.r, f.blocks[i], f.reader.Schema()); err != nil {
		return nil, damaged(fmt.Errorf("record batch %d: %w", i, err))
	}
	var rec arrow.Record
	err := safely(func() (err error) {
		rec, err = f.reader.RecordAt(i)
		return err
	})
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
func bindBatch[R any](f *arrowFile, i int, c *codec[R]) (rec arrow.Record, fetch func(int, *R) error, err error) {
	if rec, err = f.batch(i); err != nil {
		return nil, nil, err
	}
	cols := &columns{batch: rec}
	err = safely(func() error {
		fetch = c.bind(cols)
		return cols.err
	})
	if err != nil {
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

// Keys of the schema metadata of every file.
const (
	metaFormat = "assay.format"     // GamesFormat, PositionsFormat or FeaturesFormat
	metaUnits  = "assay.units"      // for a person who finds the file
	metaMoves  = "assay.moves"      // games: how a move is packed
	metaModel  = "assay.model"      // features: name of the evaluation
	metaTerms  = "assay.terms"      // features: JSON array of FeatureTerm
	metaEval   = "assay.evaluation" // features from version 2 on: JSON of an evaluation
)

const (
	unitsText = "White's view; scores in centipawns, a mate in n plies is 32000 - n; null where there is none"
	movesText = "from | to<<6 | promotion<<12 with a1 = 0, b1 = 1, h8 = 63 and promotion 0 none, 1 knight, " +
		"2 bishop, 3 rook, 4 queen; castling is king takes own rook"
)

// ErrFormat says that a data set has rows of another kind than those that are read.
var ErrFormat = errors.New("the data have another format")

// checkSchema compares a file's schema with its format's: the same columns in any
// order. Nullability is checked in the data.
func checkSchema(got, want *arrow.Schema) error {
	format, _ := want.Metadata().GetValue(metaFormat)
	if f, ok := got.Metadata().GetValue(metaFormat); ok && f != format {
		return fmt.Errorf("%w: %.40q, not %q", ErrFormat, f, format)
	}
	for _, w := range want.Fields() {
		g, _ := got.FieldsByName(w.Name)
		if len(g) != 1 {
			return fmt.Errorf("%s needs one column %q, the file has %d", format, w.Name, len(g))
		}
		if !sameType(g[0].Type, w.Type) {
			return fmt.Errorf("%s needs column %q as %s, the file has %s", format, w.Name, w.Type, g[0].Type)
		}
	}
	if g, w := len(got.Fields()), len(want.Fields()); g != w {
		return fmt.Errorf("%s has %d columns, the file has %d", format, w, g)
	}
	return nil
}

// compareSchemas compares two schemas of one format. The error is checkSchema's; key is the
// first metadata key whose values differ, or empty.
func compareSchemas(got, want *arrow.Schema) (key string, err error) {
	if err := checkSchema(got, want); err != nil {
		return "", err
	}
	gm, wm := got.Metadata(), want.Metadata()
	for _, key := range []string{metaModel, metaTerms, metaEval} {
		g, _ := gm.GetValue(key)
		if w, _ := wm.GetValue(key); g != w {
			return key, nil
		}
	}
	return "", nil
}

func sameType(got, want arrow.DataType) bool {
	w, ok := want.(*arrow.ListType)
	if !ok {
		return arrow.TypeEqual(got, want)
	}
	g, ok := got.(*arrow.ListType)
	return ok && arrow.TypeEqual(g.Elem(), w.Elem())
}

// columns gives typed access to a record batch by column name. The schema was checked
// before, so the types are known, and the guard has seen that each column has a value for
// every row. The first violation of the schema is kept in err.
type columns struct {
	batch arrow.Record
	err   error
}

func (c *columns) fail(name, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("column %q: %s", name, fmt.Sprintf(format, args...))
	}
}

// array returns the column. Nulls are an error unless they are allowed.
func (c *columns) array(name string, nulls bool) arrow.Array {
	a := c.batch.Column(c.batch.Schema().FieldIndices(name)[0])
	if !nulls && a.NullN() != 0 {
		c.fail(name, "%d values are null", a.NullN())
	}
	return a
}

// numbers returns a column without nulls.
func numbers[T number](c *columns, name string) []T { return valuesOf[T](c.array(name, false)) }

// valuesOf returns the values of an array, which are not copied.
func valuesOf[T number](a arrow.Array) []T { return arrow.GetValues[T](a.Data(), 1) }

// valuesOr returns the values of an array, with none in place of nulls.
func valuesOr[T number](a arrow.Array, none T) []T {
	values := valuesOf[T](a)
	if a.NullN() == 0 {
		return values
	}
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = none
		if a.IsValid(i) {
			out[i] = v
		}
	}
	return out
}

// lists returns a column of lists: row i has values[offsets[i]:offsets[i+1]]. The offsets
// are in order, and within the values. Items may be null if none is given.
func lists[T number](c *columns, name string, none []T) (offsets []int32, values []T) {
	a := c.array(name, false).(*array.List)
	items := a.ListValues()
	if none != nil {
		values = valuesOr(items, none[0])
	} else if values = valuesOf[T](items); items.NullN() != 0 {
		c.fail(name, "%d items are null", items.NullN())
	}
	if a.Len() == 0 { // offsets may be left out
		return nil, values
	}
	offsets = a.Offsets()[:a.Len()+1]
	last := int32(0)
	for i, o := range offsets {
		if o < last || int64(o) > int64(len(values)) {
			c.fail(name, "row %d: offset %d is out of order", i+1, o)
			break
		}
		last = o
	}
	return offsets, values
}

// Detect returns the format of a data set: GamesFormat, PositionsFormat, FeaturesFormat or
// featuresFormat1.
// It looks at the manifest, else at the metadata of the first file, else at its columns.
func Detect(path string) (string, error) {
	m, files, err := listFiles(path)
	if err != nil {
		return "", err
	}
	if m != nil {
		return known(path, m.Schema)
	}
	r := &Reader[GameRow]{path: path, files: files}
	f, done, err := r.openFile(0)
	if err != nil {
		return "", inFile(files[0].path, err)
	}
	defer done()
	schema := f.reader.Schema()
	meta := schema.Metadata()
	if format, ok := meta.GetValue(metaFormat); ok {
		return known(files[0].path, format)
	}
	for _, f := range [][2]string{{GamesFormat, "moves"}, {PositionsFormat, "kings"}, {featuresFormat1, "term"}} {
		if schema.HasField(f[1]) {
			return f[0], nil
		}
	}
	return "", fmt.Errorf("dataset: %s: %w: its columns are %s", files[0].path, ErrNoData, columnNames(schema))
}

func known(path, format string) (string, error) {
	switch format {
	case GamesFormat, PositionsFormat, FeaturesFormat, featuresFormat1:
		return format, nil
	}
	return "", fmt.Errorf("dataset: %s: %w: its format is %.60q, this program knows %s, %s and %s",
		path, ErrNoData, format, GamesFormat, PositionsFormat, FeaturesFormat)
}

func columnNames(s *arrow.Schema) string {
	text := ""
	for i, f := range s.Fields() {
		if i > 20 {
			return text + " ..."
		}
		text += " " + f.Name
	}
	return text
}
