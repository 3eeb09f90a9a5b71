package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts the test binary itself into the path as assay, so that nothing is built to
// start a process.
func TestMain(m *testing.M) {
	testscript.Main(testsThatBuild{m}, map[string]func(){"assay": main})
}

// testsThatBuild removes the engines that tests built.
type testsThatBuild struct{ *testing.M }

func (m testsThatBuild) Run() int {
	defer os.RemoveAll(builtEngines())
	return m.M.Run()
}

// builtEngines is a folder for engines that are built once for all tests. Its name has a
// blank, which commands must quote.
var builtEngines = sync.OnceValue(func() string {
	removeOldEngines()
	dir, err := os.MkdirTemp("", "assay engines")
	if err != nil {
		panic(err)
	}
	return dir
})

// removeOldEngines removes the folders of tests that were killed. Those of tests that run now are not a day old.
func removeOldEngines() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), "assay engines*"))
	for _, dir := range folders {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir) // another user's stays
		}
	}
}

var builtOnce sync.Mutex

// buildEngine builds an engine of engine/uci/testdata, once, and returns its path.
func buildEngine(tb testing.TB, name string) string {
	tb.Helper()
	builtOnce.Lock()
	defer builtOnce.Unlock()
	path := filepath.Join(builtEngines(), name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if out, err := exec.Command("go", "build", "-o", path, "../../engine/uci/testdata/"+name).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestScripts runs the command-line tests of testdata/script. With -update, the golden
// files inside the scripts are rewritten.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
	})
}
