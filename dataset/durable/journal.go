package durable

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/internal/text"
)

// castagnoli is the polynomial of the checksum in journal lines.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crcField precedes the checksum, always the last field of a line's object.
const crcField = `"crc":"`

// crcTail is the length of `"crc":"xxxxxxxx"}`.
const crcTail = len(crcField) + 8 + len(`"}`)

// maxLine bounds the length of one journal line, in bytes.
const maxLine = 16 << 20

// Journal is an append-only file of JSON objects, one per line. Each line ends with a field
// "crc": the CRC-32C, in hex, of the bytes of the line before it. A line is durable once
// Sync has returned.
//
// A Journal is not safe for concurrent use.
type Journal struct {
	path string
	file *os.File
	end  int64 // length of the whole lines, bytes
	err  error // first error; sticky
}

// OpenJournal opens the journal at path for appending, creating it if necessary, and calls
// visit (if not nil) with each line already there, checksum included. An unfinished last
// line, left by a crash in the middle of a write, is cut off: its Append had not returned.
// Any other damage is an error that wraps ErrDamaged and names file and line.
func OpenJournal(path string, visit func(line []byte) error) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	end, err := scanJournal(f, path, visit)
	if err == nil {
		err = cutAt(f, path, end)
	}
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Journal{path: path, file: f, end: end}, nil
}

// ReadJournal calls visit with each whole line of the journal at path and
// changes nothing. It can be used while another process appends.
func ReadJournal(path string, visit func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("durable: %w", err)
	}
	defer f.Close()
	_, err = scanJournal(f, path, visit)
	return err
}

// cutAt drops everything after the whole lines and seeks to their end.
func cutAt(f *os.File, path string, end int64) error {
	info, err := f.Stat()
	if err == nil && info.Size() > end {
		if err = f.Truncate(end); err == nil {
			err = f.Sync()
		}
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("durable: opening journal %s: %w", path, err)
	}
	return nil
}

// scanJournal returns the length in bytes of the whole lines of r.
func scanJournal(r io.Reader, path string, visit func([]byte) error) (int64, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var end int64
	for number := 1; ; number++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			// The end of the file, or a torn line: the beginning of one. A crash cannot
			// leave a whole line with another byte in place of its newline.
			if n := len(line); n == 0 || !lineIsWhole(line[:n-1]) {
				return end, nil
			}
			return end, fmt.Errorf("durable: journal %s, line %d: no newline: %w", path, number, ErrDamaged)
		}
		if err != nil {
			return end, fmt.Errorf("durable: journal %s, line %d: %w", path, number, err)
		}
		if !lineIsWhole(line) {
			return end, fmt.Errorf("durable: journal %s, line %d: wrong checksum: %w", path, number, ErrDamaged)
		}
		if visit != nil {
			if err := visit(line); err != nil {
				return end, fmt.Errorf("durable: journal %s, line %d: %w", path, number, err)
			}
		}
		end += int64(len(line)) + 1
	}
}

// readLine returns the next line as text.ReadLine does.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := text.ReadLine(in, maxLine)
	if errors.Is(err, text.ErrLong) {
		err = fmt.Errorf("longer than %d bytes: %w", maxLine, ErrDamaged)
	}
	return line, err
}

func lineIsWhole(line []byte) bool {
	cut := len(line) - crcTail
	return cut > 0 && bytes.Equal(line[cut:], sealOf(line[:cut])) && json.Valid(line)
}

// sealOf returns the checksum field and closing brace of the line that begins with head.
func sealOf(head []byte) []byte {
	return fmt.Appendf(nil, "%s%08x\"}", crcField, crc32.Checksum(head, castagnoli))
}

// Append adds one line: v as JSON, which must be an object. The line survives a crash of
// the program once Append has returned, and a power cut once Sync has returned. If the disk
// is full, the journal is cut back to its last whole line.
func (j *Journal) Append(v any) error {
	if j.err != nil {
		return j.err
	}
	line, err := encodeLine(v)
	if err != nil {
		return fmt.Errorf("durable: journal %s: %w", j.path, err)
	}
	if _, err := j.file.Write(line); err != nil {
		j.err = fmt.Errorf("durable: writing journal %s: %w", j.path, err)
		if cut := cutAt(j.file, j.path, j.end); cut != nil {
			return errors.Join(j.err, cut)
		}
		return j.err
	}
	j.end += int64(len(line))
	return nil
}

func encodeLine(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(line) < 2 || line[0] != '{' {
		return nil, fmt.Errorf("a journal line must be a JSON object, not %T", v)
	}
	line = line[:len(line)-1]
	if len(line) > 1 {
		line = append(line, ',')
	}
	if len(line)+crcTail >= maxLine {
		return nil, fmt.Errorf("a journal line of %d bytes is too long", len(line))
	}
	line = append(line, sealOf(line)...)
	return append(line, '\n'), nil
}

// Sync returns once all appended lines are on disk.
func (j *Journal) Sync() error {
	if j.err == nil {
		if err := j.file.Sync(); err != nil {
			j.err = fmt.Errorf("durable: syncing journal %s: %w", j.path, err)
		}
	}
	return j.err
}

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// Close syncs and closes the journal.
func (j *Journal) Close() error {
	err := j.Sync()
	if e := j.file.Close(); e != nil && err == nil {
		err = fmt.Errorf("durable: closing journal %s: %w", j.path, e)
	}
	return err
}
