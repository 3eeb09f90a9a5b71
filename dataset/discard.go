package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// Restart drops the rows that an interrupted process left on disk, so that the next Append
// is row 0. It is for rows that cannot be produced again in the same order. Call it before
// the first Append.
func (w *Writer[R]) Restart() error {
	if w.err != nil || len(w.manifest.Shards) == 0 {
		return w.err
	}
	empty := *w.manifest
	empty.Shards, empty.Rows = nil, 0
	// First the manifest, then the files: a crash in between leaves unlisted shards, which
	// the next writer removes.
	if w.err = w.list(&empty); w.err == nil {
		w.err = w.removeUnlisted()
	}
	return w.err
}

// Discard closes the writer and removes what it wrote, including rows of an earlier,
// interrupted process. It is for input that turns out to be wrong, where resuming makes no
// sense. The folder is removed too if it is then empty.
func (w *Writer[R]) Discard() error {
	if w.lock == nil {
		return w.err
	}
	w.err = nil
	err := w.Restart()
	if err == nil {
		err = os.Remove(filepath.Join(w.dir, durable.ManifestName))
	}
	w.Close()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dataset: %w", err)
	}
	_ = os.Remove(w.dir) // fails if it holds anything else
	return nil
}
