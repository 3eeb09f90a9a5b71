// Package testengine builds the engines beside it, for tests of other packages.
package testengine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Folder is for engines, and other files, that are made once for all tests of a package. Its name has a blank, which
// commands must quote.
var Folder = sync.OnceValue(func() string {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), "assay engines*"))
	for _, dir := range old { // of tests that were killed; tests that run now have folders younger than a day
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir) // another user's stays
		}
	}
	dir, err := os.MkdirTemp("", "assay engines")
	if err != nil {
		panic(err)
	}
	return dir
})

var building sync.Mutex

// Build builds an engine, once, and returns its path.
func Build(tb testing.TB, name string) string {
	tb.Helper()
	building.Lock()
	defer building.Unlock()
	path := filepath.Join(Folder(), name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	program := "github.com/assay-chess/assay/engine/uci/testdata/" + name
	if out, err := exec.Command("go", "build", "-o", path, program).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

// Processes returns the processes that have the mark among their arguments; none where the system does not list them.
func Processes(mark string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), mark) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// NoneLeft waits until no process has the mark among its arguments.
func NoneLeft(tb testing.TB, mark string) {
	tb.Helper()
	for until := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		left := Processes(mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(until) {
			tb.Fatalf("processes %v do not end", left)
		}
	}
}

// Tests runs the tests of a package, and removes what they built.
type Tests struct{ *testing.M }

// Run is called by testscript.Main.
func (t Tests) Run() int {
	defer os.RemoveAll(Folder())
	return t.M.Run()
}
