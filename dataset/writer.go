package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/assay-chess/assay/internal/durable"
)

// ErrComplete says that the data set exists already, complete and with the same
// configuration.
var ErrComplete = errors.New("the data set is complete")

// ErrOtherData says that a folder has Arrow files that do not belong to the data set.
var ErrOtherData = errors.New("the folder holds other data")

const lockName = ".data.lock"

// WriterConfig is what the manifest says about the origin of the data. Every field
// influences the rows: a data set is only resumed with an equal WriterConfig.
type WriterConfig struct {
	Config  any      // marshalled to JSON; no times, paths or worker counts
	Seed    uint64   // of the random numbers that were used
	Program string   // version of the program
	Parents []string // IDs of the data sets that the rows were made from
}

// Writer writes a data set, a shard at a time. A row is safe once its shard is listed in
// the manifest; see Rows. A Writer is not safe for concurrent use.
type Writer[R any] struct {
	writerOptions
	dir      string
	codec    *codec[R]
	lock     *durable.Lock
	manifest *durable.Manifest
	builder  *array.RecordBuilder
	add      func(*R)    // adds a row to builder
	batch    int         // rows in builder
	shard    int         // rows in out, batch included
	out      *memoryFile // the open shard
	size     int         // of the last out
	arrow    *ipc.FileWriter
	err      error // first error; sticky
}

// WriterOption changes how rows are stored in files, but not the rows.
type WriterOption func(*writerOptions)

type writerOptions struct {
	layout
	bare bool         // files are not compressed
	safe func() int64 // number of rows that errors report as safe; see Scratch
}

// Packed writes one record batch per shard. Give ShardRows before it, not after.
func Packed() WriterOption { return func(o *writerOptions) { o.batchRows = o.shardRows } }

// ShardRows sets the numbers of rows of a record batch and of a shard.
func ShardRows(batch, shard int) WriterOption {
	return func(o *writerOptions) { o.batchRows, o.shardRows = batch, shard }
}

// Uncompressed is for temporary data: files are several times as large, and cost less time.
func Uncompressed() WriterOption { return func(o *writerOptions) { o.bare = true } }

// Scratch is for temporary data that another data set is made from: errors about a full
// disk then report how many rows of that data set are safely on disk.
func Scratch(safeRows func() int64) WriterOption { return func(o *writerOptions) { o.safe = safeRows } }

// NewGameWriter starts a data set of games in dir, or opens an interrupted one to resume
// it; Rows is then the next row. The error is ErrComplete (wrapped) if the data set is
// complete, a *durable.ConfigChangedError if the data set in dir has another configuration,
// durable.ErrLocked if another process is writing it.
//
// Finish or Close the writer.
func NewGameWriter(dir string, c WriterConfig, opts ...WriterOption) (*Writer[GameRow], error) {
	return newWriter(dir, c, gamesCodec, gamesCodec.layout, opts...)
}

// NewPositionWriter is NewGameWriter for positions.
func NewPositionWriter(dir string, c WriterConfig, opts ...WriterOption) (*Writer[PositionRow], error) {
	return newWriter(dir, c, positionsCodec, positionsCodec.layout, opts...)
}

// NewFeatureWriter is NewGameWriter for features of a set of terms.
func NewFeatureWriter(dir string, set FeatureSet, c WriterConfig, opts ...WriterOption) (*Writer[FeatureRow], error) {
	f, err := newFeaturesCodec(set)
	if err != nil {
		return nil, err
	}
	return newWriter(dir, c, f, f.layout, opts...)
}

// NewWriter is NewGameWriter for rows of the schema of r.
func (r *Reader[R]) NewWriter(dir string, c WriterConfig, opts ...WriterOption) (*Writer[R], error) {
	return newWriter(dir, c, r.codec, r.codec.layout, opts...)
}

func newWriter[R any](dir string, c WriterConfig, code *codec[R], l layout, opts ...WriterOption) (*Writer[R], error) {
	o := writerOptions{layout: l}
	for _, opt := range opts {
		opt(&o)
	}
	config, err := json.Marshal(c.Config)
	if err != nil {
		return nil, fmt.Errorf("dataset: configuration of %s: %w", dir, err)
	}
	if err := durable.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	lock, err := durable.TryLock(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	w := &Writer[R]{writerOptions: o, dir: dir, codec: code, lock: lock,
		manifest: &durable.Manifest{Format: durable.ManifestFormat, Schema: l.format, Seed: c.Seed,
			Program: c.Program, Config: config, Parents: c.Parents}}
	if w.safe == nil {
		w.safe = w.Rows
	}
	if err := w.open(); err != nil {
		lock.Unlock()
		return nil, fmt.Errorf("dataset: %w", err)
	}
	w.builder = array.NewRecordBuilder(memory.NewGoAllocator(), code.schema)
	w.add = code.appender(w.builder)
	return w, nil
}

// open starts the data set, or loads the interrupted one in the folder.
func (w *Writer[R]) open() error {
	if err := durable.RemoveTemps(w.dir); err != nil {
		return err
	}
	old, err := durable.LoadManifest(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		names, err := arrowNames(w.dir)
		if err == nil && len(names) > 0 {
			err = fmt.Errorf("%s: %w: %s, and no %s", w.dir, ErrOtherData, names[0], durable.ManifestName)
		}
		if err != nil {
			return err
		}
		return w.manifest.Save(w.dir)
	}
	if err != nil {
		return err
	}
	if old.Empty() { // it has no row that would bind the folder to its configuration
		if err := w.manifest.Save(w.dir); err != nil {
			return err
		}
		return w.removeUnlisted()
	}
	path := filepath.Join(w.dir, durable.ManifestName)
	if err := durable.CompareConfig(path, identity(old), identity(w.manifest)); err != nil {
		return err
	}
	if old.Complete {
		return fmt.Errorf("%s: %w: %d rows", w.dir, ErrComplete, old.Rows)
	}
	for _, s := range old.Shards {
		if _, err := durable.ReadShard(w.dir, s); err != nil {
			return err
		}
	}
	w.manifest = old
	return w.removeUnlisted()
}

// identity is what must be the same when a data set is resumed.
func identity(m *durable.Manifest) json.RawMessage {
	doc, _ := json.Marshal(map[string]any{ // the configuration is JSON
		"schema": m.Schema, "config": m.Config, "seed": m.Seed, "program": m.Program,
		"parents": append([]string{}, m.Parents...), // null is another value
	})
	return doc
}

// removeUnlisted removes shards that were written but not yet listed when the process
// ended. They will be written again; until then, a program that reads *.arrow without
// looking at the manifest should not find them.
func (w *Writer[R]) removeUnlisted() error {
	names, err := unlisted(w.dir, w.manifest.Shards)
	for _, name := range names {
		if strings.HasPrefix(name, w.layout.prefix+"-") {
			err = errors.Join(err, os.Remove(filepath.Join(w.dir, name)))
		}
	}
	return err
}

// Rows returns the number of rows that are safely on disk. When an interrupted data set is
// resumed, the next row to Append is number Rows.
func (w *Writer[R]) Rows() int64 { return w.manifest.Rows }

// Dir returns the folder of the data set.
func (w *Writer[R]) Dir() string { return w.dir }

// Append adds a row, which must pass its Check. When the row fills a shard, Append
// returns after the shard is on disk.
func (w *Writer[R]) Append(r *R) error {
	if w.err != nil {
		return w.err
	}
	if err := w.codec.check(r); err != nil {
		return fmt.Errorf("dataset: %s: row %d is not valid: %w", w.dir, w.manifest.Rows+int64(w.shard)+1, err)
	}
	w.add(r)
	w.batch++
	w.shard++
	switch {
	case w.shard == w.layout.shardRows:
		w.err = w.commit(w.manifest)
	case w.batch == w.layout.batchRows:
		w.err = w.flush()
	}
	return w.err
}

// flush encodes the buffered rows, if any, as one record batch of the open shard.
func (w *Writer[R]) flush() error {
	if w.out == nil {
		w.out = &memoryFile{make([]byte, 0, w.size)}
		options := []ipc.Option{ipc.WithSchema(w.codec.schema)}
		if !w.bare {
			options = append(options, ipc.WithZstd())
		}
		arrow, err := ipc.NewFileWriter(w.out, options...)
		if err != nil {
			return fmt.Errorf("dataset: %s: %w", w.dir, err)
		}
		w.arrow = arrow
	}
	if w.batch == 0 {
		return nil
	}
	rec := w.builder.NewRecord()
	defer rec.Release()
	w.batch = 0
	if err := w.arrow.Write(rec); err != nil {
		return fmt.Errorf("dataset: %s: %w", w.dir, err)
	}
	return nil
}

// commit writes the open shard to disk, then lists it in a copy of next.
func (w *Writer[R]) commit(next *durable.Manifest) error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.arrow.Close(); err != nil {
		return fmt.Errorf("dataset: %s: %w", w.dir, err)
	}
	name, data := fmt.Sprintf("%s-%05d.arrow", w.layout.prefix, len(w.manifest.Shards)), w.out.data
	if err := durable.WriteFile(filepath.Join(w.dir, name), data); err != nil {
		return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, w.safe())
	}
	m := *next
	m.Shards = append(m.Shards[:len(m.Shards):len(m.Shards)],
		durable.Shard{Name: name, Rows: int64(w.shard), Size: int64(len(data)), SHA256: durable.SumBytes(data)})
	m.Rows += int64(w.shard)
	w.size, w.out, w.arrow, w.shard = len(w.out.data), nil, nil, 0
	return w.list(&m)
}

// list saves a manifest, then makes it the current one.
func (w *Writer[R]) list(m *durable.Manifest) error {
	if err := m.Save(w.dir); err != nil {
		return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, w.safe())
	}
	w.manifest = m
	return nil
}

// Finish writes the last shard and marks the data set as complete. Report (if not nil) is
// marshaled into the manifest. The writer is closed even if there is an error.
func (w *Writer[R]) Finish(report any) (*durable.Manifest, error) {
	defer w.Close()
	if w.err == nil {
		w.err = w.finish(report)
	}
	return w.manifest, w.err
}

func (w *Writer[R]) finish(report any) error {
	last := *w.manifest
	last.Complete = true
	if report != nil {
		doc, err := json.Marshal(report)
		if err != nil {
			return fmt.Errorf("dataset: report of %s: %w", w.dir, err)
		}
		last.Report = doc
	}
	// Even without rows there is a file, which carries the schema.
	if w.shard == 0 && len(last.Shards) > 0 {
		return w.list(&last)
	}
	return w.commit(&last)
}

// Close releases the data set. Without Finish it stays interrupted, and the rows of the
// open shard are lost.
func (w *Writer[R]) Close() error {
	if w.lock == nil {
		return nil
	}
	w.builder.Release()
	w.lock.Unlock()
	w.lock = nil
	if w.err == nil {
		w.err = fmt.Errorf("dataset: %s: %w", w.dir, fs.ErrClosed)
	}
	return nil
}

// Restart drops the rows that an interrupted process left on disk, so that the next Append
// is row 0. It is for rows that cannot be produced again in the same order. Call it before
// the first Append.
func (w *Writer[R]) Restart() error {
	if w.err != nil || len(w.manifest.Shards) == 0 {
		return w.err
	}
	empty := *w.manifest
	empty.Shards, empty.Rows = nil, 0
	// First the manifest, then the files: a crash in between leaves unlisted shards, which
	// the next writer removes.
	if w.err = w.list(&empty); w.err == nil {
		w.err = w.removeUnlisted()
	}
	return w.err
}

// Discard closes the writer and removes what it wrote, including rows of an earlier,
// interrupted process. It is for input that turns out to be wrong, where resuming makes no
// sense. The folder is removed too if it is then empty.
func (w *Writer[R]) Discard() error {
	if w.lock == nil {
		return w.err
	}
	w.err = nil
	err := w.Restart()
	if err == nil {
		err = os.Remove(filepath.Join(w.dir, durable.ManifestName))
	}
	w.Close()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dataset: %w", err)
	}
	_ = os.Remove(w.dir) // fails if it holds anything else
	return nil
}

// memoryFile is a file in memory that implements io.WriteSeeker.
type memoryFile struct{ data []byte }

func (m *memoryFile) Write(p []byte) (int, error) {
	m.data = append(m.data, p...)
	return len(p), nil
}

// Seek only reports the current end.
func (m *memoryFile) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return int64(len(m.data)), nil
}

// ReopenGames makes a complete data set of games one that a writer resumes, for a run that is given more
// games. Its last shard, if it is not full, leaves the data set, because its file would hold more games now:
// keep gets the number of games before that shard and the games in it, and must have them on disk when it
// returns. A data set that is not complete, or not there, stays as it is.
func ReopenGames(dir string, keep func(before int64, last []GameRow) error) error {
	m, err := durable.LoadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !m.Complete {
		return nil
	}
	if err != nil {
		return err
	}
	open := *m
	open.Complete, open.Report = false, nil
	if n := len(m.Shards) - 1; n >= 0 && m.Shards[n].Rows < int64(gamesCodec.layout.shardRows) {
		open.Shards, open.Rows = m.Shards[:n], m.Rows-m.Shards[n].Rows
		r, err := OpenGames(dir)
		if err != nil {
			return err
		}
		var last []GameRow
		r.files = r.files[n:]
		for row, err := range r.All() {
			if err != nil {
				return err
			}
			last = append(last, row)
		}
		if err := keep(open.Rows, last); err != nil {
			return err
		}
	}
	return open.Save(dir)
}
