package stall

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime returns the time since the machine was booted, suspension included.
func bootTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return wallTime() // kernels before 2.6.39
	}
	return time.Duration(t.Nano())
}
