package guidetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/uci/sandbox"
)

// A flint that spies, and a program that is no engine, leave a file when they start. With --sandbox they leave none,
// whichever command runs them.
func TestSandboxFlag(t *testing.T) {
	cc, features := withCompiler(t)
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	t.Setenv("ASSAY_CACHE", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	flint, err := os.ReadFile(filepath.Join(features, "testdata", "flint.c"))
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(t.TempDir(), "left")
	spy := strings.Replace(string(flint), "\n  Board b;\n", fmt.Sprintf("\n  Board b;\n  FILE *spy = fopen(%q, \"w\");\n"+
		"  if (spy) fclose(spy);\n", left), -1)
	none := fmt.Sprintf("#include <stdio.h>\nint main() { FILE *f = fopen(%q, \"w\"); return f ? fclose(f) : 1; }\n", left)
	for name, text := range map[string]string{"flint.c": spy, "none.c": none,
		"assay.toml": "build = \"" + cc + " -O1 -I" + features + " -o {out} flint.c\"\ndump = '{exe} dump'\n" +
			"sources = ['flint.c']\n[learn]\nnodes = 300\n",
		"tune.toml": "player = './flint'\niterations = 1\nvalidation = 0\npairs = 1\nnodes = 50\nmax_plies = 20\n" +
			"[[parameter]]\nname = 'FutilityMargin'\nstart = 200\nmin = 0\nmax = 2000\nc_end = 50\nr_end = 0.01\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range []string{cc + " -O1 -I" + features + " -o flint flint.c", cc + " -o none none.c",
		"git init --quiet", "git add flint.c assay.toml",
		"git -c user.name=a -c user.email=a@b commit --quiet -m flint"} {
		if out, err := exec.Command("sh", "-c", words).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", words, err, out)
		}
	}
	for words, want := range map[string]int{"check ./none": 1, "spsa tune.toml --out spsa": exitDone,
		"learn --engine git:HEAD --check": exitDone} {
		for _, flag := range []string{"", " --sandbox 512"} {
			code, stdout, stderr := call(t, strings.Fields(strings.Replace(words+flag, "t spsa --", "t spsa-2 --", 1))...)
			err := os.Remove(left)
			if code != want || (err == nil) != (flag == "") {
				t.Errorf("%s%s: exit %d, its file: %v: %s%s", words, flag, code, err, stdout, stderr)
			}
		}
	}
}
