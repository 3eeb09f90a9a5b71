package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/tuner/rows"
)

// cachePath names the archive of the task's features in dir: by the contents of the
// data, the evaluation, and the program that extracts, byte for byte, because nobody
// remembers to raise a version when a feature changes.
func (t *tuneTask) cachePath(dir string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("--cache: %w", err)
	}
	program, err := durable.SumFile(exe)
	if err != nil {
		return "", fmt.Errorf("--cache: %w", err)
	}
	if err := durable.MakeDir(dir); err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %d\n", program.SHA256, runtime.GOARCH, t.name, len(t.terms))
	for _, hash := range t.identity() {
		fmt.Fprintln(h, hash)
	}
	return filepath.Join(dir, "features-"+hex.EncodeToString(h.Sum(nil))[:16]+".cache"), nil
}

// cachedStore reads an archive. Where there is none, or a damaged one, the store is
// nil, and is to be built.
func cachedStore(ctx context.Context, path, disk string, stderr io.Writer) (*rows.Store, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := rows.ReadArchive(ctx, f, disk)
	if errors.Is(err, rows.ErrArchive) {
		fmt.Fprintf(stderr, "tune: %s: %v: the features are extracted again\n", path, err)
		return nil, nil
	}
	return s, err
}

// oldTemp is the age of an unfinished file that no process is still writing.
const oldTemp = 24 * time.Hour

func cacheStore(ctx context.Context, s *rows.Store, path string) error {
	if err := durable.RemoveOldTemps(filepath.Dir(path), oldTemp); err != nil {
		return err
	}
	f, err := durable.Create(path)
	if err != nil {
		return err
	}
	if err := s.Archive(ctx, f); err != nil {
		f.Abort()
		return err
	}
	_, err = f.Commit()
	return err
}
