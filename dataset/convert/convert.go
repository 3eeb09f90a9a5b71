// Package convert joins the converters: it imports what others keep positions and
// games in as data sets, and exports data sets for others' programs. What a format
// looks like is known by its own package (dataset/epd, dataset/table, dataset/pgn,
// dataset/jsonl, dataset/bullet, dataset/viri);
// how files are found and unpacked by dataset/source.
//
// An import never drops duplicates and never shortens a file silently: every row that
// is not taken is told, with file, line and reason. Rows keep the order of the
// input, whatever the number of goroutines.
//
// Start reading at Import and Export.
package convert

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/assay-chess/assay/dataset/source"
)

// Format is a way of keeping positions or games.
type Format string

// The formats.
const (
	EPD       Format = "epd"    // positions, one a line, with a result: see dataset/epd
	Table     Format = "table"  // import: CSV or TSV: see dataset/table
	CSV       Format = "csv"    // export
	TSV       Format = "tsv"    // export
	JSONLines Format = "jsonl"  // export: positions or games: see dataset/jsonl
	PGN       Format = "pgn"    // games
	Bullet    Format = "bullet" // positions in 32 bytes: see dataset/bullet
	Viri      Format = "viri"   // import: games in 4 bytes a move: see dataset/viri
)

// ImportFormats and ExportFormats are what each knows.
var (
	ImportFormats = []Format{EPD, Table, PGN, Bullet, Viri}
	ExportFormats = []Format{EPD, CSV, TSV, JSONLines, PGN, Bullet}
)

// byExtension tells the format of a file by the end of its name.
var byExtension = map[string]Format{
	".epd": EPD, ".fen": EPD, ".txt": EPD, ".book": EPD, ".plain": EPD,
	".csv": Table, ".tsv": Table, ".tab": Table,
	".pgn":    PGN,
	".bullet": Bullet,
	".viri":   Viri, ".vf": Viri,
}

// ErrFormat says that a file's name does not tell its format.
var ErrFormat = errors.New("the name does not tell the format")

// ErrMixed says that games and positions were to go into one data set.
var ErrMixed = errors.New("games and positions do not go into one data set")

// ParseFormat reads the name of a format, which must be one of the list.
func ParseFormat(name string, list []Format) (Format, error) {
	if f := Format(name); slices.Contains(list, f) {
		return f, nil
	}
	return "", fmt.Errorf("format %q is not one of %v", name, list)
}

// FormatOf tells a file's format by its name, without the ending of a compressed file.
func FormatOf(name string) (f Format, ok bool) {
	f, ok = byExtension[path.Ext(source.BaseName(name))]
	return f, ok
}

// Games reports whether files of the format hold games, not positions.
func (f Format) Games() bool { return f == PGN || f == Viri }

// binary reports whether the bytes of the format may look like anything, a compressed
// file included.
func (f Format) binary() bool { return f == Bullet || f == Viri }
