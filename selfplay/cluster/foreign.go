package cluster

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/engine/roster"
)

// foreign is portable for a foreign engine: workers run their own copy of the program,
// if their owners allowed it.
func foreign(spec string) (player, error) {
	path, _, err := roster.Command(spec)
	if err != nil {
		return player{}, err
	}
	sum, err := store.SumFile(path)
	if err != nil {
		return player{}, err
	}
	return player{spec: spec, program: Program{Name: filepath.Base(path), SHA256: sum.SHA256}}, nil
}

// Allowed are the foreign engines that a worker's owner lets it run: paths by SHA-256.
type Allowed map[string]string

// Allow makes an Allowed of programs. What they contain now is what is allowed.
func Allow(paths []string) (Allowed, error) {
	a := Allowed{}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		sum, err := store.SumFile(path)
		if err != nil {
			return nil, err
		}
		a[sum.SHA256] = path
	}
	return a, nil
}

// local returns the specification with this machine's copy of the program. What it runs
// was allowed by name and content, and has that content still.
func (a Allowed) local(spec string, p Program) (string, error) {
	path, ok := a[p.SHA256]
	if !ok || filepath.Base(path) != p.Name {
		names := slices.Collect(maps.Values(a))
		slices.Sort(names)
		return "", fmt.Errorf("cluster: the engine %s with the SHA-256 %s is not allowed here (allowed are: %s); its owner allows it with assay work --engine PATH", p.Name, p.SHA256, strings.Join(names, ", "))
	}
	if sum, err := store.SumFile(path); err != nil || sum.SHA256 != p.SHA256 {
		return "", fmt.Errorf("cluster: the engine %s is no longer what was allowed", path)
	}
	_, with, err := roster.Command(spec)
	if err != nil {
		return "", err
	}
	return with(path)
}
