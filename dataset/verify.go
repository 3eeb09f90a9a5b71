package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/assay-chess/assay/dataset/internal/dedup"
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
	format := MovesFormat // which Detect refuses, since commands for chess cannot read it
	if m == nil || m.Schema != MovesFormat {
		if format, err = Detect(path); err != nil {
			return nil, err
		}
	}
	v := &verifier{Verification: Verification{Path: path, Format: format, Verified: m != nil,
		Complete: m == nil || m.Complete, Shards: len(files)}, report: report}
	if !v.Complete {
		v.problem(fmt.Errorf("dataset: %s: %w: %d rows so far", path, ErrIncomplete, m.Rows))
	}
	if m != nil {
		v.unlisted(path, files)
	}
	w := watch{ctx: ctx, progress: progress}
	for _, f := range files {
		w.total += f.rows // 0 (unknown) without a manifest
	}
	mem := memory.NewGoAllocator()
	switch format {
	case GamesFormat:
		var games dedup.KeySet
		verifyFiles(v, &w, &Reader[GameRow]{path: path, manifest: m, files: files, codec: gamesCodec{}, mem: mem}, func(g *GameRow) error {
			if !games.Add(g.Game) {
				return fmt.Errorf("game %d: %w", g.Game, ErrTwice)
			}
			return nil
		})
	case PositionsFormat:
		verifyFiles(v, &w, &Reader[PositionRow]{path: path, manifest: m, files: files, codec: positionsCodec{}, mem: mem}, nil)
	case MovesFormat:
		verifyFiles(v, &w, &Reader[MovesRow]{path: path, manifest: m, files: files, codec: movesCodec{}, mem: mem}, nil)
	default:
		r := &Reader[FeatureRow]{path: path, manifest: m, files: files, mem: mem}
		if r.codec, err = anyFeatures(r); err != nil {
			v.BadFiles = int64(len(files))
			v.problem(err)
			break
		}
		set := r.codec.(*featuresCodec).set
		verifyFiles(v, &w, r, set.CheckRow)
	}
	return &v.Verification, ctx.Err()
}

// anyFeatures takes the terms from the first file whose schema can be read.
func anyFeatures(r *Reader[FeatureRow]) (codec[FeatureRow], error) {
	var first error
	for i := range r.files {
		f, done, err := r.openFile(i)
		if err == nil {
			var set FeatureSet
			set, err = featureSetOf(f.reader.Schema())
			done()
			if err == nil {
				return newFeaturesCodec(set)
			}
		}
		if first == nil {
			first = fmt.Errorf("dataset: %s: %w", r.files[i].path, err)
		}
	}
	return nil, first
}

type verifier struct {
	Verification
	report func(error)
}

func (v *verifier) problem(err error) {
	if v.report != nil {
		v.report(err)
	}
}

// unlisted reports Arrow files that the manifest does not list. They are not part of the
// data set, but a program that reads *.arrow would read them too.
func (v *verifier) unlisted(path string, files []dataFile) {
	listed := map[string]bool{}
	for _, f := range files {
		listed[filepath.Base(f.path)] = true
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		v.problem(fmt.Errorf("dataset: %w", err))
		return
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".arrow") && !strings.HasPrefix(name, ".") && !listed[name] {
			v.BadFiles++
			v.problem(fmt.Errorf("dataset: %s: not in the manifest", filepath.Join(path, name)))
		}
	}
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
					err = &RowError{File: r.files[i].path, Row: row, Err: err}
				}
			}
			if err != nil {
				v.BadRows++
				v.problem(err)
				return true
			}
			v.Rows++
			return true
		})
		if err != nil {
			v.BadFiles++
			v.problem(err)
		}
	}
}
