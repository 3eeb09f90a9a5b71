package processtest

import (
	"bytes"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assay-chess/assay/cmd/internal/app"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
)

// TestMain puts the test binary itself into the path as assay, so that nothing is built to
// start a process.
func TestMain(m *testing.M) {
	if signal.Ignored(os.Interrupt) { // as in the background of a script: programs that tests start would ignore it too
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	testscript.Main(testengine.Tests{M: m}, map[string]func(){"assay": app.Main})
}

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// call runs one command line in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	// A command that leaves the memory to engines must not make the collector of garbage hurry in later tests.
	defer debug.SetMemoryLimit(math.MaxInt64)
	var out, errs bytes.Buffer
	code = app.Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// quotedFields splits a command line at spaces outside single quotes.
func quotedFields(text string) (list []string) {
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}
