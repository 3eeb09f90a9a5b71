package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bound reports whether the run or data set in a folder holds anything that its configuration
// decided: a line of a journal, a row, a result, weights. A run that failed before that can be
// started again with another configuration. Its events, empty data sets and files whose names match a pattern of loose
// do not count; neither does a folder that is not there.
func Bound(dir string, loose []string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		bound := false
		switch info, err := e.Info(); {
		case err != nil:
			return false, err
		case e.IsDir():
			bound, err = Bound(path, loose)
			if err != nil {
				return false, err
			}
		case e.Name() == ManifestName:
			m, err := LoadManifest(dir)
			bound = err != nil || !m.Empty() // a damaged one is for its reader to report
		case slices.Contains([]string{RunConfigName, RunInfoName, RunEventsName}, e.Name()):
		case slices.ContainsFunc(loose, func(p string) bool { ok, _ := filepath.Match(p, e.Name()); return ok }):
		case strings.HasSuffix(path, ".arrow"):
			// The manifest says whether it counts.
		default:
			bound = info.Size() > 0
		}
		if bound {
			return true, nil
		}
	}
	return false, nil
}

// Empty reports whether a data set has started but holds no row.
func (m *Manifest) Empty() bool { return !m.Complete && m.Rows == 0 && len(m.Shards) == 0 }
