package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/internal/durable"
)

// Verification is the outcome of Verify.
type Verification struct {
	Path     string `json:"path"`
	Format   string `json:"format"`
	Verified bool   `json:"verified"` // there is a manifest to check the files against
	Complete bool   `json:"complete"`
	Shards   int    `json:"shards"`
	Rows     int64  `json:"rows"`      // valid ones
	BadFiles int64  `json:"bad_files"` // that could not be read to the end
	BadRows  int64  `json:"bad_rows"`
}

// OK reports whether the data set is complete and nothing is damaged.
func (v *Verification) OK() bool { return v.Complete && v.BadFiles == 0 && v.BadRows == 0 }

// ErrTwice says that a game or a data set occurs twice, so that its rows would count twice.
var ErrTwice = errors.New("it occurs twice")

// ErrUngrouped says that a row names no game, or no opening, where rows of one game (or
// opening) must be handled together.
var ErrUngrouped = errors.New("the row does not say what it belongs to")

// Verify reads a whole data set, and does not stop at damage: it calls report (if not nil)
// for each damaged file and each bad row. It returns an error only if the path is not a
// data set or the context is done.
func Verify(ctx context.Context, path string, report func(problem error), progress Progress) (*Verification, error) {
	m, files, err := listFiles(path)
	if err != nil {
		return nil, err
	}
	format, err := Detect(path)
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(error) {}
	}
	v := &verifier{Verification: Verification{Path: path, Format: format, Verified: m != nil,
		Complete: m == nil || m.Complete, Shards: len(files)}, problem: report}
	v.lists(m)
	w := watch{ctx: ctx, progress: progress}
	for _, f := range files {
		w.total += f.rows // 0 (unknown) without a manifest
	}
	switch format {
	case GamesFormat:
		var games dedup.KeySet
		verifyFiles(v, &w, readerOf(path, m, files, gamesCodec), func(g *GameRow) error {
			if !games.Add(g.Game) {
				return fmt.Errorf("game %d: %w", g.Game, ErrTwice)
			}
			return nil
		})
	case PositionsFormat:
		verifyFiles(v, &w, readerOf(path, m, files, positionsCodec), nil)
	default:
		r := readerOf[FeatureRow](path, m, files, nil)
		set, err := anyFeatures(r)
		if err != nil {
			v.BadFiles = int64(len(files))
			v.problem(err)
			break
		}
		verifyFiles(v, &w, r, set.CheckRow)
	}
	return &v.Verification, ctx.Err()
}

// lists reports rows that the manifest lacks, and files that it does not list.
func (v *verifier) lists(m *durable.Manifest) {
	if m == nil {
		return
	}
	if !m.Complete {
		v.problem(fmt.Errorf("dataset: %s: %w: %d rows so far", v.Path, ErrIncomplete, m.Rows))
	}
	more, err := unlisted(v.Path, m.Shards)
	if err != nil {
		v.problem(fmt.Errorf("dataset: %w", err))
	}
	for _, name := range more {
		v.BadFiles++
		v.problem(fmt.Errorf("dataset: %s: not in the manifest", filepath.Join(v.Path, name)))
	}
}

func readerOf[R any](path string, m *durable.Manifest, files []dataFile, c *codec[R]) *Reader[R] {
	return &Reader[R]{path: path, manifest: m, files: files, codec: c, mem: memory.NewGoAllocator()}
}

// anyFeatures takes the terms from the first file whose schema can be read.
func anyFeatures(r *Reader[FeatureRow]) (set FeatureSet, first error) {
	for i := range r.files {
		f, done, err := r.openFile(i)
		if err == nil {
			r.codec, set, err = featuresOf(f.reader.Schema())
			done()
			if err == nil {
				return set, nil
			}
		}
		if first == nil {
			first = fmt.Errorf("dataset: %s: %w", r.files[i].path, err)
		}
	}
	return set, first
}

type verifier struct {
	Verification
	problem func(error)
}

// verifyFiles reads every row of every file. Check is for rules beyond a single row, or
// nil.
func verifyFiles[R any](v *verifier, w *watch, r *Reader[R], check func(*R) error) {
	for i := range r.files {
		err := r.scan(i, func(row int64, value *R, err error) bool {
			if w.row() != nil {
				return false
			}
			if err == nil && check != nil {
				if err = check(value); err != nil {
					err = &rowError{File: r.files[i].path, Row: row, Err: err}
				}
			}
			if err != nil {
				v.BadRows++
				v.problem(err)
			} else {
				v.Rows++
			}
			return true
		})
		if err != nil {
			v.BadFiles++
			v.problem(err)
		}
	}
}
