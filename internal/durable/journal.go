package durable

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assay-chess/assay/internal/source"
	"github.com/go-json-experiment/json/jsontext"
)

// castagnoli is the polynomial of the checksum in journal lines.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crcField precedes the checksum, always the last field of a line's object.
const crcField = `"crc":"`

// crcTail is the length of `"crc":"xxxxxxxx"}`.
const crcTail = len(crcField) + 8 + len(`"}`)

// lostWrite is in a line where a power cut kept a write from the disk. One zero alone may be a flipped bit.
var lostWrite = []byte{0, 0}

// maxLine bounds the length of one journal line, in bytes.
const maxLine = 16 << 20

// Journal is an append-only file of JSON objects, one per line. Each line ends with a field
// "crc": the CRC-32C, in hex, of the bytes of the line before it. A line is durable once
// Sync has returned.
//
// A Journal is safe for concurrent use.
type Journal struct {
	path string

	syncing sync.Mutex // held while the file is synced, replaced or closed; taken before mu
	mu      sync.Mutex // guards what follows
	file    journalFile
	end     int64       // length of the whole lines, bytes
	err     error       // first error; sticky
	dirty   bool        // there are lines that are not synced
	soon    *time.Timer // the sync that syncSoon planned, if any
	synced  time.Time   // when the last sync began
	lines   int64       // appended
	safe    int64       // of them, on disk
}

// journalFile is an *os.File, or one of a test that fails or is slow.
type journalFile interface {
	io.WriteSeeker
	io.Closer
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// SyncEvery is the time between two syncs of a Pending. Tests that stop a run after each game set it to 0.
var SyncEvery = time.Second

// OpenJournal opens the journal at path for appending, creating it if necessary, and calls
// visit (if not nil) with each line already there, checksum included. An unfinished last
// line, left by a crash in the middle of a write, is cut off: its Append had not returned. So
// are zeros, left by a power cut, with all behind them: no Sync had returned.
// Any other damage is an error that wraps ErrDamaged and names file and line.
func OpenJournal(path string, visit func(line []byte) error) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
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
	// Lines that were there may not be synced: the process that wrote them may have been killed.
	return &Journal{path: path, file: f, end: end, dirty: end > 0}, nil
}

// ReadJournal calls visit with each whole line of the journal at path and
// changes nothing. It can be used while another process appends.
func ReadJournal(path string, visit func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = scanJournal(f, path, visit)
	return err
}

// cutAt drops everything after the whole lines and seeks to their end.
func cutAt(f journalFile, path string, end int64) error {
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
		return fmt.Errorf("opening journal %s: %w", path, err)
	}
	return nil
}

// scanJournal returns the length in bytes of the whole lines of r.
func scanJournal(r io.Reader, path string, visit func([]byte) error) (int64, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var end int64
	for number := 1; ; number++ {
		line, err := readLine(in)
		if (err == nil || errors.Is(err, io.EOF)) && bytes.Contains(line, lostWrite) {
			return end, nil // neither the lost write nor anything behind it was synced
		}
		if errors.Is(err, io.EOF) {
			// The end of the file, or a torn line: the beginning of one. Nothing but a lost write can
			// leave a whole line with another byte in place of its newline.
			if n := len(line); n == 0 || line[n-1] == 0 || !lineIsWhole(line[:n-1]) {
				return end, nil
			}
			return end, fmt.Errorf("journal %s, line %d: no newline: %w", path, number, ErrDamaged)
		}
		if err != nil {
			return end, fmt.Errorf("journal %s, line %d: %w", path, number, err)
		}
		if !lineIsWhole(line) {
			return end, fmt.Errorf("journal %s, line %d: wrong checksum: %w", path, number, ErrDamaged)
		}
		if visit != nil {
			if err := visit(line); err != nil {
				return end, fmt.Errorf("journal %s, line %d: %w", path, number, err)
			}
		}
		end += int64(len(line)) + 1
	}
}

// readLine returns the next line as source.ReadLine does.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := source.ReadLine(in, maxLine)
	if errors.Is(err, source.ErrLong) {
		err = fmt.Errorf("longer than %d bytes: %w", maxLine, ErrDamaged)
	}
	return line, err
}

func lineIsWhole(line []byte) bool {
	cut := len(line) - crcTail
	return cut > 0 && bytes.Equal(line[cut:], sealOf(line[:cut])) && jsontext.Value(line).IsValid()
}

// sealOf returns the checksum field and closing brace of the line that begins with head.
func sealOf(head []byte) []byte {
	return fmt.Appendf(nil, "%s%08x\"}", crcField, crc32.Checksum(head, castagnoli))
}

// Append adds one line: v as JSON, which must be an object. The line survives a crash of
// the program once Append has returned, and a power cut once Sync has returned. If the disk
// is full, the journal is cut back to its last whole line.
func (j *Journal) Append(v any) error {
	line, err := encodeLine(v)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if _, err := j.file.Write(line); err != nil {
		j.err = fmt.Errorf("writing journal %s: %w", j.path, err)
		if cut := cutAt(j.file, j.path, j.end); cut != nil {
			return errors.Join(j.err, cut)
		}
		return j.err
	}
	j.end += int64(len(line))
	j.dirty = true
	j.lines++
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
	j.syncing.Lock()
	defer j.syncing.Unlock()
	return j.sync()
}

// sync is Sync for a caller that holds syncing. Lines can be appended meanwhile.
func (j *Journal) sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.soon != nil {
		j.soon.Stop()
		j.soon = nil
	}
	if !j.dirty || j.err != nil {
		return j.err
	}
	j.dirty, j.synced = false, time.Now()
	lines := j.lines
	j.mu.Unlock()
	err := j.file.Sync()
	j.mu.Lock()
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("syncing journal %s: %w", j.path, err)
	}
	if j.err == nil {
		j.safe = lines
	}
	return j.err
}

// syncSoon syncs the appended lines: at once if no line came for a while, else in the background, at most once a
// second. A power cut costs the lines of the last second. The next call of another method returns the error of a sync
// in the background.
func (j *Journal) syncSoon() error {
	j.mu.Lock()
	since := time.Since(j.synced)
	if since < 2*SyncEvery && j.soon == nil {
		j.soon = time.AfterFunc(max(0, SyncEvery-since), func() { _ = j.Sync() })
	}
	j.mu.Unlock()
	if since < 2*SyncEvery {
		return nil
	}
	return j.Sync()
}

// Replace replaces all lines by others, in one step and synced: after a crash the journal has
// the old lines or the new ones.
func (j *Journal) Replace(values []any) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.replace(values)
	}
	return j.err
}

func (j *Journal) replace(values []any) error {
	out, err := Create(j.path)
	if err != nil {
		return err
	}
	for _, v := range values {
		line, err := encodeLine(v)
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			out.Abort()
			return fmt.Errorf("journal %s: %w", j.path, err)
		}
	}
	j.file.Close() // before the new file gets its name: Windows renames onto no open file
	if err := out.Commit(); err != nil {
		return err
	}
	file, err := os.OpenFile(j.path, os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	j.file, j.end, j.dirty, j.safe = file, out.size, false, j.lines
	return cutAt(file, j.path, j.end)
}

// Close syncs and closes the journal.
func (j *Journal) Close() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	err := j.sync()
	if e := j.file.Close(); e != nil && err == nil {
		err = fmt.Errorf("closing journal %s: %w", j.path, e)
	}
	return err
}

// JournalName is the name of the journal of finished units, such as games, in their folder.
const JournalName = "journal.jsonl"

// Pending is the journal of a data set whose rows are made in any order: it keeps the units, such
// as games, that are finished while their shard is not listed yet. Their lines leave it when the
// shard is. A Pending is for one goroutine.
type Pending[T any] struct {
	number  func(*T) uint64
	journal *Journal
	units   map[uint64]T
}

// ReadPending returns the units in the journal at path whose number is first or above, by number.
// It changes nothing, and there are none if there is no journal.
func ReadPending[T any](path string, first uint64, number func(*T) uint64) (map[uint64]T, error) {
	units := map[uint64]T{}
	err := ReadJournal(path, pendingLine(units, first, number))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return units, err
}

// pendingLine returns a function that adds the unit of a line to the units.
func pendingLine[T any](units map[uint64]T, first uint64, number func(*T) uint64) func([]byte) error {
	return func(line []byte) error {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if n := number(&v); n >= first { // else the process ended after it listed the shard
			units[n] = v
		}
		return nil
	}
}

// OpenPending opens the journal at path, creating it if necessary, and syncs what a killed process wrote. The units
// below first are in listed shards.
func OpenPending[T any](path string, first uint64, number func(*T) uint64) (*Pending[T], error) {
	p := &Pending[T]{number: number, units: map[uint64]T{}}
	var err error
	if p.journal, err = OpenJournal(path, pendingLine(p.units, first, number)); err == nil {
		err = p.journal.Sync()
	}
	return p, err
}

// Units returns the units that are not in listed shards, by number.
func (p *Pending[T]) Units() map[uint64]T { return maps.Clone(p.units) }

// Add keeps a finished unit. When Add has returned, it survives a crash of the program, and after
// a second at most a power cut (see Written).
func (p *Pending[T]) Add(v T) error {
	if err := p.journal.Append(&v); err != nil {
		return err
	}
	p.units[p.number(&v)] = v
	return p.journal.syncSoon()
}

// Written returns how many units were added, and how many of them, the first ones, survive a power cut.
func (p *Pending[T]) Written() (added, safe int64) {
	p.journal.mu.Lock()
	defer p.journal.mu.Unlock()
	return p.journal.lines, p.journal.safe
}

// Listed drops the units below first: their shards are on disk and listed.
func (p *Pending[T]) Listed(first uint64) error {
	maps.DeleteFunc(p.units, func(n uint64, _ T) bool { return n < first })
	var rest []any
	for _, n := range slices.Sorted(maps.Keys(p.units)) {
		rest = append(rest, p.units[n])
	}
	return p.journal.Replace(rest)
}

// Close closes the journal.
func (p *Pending[T]) Close() error { return p.journal.Close() }

// RemovePending removes the journal at path, if there is one: the data set is complete.
func RemovePending(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
