package cores

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that a pinned thread starts is pinned too, and the thread is as before after its
// release.
func TestPin(t *testing.T) {
	all, err := Allowed()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	last := all[len(all)-1]
	release, err := Pin(last)
	if err != nil {
		t.Fatal(err)
	}
	now, err := Allowed()
	if err != nil || !slices.Equal(now, []int{last}) {
		t.Errorf("pinned to %v, %v; want %d", now, err, last)
	}
	status, err := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status").Output()
	if words := strings.Fields(string(status)); err != nil || len(words) != 2 || words[1] != strconv.Itoa(last) {
		t.Errorf("its process: %q, %v", status, err)
	}
	release()
	if now, err := Allowed(); err != nil || !slices.Equal(now, all) {
		t.Errorf("released: %v, %v; want %v", now, err, all)
	}
	if _, err := Pin(1 << 20); !errors.Is(err, unix.EINVAL) {
		t.Errorf("no such core: %v", err)
	}
}

func TestRunnable(t *testing.T) {
	if n, ok := runnable(); !ok || n < 0 {
		t.Errorf("%d, %v", n, ok)
	}
	for list, want := range map[string]int{"0": 1, "0-1\n": 2, "0-3,6,8-9": 7, "": 0, "x": 0, "3-1": 0} {
		if n := countList(list); n != want {
			t.Errorf("%q: %d cores, want %d", list, n, want)
		}
	}
}
