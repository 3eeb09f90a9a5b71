package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Maximum sizes of files that are read, by kind, in bytes. A file with holes has a large size and takes no room on a
// disk, so that a folder of someone else may hold any size.
const (
	MaxJSON    = 64 << 20 // configurations, results, lists
	MaxShard   = 1 << 30  // a shard is read as a whole
	MaxJournal = 16 << 30 // a journal is read line by line
)

// ErrUnsafe says that a file is not read: it is no regular file, larger than files of its kind are, or a link out of
// the folder of a run. A file that is too large is ErrDamaged too.
var ErrUnsafe = errors.New("not read for safety")

// Open opens a file of at most max bytes for reading. It does not open what is no regular file: a FIFO waits for
// a writer, a device may have no end, or act when it is opened. The error is then ErrUnsafe (wrapped).
func Open(path string, max int64) (*os.File, error) { return openRegular(path, os.O_RDONLY, max) }

// openRegular is Open with flags of os.OpenFile.
func openRegular(path string, flag int, max int64) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := checkInfo(path, info, max); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flag|nonblock, 0o666)
	if err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	info, err := f.Stat() // another file may have taken its place
	if err == nil {
		err = checkInfo(path, info, max)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkInfo(path string, info fs.FileInfo, max int64) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("durable: %s: %w: it is %s, and not a regular file", path, ErrUnsafe, kindOf(info.Mode()))
	case info.Size() > max:
		return fmt.Errorf("durable: %s: %w: it has %d bytes, and files of its kind have at most %d: %w", path, ErrUnsafe,
			info.Size(), max, ErrDamaged)
	}
	return nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "of an unknown kind"
}

// ReadFile reads a file as Open opens it.
func ReadFile(path string, max int64) ([]byte, error) {
	f, err := Open(path, max)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max { // it has grown
		err = fmt.Errorf("%w: it has more than %d bytes", ErrUnsafe, max)
	}
	if err != nil {
		return nil, fmt.Errorf("durable: %s: %w", path, err)
	}
	return data, nil
}

// CheckFolder looks through the folder of a run, which someone else may have made. The error is ErrUnsafe (wrapped) if
// something in it is neither a folder nor a regular file, or is a link out of the folder, with which its author could
// show any file of the reader. The folder itself may be a link.
func CheckFolder(dir string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("durable: %w", err)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // deleted in the meantime; or its reader reports it
		}
		return CheckEntry(root, path, d)
	})
}

// CheckEntry is CheckFolder for one entry below root, which is no link.
func CheckEntry(root, path string, d fs.DirEntry) error {
	m := d.Type()
	if m&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil // leads nowhere
		}
		if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("durable: %s: %w: it is a link out of the run's folder, which is not followed", path,
				ErrUnsafe)
		}
		return nil // what it leads to is an entry too
	}
	if !m.IsDir() && !m.IsRegular() {
		return fmt.Errorf("durable: %s: %w: it is %s, and not a regular file", path, ErrUnsafe, kindOf(m))
	}
	return nil
}
