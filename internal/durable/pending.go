package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
)

// JournalName is the name of the journal of finished units, such as games, in their folder.
const JournalName = "journal.jsonl"

// Pending is the journal of a data set whose rows are made in any order: it keeps the units, such
// as games, that are finished while their shard is not listed yet. Their lines leave it when the
// shard is. Pending is safe for concurrent use.
type Pending[T any] struct {
	number  func(*T) uint64
	journal *Journal

	mu    sync.Mutex
	units map[uint64]T
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
func (p *Pending[T]) Units() map[uint64]T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.units)
}

// Add keeps a finished unit. When Add has returned, it survives a crash of the program, and after
// a second at most a power cut (see Written).
func (p *Pending[T]) Add(v T) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.journal.Append(&v); err != nil {
		return err
	}
	p.units[p.number(&v)] = v
	return p.journal.syncSoon()
}

// Written returns how many units were added, and how many of them, the first ones, survive a power cut.
func (p *Pending[T]) Written() (added, safe int64) { return p.journal.written() }

// Listed drops the units below first: their shards are on disk and listed.
func (p *Pending[T]) Listed(first uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
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
