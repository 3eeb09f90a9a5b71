package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// errNotAllowed is wrapped by errors about engines that a worker's owner does not allow.
var errNotAllowed = errors.New("its owner does not allow the engine")

// AllowedEngines are the foreign engines that a worker's owner lets it run: files by name and content. A worker runs
// no other program. It is safe for concurrent use.
type AllowedEngines struct {
	paths map[wire.Program]string

	mu      sync.Mutex
	checked map[wire.Program]fs.FileInfo // a file that was checked need not be checked again while it is unchanged
}

// AllowEngines allows the programs at the paths, with the content that they have now.
func AllowEngines(paths []string) (*AllowedEngines, error) {
	a := &AllowedEngines{paths: map[wire.Program]string{}, checked: map[wire.Program]fs.FileInfo{}}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		p, err := wire.ProgramOf(path)
		if err != nil {
			return nil, err
		}
		a.paths[p] = path
	}
	return a, nil
}

// local returns the specification with the path of this machine's copy of the program.
func (a *AllowedEngines) local(spec engine.Spec, p wire.Program) (engine.Spec, error) {
	path, err := a.path(p)
	if err != nil {
		return spec, fmt.Errorf("%w %q with SHA-256 %.64s: %w", errNotAllowed, p.Name, p.SHA256, err)
	}
	return spec.WithProgram(path), nil
}

func (a *AllowedEngines) path(p wire.Program) (string, error) {
	if a == nil {
		a = &AllowedEngines{}
	}
	path, ok := a.paths[p]
	if !ok {
		for other := range a.paths {
			if other.Name == p.Name {
				return "", fmt.Errorf("the allowed engine of that name has SHA-256 %s; the run and the worker need the "+
					"same file", other.SHA256)
			}
		}
		return "", errors.New("to allow it, start the worker with --engine PATH")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	info, err := os.Stat(path)
	if err == nil && unchanged(a.checked[p], info) {
		return path, nil
	}
	if now, err := wire.ProgramOf(path); err != nil || now != p {
		return "", errors.New("the file changed since its owner allowed it; to allow the new content, " +
			"start the worker again")
	}
	a.checked[p] = info
	return path, nil
}

// unchanged reports whether a file is as it was when it was checked. It goes by size and
// time: someone who can forge these can run programs anyway.
func unchanged(was, now fs.FileInfo) bool {
	return was != nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

// Describe returns a line for each engine that may be run.
func (a *AllowedEngines) Describe() (lines []string) {
	for p := range a.paths {
		lines = append(lines,
			fmt.Sprintf("engine %s is allowed with its current content (SHA-256 %.12s)", p.Name, p.SHA256))
	}
	slices.Sort(lines)
	return lines
}
