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

// lockPatience is how long TryLock keeps trying: a listing of runs may hold a
// lock for an instant while it looks.
const lockPatience = 300 * time.Millisecond

// Lock is held on a file from TryLock to Unlock, or until the process ends in
// whatever way: the operating system lets go of it.
type Lock struct{ file *os.File }

// TryLock takes the lock that the file at path stands for, creating the file.
// It does not wait for another holder: it returns ErrLocked (wrapped).
func TryLock(path string) (*Lock, error) {
	deadline := time.Now().Add(lockPatience)
	for {
		l, err := tryLockOnce(path)
		if l != nil {
			return l, nil
		}
		if (err == nil || errors.Is(err, ErrLocked)) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err == nil {
			err = ErrLocked // the file kept being replaced: somebody is at it
		}
		return nil, fmt.Errorf("durable: locking %s: %w", path, err)
	}
}

// tryLockOnce returns nil, nil if the file it locked had been removed by its
// previous holder meanwhile, and so is not the file that others would lock.
func tryLockOnce(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := flock(f, false); err != nil {
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
	return &Lock{file: f}, nil
}

// Unlock lets go of the lock and removes its file.
func (l *Lock) Unlock() {
	if l == nil || l.file == nil {
		return
	}
	os.Remove(l.file.Name()) // before letting go, so that nobody locks a file about to vanish
	l.file.Close()
	l.file = nil
}

// locked reports whether somebody holds the lock of the file at path.
func locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(f, true), ErrLocked)
}
