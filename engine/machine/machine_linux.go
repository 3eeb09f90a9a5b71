package machine

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AllowedCores returns the cores that this process may use, in ascending order.
func AllowedCores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("processor cores of this process: %w", err)
	}
	var list []int
	for core := range len(set) * 64 { // more than a set can have on 32-bit systems: IsSet says no
		if set.IsSet(core) {
			list = append(list, core)
		}
	}
	return list, nil
}

// errTaken says that other runs have claimed too many of the cores.
var errTaken = errors.New("other runs have pinned games to their cores")

// Claim claims n of the cores that this process may use, until release is called or the process
// ends, so that two runs on one machine do not pin their games to the same cores. A claim is a socket
// of the core's name, which belongs to one process at a time and to no file; containers with networks of
// their own do not see each other's claims. The error wraps errTaken if there are enough cores but not
// enough free ones.
func Claim(n int) (list []int, release func(), err error) {
	allowed, err := AllowedCores()
	if err != nil {
		return nil, nil, err
	}
	if len(allowed) < n {
		return nil, nil, fmt.Errorf("%d games at once need as many cores, and there are %d", n, len(allowed))
	}
	var claims []net.Listener
	release = func() {
		for _, c := range claims {
			_ = c.Close()
		}
	}
	for _, core := range allowed {
		if len(list) == n {
			break
		}
		switch c, err := net.Listen("unix", fmt.Sprintf("@assay-core-%d", core)); {
		case err == nil:
			claims, list = append(claims, c), append(list, core)
		case !errors.Is(err, unix.EADDRINUSE):
			release()
			return nil, nil, fmt.Errorf("claiming core %d: %w", core, err)
		}
	}
	if len(list) < n {
		release()
		return nil, nil, fmt.Errorf("%w: %d of %d cores are free", errTaken, len(list), len(allowed))
	}
	return list, release, nil
}

// PinProcess pins all threads of a running process to the core. It returns false if that cannot be
// done, or if the process has children, which it does not pin.
func PinProcess(pid, core int) bool {
	var set unix.CPUSet
	set.Set(core)
	folder := fmt.Sprintf("/proc/%d/task", pid)
	for before := -1; ; { // until there is no thread that was started meanwhile
		threads, err := os.ReadDir(folder)
		if err != nil || len(threads) == 0 {
			return false
		}
		for _, t := range threads {
			children, err := os.ReadFile(filepath.Join(folder, t.Name(), "children"))
			tid, errTid := strconv.Atoi(t.Name())
			if err != nil || errTid != nil || len(children) > 0 || unix.SchedSetaffinity(tid, &set) != nil {
				return false
			}
		}
		if len(threads) == before {
			return true
		}
		before = len(threads)
	}
}

// Pin locks the calling goroutine to its thread and pins the thread, and the processes that it
// starts, to the core. Release undoes both; the processes stay pinned.
func Pin(core int) (release func(), err error) {
	var before, set unix.CPUSet
	set.Set(core)
	runtime.LockOSThread()
	if err = unix.SchedGetaffinity(0, &before); err == nil {
		err = unix.SchedSetaffinity(0, &set)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("pinning to core %d: %w", core, err)
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread() // else the thread ends with its goroutine
		}
	}, nil
}

// machineCores returns the number of cores of the machine, or 0 if this process may not use all
// of them: then the load of the machine says nothing about it.
func machineCores() int {
	stat, err := os.ReadFile("/proc/stat")
	allowed, errAllowed := AllowedCores()
	if err != nil || errAllowed != nil || countCores(stat) != len(allowed) {
		return 0
	}
	return len(allowed)
}

// countCores counts the lines of single cores in /proc/stat. It has one for each core that is online.
func countCores(stat []byte) int { return bytes.Count(stat, []byte("\ncpu")) }

// runnable returns the number of threads that run or wait for a core, without the calling one.
func runnable() (int, bool) {
	text, err := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 1/80 11206
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text)
	if len(fields) < 4 {
		return 0, false
	}
	count, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, err := strconv.Atoi(string(count))
	return n - 1, err == nil && n > 0
}

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
