package machine

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assay-chess/assay/internal/setup"
)

// A process that a pinned thread starts is pinned too, and the thread is as before after its
// release.
func TestPin(t *testing.T) {
	all, err := AllowedCores()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	last := all[len(all)-1]
	release := setup.Must(Pin(last))
	now, err := AllowedCores()
	if err != nil || !slices.Equal(now, []int{last}) {
		t.Errorf("pinned to %v, %v; want %d", now, err, last)
	}
	status, err := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status").Output()
	if words := strings.Fields(string(status)); err != nil || len(words) != 2 || words[1] != strconv.Itoa(last) {
		t.Errorf("its process: %q, %v", status, err)
	}
	release()
	if now, err := AllowedCores(); err != nil || !slices.Equal(now, all) {
		t.Errorf("released: %v, %v; want %v", now, err, all)
	}
	if _, err := Pin(1 << 20); !errors.Is(err, unix.EINVAL) {
		t.Errorf("no such core: %v", err)
	}
}

// No two runs have a core in common; a core is free again after its release.
func TestClaim(t *testing.T) {
	all := setup.Must(AllowedCores())
	one, release, err := Claim(1)
	if errors.Is(err, errTaken) {
		t.Skip("other runs have claimed every core")
	}
	if err != nil || len(one) != 1 || !slices.Contains(all, one[0]) {
		t.Fatalf("%v, %v; want one of %v", one, err, all)
	}
	if list, _, err := Claim(len(all)); !errors.Is(err, errTaken) {
		t.Errorf("%v, %v; %v are claimed", list, err, one)
	}
	release()
	again, release, err := Claim(1)
	if err != nil || len(again) != 1 {
		t.Fatal(again, err)
	}
	release()
	if list, _, err := Claim(len(all) + 1); err == nil || errors.Is(err, errTaken) {
		t.Errorf("%v of %d cores, %v", list, len(all), err)
	}
}

// A running process is pinned with its threads, unless it has children.
func TestPinProcess(t *testing.T) {
	all := setup.Must(AllowedCores())
	last := all[len(all)-1]
	for script, want := range map[string]bool{"echo; exec sleep 60": true, "sleep 60 & echo; wait": false} {
		cmd := exec.Command("sh", "-c", script)
		cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
		out := setup.Must(cmd.StdoutPipe())
		setup.Check(t, cmd.Start())
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		if got := PinProcess(cmd.Process.Pid, last); got != want {
			t.Errorf("%s: pinned %v, want %v", script, got, want)
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(cmd.Process.Pid, &set); err != nil ||
			want && (set.Count() != 1 || !set.IsSet(last)) {
			t.Errorf("%s: may use %d cores, %v; want %d alone", script, set.Count(), err, last)
		}
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		_ = cmd.Wait()
	}
	if PinProcess(1<<30, last) {
		t.Error("a process that there is not was pinned")
	}
}

func TestRunnable(t *testing.T) {
	if n, ok := runnable(); !ok || n < 0 {
		t.Errorf("%d, %v", n, ok)
	}
	if n := countCores([]byte("cpu  3 4\ncpu0 1 2\ncpu1 2 2\nintr 5 6\n")); n != 2 {
		t.Errorf("%d cores, want 2", n)
	}
}
