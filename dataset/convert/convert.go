// Package convert imports files of other programs as data sets, and exports data sets as
// such files. The formats are in dataset/lines (text), internal/records (binary) and pgn; internal/source finds and
// unpacks files. No promise of stability.
//
// An import never drops duplicates and never skips a row silently: every row that cannot be
// read is reported with file, line and reason. Rows keep the order of the input, whatever
// the number of goroutines.
//
// Start reading at Import and Export.
package convert

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assay-chess/assay/internal/source"
)

// Format is a file format of positions or games.
type Format string

// The formats.
const (
	formatEPD     Format = "epd"     // positions, one per line, with a result: see dataset/lines
	formatFEN     Format = "fen"     // export: FEN [0.5], which is imported as EPD
	formatTable   Format = "table"   // import: CSV or TSV: see dataset/lines
	formatCSV     Format = "csv"     // export
	formatTSV     Format = "tsv"     // export
	formatJSONL   Format = "jsonl"   // export: positions or games: see dataset/lines
	formatPlain   Format = "plain"   // import: text of Stockfish's tools
	formatPGN     Format = "pgn"     // games
	formatBullet  Format = "bullet"  // positions in 32 bytes: see dataset/internal/records
	formatBinpack Format = "binpack" // import: chained positions of Stockfish's tools: see dataset/internal/records
	formatLichess Format = "lichess" // import: evaluations of Lichess, JSON lines: see dataset/lines
)

// ImportFormats and ExportFormats are the supported formats.
var (
	ImportFormats = []Format{formatEPD, formatTable, formatPlain, formatPGN, formatBullet, formatBinpack, formatLichess}
	ExportFormats = []Format{formatEPD, formatFEN, formatCSV, formatTSV, formatJSONL, formatPGN, formatBullet}
)

// byExtension maps the extension of a file name to its format.
var byExtension = map[string]Format{
	".epd": formatEPD, ".fen": formatEPD, ".txt": formatEPD, ".book": formatEPD, ".plain": formatEPD,
	".csv": formatTable, ".tsv": formatTable, ".tab": formatTable,
	".pgn":    formatPGN,
	".bullet": formatBullet,
	".jsonl":  formatLichess, ".binpack": formatBinpack,
}

// ErrFormat says that the format of a file does not follow from its name.
var ErrFormat = errors.New("unknown file name extension")

// ErrMixed says that the inputs of one import hold games and positions.
var ErrMixed = errors.New("one data set cannot hold both games and positions")

// ParseFormat returns the format of that name, which must be in list.
func ParseFormat(name string, list []Format) (Format, error) {
	name = strings.TrimSuffix(name, "format") // bulletformat
	if (name == "csv" || name == "tsv") && slices.Contains(list, formatTable) {
		name = string(formatTable)
	}
	if f := Format(name); slices.Contains(list, f) {
		return f, nil
	}
	return "", fmt.Errorf("format %q is not one of %v", name, list)
}

// FormatOf returns the format that a file name's extension stands for. Extensions of
// compressed files are ignored.
func FormatOf(name string) (f Format, ok bool) {
	f, ok = byExtension[path.Ext(source.BaseName(name))]
	return f, ok
}

// Games reports whether files of the format hold games, not positions.
func (f Format) Games() bool { return f == formatPGN }

// binary reports whether files of the format can begin with any bytes, even like a
// compressed file.
func (f Format) binary() bool { return f == formatBullet || f == formatBinpack }
