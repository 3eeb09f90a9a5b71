package convert

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/bullet"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/epd"
	"github.com/assay-chess/assay/dataset/jsonl"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/dataset/source"
	"github.com/assay-chess/assay/dataset/table"
	"github.com/assay-chess/assay/dataset/viri"
)

// Errors of Export.
var (
	ErrExists = errors.New("the file exists already")
	// ErrKind says that the format cannot store the rows of the data set.
	ErrKind = errors.New("the format cannot store such rows")
)

// ExportConfig configures Export.
type ExportConfig struct {
	Format   Format    // "": by the file name
	Stdout   io.Writer // receives the file "-"
	Progress func(done, total int64, note string)
}

// ExportFormatOf returns the export format that a file name's extension stands for.
func ExportFormatOf(name string) (Format, bool) {
	switch path.Ext(source.BaseName(name)) {
	case ".csv":
		return CSV, true
	case ".tsv":
		return TSV, true
	case ".jsonl", ".ndjson":
		return JSONLines, true
	}
	f, ok := FormatOf(name)
	return f, ok
}

// Export writes the rows of a data set, in order, as one file, compressed if its name ends
// in .zst or .gz. The file gets its name only when it is complete; an existing file is an
// error. It returns the number of rows.
func Export(ctx context.Context, data, file string, c ExportConfig) (rows int64, err error) {
	f := c.Format
	if f == "" {
		var ok bool
		if f, ok = ExportFormatOf(file); !ok {
			return 0, fmt.Errorf("convert: %s: %w", file, ErrFormat)
		}
	}
	kind, err := dataset.Detect(data)
	if err != nil {
		return 0, err
	}
	if !f.holds(kind) {
		return 0, fmt.Errorf("convert: %s holds %s, which cannot be exported as %s: %w", data, kind, f, ErrKind)
	}
	if file == source.Stdin {
		return exportTo(ctx, c.Stdout, data, kind, f, c.Progress)
	}
	if _, err := os.Lstat(file); err == nil {
		return 0, fmt.Errorf("convert: %s: %w", file, ErrExists)
	}
	unlock, err := claim(file)
	if err != nil {
		return 0, err
	}
	defer unlock()
	out, err := durable.Create(file)
	if err != nil {
		return 0, fmt.Errorf("convert: %w", err)
	}
	if rows, err = packTo(ctx, out, file, data, kind, f, c.Progress); err != nil {
		out.Abort()
		return 0, err
	}
	if _, err := out.Commit(); err != nil {
		return 0, fmt.Errorf("convert: %w", err)
	}
	return rows, nil
}

// claim locks a file against other exports, and removes temporary files of a killed one.
func claim(file string) (unlock func(), err error) {
	lock, err := durable.TryLock(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".lock"))
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	_ = durable.RemoveTempsOf(file) // harmless if they stay
	return lock.Unlock, nil
}

// holds reports whether the format can store rows of a schema.
func (f Format) holds(schema string) bool {
	switch schema {
	case dataset.GamesFormat:
		return f.Games() || f == JSONLines
	case dataset.PositionsFormat:
		return !f.Games()
	}
	return false
}

// packTo exports through the compressor that the file name stands for.
func packTo(ctx context.Context, out io.Writer, file, data, kind string, f Format, progress func(int64, int64, string)) (int64, error) {
	var z io.WriteCloser
	var err error
	switch name := strings.ToLower(file); {
	case strings.HasSuffix(name, ".zst"):
		z, err = zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case strings.HasSuffix(name, ".gz"):
		z = gzip.NewWriter(out)
	default:
		return exportTo(ctx, out, data, kind, f, progress)
	}
	if err != nil {
		return 0, fmt.Errorf("convert: %s: %w", file, err)
	}
	rows, err := exportTo(ctx, z, data, kind, f, progress)
	if e := z.Close(); err == nil && e != nil {
		err = fmt.Errorf("convert: %w", e)
	}
	return rows, err
}

// exportTo writes all rows.
func exportTo(ctx context.Context, w io.Writer, data, kind string, f Format, progress func(int64, int64, string)) (int64, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	if kind == dataset.GamesFormat {
		r, err := dataset.OpenGames(data)
		if err != nil {
			return 0, err
		}
		return exportRows(ctx, r, out, progress, func(b []byte, g *dataset.GameRow) ([]byte, error) {
			switch f {
			case JSONLines:
				return jsonl.AppendGame(b, g)
			case Viri:
				return viri.Append(b, g)
			}
			return b, pgn.Write(out, g)
		})
	}
	r, err := dataset.OpenPositions(data)
	if err != nil {
		return 0, err
	}
	sep := byte(',')
	if f == TSV {
		sep = '\t'
	}
	if f == CSV || f == TSV {
		_, _ = out.Write(table.AppendHeader(nil, sep)) // Flush returns the error
	}
	return exportRows(ctx, r, out, progress, func(b []byte, p *dataset.PositionRow) ([]byte, error) {
		switch f {
		case EPD:
			return epd.Append(b, &p.Board, p.Result), nil
		case JSONLines:
			return jsonl.AppendPosition(b, p), nil
		case Bullet:
			return bullet.Append(b, p)
		default:
			return table.Append(b, p, sep), nil
		}
	})
}

// exportRows writes each row as encode encodes it.
func exportRows[R any](ctx context.Context, r *dataset.Reader[R], out *bufio.Writer, progress func(int64, int64, string),
	encode func([]byte, *R) ([]byte, error)) (n int64, err error) {
	var buf []byte
	total := r.Len()
	for row, err := range r.All() {
		if err != nil {
			return n, err
		}
		if buf, err = encode(buf[:0], &row); err != nil {
			return n, fmt.Errorf("convert: %s, row %d: %w", r.Path(), n+1, err)
		}
		if _, err := out.Write(buf); err != nil {
			return n, fmt.Errorf("convert: %w", err)
		}
		if n++; n%4096 == 0 {
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			if progress != nil {
				progress(n, total, "")
			}
		}
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("convert: %w", err)
	}
	return n, nil
}
