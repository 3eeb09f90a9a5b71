//go:build linux

package uci

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

// A process whose parents have all ended is ended with the engine that it came from, and
// with no other. Children of this process that are not engines are left alone.
func TestStraysEndWithTheirEngine(t *testing.T) {
	other := exec.Command("/bin/sh", "-c", "read x; exit 5") // not an engine
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in := setup.Must(other.StdinPipe())
	setup.Check(t, other.Start())

	stays, leaves := openBad(t, "fork-orphan"), openBad(t, "fork-orphan")
	for _, c := range []*Client{stays, leaves} {
		setup.Check(t, c.NewGame(1))
	}
	mark := leaves.command.Args[1]
	if n := len(testengine.Processes(mark)); n != 2 {
		t.Errorf("%d processes, want the engine and its child", n)
	}
	if err := leaves.Close(); err != nil {
		t.Error(err)
	}
	testengine.NoneLeft(t, mark)
	if n := len(testengine.Processes(stays.command.Args[1])); n != 2 {
		t.Errorf("%d processes of the other engine, want 2", n)
	}

	in.Close()
	var exit *exec.ExitError
	if err := other.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 5 {
		t.Errorf("wait for a child that is not an engine: %v, want exit status 5", err)
	}
}

// The log has the last lines both ways and the error output, also after the engine ended.
func TestLog(t *testing.T) {
	c := openBad(t, "chatter,stderr,crash-later")
	_, err := playSome(t, c, 0)
	if !errors.Is(err, errEnded) {
		t.Fatal(err)
	}
	log := c.Log()
	for _, want := range []string{"> uci\n", "< uciok\n", "> go movetime 1\n", "< info string heard go\n",
		"last on its error output\n", "goroutine 1 [running]"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %q:\n%s", want, log)
		}
	}
	if len(log) > logSize+2*4096 {
		t.Errorf("the log has %d bytes", len(log))
	}
}

// The log is bounded, whatever an engine writes.
func TestLogIsBounded(t *testing.T) {
	c := openBad(t, "flood,long-line,long-bestmove")
	setup.Check(t, c.NewGame(1))
	if _, err := c.Search(t.Context(), board.NewGame(board.StartPosition()), searchLimits); err != nil {
		t.Fatal(err)
	}
	if n := cap(c.process.log.data); n > 3*logSize {
		t.Errorf("the log takes %d bytes", n)
	}
	if log := c.Log(); len(log) > logSize+2*4096 || !strings.Contains(log, " ... ") {
		t.Errorf("the log has %d bytes", len(log))
	}
}

// A pinned engine and its children run on one core; we, and engines started later, on all.
func TestPin(t *testing.T) {
	all := setup.Must(machine.AllowedCores())
	one, free := openBad(t, "fork"), openBad(t, "fork")
	core := all[len(all)-1]
	one.Pin(core)
	for _, c := range []*Client{one, free} {
		setup.Check(t, c.NewGame(1))
	}
	for c, want := range map[*Client]string{one: fmt.Sprint(core), free: allowedList(t, "/proc/self")} {
		for _, pid := range testengine.Processes(c.command.Args[1]) {
			if got := allowedList(t, fmt.Sprintf("/proc/%d", pid)); got != want {
				t.Errorf("a process of an engine may use cores %s, want %s", got, want)
			}
		}
	}
	if now, err := machine.AllowedCores(); err != nil || !slices.Equal(now, all) {
		t.Errorf("we may use %v, %v", now, err)
	}
	free.Pin(core) // it runs elsewhere: it is started again
	setup.Check(t, free.NewGame(1))
	list := testengine.Processes(free.command.Args[1])
	for _, pid := range list {
		if got := allowedList(t, fmt.Sprintf("/proc/%d", pid)); got != fmt.Sprint(core) {
			t.Errorf("pinned after its start a process may use cores %s, want %d", got, core)
		}
	}
	if len(list) == 0 {
		t.Error("pinned after its start an engine does not run")
	}
	good := openBad(t, "good")
	setup.Check(t, good.NewGame(1))
	before := good.process
	good.Pin(core) // it has no children: it moves
	if err := good.NewGame(1); err != nil || good.process != before {
		t.Errorf("pinned while it ran: started again %v, %v", good.process != before, err)
	}
	if got := allowedList(t, fmt.Sprintf("/proc/%d", before.pid)); got != fmt.Sprint(core) {
		t.Errorf("pinned while it ran it may use cores %s, want %d", got, core)
	}
	bad := openBad(t, "good")
	bad.Pin(1 << 20)
	if err := bad.Start(); err == nil ||
		!strings.Contains(err.Error(), "the program cannot be started: pinning to core 1048576") {
		t.Errorf("no such core: %v", err)
	}
}

// allowedList returns the cores that the process may use.
func allowedList(t *testing.T, process string) string {
	t.Helper()
	text := setup.Must(os.ReadFile(filepath.Join(process, "status")))
	_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:\t")
	list, _, _ := strings.Cut(rest, "\n")
	return list
}
