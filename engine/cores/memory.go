package cores

import (
	"fmt"
	"os"
)

// Memory returns the machine's memory in bytes, and 0 where that is not known: on systems
// other than Linux.
func Memory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	var kB int64
	if _, err := fmt.Fscanf(f, "MemTotal: %d kB", &kB); err != nil {
		return 0
	}
	return kB << 10
}
