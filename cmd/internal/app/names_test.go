package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

// innerName is the name of a package in an error, which says nothing to a user.
var innerName = regexp.MustCompile(`(?m)(?:^assay: |: )(?:ladder|durable|datagen|gamelog|selfplay|opening): `)

// TestNamesInErrors has engines fail in every way, named by long specifications and by name=, in all commands that
// play: what they print, the PGN, the page and the logs have names and no specifications with timeouts, and errors do
// not begin with names of packages.
func TestNamesInErrors(t *testing.T) {
	bad := testengine.Build(t, "badengine")
	t.Chdir(t.TempDir()) // so that the path needs no quotes, wherever that is
	const link = "./bad"
	if err := os.Symlink(bad, link); err != nil {
		t.Skip(err)
	}
	forms := []struct{ spec, name string }{{"name=Bad One:" + link + " ", "Bad One"}, {link + " ", link},
		{"uci:timeout=10s:start=10s:" + link + " ", link},
		{"uci:name=Bad One:timeout=10s:start=10s:" + link + " ", "Bad One"}}
	commands := []string{"match %s assay:hash=1", "match assay:hash=1 %s assay:hash=1:depth=3",
		"ladder %s assay:hash=1 assay:hash=1:depth=3", "selfplay --players %s"}
	// Each command meets each mode and each form, and each mode each form.
	for i, mode := range []string{"wrong-start", "exit-at-uci", "illegal", "exit-later", "exit-at-newgame"} {
		for j, line := range commands {
			form := forms[(i+j)%len(forms)]
			out := filepath.Join(t.TempDir(), "run")
			args := strings.Fields(line + " --games 12 --nodes 20 --max-plies 8 --opening-nodes 20 --out")
			args = append(args, out)
			for i := range args {
				args[i] = strings.Replace(args[i], "%s", form.spec+mode, 1)
			}
			code, stdout, stderr := call(t, args...)
			what := fmt.Sprintf("%q", args)
			if code != exitFailed {
				t.Errorf("%s: exit %d: %s%s", what, code, stdout, stderr)
			}
			checkNames(t, what+": output", stdout+stderr, form.name)
			for _, pattern := range []string{"games.pgn", "report.html", "faults/*", "result.json"} {
				paths, _ := filepath.Glob(filepath.Join(out, pattern))
				for _, path := range paths {
					text := setup.Must(os.ReadFile(path))
					// The page quotes the command that resumes the run, as it was typed.
					checkNames(t, what+": "+pattern, strings.ReplaceAll(string(text), form.spec+mode, ""), "")
				}
			}
		}
	}
}

func checkNames(t *testing.T, what, text, name string) {
	t.Helper()
	if at := strings.Index(text, "timeout="); at >= 0 {
		t.Errorf("%s has the specification: ...%.200s", what, text[max(0, at-100):])
	}
	if found := innerName.FindString(text); found != "" && name != "" {
		t.Errorf("%s says %q: %s", what, found, text)
	}
	if !strings.Contains(text, name) {
		t.Errorf("%s does not name %q: %s", what, name, text)
	}
}

// TestPlainErrors: errors of commands about their folders begin with what failed.
func TestPlainErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	match := func(more string) []string {
		return strings.Fields("match assay:hash=1 assay:hash=1:depth=3 --nodes 20 --max-plies 8 --opening-score -1 " + more)
	}
	if code, _, stderr := call(t, match("--games 2 --out done")...); code != exitDone {
		t.Fatal(stderr)
	}
	for name, text := range map[string]string{"file": "", "other/x": "", "broken/config.json": "{",
		"damaged/result.json": "{"} {
		setup.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
		setup.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for _, args := range []string{"--games 2 --nodes 7 --out done", "--games 2 --out file", "--games 2 --out other",
		"--games 2 --out broken", "--games 2 --out damaged", "--games 3 --out odd",
		"--games 2 --out x --book none.epd", "--games 2 --nodes 99999999999"} {
		code, _, stderr := call(t, match(args)...)
		if code == exitDone || innerName.MatchString(stderr) {
			t.Errorf("match %s: exit %d, %s", args, code, stderr)
		}
	}
	for _, args := range []string{"selfplay --games 2 --out other", "selfplay --games 2 --out done",
		"ladder assay:hash=1 assay:hash=1:depth=3 --games 2 --out done"} {
		if code, _, stderr := call(t, strings.Fields(args)...); code == exitDone || innerName.MatchString(stderr) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}
