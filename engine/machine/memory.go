package machine

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Memory returns how much memory this process may use, in bytes: the machine's, or the lowest limit of its control
// groups, which a container has. It returns 0 where that is not known: on systems other than Linux.
func Memory() int64 { return memory(os.DirFS("/")) }

func memory(root fs.FS) int64 {
	data, _ := fs.ReadFile(root, "proc/meminfo")
	var kB int64
	if _, err := fmt.Fscanf(bytes.NewReader(data), "MemTotal: %d kB", &kB); err != nil {
		return 0
	}
	least := kB << 10
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for lines := bufio.NewScanner(bytes.NewReader(groups)); lines.Scan(); {
		// hierarchy:controllers:folder, without controllers in version 2. Inside a container the folder may be the host's,
		// and the limit is at the top.
		part := strings.SplitN(lines.Text(), ":", 3)
		if len(part) != 3 || part[1] != "" && part[1] != "memory" {
			continue
		}
		top, file := "sys/fs/cgroup", "memory.max"
		if part[1] != "" {
			top, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for dir := path.Clean("/" + part[2]); ; dir = path.Dir(dir) {
			text, _ := fs.ReadFile(root, path.Join(top, dir, file))
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
				least = min(least, limit)
			}
			if dir == "/" {
				break
			}
		}
	}
	return least
}
