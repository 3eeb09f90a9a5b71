package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

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
