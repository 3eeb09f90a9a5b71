//go:build linux

package uci

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/machine"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

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
