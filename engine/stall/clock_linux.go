package stall

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bootTime returns the time since the machine was booted, suspension included. The call cannot block,
// and is hidden from Go's scheduler, whose monitor would wake up for it.
func bootTime() time.Duration {
	var t unix.Timespec
	_, _, err := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&t)), 0)
	if err != 0 {
		return wallTime() // kernels before 2.6.39
	}
	return time.Duration(t.Nano())
}
