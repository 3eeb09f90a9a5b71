//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// processorTime returns how much time of the processor this process took, how much the
// processes did that it started and that have ended, and the most memory that this one
// had, in bytes; zeros where the system does not say.
func processorTime() (own, children time.Duration, memory int64) {
	var self, theirs syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &self) != nil || syscall.Getrusage(syscall.RUSAGE_CHILDREN, &theirs) != nil {
		return 0, 0, 0
	}
	memory = int64(self.Maxrss)
	if runtime.GOOS != "darwin" {
		memory *= 1024
	}
	spent := func(r *syscall.Rusage) time.Duration {
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return spent(&self), spent(&theirs), memory
}
