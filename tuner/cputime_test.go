//go:build unix

package tuner

import "golang.org/x/sys/unix"

// cpuSeconds returns the processor time that this process has taken.
func cpuSeconds() float64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
