//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// processorTime returns the processor time of this process and of its ended child
// processes, and the largest memory of this process in bytes; zeros if the system does not
// report them.
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
