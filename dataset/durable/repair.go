package durable

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// asideSuffix ends the names of what a repair sets aside. A repair deletes nothing.
const asideSuffix = ".damaged"

// Repaired says what a repair did to one file or folder.
type Repaired struct {
	Path string `json:"path"`
	Kept int64  `json:"kept"` // whole lines or rows
	Lost int64  `json:"lost"` // damaged lines; rows from the first damaged shard
	Unit string `json:"unit"` // "lines" or "rows"; empty for a file that is set aside as a whole
	// Aside is where the original is now; of a data set, the first of its files.
	Aside  string `json:"aside"`
	Reason string `json:"reason"`
}

// RepairPlan says what the folder of a run holds beside its events and its result.
type RepairPlan struct {
	Journal string // file name of the journal of finished units
	Derived string // folder that the next process writes again from the journal
	// Data repairs all else that a folder holds: data sets, and runs within it.
	Data func(dir string) ([]Repaired, error)
}

// ErrConfigDamaged says that the configuration of a run is damaged: what the run holds can
// then not be used, since nothing says what it was played for.
var ErrConfigDamaged = errors.New("the run's configuration cannot be read")

// RepairRun repairs an interrupted or complete run, so that its command resumes it: of the
// journals it keeps the whole lines, of data sets the shards before the first damaged one.
// What it changes is set aside under another name. If anything is lost, the result of
// the run is set aside too, so that the run is finished again. The list is empty if nothing is
// damaged. The error is ErrLocked (wrapped) if a process has the run open.
func RepairRun(dir string, p RepairPlan) (list []Repaired, err error) {
	var config any
	if err := ReadJSON(filepath.Join(dir, RunConfigName), &config); errors.Is(err, ErrDamaged) {
		return nil, fmt.Errorf("%w: %w", ErrConfigDamaged, err)
	} else if err != nil {
		return nil, err
	}
	lock, err := TryLock(filepath.Join(dir, runLockName))
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()

	// The result goes first, and comes back if nothing is lost: if this process is killed
	// after it has repaired a run within this one, the run must not be taken for complete.
	result, damaged, err := asideResult(dir)
	if err != nil {
		return nil, err
	}
	list, lost, err := repairParts(dir, p)
	switch {
	case result == nil:
	case lost || damaged:
		list = append(list, *result)
	default:
		err = errors.Join(err, restore(result))
	}
	return list, err
}

// repairParts repairs all but the result of a run, and reports whether anything that counts is lost.
func repairParts(dir string, p RepairPlan) (list []Repaired, lost bool, err error) {
	setAside := func(name, reason string) error {
		r, err := SetAside(filepath.Join(dir, name), reason)
		if err == nil {
			list = append(list, *r)
		}
		return err
	}
	journal := filepath.Join(dir, p.Journal)
	damage, err := examineJournal(journal)
	if err != nil {
		return nil, false, err
	}
	if lost = damage != nil; lost && exists(filepath.Join(dir, p.Derived)) {
		// Units that are played again need not end as they did: with a clock they differ.
		if err := setAside(p.Derived, "it is written again from the journal"); err != nil {
			return list, lost, err
		}
	}
	r, err := p.Data(dir)
	list = append(list, r...)
	lost = lost || len(list) > 0
	if err != nil {
		return list, lost, err
	}
	if err := ReadJSON(filepath.Join(dir, RunInfoName), &RunInfo{}); errors.Is(err, ErrDamaged) {
		reason := "it says how to resume the run; its command writes it again"
		if err := setAside(RunInfoName, reason); err != nil {
			return list, lost, err
		}
	}
	for _, path := range []string{filepath.Join(dir, RunEventsName), journal} {
		r, err := RepairJournal(path)
		if r != nil {
			list = append(list, *r)
		}
		if err != nil {
			return list, lost, err
		}
	}
	return list, lost, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// asideResult sets the result of a run aside, if there is one, and reports whether it is
// damaged.
func asideResult(dir string) (r *Repaired, damaged bool, err error) {
	path := filepath.Join(dir, RunResultName)
	var result any
	reason := "the run is finished again"
	switch err := ReadJSON(path, &result); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case errors.Is(err, ErrDamaged):
		reason, damaged = "it is damaged; "+reason, true
	case err != nil:
		return nil, false, err
	}
	r, err = SetAside(path, reason)
	return r, damaged, err
}

// restore gives back the name of what was set aside.
func restore(r *Repaired) error {
	if err := os.Rename(r.Aside, r.Path); err != nil {
		return fmt.Errorf("durable: %w", err)
	}
	return SyncDir(filepath.Dir(r.Path))
}

// RepairJournal keeps the whole lines of the journal at path, each once, in their order,
// and keeps the original beside it. It returns nil if there is no journal or OpenJournal
// would take it as it is. No process may have the journal open.
func RepairJournal(path string) (*Repaired, error) {
	d, err := examineJournal(path)
	if err != nil || d == nil {
		return nil, err
	}
	// The name always belongs to a journal: first a second name for the old one.
	if d.Aside, err = keepCopy(path); err != nil {
		return nil, err
	}
	out, err := Create(path)
	if err != nil {
		return nil, err
	}
	_, err = WholeLines(path, func(line []byte) error {
		_, err := out.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		out.Abort()
		return nil, err
	}
	_, err = out.Commit()
	return d, err
}

// examineJournal returns what RepairJournal would do, or nil if there is nothing to do.
func examineJournal(path string) (*Repaired, error) {
	err := ReadJournal(path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	r := &Repaired{Path: path, Unit: "lines"}
	lost, e := WholeLines(path, func([]byte) error { r.Kept++; return nil })
	if e != nil {
		return nil, e
	}
	if err == nil && lost.twice == 0 {
		return nil, nil
	}
	r.Lost = lost.Damaged + lost.twice
	switch {
	case lost.Damaged == 0 && lost.twice == 0:
		r.Reason = "the last newline was missing"
	case lost.Damaged == 0:
		r.Reason = "lines were there twice"
	default:
		r.Reason = fmt.Sprintf("the first damaged line is line %d", lost.First)
	}
	return r, nil
}

// LostLines counts what WholeLines leaves out.
type LostLines struct {
	First   int64 // number of the first damaged line, from 1
	Damaged int64
	twice   int64
}

// WholeLines calls visit with the lines of a journal whose checksum is right, each once.
func WholeLines(path string, visit func(line []byte) error) (lost LostLines, err error) {
	f, err := Open(path, MaxJournal)
	if err != nil {
		return lost, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	seen := map[[sha256.Size]byte]bool{}
	for number := int64(1); ; number++ {
		line, err := readLine(in)
		last := errors.Is(err, io.EOF)
		if errors.Is(err, ErrDamaged) { // too long: to the next newline
			for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
				_, err = in.ReadSlice('\n')
			}
			last = errors.Is(err, io.EOF)
			line = []byte("too long") // not empty: it counts as damaged, the last one too
		}
		if err != nil && !last {
			return lost, fmt.Errorf("durable: journal %s, line %d: %w", path, number, err)
		}
		if n := len(line); last && n > 0 && lineIsWhole(line[:n-1]) {
			line = line[:n-1] // something else is where its newline was
		}
		switch key := sha256.Sum256(line); {
		case last && len(line) == 0:
		case !lineIsWhole(line):
			if lost.First == 0 {
				lost.First = number
			}
			lost.Damaged++
		case seen[key]:
			lost.twice++
		default:
			seen[key] = true
			if err := visit(bytes.Clone(line)); err != nil {
				return lost, fmt.Errorf("durable: journal %s: %w", path, err)
			}
		}
		if last {
			return lost, nil
		}
	}
}

// IsAside reports whether a repair set this file or folder aside.
func IsAside(name string) bool { return strings.Contains(filepath.Base(name), asideSuffix) }

// SetAside gives a file or folder that cannot be used another name beside it.
func SetAside(path, reason string) (*Repaired, error) {
	aside, err := asideName(path)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(path, aside); err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	return &Repaired{Path: path, Aside: aside, Reason: reason}, SyncDir(filepath.Dir(path))
}

// keepCopy copies a file to a name beside it, and returns that name.
func keepCopy(path string) (aside string, err error) {
	if aside, err = asideName(path); err != nil {
		return "", err
	}
	in, err := Open(path, MaxJournal)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := Create(aside)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Abort()
		return "", fmt.Errorf("durable: copying %s: %w", path, err)
	}
	_, err = out.Commit()
	return aside, err
}

// asideName returns a name beside path that is free.
func asideName(path string) (string, error) {
	for n := 1; n < 1000; n++ {
		aside := path + asideSuffix
		if n > 1 {
			aside = fmt.Sprintf("%s-%d", aside, n)
		}
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, nil
		}
	}
	return "", fmt.Errorf("durable: %s: a thousand repairs; move the files *%s* away", path, asideSuffix)
}

// RepairShards cuts the data set in dir back to the shards before the first damaged one. The
// other shards and the manifest are set aside; if the manifest is damaged, all files that match
// the pattern are, and the folder is no data set any more. It returns nil where nothing is
// damaged. The caller holds the folder's lock.
func RepairShards(dir, pattern string) ([]Repaired, error) {
	path := filepath.Join(dir, ManifestName)
	m, err := LoadManifest(dir)
	if errors.Is(err, ErrDamaged) {
		return asideAll(dir, pattern)
	}
	if err != nil {
		return nil, err
	}
	whole := 0
	for ; whole < len(m.Shards) && err == nil; whole++ {
		_, err = ReadShard(dir, m.Shards[whole])
	}
	if err == nil {
		return nil, nil
	}
	if !errors.Is(err, ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole-- // the last one that was read is damaged
	r := Repaired{Path: dir, Unit: "rows", Reason: err.Error()}
	c := *m
	c.Shards, c.Complete, c.Report = m.Shards[:whole], false, nil
	for _, s := range m.Shards[whole:] {
		r.Lost += s.Rows
	}
	c.Rows -= r.Lost
	r.Kept = c.Rows
	if r.Aside, err = keepCopy(path); err != nil {
		return nil, err
	}
	for _, s := range m.Shards[whole:] {
		if _, err := SetAside(filepath.Join(dir, s.Name), ""); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	// Last: until then a shard is missing, and another repair comes to the same end.
	return []Repaired{r}, c.Save(dir)
}

// asideAll sets aside the shards and then the manifest.
func asideAll(dir, pattern string) ([]Repaired, error) {
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	for _, name := range names {
		if _, err := SetAside(name, ""); err != nil {
			return nil, err
		}
	}
	const reason = "the manifest is damaged: all shards are set aside, and written again"
	r, err := SetAside(filepath.Join(dir, ManifestName), reason)
	if err != nil {
		return nil, err
	}
	return []Repaired{*r}, nil
}
