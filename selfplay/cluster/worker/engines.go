package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// errNotAllowed is wrapped by errors about engines that a worker's owner does not allow.
var errNotAllowed = errors.New("its owner does not allow the engine")

// AllowedEngines are the foreign engines that a worker's owner lets it run: files by name
// and content, files in one folder that a trusted key signed, and engines that it fetches, if a
// trusted key signed them. A worker runs no other program. It is safe for concurrent use.
type AllowedEngines struct {
	engines map[wire.Program]string // paths of the engines allowed by name
	dir     string                  // folder of signed engines; empty: none
	trusted []wire.Key
	cache   string // folder of fetched engines; empty: none are fetched

	fetching sync.Mutex

	mu      sync.Mutex
	checked map[wire.Program]checkedFile
}

// checkedFile is a file that was checked, and need not be checked again while it is unchanged.
type checkedFile struct {
	path string
	info fs.FileInfo
}

// AllowEngines allows the programs at the paths of engines, with the content that they have
// now, and the programs in dir, empty for none, that a trusted key signed. The content of
// dir may change later.
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
		return nil, fmt.Errorf("cluster: %w; want a folder of signed engines", err)
	}
	var err error
	if a.dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return a, nil
}

// local returns the specification with the path of this machine's copy of the program, which
// is fetched if there is none.
func (a *AllowedEngines) local(ctx context.Context, spec engine.Spec, p wire.Program, from *source) (engine.Spec,
	error) {
	path, err := a.path(p)
	if errors.Is(err, errNotHere) {
		if err = a.fetch(ctx, p, from); err == nil {
			path, err = a.path(p)
		}
	}
	if err != nil {
		return spec, fmt.Errorf("%w %q with SHA-256 %.64s: %w", errNotAllowed, p.Name, p.SHA256, err)
	}
	return spec.WithProgram(path), nil
}

func (a *AllowedEngines) path(p wire.Program) (string, error) {
	if a == nil {
		a = &AllowedEngines{}
	}
	if p.Name != filepath.Base(p.Name) || strings.ContainsAny(p.Name, `/\:`) ||
		strings.HasSuffix(p.Name, wire.SignatureSuffix) {
		return "", errors.New("that is not a program's file name")
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

// unchanged reports whether a file is as it was when it was checked. It goes by size and
// time: someone who can forge these can run programs anyway.
func (c *checkedFile) unchanged() bool {
	info, err := os.Stat(c.path)
	return err == nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() &&
		info.ModTime().Equal(c.info.ModTime())
}

// find looks for a program among the allowed ones.
func (a *AllowedEngines) find(p wire.Program) (string, error) {
	if path, ok := a.engines[p]; ok {
		if now, err := wire.ProgramOf(path); err != nil || now != p {
			return "", errors.New("the file changed since its owner allowed it; to allow the new content, " +
				"start the worker again")
		}
		return path, nil
	}
	if a.cache != "" {
		if path, err := a.findFetched(p); err == nil || a.dir == "" {
			return path, err
		}
	}
	for other := range a.engines {
		if other.Name == p.Name && a.dir == "" {
			return "", fmt.Errorf("the allowed engine of that name has SHA-256 %s; the run and the worker need the "+
				"same file", other.SHA256)
		}
	}
	if a.dir == "" {
		return "", errors.New("to allow it, start the worker with --engine PATH, or with --trust LIST for engines " +
			"that those on the list signed")
	}
	path := filepath.Join(a.dir, p.Name)
	switch now, err := wire.ProgramOf(path); {
	case errors.Is(err, fs.ErrNotExist) && a.cache != "":
		return "", errNotHere
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the folder of --engines has no file of that name; put it there, with its %s",
			p.Name+wire.SignatureSuffix)
	case err != nil:
		return "", errors.New("cannot read the file of that name in the folder of --engines")
	case now != p:
		return "", fmt.Errorf("the file in the folder of --engines has SHA-256 %s; the run and the worker "+
			"need the same file", now.SHA256)
	}
	_, err := wire.Signer(path, p, a.trusted)
	return path, err
}

// Describe returns a line for each engine: whether it may be run, and why not.
func (a *AllowedEngines) Describe() (lines []string, err error) {
	for p := range a.engines {
		lines = append(lines,
			fmt.Sprintf("engine %s is allowed with its current content (SHA-256 %.12s)", p.Name, p.SHA256))
	}
	slices.Sort(lines)
	if a.cache != "" {
		lines = append(lines, a.describeFetching())
	}
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
			lines = append(lines, fmt.Sprintf("engine %s is not allowed: %v", p.Name, err))
		} else {
			lines = append(lines, fmt.Sprintf("engine %s is signed by %s (SHA-256 %.12s)", p.Name, who, p.SHA256))
		}
	}
	return lines, nil
}
