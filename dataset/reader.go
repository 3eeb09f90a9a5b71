package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/assay-chess/assay/dataset/internal/guard"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/source"
)

// ErrIncomplete says that a data set lacks rows: it is still being written, or the process
// that wrote it was interrupted.
var ErrIncomplete = errors.New("the data set is not complete")

// ErrNoData says that a path is neither a data set nor an Arrow file.
var ErrNoData = errors.New("no data set")

// rowError says why one row is not valid.
type rowError struct {
	File string // path of the file
	Row  int64  // within the file, from 0; the message counts from 1
	Err  error
}

func (e *rowError) Error() string {
	return fmt.Sprintf("dataset: %s, row %d: %v", e.File, e.Row+1, e.Err)
}

func (e *rowError) Unwrap() error { return e.Err }

// Reader reads a data set: a folder with a manifest, a folder of Arrow files, or one file.
// It keeps no file open and is safe for concurrent use.
type Reader[R any] struct {
	path     string
	manifest *durable.Manifest // nil if there is none
	files    []dataFile
	more     []R // rows after the files'; see Extend
	codec    *codec[R]
}

type dataFile struct {
	path  string
	rows  int64
	shard *durable.Shard // its entry in the manifest, or nil
}

// OpenOption changes how a data set is opened.
type OpenOption int

const (
	Partial    OpenOption = iota + 1 // allows a data set that is not complete
	Unfinished                       // is Partial, and allows a data set without any row
)

// OpenGames opens a data set of games.
func OpenGames(path string, opts ...OpenOption) (*Reader[GameRow], error) {
	return open(path, always(gamesCodec), opts)
}

// OpenPositions opens a data set of positions.
func OpenPositions(path string, opts ...OpenOption) (*Reader[PositionRow], error) {
	return open(path, always(positionsCodec), opts)
}

// OpenFeatures opens a data set of features and returns their set of terms.
func OpenFeatures(path string, opts ...OpenOption) (*Reader[FeatureRow], FeatureSet, error) {
	var set FeatureSet
	r, err := open(path, func(s *arrow.Schema) (c *codec[FeatureRow], err error) {
		c, set, err = featuresOf(s)
		return c, err
	}, opts)
	if err != nil {
		return nil, FeatureSet{}, err
	}
	return r, set, nil
}

func always[R any](c *codec[R]) func(*arrow.Schema) (*codec[R], error) {
	return func(*arrow.Schema) (*codec[R], error) { return c, nil }
}

// featuresOf returns the set of terms that a schema describes, and its codec.
func featuresOf(s *arrow.Schema) (*codec[FeatureRow], FeatureSet, error) {
	set, err := featureSetOf(s)
	if err != nil {
		return nil, set, err
	}
	c, err := newFeaturesCodec(set)
	return c, set, err
}

// open lists the files of path and reads the first one's schema.
func open[R any](path string, codecOf func(*arrow.Schema) (*codec[R], error), opts []OpenOption) (*Reader[R], error) {
	allowed := slices.Max(append([]OpenOption{0}, opts...))
	r := &Reader[R]{path: path}
	var err error
	if r.manifest, r.files, err = listFiles(path); err != nil {
		return nil, err
	}
	if r.manifest != nil && !r.manifest.Complete && allowed < Partial {
		return nil, fmt.Errorf("dataset: %s: %w: %d rows so far", path, ErrIncomplete, r.manifest.Rows)
	}
	if len(r.files) == 0 && allowed == Unfinished && r.manifest.Schema == GamesFormat {
		r.codec, err = codecOf(nil)
		return r, err
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("dataset: %s: %w: no row was written yet", path, ErrIncomplete)
	}
	for i := range r.files {
		if i > 0 && r.manifest != nil {
			break // the manifest has the numbers of rows; each file is checked when it is read
		}
		if err := r.look(i, codecOf); err != nil {
			return nil, inFile(r.files[i].path, err)
		}
	}
	return r, nil
}

// inFile adds the file to an error, unless it is the error of a file that is no data set.
func inFile(path string, err error) error {
	if other := (*source.OtherError)(nil); errors.As(err, &other) {
		return other
	}
	return fmt.Errorf("dataset: %s: %w", path, err)
}

// look reads the footer of file i. The first file decides the codec; without a manifest,
// the footers give the numbers of rows.
func (r *Reader[R]) look(i int, codecOf func(*arrow.Schema) (*codec[R], error)) error {
	f, done, err := r.openFile(i)
	if err != nil {
		return err
	}
	defer done()
	if i == 0 {
		if r.codec, err = codecOf(f.reader.Schema()); err != nil {
			return err
		}
	}
	if r.files[i].shard == nil {
		r.files[i].rows = f.rows()
	}
	return checkSchema(f.reader.Schema(), r.codec.schema)
}

// listFiles returns the files of a data set, and its manifest if it has one.
func listFiles(path string) (*durable.Manifest, []dataFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	if !info.IsDir() {
		return nil, []dataFile{{path: path}}, nil
	}
	m, err := durable.LoadManifest(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	var files []dataFile
	if err == nil {
		for i, s := range m.Shards {
			files = append(files, dataFile{filepath.Join(path, s.Name), s.Rows, &m.Shards[i]})
		}
		return m, files, nil
	}
	names, err := arrowNames(path)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	for _, name := range names {
		files = append(files, dataFile{path: filepath.Join(path, name)})
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("dataset: %s: %w: neither %s nor *.arrow", path, ErrNoData, durable.ManifestName)
	}
	return nil, files, nil
}

// arrowNames returns the names of the Arrow files in a folder.
func arrowNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".arrow") && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names, err
}

// unlisted returns the names of the Arrow files in a folder that are none of these shards. They
// are not part of the data set, but a program that reads *.arrow would read them too.
func unlisted(dir string, shards []durable.Shard) ([]string, error) {
	names, err := arrowNames(dir)
	listed := map[string]bool{}
	for _, s := range shards {
		listed[s.Name] = true
	}
	return slices.DeleteFunc(names, func(name string) bool { return listed[name] }), err
}

// openFile opens file i. The bytes of a shard are compared with the manifest before they
// are decoded. The caller calls done at the end.
func (r *Reader[R]) openFile(i int) (f *arrowFile, done func(), err error) {
	d := r.files[i]
	if d.shard != nil {
		data, err := durable.ReadShard(r.path, *d.shard)
		if err != nil {
			return nil, nil, err
		}
		if f, err = openArrow(bytes.NewReader(data), int64(len(data))); err != nil {
			return nil, nil, err
		}
		if f.rows() != d.rows {
			return nil, nil, damaged(fmt.Errorf("%d rows, but the manifest says %d", f.rows(), d.rows))
		}
		return f, f.close, nil
	}
	file, err := os.Open(d.path)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		f, err = openArrow(file, info.Size())
	}
	if errors.Is(err, guard.ErrNotArrow) && filepath.Ext(d.path) != ".arrow" {
		err = source.NoData(d.path)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return f, func() { f.close(); file.Close() }, nil
}

// Path returns the path that was opened.
func (r *Reader[R]) Path() string { return r.path }

// Verified reports whether the data set has a manifest, so that a file that was changed is
// never read.
func (r *Reader[R]) Verified() bool { return r.manifest != nil }

// Manifest returns the manifest, or nil if there is none. The caller must not change it.
func (r *Reader[R]) Manifest() *durable.Manifest { return r.manifest }

// Len returns the number of rows.
func (r *Reader[R]) Len() (n int64) {
	for _, f := range r.files {
		n += f.rows
	}
	return n + int64(len(r.more))
}

// Extend adds rows after the files': of an unfinished data set, those that are in no
// shard yet.
func (r *Reader[R]) Extend(rows []R) error {
	for i := range rows {
		if err := r.codec.check(&rows[i]); err != nil {
			return &rowError{File: r.path, Row: r.Len(), Err: err}
		}
		r.more = append(r.more, rows[i])
	}
	return nil
}

// Shards returns the number of files.
func (r *Reader[R]) Shards() int { return len(r.files) }

// Size returns the size of all files together, in bytes.
func (r *Reader[R]) Size() (n int64, err error) {
	for _, f := range r.files {
		info, err := os.Stat(f.path)
		if err != nil {
			return 0, fmt.Errorf("dataset: %w", err)
		}
		n += info.Size()
	}
	return n, nil
}

// ID identifies the data: the manifest's id, or, without a manifest, the SHA-256 of the
// file (of several files, the SHA-256 of the list of theirs, in hex, one per line).
func (r *Reader[R]) ID() (string, error) {
	if r.manifest != nil {
		return r.manifest.ID(), nil
	}
	list := ""
	for _, f := range r.files {
		sum, err := durable.SumFile(f.path)
		if err != nil || len(r.files) == 1 {
			return sum, err
		}
		list += sum + "\n"
	}
	return durable.SumBytes([]byte(list)), nil
}

// batches calls visit with every record batch of file i and what decodes its rows. It reports whether visit wants more.
func (r *Reader[R]) batches(i int, visit func(arrow.Record, func(int, *R) error) bool) (more bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("dataset: %s: %w", r.files[i].path, err)
		}
	}()
	f, done, err := r.openFile(i)
	if err != nil {
		return false, err
	}
	defer done()
	key, err := compareSchemas(f.reader.Schema(), r.codec.schema)
	if err == nil && key != "" {
		err = fmt.Errorf("its %s differs from the first file's", key)
	}
	if err != nil {
		return false, err
	}
	for k := range f.blocks {
		rec, fetch, err := bindBatch(f, k, r.codec)
		if err != nil || !visit(rec, fetch) {
			return false, err
		}
	}
	return true, nil
}

// SameSchema returns an error if the rows of o have another meaning than r's, such
// as features of other terms.
func (r *Reader[R]) SameSchema(o *Reader[R]) error {
	key, err := compareSchemas(o.codec.schema, r.codec.schema)
	if err == nil && key != "" {
		err = fmt.Errorf("they differ in %s", key)
	}
	return err
}

// GameRuns infers which rows belong to one game, for rows in game order that name no game.
// A game ends where the ply does not rise, and where the result changes from one of 1, 0.5
// and 0 to another. The zero value is ready to use.
type GameRuns struct {
	Games int64 // seen so far
	ply   uint16
	last  float32
	open  bool
}

// Next takes the next row and reports whether it begins a game.
func (g *GameRuns) Next(p *PositionRow) (begins bool) {
	changed := p.Result != g.last && isOutcome(p.Result) && isOutcome(g.last)
	begins = !g.open || p.Ply <= g.ply || changed
	g.open, g.ply, g.last = true, p.Ply, p.Result
	if begins {
		g.Games++
	}
	return begins
}

// fewRows is the number of rows below which Plausible does not judge.
const fewRows = 100

// Plausible reports whether the given number of rows may be in game order. Rows in random
// order form runs of about two rows.
func (g *GameRuns) Plausible(rows int64) bool {
	return g.Games > 0 && (rows < fewRows || 3*g.Games <= rows)
}

// Break ends the game: the next row begins another.
func (g *GameRuns) Break() { g.open = false }

func isOutcome(result float32) bool { return result == 0 || result == 0.5 || result == 1 }
