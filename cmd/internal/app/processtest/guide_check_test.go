package processtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// TestLearnEngineCheck checks flint in a repository of its own, and with what an author can get wrong: the check names
// each mistake. The repository is only read.
func TestLearnEngineCheck(t *testing.T) {
	f := newFlint(t, "", "", "nodes = 50")
	setup.Check(t, os.WriteFile("other.c", []byte("int main(void) { return 0; }\n"), 0o666))
	read := func(name string) string { return string(setup.Must(os.ReadFile(filepath.Join(f.dir, name)))) }
	source, glue, toml := read("flint.c"), read("assay.c"), read("assay.toml")
	const value = "return evaluate(&assay_board, &e), e.value;"
	const evaluate = "static void evaluate(const Board *b, Eval *e) {\n"
	if !strings.Contains(glue, value) || !strings.Contains(source, evaluate) {
		t.Fatal("the test does not fit to flint")
	}
	glued := func(code string) string { return strings.Replace(glue, value, code, 1) }
	for _, c := range []struct {
		name, engine, toml, flint, glue string
		want                            string // of the output
		fails                           string
	}{
		{name: "a commit", engine: "git:HEAD", want: "the bench is the same"},
		{name: "a number used in two places, one that crashes", want: "held, ",
			flint: strings.Replace(source, evaluate, evaluate+"  e->phase = MG(material[4]) / 900 - 1;\n"+
				"  if (MG(bishop_pair) > 25) abort();\n", 1)},
		{name: "value of the side to move",
			glue: glued("return evaluate(&assay_board, &e), value_of(&assay_board);"), fails: "the view of the side to move"},
		{name: "Black's view", glue: glued("return evaluate(&assay_board, &e), -e.value;"), fails: "Black's view"},
		{name: "another board", glue: glued("static Board b; parse(&b, start); return evaluate(&b, &e), e.value;"),
			fails: "does assay_position read the FEN"},
		{name: "state of the last position", fails: "depends on what was evaluated before",
			glue: glued("static int last; evaluate(&assay_board, &e); last = (last + e.value) % 7; return e.value + last;")},
		{name: "a cache that stays", fails: "values: ",
			glue: glued("static struct { uint64_t key; int value; } cache[65536];\n  if (cache[assay_board.key " +
				"& 65535].key != assay_board.key) {\n    evaluate(&assay_board, &e);\n    cache[assay_board.key & 65535].key = " +
				"assay_board.key, cache[assay_board.key & 65535].value = e.value;\n  }\n  return cache[assay_board.key " +
				"& 65535].value;")},
		{name: "a build of other files", fails: "numbers: ", toml: strings.Replace(toml, "flint.c", "other.c", 1)},
		{name: "no value", toml: "build = 'cc -o {out} flint.c'\nnumbers = ['flint.c']\n",
			fails: "assay.toml: value is missing; write for example: value = "},
		{name: "no file", toml: strings.Replace(toml, `["flint.c"]`, `["eval.c"]`, 1),
			fails: "there is no file eval.c in tree-"},
		{name: "no repository", engine: t.TempDir(), fails: "--engine names a folder in the repository of your engine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, text := range map[string]string{"assay.toml": c.toml, "flint.c": c.flint, "assay.c": c.glue} {
				if text != "" {
					setup.Check(t, os.WriteFile(name, []byte(text), 0o666))
				}
			}
			before, engine := f.git("status", "--short"), "."
			if c.engine != "" {
				engine = c.engine
			}
			code, stdout, stderr := call(t, "learn", "--engine", engine, "--check")
			if (code == exitDone) != (c.fails == "") || !strings.Contains(stderr, c.fails) || !strings.Contains(stdout, c.want) {
				t.Errorf("exit %d, want %q: %s%s", code, c.fails+c.want, stdout, stderr)
			}
			if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "assay-check-*")); code == exitDone &&
				len(left) > 0 &&
				c.name == "a commit" {
				t.Errorf("%v is left", left)
			}
			if after := f.git("status", "--short"); after != before {
				t.Errorf("the repository has changed: %s", after)
			}
			f.git("checkout", "--quiet", ".")
		})
	}
	for _, words := range []string{"learn --check", "learn --engine . --check --model assay",
		"learn --engine . --hours 1 --games 4"} {
		if code, _, stderr := call(t, strings.Fields(words)...); code != 2 {
			t.Errorf("%s: exit %d: %s", words, code, stderr)
		}
	}
}
