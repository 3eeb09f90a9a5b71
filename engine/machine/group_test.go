//go:build unix

package machine

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// What a program started ends with it.
func TestChildrenEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := Command(ctx, "sh", "-c", "sleep 100 & echo $!; wait")
	out := setup.Must(cmd.StdoutPipe())
	setup.Check(t, cmd.Start())
	line := setup.Must(bufio.NewReader(out).ReadString('\n'))
	child := setup.Must(strconv.Atoi(strings.TrimSpace(line)))
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("the program ended by itself")
	}
	for until := time.Now().Add(20 * time.Second); running(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the child still runs")
		}
	}
}

// running reports whether a process runs, and is not only waiting to be reaped.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
