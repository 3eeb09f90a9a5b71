//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// closedOutput reports whether a process was started with its standard output closed, as
// by >&- in a shell. Go then opens the null device for reading and writing in its place,
// where all output is lost without an error; >/dev/null opens it for writing only.
func closedOutput() bool {
	var out, null unix.Stat_t
	if unix.Fstat(int(os.Stdout.Fd()), &out) != nil || unix.Stat(os.DevNull, &null) != nil {
		return false
	}
	flags, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_GETFL, 0)
	return err == nil && out.Mode&unix.S_IFMT == unix.S_IFCHR && out.Rdev == null.Rdev && flags&unix.O_ACCMODE == unix.O_RDWR
}
