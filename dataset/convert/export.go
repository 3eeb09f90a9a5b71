package convert

import (
	"bufio"
	"bytes"
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
	"github.com/assay-chess/assay/dataset/internal/jsonl"
	"github.com/assay-chess/assay/dataset/internal/parquet"
	"github.com/assay-chess/assay/dataset/internal/viri"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/dataset/source"
	"github.com/assay-chess/assay/dataset/table"
)

// Errors of Export.
var (
	ErrExists = errors.New("the file exists already")
	// ErrPacked says that the file name asks to compress a format that is compressed inside.
	ErrPacked = errors.New("a Parquet file is compressed inside already")
	// ErrKind says that the format cannot store the rows of the data set.
	ErrKind = errors.New("the format cannot store such rows")
)

// ExportConfig configures Export.
type ExportConfig struct {
	Format   Format    // "": by the file name
	Stdout   io.Writer // receives the file "-"
	Progress dataset.Progress
	Warn     func(text string) // receives what the format cannot store; may be nil
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
	case ".parquet":
		return Parquet, true
	case ".fen", ".txt", ".book", ".plain":
		return FEN, true
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
	if f == Parquet && source.Packed(file) {
		return 0, fmt.Errorf("convert: %s: %w", file, ErrPacked)
	}
	if file == source.Stdin {
		return exportTo(ctx, c.Stdout, data, kind, f, &c)
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
	if rows, err = packTo(ctx, out, file, data, kind, f, &c); err != nil {
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

// The formats that are written a row at a time, by what a row is.
var (
	gameFormats = map[Format]func([]byte, *dataset.GameRow) ([]byte, error){
		JSONLines: jsonl.AppendGame,
		Viri:      viri.Append,
		PGN: func(b []byte, g *dataset.GameRow) ([]byte, error) {
			out := bytes.NewBuffer(b)
			err := pgn.Write(out, g)
			return out.Bytes(), err
		},
	}
	positionFormats = map[Format]func([]byte, *dataset.PositionRow) ([]byte, error){
		EPD:    epd.Append,
		Bullet: bullet.Append,
		FEN: func(b []byte, p *dataset.PositionRow) ([]byte, error) {
			return epd.AppendFEN(b, &p.Board, p.Result), nil
		},
		JSONLines: func(b []byte, p *dataset.PositionRow) ([]byte, error) { return jsonl.AppendPosition(b, p), nil },
		CSV:       func(b []byte, p *dataset.PositionRow) ([]byte, error) { return table.Append(b, p, ','), nil },
		TSV:       func(b []byte, p *dataset.PositionRow) ([]byte, error) { return table.Append(b, p, '\t'), nil },
	}
	headers = map[Format][]byte{CSV: table.AppendHeader(nil, ','), TSV: table.AppendHeader(nil, '\t')}
)

// holds reports whether the format can store rows of a schema.
func (f Format) holds(schema string) bool {
	switch schema {
	case dataset.GamesFormat:
		return f == Parquet || gameFormats[f] != nil
	case dataset.PositionsFormat:
		return f == Parquet || positionFormats[f] != nil
	}
	return f == Parquet
}

// packTo exports through the compressor that the file name stands for.
func packTo(ctx context.Context, out io.Writer, file, data, kind string, f Format, c *ExportConfig) (int64, error) {
	var z io.WriteCloser
	var err error
	switch name := strings.ToLower(file); {
	case strings.HasSuffix(name, ".zst"):
		z, err = zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case strings.HasSuffix(name, ".gz"):
		z = gzip.NewWriter(out)
	default:
		return exportTo(ctx, out, data, kind, f, c)
	}
	if err != nil {
		return 0, fmt.Errorf("convert: %s: %w", file, err)
	}
	rows, err := exportTo(ctx, z, data, kind, f, c)
	if e := z.Close(); err == nil && e != nil {
		err = fmt.Errorf("convert: %w", e)
	}
	return rows, err
}

// exportTo writes all rows.
func exportTo(ctx context.Context, w io.Writer, data, kind string, f Format, c *ExportConfig) (int64, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	switch kind {
	case dataset.GamesFormat:
		r, err := dataset.OpenGames(data)
		if err != nil {
			return 0, err
		}
		if f == Parquet {
			return exportGroups(ctx, r, out, gameGroup, c.Progress)
		}
		if f == Viri {
			return exportViri(ctx, r, out, c)
		}
		return exportRows(ctx, r, out, c.Progress, gameFormats[f])
	case dataset.PositionsFormat:
		r, err := dataset.OpenPositions(data)
		if err != nil {
			return 0, err
		}
		if f == Parquet {
			return exportGroups(ctx, r, out, rowGroup, c.Progress)
		}
		_, _ = out.Write(headers[f]) // Flush returns the error
		return exportRows(ctx, r, out, c.Progress, positionFormats[f])
	}
	r, _, err := dataset.OpenFeatures(data)
	if err != nil {
		return 0, err
	}
	return exportGroups(ctx, r, out, rowGroup, c.Progress)
}

// exportViri writes games, and warns of the scores that the format cannot leave out.
func exportViri(ctx context.Context, r *dataset.Reader[dataset.GameRow], out *bufio.Writer, c *ExportConfig) (int64, error) {
	var none, moves, forfeits int
	n, err := exportRows(ctx, r, out, c.Progress, func(b []byte, g *dataset.GameRow) ([]byte, error) {
		if dataset.Forfeit(g.Termination) != "" {
			forfeits++
		}
		for _, s := range g.Scores[min(int(g.OpeningPlies), len(g.Scores)):] {
			if moves++; s == dataset.NoScore {
				none++
			}
		}
		return viri.Append(b, g)
	})
	if err == nil && none > 0 && c.Warn != nil {
		c.Warn(fmt.Sprintf("%d of %d moves have no score, which viriformat cannot say: they have %d; train with a filter that drops such scores",
			none, moves, viri.Unscored))
	}
	if err == nil && forfeits > 0 && c.Warn != nil {
		c.Warn(fmt.Sprintf("%d of %d games ended by a forfeit (time, illegal move, crash): the board did not decide their results, which viriformat cannot say",
			forfeits, n))
	}
	return n, err
}

// Rows of a row group of Parquet: what a reader has to decode at once. A game is as long as
// a hundred positions.
const (
	rowGroup  = 1 << 16
	gameGroup = 1 << 12
)

// exportGroups writes rows as Parquet.
func exportGroups[R any](ctx context.Context, r *dataset.Reader[R], out *bufio.Writer, group int, progress dataset.Progress) (n int64, err error) {
	w, err := parquet.NewWriter(out, r.Schema())
	if err != nil {
		return 0, fmt.Errorf("convert: %w", err)
	}
	for batch, err := range r.Records(group) {
		if err != nil {
			return n, err
		}
		if err := w.Write(batch); err != nil {
			return n, fmt.Errorf("convert: %w", err)
		}
		if n += batch.NumRows(); ctx.Err() != nil {
			return n, ctx.Err()
		}
		if progress != nil {
			progress(n, r.Len(), "")
		}
	}
	if err := w.Close(); err != nil {
		return n, fmt.Errorf("convert: %w", err)
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("convert: %w", err)
	}
	return n, nil
}

// exportRows writes each row as encode encodes it.
func exportRows[R any](ctx context.Context, r *dataset.Reader[R], out *bufio.Writer, progress dataset.Progress,
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
