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

// ledger is what a coordinator knows for certain, on disk: the answers that came, which
// of them count, and who is not believed any more. It outlives the coordinator; what the
// queue remembers does not matter.
//
// It is kept in two files at most. By the time a third begins, what the first says was
// delivered long ago, and is in the run's own files.
type ledger struct {
	dir     string
	limit   int // lines of a file
	lines   int // of the open file
	number  int // of the open file
	journal *durable.Journal
	dirty   bool
}

// line is one line of the ledger: an answer, answers that count, answers that are void,
// or a ban.
type line struct {
	Unit   string          `json:"unit,omitempty"`
	Worker string          `json:"worker,omitempty"`
	Sum    string          `json:"sum,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`

	Counts []string `json:"counts,omitempty"`
	Void   []string `json:"void,omitempty"`
	Banned string   `json:"banned,omitempty"` // why the worker is
}

// memory is what an earlier life of the coordinator left in the ledger.
type pastAnswers struct {
	answers map[string]*pastAnswer
	banned  map[string]string
}

type pastAnswer struct {
	line
	counted bool
}

func ledgerFiles(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "ledger-*.jsonl")) // the pattern is sound
	slices.Sort(names)
	return names
}

// openLedger opens the ledger in a folder and returns what is in it.
func openLedger(dir string) (*ledger, *pastAnswers, error) {
	l := &ledger{dir: dir, limit: 8192, number: 1}
	m := &pastAnswers{answers: map[string]*pastAnswer{}, banned: map[string]string{}}
	names := ledgerFiles(dir)
	for i, name := range names {
		visit := func(text []byte) error { l.lines++; return m.add(text) }
		if i < len(names)-1 {
			if err := durable.ReadJournal(name, visit); err != nil {
				return nil, nil, err
			}
			continue
		}
		if _, err := fmt.Sscanf(filepath.Base(name), "ledger-%d.jsonl", &l.number); err != nil {
			return nil, nil, fmt.Errorf("cluster: %s: %w", name, durable.ErrDamaged)
		}
		l.lines = 0
		var err error
		if l.journal, err = durable.OpenJournal(name, visit); err != nil {
			return nil, nil, err
		}
	}
	if l.journal == nil {
		return l, m, l.openFile()
	}
	return l, m, nil
}

func (l *ledger) openFile() (err error) {
	l.lines = 0
	l.journal, err = durable.OpenJournal(filepath.Join(l.dir, fmt.Sprintf("ledger-%06d.jsonl", l.number)), nil)
	return err
}

func (m *pastAnswers) add(text []byte) error {
	var x line
	if err := json.Unmarshal(text, &x); err != nil {
		return fmt.Errorf("%w: %w", durable.ErrDamaged, err)
	}
	switch {
	case x.Banned != "":
		m.banned[x.Worker] = x.Banned
	case x.Unit != "":
		m.answers[x.Unit] = &pastAnswer{line: x}
	}
	for _, id := range x.Counts {
		if r := m.answers[id]; r != nil {
			r.counted = true
		}
	}
	for _, id := range x.Void {
		delete(m.answers, id)
	}
	return nil
}

// write adds a line, which is on disk after the next sync.
func (l *ledger) write(x *line) error {
	l.dirty = true
	l.lines++
	return l.journal.Append(x)
}

// sync returns once every line is on disk.
func (l *ledger) sync() error {
	if !l.dirty {
		return nil
	}
	l.dirty = false
	return l.journal.Sync()
}

// full tells whether it is time to turn the page, where so many units are under way.
func (l *ledger) isFull(underWay int) bool { return l.lines >= max(l.limit, 4*underWay+1024) }

// turn begins a new file with the lines that still matter, and removes those before the
// last.
func (l *ledger) rotate(keep []*line) error {
	if err := l.journal.Close(); err != nil {
		return err
	}
	l.number++
	if err := l.openFile(); err != nil {
		return err
	}
	for _, x := range keep {
		if err := l.write(x); err != nil {
			return err
		}
	}
	if err := l.sync(); err != nil {
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
