package scripttest

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assay-chess/assay/cmd/internal/app"
	"github.com/assay-chess/assay/internal/setup"
)

// update rewrites golden files: go test ./cmd/internal/app/... -run 'Overview|Errors|Scripts' -update
var update = flag.Bool("update", false, "rewrite the golden files inside the scripts")

func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "assay" {
		app.Main()
	}
	m.Run()
}

// TestScripts runs the command-line tests of testdata/script. A line with assay runs in this process, one with exec
// assay, or a player uci:assay, in another.
func TestScripts(t *testing.T) {
	here, exe := setup.Must(os.Getwd()), setup.Must(os.Executable())
	bin := t.TempDir()
	assay := filepath.Join(bin, "assay")
	if strings.HasSuffix(exe, ".exe") {
		assay += ".exe"
	}
	if os.Link(exe, assay) != nil {
		setup.Check(t, os.WriteFile(assay, setup.Must(os.ReadFile(exe)), 0o777))
	}
	t.Cleanup(func() { _ = os.Chdir(here) })
	testscript.Run(t, testscript.Params{Dir: filepath.Join(here, "testdata", "script"), UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"assay": run},
		Setup: func(env *testscript.Env) error {
			env.Setenv("SYZYGY", filepath.Join(here, "../../../../engine/syzygy/testdata"))
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return nil
		}})
}

var running sync.Mutex // the folder and the environment are the process's

// run is the command assay of scripts: to start a process takes longer than most commands.
func run(ts *testscript.TestScript, neg bool, args []string) {
	running.Lock()
	defer running.Unlock()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "ASSAY_WORKER_KEYS"} {
		os.Setenv(name, ts.Getenv(name))
	}
	defer debug.SetMemoryLimit(math.MaxInt64) // a command that leaves the memory to engines lowers it
	if code := app.Run(args, strings.NewReader(""), ts.Stdout(), ts.Stderr()); (code != 0) != neg {
		ts.Fatalf("assay %q ends with %d", args, code)
	}
}
