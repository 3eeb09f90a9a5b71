package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// Restart drops the rows that an interrupted writing left on disk: the next row to
// Append is the first. It is for rows that cannot be made again in the same order.
// No row may have been appended yet.
func (w *Writer[R]) Restart() error {
	if w.err != nil || len(w.manifest.Shards) == 0 {
		return w.err
	}
	empty := *w.manifest
	empty.Shards, empty.Rows = nil, 0
	// First the list, then the files: a crash in between leaves unlisted shards, which
	// the next writer removes.
	if w.err = w.list(&empty); w.err == nil {
		w.err = w.removeUnlisted()
	}
	return w.err
}

// Discard closes the writer and removes what it wrote, the rows of an earlier
// interrupted writing included. It is for input that turns out to be wrong: to go on
// with it would make no sense. The folder goes too if it is empty then.
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
	_ = os.Remove(w.dir) // it stays where it holds anything else
	return nil
}
