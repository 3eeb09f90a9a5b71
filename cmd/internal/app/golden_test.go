package app

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

const (
	exitDone   = ui.ExitDone
	exitFailed = ui.ExitFailed
	exitUsage  = ui.ExitUsage
)

// update rewrites golden files: go test ./cmd/internal/app/... -run 'Overview|Errors|Scripts' -update
var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// TestMain puts the test binary itself into the path as assay.
func TestMain(m *testing.M) {
	testscript.Main(testengine.Tests{M: m}, map[string]func(){"assay": Main})
}

// TestOverview compares the help of the root, the list of all commands, with testdata/overview.txt.
func TestOverview(t *testing.T) {
	code, stdout, stderr := call(t, "--help")
	if code != exitDone || stderr != "" {
		t.Errorf("--help: exit %d, stderr %q", code, stderr)
	}
	golden(t, filepath.Join("testdata", "overview.txt"), stdout)
}

// allCommands returns the command and all commands below it.
func allCommands(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		list = append(list, allCommands(child)...)
	}
	return list
}

// golden compares text with a file, or writes the file with -update.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		setup.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
		setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if text == string(want) {
		return
	}
	got, old := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	line := 0
	for line < min(len(got), len(old))-1 && got[line] == old[line] {
		line++
	}
	t.Errorf("%s differs from line %d on:\n got %s\nwant %s\nIf the new text is right, run the test with -update.", path,
		line+1, got[line], old[line])
}

// TestErrors runs the command lines of testdata/errors.txt, in an empty folder, and compares the
// first line that each prints. With -update it rewrites the answers: a new line that begins with
// "$ assay" is enough to add a case.
func TestErrors(t *testing.T) {
	path := filepath.Join("testdata", "errors.txt")
	text := setup.Must(os.ReadFile(path))
	path = setup.Must(filepath.Abs(path))
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	var out bytes.Buffer
	var called []string
	inAnswer := false
	for line := range strings.Lines(string(text)) {
		args, isCall := strings.CutPrefix(strings.TrimSpace(line), "$ assay ")
		switch {
		case isCall:
			inAnswer = true
			called = append(called, args)
			code, stdout, stderr := call(t, setup.Must(quote.Split(args))...)
			first, _, _ := strings.Cut(strings.ReplaceAll(stderr, dir, "$WORK"), "\n")
			fmt.Fprintf(&out, "$ assay %s\n%s\n", args, first)
			if code == exitDone || stdout != "" {
				t.Errorf("assay %s: exit %d, stdout %.200q; want an error", args, code, stdout)
			}
			// The last line of a usage error points to the help.
			if usage := strings.Contains(stderr, "\nSee 'assay "); usage != (code == exitUsage) {
				t.Errorf("assay %s: exit %d with %q", args, code, stderr)
			}
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			inAnswer = false
			out.WriteString(line)
		case !inAnswer:
			t.Errorf("%s: what is %q?", path, line)
		}
	}
	golden(t, path, out.String())
	for _, cmd := range allCommands(newRootCommand()) {
		name := strings.TrimPrefix(cmd.CommandPath(), "assay ")
		if !slices.ContainsFunc(called, func(args string) bool { return strings.HasPrefix(args+" ", name+" ") }) &&
			cmd.HasParent() {
			t.Errorf("%s: no bad command line of %s", path, cmd.CommandPath())
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("command lines that failed left %v", left)
	}
}

func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	// A command that leaves the memory to engines must not make the collector of garbage hurry in later tests.
	defer debug.SetMemoryLimit(math.MaxInt64)
	var out, errs bytes.Buffer
	code = Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}
