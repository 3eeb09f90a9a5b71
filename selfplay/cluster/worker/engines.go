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

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrNotAllowed is wrapped by the errors about engines that a worker does not run.
var ErrNotAllowed = errors.New("its owner does not allow the engine")

// Allowed are the foreign engines that a worker's owner lets it run: some files by name and
// content, and what lies in one folder with a signature that the owner trusts. Nothing
// else is run, and nothing is fetched. It is used from several goroutines.
type AllowedEngines struct {
	engines map[wire.Program]string // paths of those allowed one by one
	dir     string                  // of those that are signed; empty: none
	trusted []wire.Key

	mu      sync.Mutex
	checked map[wire.Program]checkedFile
}

// copied is a file that was looked at, and may be run for as long as it is the same.
type checkedFile struct {
	path string
	info fs.FileInfo
}

// Allow makes an Allowed of programs, whose content now is what is allowed, and of a
// folder of engines that one of the keys signed; the folder may be empty and change.
func AllowEngines(engines []string, dir string, trusted []wire.Key) (*AllowedEngines, error) {
	a := &AllowedEngines{engines: map[wire.Program]string{}, trusted: trusted, checked: map[wire.Program]checkedFile{}}
	for _, path := range engines {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		p, err := wire.ProgramOf(path)
		if err != nil {
			return nil, err
		}
		a.engines[p] = path
	}
	if dir == "" {
		return a, nil
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("cluster: engines that are signed: %w", err)
	}
	var err error
	if a.dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return a, nil
}

// local returns the specification with this machine's copy of the program, if it may be
// run and is what the coordinator has.
func (a *AllowedEngines) local(spec string, p wire.Program) (string, error) {
	path, err := a.path(p)
	if err != nil {
		return "", fmt.Errorf("%w %q with the SHA-256 %.64s: %w", ErrNotAllowed, p.Name, p.SHA256, err)
	}
	_, with, err := roster.Command(spec)
	if err != nil {
		return "", err
	}
	return with(path)
}

func (a *AllowedEngines) path(p wire.Program) (string, error) {
	if a == nil {
		a = &AllowedEngines{}
	}
	if p.Name != filepath.Base(p.Name) || strings.ContainsAny(p.Name, `/\:`) || strings.HasSuffix(p.Name, wire.SignatureSuffix) {
		return "", errors.New("that is not the name of a program")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.checked[p]; ok && c.unchanged() {
		return c.path, nil
	}
	path, err := a.find(p)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil {
		a.checked[p] = checkedFile{path, info}
	}
	return path, nil
}

// same tells whether a file is as it was when it was looked at. Whoever could change it
// and hide that could run what they like without us.
func (c *checkedFile) unchanged() bool {
	info, err := os.Stat(c.path)
	return err == nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() && info.ModTime().Equal(c.info.ModTime())
}

// find looks for a program among those that may be run.
func (a *AllowedEngines) find(p wire.Program) (string, error) {
	if path, ok := a.engines[p]; ok {
		if now, err := wire.ProgramOf(path); err != nil || now != p {
			return "", errors.New("the file was changed since its owner allowed it; to allow what it is now, start the worker again")
		}
		return path, nil
	}
	for other := range a.engines {
		if other.Name == p.Name && a.dir == "" {
			return "", fmt.Errorf("the one of that name that is allowed has the SHA-256 %s; the run and the worker need the same file", other.SHA256)
		}
	}
	if a.dir == "" {
		return "", errors.New("to allow it, start the worker with --engine PATH, or with --engines DIR and --trust LIST for engines that somebody signed")
	}
	path := filepath.Join(a.dir, p.Name)
	switch now, err := wire.ProgramOf(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is none of that name in the folder of --engines; put it there, with its %s", p.Name+wire.SignatureSuffix)
	case err != nil:
		return "", errors.New("the file of that name in the folder of --engines cannot be read")
	case now != p:
		return "", fmt.Errorf("the one in the folder of --engines has the SHA-256 %s; the run and the worker need the same file", now.SHA256)
	}
	_, err := wire.Signer(path, p, a.trusted)
	return path, err
}

// Survey says in a line for each engine what may be run, and why not what lies in the
// folder all the same.
func (a *AllowedEngines) Describe() (lines []string, err error) {
	for p := range a.engines {
		lines = append(lines, fmt.Sprintf("the engine %s is allowed as it is now (SHA-256 %.12s)", p.Name, p.SHA256))
	}
	slices.Sort(lines)
	if a.dir == "" {
		return lines, nil
	}
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(a.dir, e.Name())
		p, err := wire.ProgramOf(path)
		if err != nil || strings.HasSuffix(p.Name, wire.SignatureSuffix) || strings.HasPrefix(p.Name, ".") {
			continue
		}
		if who, err := wire.Signer(path, p, a.trusted); err != nil {
			lines = append(lines, fmt.Sprintf("the engine %s is not played: %v", p.Name, err))
		} else {
			lines = append(lines, fmt.Sprintf("the engine %s is signed by %s (SHA-256 %.12s)", p.Name, who, p.SHA256))
		}
	}
	return lines, nil
}
