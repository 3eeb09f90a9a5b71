package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Engines are the external engines that a worker's owner lets it run: files by name and content and, if the owner
// allows it, whatever a run sends. A worker runs no other program. It is safe for concurrent use.
type Engines struct {
	mu      sync.Mutex
	allowed map[wire.Program]string      // paths of the engines allowed by name
	cache   string                       // folder of fetched engines; empty: none are fetched
	checked map[wire.Program]fs.FileInfo // when the content of the file was checked
}

// AllowEngines allows the programs at the paths, with the content that they have now, and, if cache is not empty, all
// that a run sends. These are kept in that folder.
func AllowEngines(paths []string, cache string) (*Engines, error) {
	e := &Engines{allowed: map[wire.Program]string{}, checked: map[wire.Program]fs.FileInfo{}}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		p, err := programOf(path)
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
	return e, nil
}

// programOf describes the file at path.
func programOf(path string) (wire.Program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return wire.Program{}, fmt.Errorf("cluster: %w; want the path of an engine's program", err)
	}
	if !info.Mode().IsRegular() {
		return wire.Program{}, fmt.Errorf("cluster: %s is not a regular file: want the program of an engine", path)
	}
	sum, err := durable.SumFile(path)
	return wire.Program{Name: filepath.Base(path), SHA256: sum.SHA256}, err
}

// path returns the path of this machine's copy of a program, which is fetched if there is none and the owner allows it.
// The content is checked again when size or time of the file changed: who can forge these can run programs anyway.
func (e *Engines) path(p wire.Program, fetch func() ([]byte, error)) (path string, err error) {
	if e == nil {
		e = &Engines{checked: map[wire.Program]fs.FileInfo{}}
	}
	if p.Name == "" || p.Name == "." || p.Name == ".." || strings.ContainsAny(p.Name, `/\:`) || !wire.IsSHA256(p.SHA256) {
		return "", errors.New("that is not a program's file name and its SHA-256")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	path, named := e.allowed[p]
	if !named && e.cache == "" {
		for other := range e.allowed {
			if other.Name == p.Name {
				return "", fmt.Errorf("the allowed engine of that name has SHA-256 %s; the run and the worker need the same file",
					other.SHA256)
			}
		}
		return "", errors.New("assay help work says how to allow it")
	}
	if !named {
		path = filepath.Join(e.cache, p.SHA256, p.Name)
	}
	was, info := e.checked[p], fs.FileInfo(nil)
	if info, err = os.Stat(path); err == nil && was != nil && os.SameFile(info, was) && info.Size() == was.Size() &&
		info.ModTime().Equal(was.ModTime()) {
		return path, nil
	}
	now, err := programOf(path)
	if named && (err != nil || now != p) {
		return "", errors.New("the file changed since its owner allowed it; to allow the new content, start the worker again")
	}
	if err != nil || now != p {
		if err := install(path, fetch); err != nil {
			return "", err
		}
	}
	e.checked[p], err = os.Stat(path)
	return path, err
}

// install fetches a program to its path, and makes it executable. No process may start while the file is open: it would
// have the file open for a moment, and a program whose file is open for writing cannot be run. So it is written at
// once.
func install(path string, fetch func() ([]byte, error)) error {
	data, err := fetch()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
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
