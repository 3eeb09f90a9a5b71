package source

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/assay-chess/assay/engine/quote"
)

// OtherError says that a file is of a format that cannot be read here, and what to do. Without Advice it can be
// imported.
type OtherError struct{ Path, What, Advice string }

func (e *OtherError) Error() string {
	return quote.Text(strings.TrimSuffix(e.Path+": "+e.What+": "+e.Advice, ": "))
}

// kind is a format that its first bytes tell.
type kind struct {
	name    string
	at      int    // where the magic number is
	magic   string // or
	is      func(head []byte) bool
	unpack  func(*File) error // nil: assay does not read it
	archive bool              // of files with names
	advice  string            // what converts it
}

const arrow = "an Arrow file"

// kinds are the formats by their magic numbers.
var kinds []kind

func init() { // not above, because an archive's files are of these kinds too
	kinds = []kind{
		{name: "zstd", magic: "\x28\xb5\x2f\xfd", unpack: unpackZstd},
		{name: "zstd", is: isSkippable, unpack: unpackZstd},
		{name: "gzip", magic: "\x1f\x8b", unpack: unpackGzip},
		{name: "bzip2", is: isBzip2, unpack: unpackBzip2},
		{name: "xz", magic: "\xfd7zXZ\x00", unpack: unpackXZ},
		{name: "zip", magic: "PK\x03\x04", unpack: unpackZip, archive: true},
		{name: "zip", magic: "PK\x05\x06", unpack: unpackZip, archive: true}, // an empty one
		{name: "tar", at: 257, magic: "ustar", unpack: unpackTar, archive: true},

		{name: "a 7z archive", magic: "7z\xbc\xaf\x27\x1c", advice: "unpack it with 7z x"},
		{name: "a RAR archive", magic: "Rar!\x1a\x07", advice: "unpack it with unrar x"},
		{name: "lz4-compressed", magic: "\x04\x22\x4d\x18", advice: "unpack it with lz4 -d"},
		{name: "lzip-compressed", magic: "LZIP\x01", advice: "unpack it with lzip -d"},
		{name: "compressed by compress", magic: "\x1f\x9d", advice: "unpack it with gzip -d"},
		{name: arrow, magic: "ARROW1\x00\x00", advice: "a data set of assay is an input of 'assay data', and " +
			"'assay data export' makes text of it; write another program's file as CSV, with pyarrow or duckdb"},
		{name: "a Parquet file", magic: "PAR1", advice: `write it as CSV: duckdb -c "copy (from 'FILE') to 'FILE.csv'"`},
	}
}

// recognize returns the kind of a file by its beginning, nil if none.
func recognize(head []byte) *kind {
	for i := range kinds {
		k := &kinds[i]
		if k.is != nil && k.is(head) || k.is == nil && len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) {
			return k
		}
	}
	return nil
}

// isSkippable recognizes a frame that zstd skips: pzstd, and so every file of Lichess, begins
// with one.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.HasPrefix(head[1:], []byte("\x2a\x4d\x18"))
}

func isBzip2(head []byte) bool {
	return len(head) >= 10 && string(head[:3]) == "BZh" && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90")
}

var (
	tagLine = regexp.MustCompile(`^\s*(?:[;%].*\s+|\{[^}]*\}\s*)*\[\s*[A-Za-z0-9_]+\s*"`)
	fenLine = regexp.MustCompile(`(?m)^"?(?:[1-8pnbrqkPNBRQK]+/){7}[1-8pnbrqkPNBRQK]+[ _][wb]`)
	header  = regexp.MustCompile(`(?i)^[\w, \t;|"]*\b(?:fen|epd|position)\b`)
)

// text returns how the file begins, without a byte-order mark.
func (f *File) text() []byte {
	head, _ := f.Peek(4096) // an error of reading comes again
	return bytes.TrimPrefix(head, []byte("\ufeff"))
}

// PGN reports whether the file begins with a tag, as games do.
func (f *File) PGN() bool { return tagLine.Match(f.text()) }

// Plain reports whether the file begins as positions that Stockfish's tools write as text.
func (f *File) Plain() bool { return bytes.HasPrefix(f.text(), []byte("fen ")) }

// NoData says what a file is that is not a data set, as an *OtherError.
func NoData(path string) error {
	other := &OtherError{Path: path}
	f, err := Open(context.Background(), path)
	if err != nil {
		_ = errors.As(err, &other)
		if other.What == "" {
			other.What, other.Advice = "not a data set", strings.TrimPrefix(err.Error(), path+": ")
		}
		return other
	}
	defer f.Close()
	switch head := f.text(); {
	case len(head) == 0:
		other.What, other.Advice = "an empty file", "want a data set"
	case f.PGN():
		other.What = "a PGN file"
	case fenLine.Match(head):
		other.What = "a list of positions"
	case f.Plain():
		other.What = "text of Stockfish's tools (.plain)"
	case bytes.HasPrefix(head, []byte("BINP")):
		other.What = "a binpack of Stockfish's tools"
	case header.Match(head):
		other.What = "a table of positions"
	default:
		other.What, other.Advice = "not a data set", "'assay data import' makes one of PGN, EPD, CSV and bulletformat"
	}
	return other
}
