package machine

import (
	"testing"
	"testing/fstest"
)

func TestMemory(t *testing.T) {
	const host = "MemTotal:       16384000 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no proc":  {nil, 0},
		"no group": {map[string]string{"proc/meminfo": host}, 16384000 << 10},
		"no limit": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/user\n",
			"sys/fs/cgroup/user/memory.max": "max\n"}, 16384000 << 10},
		"container": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "2147483648\n"}, 2 << 30},
		"folder of the host": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/kube/pod1\n",
			"sys/fs/cgroup/memory.max": "2147483648\n"}, 2 << 30},
		"a group above": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/slice/unit\n",
			"sys/fs/cgroup/slice/unit/memory.max": "4294967296\n", "sys/fs/cgroup/slice/memory.max": "1073741824\n"}, 1 << 30},
		"version 1": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "5:cpu:/a\n4:memory:/docker/1\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		"version 1 without a limit": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16384000 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for file, text := range c.files {
				files[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := memory(files); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
