package scripttest

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assay-chess/assay/cmd/internal/app"
	"github.com/assay-chess/assay/internal/setup"
)

// update rewrites golden files: go test ./cmd/internal/app/... -run 'Overview|Errors|Scripts' -update
var update = flag.Bool("update", false, "rewrite the golden files inside the scripts")

// TestMain puts the test binary itself into the path as assay.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assay": app.Main})
}

// TestScripts runs the command-line tests of testdata/script.
func TestScripts(t *testing.T) {
	tables := setup.Must(filepath.Abs("../../../../engine/syzygy/testdata"))
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SYZYGY", tables)
			return nil
		}})
}
