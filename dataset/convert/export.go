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
	"github.com/assay-chess/assay/dataset/internal/records"
	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/source"
)

// Errors of Export.
var (
	ErrExists = errors.New("the file exists already")
	// ErrKind says that the format cannot store the rows of the data set.
	ErrKind = errors.New("the format cannot store such rows")
	// ErrNoScore says that a position has no score, and the format needs one.
	ErrNoScore = records.ErrNoScore
)

// ExportConfig configures Export.
type ExportConfig struct {
	Format   Format    // "": by the file name
	Stdout   io.Writer // receives the file "-"
	Progress dataset.Progress
}

// exportFormats are the formats of file name extensions that stand for another one in an import, or for none.
var exportFormats = map[string]Format{
	".csv": formatCSV, ".tsv": formatTSV, ".jsonl": formatJSONL, ".ndjson": formatJSONL,
	".fen": formatFEN, ".txt": formatFEN, ".book": formatFEN, ".plain": formatPlain,
}

// exportFormatOf returns the export format that a file name's extension stands for.
func exportFormatOf(name string) (Format, bool) {
	if f, ok := exportFormats[path.Ext(source.BaseName(name))]; ok {
		return f, true
	}
	return FormatOf(name)
}

// Export writes the rows of a data set, in order, as one file, compressed if its name ends
// in .zst or .gz. The file gets its name only when it is complete; an existing file is an
// error. It returns the number of rows.
func Export(ctx context.Context, data, file string, c ExportConfig) (rows int64, err error) {
	if c.Format == "" {
		var ok bool
		if c.Format, ok = exportFormatOf(file); !ok {
			return 0, fmt.Errorf("convert: %s: %w", file, ErrFormat)
		}
	}
	kind, err := dataset.Detect(data)
	if err != nil {
		return 0, err
	}
	var write func(io.Writer) (int64, error)
	switch game, position := gameFormats[c.Format], positionFormats[c.Format]; {
	case kind == dataset.GamesFormat && game != nil:
		write = func(w io.Writer) (int64, error) { return writeRows(ctx, c, data, w, dataset.OpenGames, game) }
	case kind == dataset.PositionsFormat && position != nil:
		write = func(w io.Writer) (int64, error) { return writeRows(ctx, c, data, w, dataset.OpenPositions, position) }
	default:
		return 0, fmt.Errorf("convert: %s holds %s, which cannot be exported as %s: %w", data, kind, c.Format, ErrKind)
	}
	if file == source.Stdin {
		return write(c.Stdout)
	}
	if _, err := os.Lstat(file); err == nil {
		return 0, fmt.Errorf("convert: %s: %w", file, ErrExists)
	}
	lock, err := durable.TryLock(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".lock"))
	if err != nil {
		return 0, fmt.Errorf("convert: %w", err)
	}
	defer lock.Unlock()
	_ = durable.RemoveTempsOf(file) // of a killed export; harmless if they stay
	out, err := durable.Create(file)
	if err != nil {
		return 0, fmt.Errorf("convert: %w", err)
	}
	z, err := compressor(out, file)
	if err == nil {
		rows, err = write(z)
		if closed := z.Close(); err == nil && closed != nil {
			err = fmt.Errorf("convert: %w", closed)
		}
	}
	if err != nil {
		out.Abort()
		return 0, err
	}
	if err := out.Commit(); err != nil {
		return 0, fmt.Errorf("convert: %w", err)
	}
	return rows, nil
}

// compressor compresses as the file name says.
func compressor(out io.Writer, file string) (io.WriteCloser, error) {
	switch end := strings.ToLower(filepath.Ext(file)); {
	case !source.Packed(file):
		return plainWriter{out}, nil
	case source.Packed(file[:len(file)-len(end)]): // games.pgn.tar.gz
	case end == ".zst" || end == ".zstd":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case end == ".gz" || end == ".gzip":
		return gzip.NewWriter(out), nil
	}
	return nil, fmt.Errorf("convert: cannot write %s: want .zst, .gz or no compression", filepath.Base(file))
}

// plainWriter is a compressor that does not compress.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

// The formats that are written a row at a time, by what a row is.
var (
	gameFormats = map[Format]func([]byte, *dataset.GameRow) ([]byte, error){
		formatJSONL: lines.AppendGameJSON,
		formatPGN: func(b []byte, g *dataset.GameRow) ([]byte, error) {
			out := bytes.NewBuffer(b)
			err := pgn.Write(out, g)
			return out.Bytes(), err
		},
	}
	positionFormats = map[Format]func([]byte, *dataset.PositionRow) ([]byte, error){
		formatEPD:    lines.AppendEPD,
		formatBullet: records.AppendBullet,
		formatFEN: func(b []byte, p *dataset.PositionRow) ([]byte, error) {
			return lines.AppendFEN(b, &p.Board, p.Result), nil
		},
		formatJSONL: func(b []byte, p *dataset.PositionRow) ([]byte, error) { return lines.AppendPositionJSON(b, p), nil },
		formatCSV:   func(b []byte, p *dataset.PositionRow) ([]byte, error) { return lines.AppendRow(b, p, ','), nil },
		formatTSV:   func(b []byte, p *dataset.PositionRow) ([]byte, error) { return lines.AppendRow(b, p, '\t'), nil },
	}
	headers = map[Format][]byte{formatCSV: lines.AppendHeader(nil, ','), formatTSV: lines.AppendHeader(nil, '\t')}
)

// writeRows writes each row as encode encodes it.
func writeRows[R any](ctx context.Context, c ExportConfig, data string, w io.Writer,
	open func(string, ...dataset.OpenOption) (*dataset.Reader[R], error),
	encode func([]byte, *R) ([]byte, error)) (n int64, err error) {
	r, err := open(data)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(headers[c.Format]) // Flush returns the error
	var buf []byte
	err = dataset.Each(ctx, r, c.Progress, "", func(row *R) (err error) {
		if buf, err = encode(buf[:0], row); err != nil {
			return fmt.Errorf("convert: %s, row %d: %w", r.Path(), n+1, err)
		}
		if _, err := out.Write(buf); err != nil {
			return fmt.Errorf("convert: %w", err)
		}
		n++
		return nil
	})
	if err != nil {
		return n, err
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("convert: %w", err)
	}
	return n, nil
}
