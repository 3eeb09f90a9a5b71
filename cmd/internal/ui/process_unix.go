//go:build unix

package ui

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// CloseOnExec keeps the descriptors that this process inherited from the engines that it starts. Go does that for files
// that it opens itself.
func CloseOnExec() {
	list, _ := os.ReadDir("/dev/fd")
	for _, e := range list {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// SetNice sets the niceness of this process. On Linux each thread has its own, and a new one
// inherits the starting thread's; elsewhere the process has one.
func SetNice(n int) error {
	if n < 0 || n > 19 {
		return errors.New("want 0 to 19")
	}
	if n == 0 {
		return nil
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return syscall.Setpriority(syscall.PRIO_PROCESS, 0, n)
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, n); err != nil && !errors.Is(err, syscall.ESRCH) {
			if errors.Is(err, syscall.EACCES) {
				return nil // its niceness is higher already
			}
			return err
		}
	}
	return nil
}

// ClosedOutput reports whether a process was started with its standard output closed, as
// by >&- in a shell. Go then opens the null device for reading and writing in its place,
// where all output is lost without an error; >/dev/null opens it for writing only.
func ClosedOutput() bool {
	var out, null unix.Stat_t
	if unix.Fstat(int(os.Stdout.Fd()), &out) != nil || unix.Stat(os.DevNull, &null) != nil {
		return false
	}
	flags, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_GETFL, 0)
	return err == nil && out.Mode&unix.S_IFMT == unix.S_IFCHR && out.Rdev == null.Rdev &&
		flags&unix.O_ACCMODE == unix.O_RDWR
}
