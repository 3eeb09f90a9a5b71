package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset/durable"
)

// ledger is the coordinator's durable state: the answers that came, which of them count, and
// which workers are banned. A resumed run reads it, and does not depend on what the queue
// remembers.
//
// It has at most two files. When a third begins, the results in the first have long been
// delivered and are in the run's own files.
type ledger struct {
	dir     string
	limit   int // lines of a file
	lines   int // of the open file
	number  int // of the open file
	journal *durable.Journal
	dirty   bool
}

// line is a line of the ledger: an answer, units that count, units whose answer is void, or
// a ban.
type line struct {
	Unit   string          `json:"unit,omitempty"`
	Worker string          `json:"worker,omitempty"`
	Sum    string          `json:"sum,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`

	Counts []string `json:"counts,omitempty"`
	Void   []string `json:"void,omitempty"`
	Banned string   `json:"banned,omitempty"` // why the worker is
}

// pastAnswers is what an earlier process of the run left in the ledger.
type pastAnswers struct {
	answers map[string]*pastAnswer
	banned  map[string]string
}

func newPastAnswers() *pastAnswers {
	return &pastAnswers{answers: map[string]*pastAnswer{}, banned: map[string]string{}}
}

type pastAnswer struct {
	line
	counted bool
}

func ledgerFiles(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "ledger-*.jsonl")) // the pattern is valid
	slices.Sort(names)
	return names
}

// openLedger opens the ledger in a folder and returns its content.
func openLedger(dir string) (*ledger, *pastAnswers, error) {
	l, past := &ledger{dir: dir, limit: 8192, number: 1}, newPastAnswers()
	names, last := ledgerFiles(dir), l.path()
	if n := len(names); n > 0 {
		names, last = names[:n-1], names[n-1]
		if err := l.parseNumber(last); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range names {
		if err := durable.ReadJournal(name, past.add); err != nil {
			return nil, nil, err
		}
	}
	if err := l.open(last, past.add); err != nil {
		return nil, nil, err
	}
	return l, past, nil
}

func (l *ledger) path() string {
	return filepath.Join(l.dir, fmt.Sprintf("ledger-%06d.jsonl", l.number))
}

// parseNumber takes the number of the last file from its name.
func (l *ledger) parseNumber(name string) error {
	if _, err := fmt.Sscanf(filepath.Base(name), "ledger-%d.jsonl", &l.number); err != nil {
		return fmt.Errorf("cluster: %s: %w: want the name ledger-NUMBER.jsonl; "+
			"remove the file if it is not the coordinator's", name, durable.ErrDamaged)
	}
	return nil
}

// open opens a file and passes its lines to visit.
func (l *ledger) open(path string, visit func(text []byte) error) (err error) {
	l.lines = 0
	l.journal, err = durable.OpenJournal(path, func(text []byte) error { l.lines++; return visit(text) })
	if err != nil {
		return err
	}
	return private(path)
}

// begin begins a new file with the lines to keep.
func (l *ledger) begin(keep []*line) error {
	l.number++
	if err := l.open(l.path(), func([]byte) error { return nil }); err != nil {
		return err
	}
	for _, x := range keep {
		if err := l.write(x); err != nil {
			return err
		}
	}
	return l.sync()
}

// private makes a file readable by its owner only: it names workers and what they did.
func private(path string) error {
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

func (p *pastAnswers) add(text []byte) error {
	var x line
	if err := json.Unmarshal(text, &x); err != nil {
		return fmt.Errorf("%w: %w", durable.ErrDamaged, err)
	}
	switch {
	case x.Banned != "":
		p.banned[x.Worker] = x.Banned
	case x.Unit != "":
		p.answers[x.Unit] = &pastAnswer{line: x}
	}
	for _, id := range x.Counts {
		if r := p.answers[id]; r != nil {
			r.counted = true
		}
	}
	for _, id := range x.Void {
		delete(p.answers, id)
	}
	return nil
}

// write adds a line, which the next sync puts on disk.
func (l *ledger) write(x *line) error {
	l.dirty = true
	l.lines++
	return l.journal.Append(x)
}

// sync puts all lines on disk.
func (l *ledger) sync() error {
	if !l.dirty {
		return nil
	}
	l.dirty = false
	return l.journal.Sync()
}

// isFull reports whether the file should be rotated, with that many units under way.
func (l *ledger) isFull(underWay int) bool { return l.lines >= max(l.limit, 4*underWay+1024) }

// rotate begins a new file with the lines to keep, and removes all older files but the last.
func (l *ledger) rotate(keep []*line) error {
	if err := l.journal.Close(); err != nil {
		return err
	}
	if err := l.begin(keep); err != nil {
		return err
	}
	names := ledgerFiles(l.dir)
	for _, name := range names[:max(0, len(names)-2)] {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return durable.SyncDir(l.dir)
}

func (l *ledger) close() error {
	if l == nil || l.journal == nil {
		return nil
	}
	return errors.Join(l.sync(), l.journal.Close())
}
