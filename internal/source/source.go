// Package source opens the files that others wrote: files, folders and standard input, plain or
// packed. It is the one place that recognizes a format by its first bytes, never by the name:
// zstd, gzip, bzip2, xz, zip and tar are unpacked, one in another too (tar.gz); what assay cannot
// read, such as Parquet or 7z, is named, with what converts it. An archive must
// hold one file. Source does not interpret the content; Text gives every line break the same form and names an
// encoding that no reader here takes.
//
// A folder stands for all its files, in the order of their paths, except those whose names
// begin with a dot.
//
// Start reading at Open and List.
//
// No promise of stability.
package source

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/quote"
)

// Stdin is the name of standard input.
const Stdin = "-"

// headLength is the number of bytes of a stream that identify it: see Input.Identity.
const headLength = 1 << 20

// Input is one file, or a stream.
type Input struct {
	Path string
	// Stream says that it can be read only once: standard input, or a pipe.
	Stream bool
	in     *bufio.Reader // of a stream
}

// List returns the inputs that the paths stand for: a folder stands for its files, "-" for
// stdin.
func List(paths []string, stdin io.Reader) ([]*Input, error) {
	var list []*Input
	for _, path := range paths {
		if path == Stdin {
			list = append(list, stream(path, stdin))
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		switch {
		case info.IsDir():
			files, err := walk(path)
			if err != nil {
				return nil, err
			}
			list = append(list, files...)
		case info.Mode().IsRegular():
			list = append(list, &Input{Path: path})
		default:
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			list = append(list, stream(path, f))
		}
	}
	return list, nil
}

func stream(path string, r io.Reader) *Input {
	return &Input{Path: path, Stream: true, in: bufio.NewReaderSize(r, headLength)}
}

// walk lists the files of a folder and the folders in it. The folder itself and files may be links.
func walk(dir string) (list []*Input, err error) {
	root := dir + string(filepath.Separator) // so that a link is followed
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
		default:
			info, err := os.Stat(path)
			if err != nil {
				return err // of a link to nothing, such as a disk that is not mounted
			}
			if info.IsDir() {
				return fmt.Errorf("%s is a link to a folder, and such links are not followed: give the folder itself", path)
			}
			if info.Mode().IsRegular() {
				list = append(list, &Input{Path: path})
			}
		}
		return nil
	})
	return list, err
}

// Size returns the size of a file on disk in bytes, 0 for a stream.
func (in *Input) Size() int64 {
	info, err := os.Stat(in.Path)
	if in.Stream || err != nil {
		return 0
	}
	return info.Size()
}

// Identity returns the SHA-256 of a file on disk, in hex. For a stream, which cannot be
// read twice, it returns "stream " and the SHA-256 of the first MiB.
func (in *Input) Identity() (string, error) {
	h := sha256.New()
	if in.Stream {
		head, err := in.in.Peek(headLength)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading %s: %w", in.Path, err)
		}
		h.Write(head)
		return "stream " + hex.EncodeToString(h.Sum(nil)), nil
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", in.Path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Open opens the input for reading. Reading fails once the context is done. Read, if not nil, is called with the number
// of bytes on disk read so far. Raw says that the format can begin with any bytes: they are unpacked only if that
// succeeds.
func (in *Input) Open(ctx context.Context, raw bool, read func(int64)) (*File, error) {
	f := &File{Name: in.Path, Reader: in.in, ctx: ctx}
	if !in.Stream {
		file, err := os.Open(in.Path)
		if err != nil {
			return nil, err
		}
		f.closers = append(f.closers, file.Close)
		f.disk = file
		f.Reader = bufio.NewReaderSize(&counting{ctx, file, read, 0}, trialLength)
	}
	if err := f.unpackAll(raw); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Open opens one file. A folder is an error.
func Open(ctx context.Context, path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, want a file", path)
	}
	return (&Input{Path: path}).Open(ctx, false, nil)
}

// counting reports how much was read.
type counting struct {
	ctx  context.Context
	r    io.Reader
	read func(int64)
	n    int64
}

func (c *counting) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.read != nil {
		c.read(c.n)
	}
	return n, err
}

// packedEndings are the extensions of compressed files.
var packedEndings = []string{".zst", ".zstd", ".gz", ".gzip", ".bz2", ".xz", ".zip", ".tar", ".tgz"}

// Packed reports whether the file name has the extension of a compressed file.
func Packed(name string) bool {
	return slices.Contains(packedEndings, strings.ToLower(filepath.Ext(name)))
}

// BaseName returns the file name in lower case without the extension of a compressed file:
// the base name of "a/Games.PGN.zst" is "games.pgn".
func BaseName(name string) string {
	if i := strings.LastIndexAny(name, `/\:`); i >= 0 {
		name = name[i+1:]
	}
	for Packed(name) { // games.pgn.tar.gz
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return strings.ToLower(name)
}

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

// ErrUTF16 says that a file is UTF-16 or UTF-32, in which no line would parse.
var ErrUTF16 = errors.New("want UTF-8")

// ErrNUL says that a file has a byte that no text has. The offset in its error counts from 0, in
// the unpacked text.
var ErrNUL = errors.New("is NUL, which no text contains")

// encodingLength is how much of a file shows its encoding, in bytes.
const encodingLength = 1024

// Text returns the text of r in which a carriage return alone, the line break of old
// Macs, is a newline. CRLF stays as it is. Reading UTF-16 or UTF-32, with or without a
// byte-order mark, gives ErrUTF16 (wrapped), and a NUL byte ErrNUL.
func Text(r io.Reader) io.Reader { return &textReader{in: bufio.NewReaderSize(r, 64<<10)} }

type textReader struct {
	in     *bufio.Reader
	opened bool
	read   int64 // bytes
	err    error // of the encoding, or of a NUL
}

func (t *textReader) Read(p []byte) (int, error) {
	if !t.opened {
		t.opened = true
		head, _ := t.in.Peek(encodingLength) // an error of reading comes again
		if name := wide(head); name != "" {
			t.err = fmt.Errorf("the file is %s: %w; convert it with: iconv -f %s -t UTF-8", name, ErrUTF16, name)
		}
	}
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.in.Read(p)
	if i := bytes.IndexByte(p[:n], 0); i >= 0 {
		t.err = fmt.Errorf("byte %d %w: the file is damaged, or of another format", t.read+int64(i), ErrNUL)
		n, err = i, t.err
	}
	t.read += int64(n)
	for i := 0; i < n; i++ {
		j := bytes.IndexByte(p[i:n], '\r')
		if j < 0 {
			break
		}
		if i += j; !t.newlineFollows(p[i+1 : n]) {
			p[i] = '\n'
		}
	}
	return n, err
}

// newlineFollows reports whether a newline follows what was read.
func (t *textReader) newlineFollows(rest []byte) bool {
	if len(rest) == 0 {
		rest, _ = t.in.Peek(1) // nothing follows where it fails
	}
	return len(rest) > 0 && rest[0] == '\n'
}

// ErrLong says that a line is longer than its reader allows.
var ErrLong = errors.New("the line is too long")

// ReadLine returns the next line without its newline, and holds little more than most bytes
// of it. After ErrLong the rest of the line is still to be read. If no newline follows, the
// error is io.EOF, with the rest.
func ReadLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		case len(line) > most:
			return nil, ErrLong
		}
	}
}

// wide names the encoding of a file with more than one byte a character, or returns the
// empty string.
func wide(head []byte) string {
	for _, m := range []struct{ mark, name string }{
		{"\xff\xfe\x00\x00", "UTF-32"}, {"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
	} {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.name
		}
	}
	// Without a mark: positions and moves are ASCII, so every second byte is zero.
	var zeros [2]int
	half := len(head) / 2
	for i, c := range head[:2*half] {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case half < 4:
	case zeros[0] == 0 && 10*zeros[1] >= 9*half:
		return "UTF-16LE"
	case zeros[1] == 0 && 10*zeros[0] >= 9*half:
		return "UTF-16BE"
	}
	return ""
}
