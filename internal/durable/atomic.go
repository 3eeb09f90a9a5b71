// Package durable writes files so that a kill, a full disk or a power cut leaves either the
// old state or the new one, and so that damage is noticed before the data are used.
//
//   - WriteFile and Create replace whole files atomically.
//   - A Manifest lists the shards of a data set with their sizes and SHA-256,
//     and carries a checksum of its own.
//   - A Journal is an append-only file of JSON lines, each with a checksum. An
//     incomplete last line, left by a crash, is dropped when the journal is opened.
//   - A Run is a folder with the output of a long command, its configuration and,
//     once complete, its result. A lock keeps a second process out. Until it has written a
//     row it can be started again with another configuration: see Bound.
//
// It does not know chess, Arrow or the meaning of the files, and it keeps no state that is
// not also on disk. Times appear only in journals and in run.json, never in a manifest:
// equal inputs give equal manifests.
//
// No promise of stability.
//
// Start reading at WriteFile, then Manifest and OpenRun.
package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrDamaged is wrapped by every error that says that the content of a file is not what was
// written: a wrong size, a wrong checksum, a line that does not parse.
var ErrDamaged = errors.New("damaged")

// tempSuffix ends the name of every file that is not finished yet.
const tempSuffix = ".tmp"

// SumBytes returns the SHA-256 of data: 64 lowercase hex digits.
func SumBytes(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// SumFile reads a file and returns its SHA-256, as SumBytes does.
func SumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// WriteFile replaces the file at path by data, or leaves it as it was: it writes and syncs
// a temporary file in the same directory, then renames it. The directory is synced too, so
// that the file survives a power cut once WriteFile has returned. Errors name path.
func WriteFile(path string, data []byte) error {
	return writeFile(path, data, func(*os.File) error { return nil })
}

// WriteProgram is WriteFile for a program, which only this user may run. Who starts it at once may find it busy.
func WriteProgram(path string, data []byte) error {
	return writeFile(path, data, func(f *os.File) error { return f.Chmod(0o500) })
}

// WriteJSON is WriteFile for a value as indented JSON, which ends with a newline.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, append(data, '\n'))
}

// ReplaceFile is WriteFile for a file that exists: it keeps the permissions, and writes the
// file that a symbolic link leads to.
func ReplaceFile(path string, data []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return writeFile(path, data, func(f *os.File) error { return f.Chmod(info.Mode().Perm()) })
}

func writeFile(path string, data []byte, prepare func(*os.File) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err := prepare(f.file); err != nil {
		f.Abort()
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// File is a file that is being written. It gets its name only with Commit.
type File struct {
	path string // the name it will have
	file *os.File
	size int64
	err  error // first failure; sticky, because a failed sync cannot be repeated
}

// Create starts a file that Commit will put at path, replacing an existing one. The
// directory must exist. Exactly one of Commit and Abort must follow.
func Create(path string) (*File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		// The process id keeps two programs apart, the counter two goroutines.
		name := fmt.Sprintf("%s.%s.%d-%d%s", dir, base, os.Getpid(), try, tempSuffix)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 10000 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", path, err)
		}
		return &File{path: path, file: f}, nil
	}
}

// Name returns the path that the file will have after Commit.
func (f *File) Name() string { return f.path }

// Write appends p. After an error the file can only be aborted.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	if err != nil {
		f.err = fmt.Errorf("writing %s: %w", f.path, err)
	}
	return n, f.err
}

// Commit syncs the file and renames it to its final name. After an error the old file, if
// there was one, is still in place, and the temporary file is gone.
func (f *File) Commit() error {
	if f.err == nil {
		if err := f.file.Sync(); err != nil {
			f.err = fmt.Errorf("syncing %s: %w", f.path, err)
		}
	}
	if err := f.file.Close(); err != nil && f.err == nil {
		f.err = fmt.Errorf("closing %s: %w", f.path, err)
	}
	if f.err == nil {
		if err := os.Rename(f.file.Name(), f.path); err != nil {
			f.err = fmt.Errorf("naming %s: %w", f.path, err)
		}
	}
	if f.err != nil {
		os.Remove(f.file.Name())
		return f.err
	}
	return SyncDir(filepath.Dir(f.path))
}

// Abort removes the temporary file.
func (f *File) Abort() {
	f.file.Close()
	os.Remove(f.file.Name())
}

// RemoveTemps deletes the unfinished files that an earlier process left in dir.
// Call it only while holding the folder's lock.
func RemoveTemps(dir string) error { return removeTemps(dir, "", 0) }

// RemoveTempsOf deletes the unfinished files at path, as RemoveTemps does in a folder.
// Call it only while holding a lock on the file.
func RemoveTempsOf(path string) error {
	return removeTemps(filepath.Dir(path), filepath.Base(path)+".", 0)
}

// RemoveOldTemps deletes the unfinished files in dir that killed processes left: those last
// written longer ago than any process pauses. It is for folders without a lock, which several
// processes write.
func RemoveOldTemps(dir string, age time.Duration) error { return removeTemps(dir, "", age) }

// removeTemps deletes the unfinished files in dir whose name begins with a dot and prefix. With an
// age, it deletes those that are older, and another process may be faster.
func removeTemps(dir, prefix string, age time.Duration) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), "."+prefix)
		ours = ours && strings.HasSuffix(e.Name(), tempSuffix)
		if prefix != "" && strings.Trim(strings.TrimSuffix(rest, tempSuffix), "0123456789-") != "" {
			ours = false // of a.csv.zst, not of a.csv
		}
		if !ours || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if age == 0 {
			err = errors.Join(err, os.Remove(path))
		} else if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.Remove(path)
		}
	}
	return err
}

// MakeDir creates dir and its missing parents, and syncs each parent that gained
// an entry, so that a file committed into dir is not lost with the directory.
func MakeDir(dir string) error {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := MakeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(filepath.Dir(dir))
}

// ErrLocked says that another process (or another part of this one) holds a lock.
var ErrLocked = errors.New("in use by another process")

// lockPatience is how long TryLock keeps trying: List may hold a lock for an instant.
const lockPatience = 300 * time.Millisecond

// Lock is held on a file from TryLock to Unlock, or until the process ends for any reason:
// the operating system then releases it.
type Lock struct {
	file   *os.File
	shared bool
}

// TryLock locks the file at path, creating it. It does not wait for another holder: it
// returns ErrLocked (wrapped).
func TryLock(path string) (*Lock, error) { return tryLock(path, false) }

// TrySharedLock is TryLock for a lock that many may hold at once, but not beside one of
// TryLock.
func TrySharedLock(path string) (*Lock, error) { return tryLock(path, true) }

func tryLock(path string, shared bool) (*Lock, error) {
	deadline := time.Now().Add(lockPatience)
	for {
		l, err := tryLockOnce(path, shared)
		if l != nil {
			return l, nil
		}
		if (err == nil || errors.Is(err, ErrLocked)) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err == nil {
			err = ErrLocked // the file was replaced each time: another process is using it
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
}

// tryLockOnce returns nil, nil if the previous holder removed the file in the meantime:
// others would lock a new file.
func tryLockOnce(path string, shared bool) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := flock(f, shared); err != nil {
		f.Close()
		return nil, err
	}
	mine, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(mine, now) {
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, nil
	}
	return &Lock{file: f, shared: shared}, nil
}

// Unlock releases the lock. It removes the file, unless the lock is shared: others may hold it.
func (l *Lock) Unlock() {
	if l == nil || l.file == nil {
		return
	}
	if !l.shared {
		os.Remove(l.file.Name()) // before the release, so that no process locks a file that is about to vanish
	}
	l.file.Close()
	l.file = nil
}

// locked reports whether the file at path is locked.
func locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(f, true), ErrLocked)
}
