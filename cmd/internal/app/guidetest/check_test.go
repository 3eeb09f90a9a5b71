package guidetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// TestLearnEngineCheck checks flint in a repository of its own: with its numbers in the source, with a weight file, and
// with what an author can get wrong. The repository is only read.
func TestLearnEngineCheck(t *testing.T) {
	_, features := withCompiler(t)
	t.Setenv("ASSAY_CACHE", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	source := setup.Must(os.ReadFile(filepath.Join(features, "testdata", "flint.c")))
	write := func(name, text string) {
		t.Helper()
		setup.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	git := func(args ...string) string {
		t.Helper()
		words := append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)
		out, err := exec.Command("git", words...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return string(out)
	}
	header := setup.Must(os.ReadFile(filepath.Join(features, "assay_features.h")))
	write("assay_features.h", string(header)) // beside the source: the command is then the same in every checkout
	const build = "build = 'cc -O1 -o {out} flint.c'\n"
	good := build + "dump = '{exe} dump'\nsources = ['flint.c']\n[learn]\nnodes = 200\n"
	write("flint.c", string(source))
	write("assay.toml", good)
	git("init", "--quiet")
	git("add", "-A")
	git("commit", "--quiet", "-m", "flint")
	ok := []string{"numbers ", "found in flint.c", "fit ", "new build ", "it evaluates", "match "}
	const oldPhase = "static const int phase_of[] = {0, 0, 1, 1, 2, 4, 0};"
	for _, c := range []struct {
		name, engine, toml, flint string
		want                      []string
		fails                     string
	}{
		{name: "a commit", engine: "git:HEAD", want: ok},
		{name: "weight file", toml: build + "dump = '{exe} dump {weights}'\nweights = 'EvalFile'\n[learn]\nnodes = 200\n",
			want: []string{"loaded from a file", "none: the engine loads weights", "it evaluates", "match "}},
		{name: "phase from a tuned value", flint: strings.Replace(string(source), oldPhase,
			"const int phase_of[] = {0, 0, 1, 1, 2, MG(material[4]) / 225, 0};", 1),
			want: []string{"new build ", "new dump ", "FAILED"}, fails: "it is computed from numbers that were tuned"},
		{name: "no such option", toml: build + "dump = '{exe} dump {weights}'\nweights = 'Net'\n[learn]\nnodes = 200\n",
			want: []string{"it evaluates"}, fails: `option "Net": the engine does not have it`},
		{name: "no dump", toml: build + "sources = ['flint.c']\n",
			fails: "assay.toml: dump is missing; write for example: dump = "},
		{name: "no file", toml: strings.Replace(good, "['flint.c']", "['eval.c']", 1),
			fails: "there is no file eval.c in tree-"},
		{name: "no repository", engine: t.TempDir(), fails: "--engine names a folder in the repository of your engine"},
	} {
		for name, text := range map[string]string{"assay.toml": c.toml, "flint.c": c.flint} {
			if text != "" {
				write(name, text)
			}
		}
		before, engine := git("status", "--short"), "."
		if c.engine != "" {
			engine = c.engine
		}
		code, stdout, stderr := call(t, "learn", "--engine", engine, "--check")
		if (code == exitDone) != (c.fails == "") || !strings.Contains(stderr, c.fails) {
			t.Errorf("%s: exit %d, want %q: %s%s", c.name, code, c.fails, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, stdout)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "assay-check-*")); code == exitDone && len(left) > 0 &&
			c.name == "a commit" {
			t.Errorf("%s: %v is left", c.name, left)
		}
		if after := git("status", "--short"); after != before {
			t.Errorf("%s: the repository has changed: %s", c.name, after)
		}
		git("checkout", "--quiet", ".")
	}
	for _, words := range []string{"learn --check", "learn --engine . --check --model assay",
		"learn --engine . --hours 1 --games 4"} {
		if code, _, stderr := call(t, strings.Fields(words)...); code != 2 {
			t.Errorf("%s: exit %d: %s", words, code, stderr)
		}
	}
}
