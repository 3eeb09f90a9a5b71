package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Engines are the foreign engines that a worker's owner lets it run: files by name and content and, if the owner
// allows it, whatever a run sends. A worker runs no other program. It is safe for concurrent use.
type Engines struct {
	mu      sync.Mutex
	allowed map[wire.Program]string // paths of the engines allowed by name
	cache   string                  // folder of fetched engines; empty: none are fetched
	checked map[wire.Program]checkedFile
}

// checkedFile is a file that was checked, and need not be checked again while it is unchanged.
type checkedFile struct {
	path string
	info fs.FileInfo
}

// keepUnused is how long a fetched engine is kept that no run asks for.
const keepUnused = 30 * 24 * time.Hour

// AllowEngines allows the programs at the paths, with the content that they have now, and, if cache is not empty, all
// that a run sends. These are kept in that folder, until they were not used for a month.
func AllowEngines(paths []string, cache string) (*Engines, error) {
	e := &Engines{allowed: map[wire.Program]string{}, checked: map[wire.Program]checkedFile{}}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		p, err := wire.ProgramOf(path)
		if err != nil {
			return nil, err
		}
		e.allowed[p] = path
	}
	if cache == "" {
		return e, nil
	}
	if err := durable.MakeDir(cache); err != nil {
		return nil, err
	}
	var err error
	if e.cache, err = filepath.Abs(cache); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return e, e.removeUnused()
}

func (e *Engines) removeUnused() error {
	entries, err := os.ReadDir(e.cache)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !wire.IsSHA256(entry.Name()) || time.Since(info.ModTime()) < keepUnused {
			continue
		}
		if err := os.RemoveAll(filepath.Join(e.cache, entry.Name())); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}

// path returns the path of this machine's copy of a program, which is fetched if there is none and the owner allows it.
func (e *Engines) path(p wire.Program, fetch func(to *os.File) error) (string, error) {
	if e == nil {
		e = &Engines{checked: map[wire.Program]checkedFile{}}
	}
	if p.Name == "" || p.Name == "." || p.Name == ".." || strings.ContainsAny(p.Name, `/\:`) || !wire.IsSHA256(p.SHA256) {
		return "", errors.New("that is not a program's file name and its SHA-256")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if c, ok := e.checked[p]; ok && c.unchanged() {
		return c.path, nil
	}
	path, err := e.find(p, fetch)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	e.checked[p] = checkedFile{path, info}
	return path, err
}

// unchanged reports whether a file is as it was when it was checked. It goes by size and
// time: someone who can forge these can run programs anyway.
func (c *checkedFile) unchanged() bool {
	info, err := os.Stat(c.path)
	return err == nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() &&
		info.ModTime().Equal(c.info.ModTime())
}

// find looks for a program among the allowed ones, and fetches it otherwise.
func (e *Engines) find(p wire.Program, fetch func(to *os.File) error) (string, error) {
	if path, ok := e.allowed[p]; ok {
		if now, err := wire.ProgramOf(path); err != nil || now != p {
			return "", errors.New("the file changed since its owner allowed it; to allow the new content, " +
				"start the worker again")
		}
		return path, nil
	}
	if e.cache == "" {
		for other := range e.allowed {
			if other.Name == p.Name {
				return "", fmt.Errorf("the allowed engine of that name has SHA-256 %s; the run and the worker need the "+
					"same file", other.SHA256)
			}
		}
		return "", errors.New("to allow it, start the worker with --engine PATH, or with --run-engines for all that a " +
			"run sends")
	}
	path := filepath.Join(e.cache, p.SHA256, p.Name)
	if now, err := wire.ProgramOf(path); err != nil || now != p {
		if err := install(path, fetch); err != nil {
			return "", err
		}
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Dir(path), now, now) // if it fails, it is fetched again after a month
	return path, nil
}

// install fetches a program to its path, and makes it executable. No process may start while the file is open: it
// would have the file open for a moment, and a program whose file is open for writing cannot be run. So the fetched
// bytes are copied at once.
func install(path string, fetch func(to *os.File) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	part, err := os.CreateTemp(dir, "part-*")
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer os.Remove(part.Name())
	if err := errors.Join(fetch(part), part.Close()); err != nil {
		return err
	}
	data, err := os.ReadFile(part.Name())
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fresh := path + ".new"
	os.Remove(fresh)
	if err := os.WriteFile(fresh, data, 0o500); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return os.Rename(fresh, path)
}

// Describe returns a line for each engine that may be run.
func (e *Engines) Describe() (lines []string) {
	for p := range e.allowed {
		lines = append(lines,
			fmt.Sprintf("engine %s is allowed with its current content (SHA-256 %.12s)", p.Name, p.SHA256))
	}
	slices.Sort(lines)
	if e.cache != "" {
		lines = append(lines, "engines that a run sends are fetched, and run with your rights")
	}
	return lines
}
