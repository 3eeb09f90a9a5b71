package newengine

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/internal/setup"
)

// What is guessed of small engines, laid out as authors do it.
func TestGuess(t *testing.T) {
	const table = "S(1, 2), S(3, 4), S(5, 6), S(7, 8)"
	for _, c := range []struct {
		name    string
		files   map[string]string
		build   string
		numbers []string
		glue    []string // lines of the author's file
		todo    int
	}{
		{"C", map[string]string{
			"src/Makefile": "EXE = fast\nall:\n\tcc -O2 *.c -o $(EXE)\n",
			"src/main.c": "int main(int argc, char **argv) {\n  initBitboards();\n  psqt_init();\n  setbuf(stdout, " +
				"NULL);\n  uci();\n}\n",
			"src/uci.c": "void uci(void) { puts(\"uciok\"); }\n",
			"src/evaluate.c": "#define S(a, b) ((a) + (b) * 65536)\nint PSQT[4] = { " + table + " };\nint Evaluate(const " +
				"Position *pos, int side) { return PSQT[0]; }\n",
			"src/evaluate.h": "int Evaluate(const Position *pos, int side);\n",
			"src/board.c":    "extern int PSQT[4];\nvoid ParseFen(const char *fen, Position *pos) { pos->psqt = PSQT[1]; }\n",
			"src/board.h":    "void ParseFen(const char *fen, Position *pos);\n",
			"tests/eval.c":   "int evaluate(Board *b) { return 1; }\n",
		}, "make -C src EXE={out}", []string{"src/evaluate.c", "src/evaluate.h"}, []string{
			`#include "src/evaluate.h"`, `#include "src/board.h"`, "static Position assay_board;",
			"void assay_start(void) { initBitboards(); psqt_init(); }", "ParseFen(fen, &assay_board);",
			"int v = Evaluate(&assay_board, 0);"}, 0},
		{"C++, methods, no Makefile", map[string]string{
			"main.cpp": "int main() { Attacks::init(); uci(); }\n",
			"eval.cpp": "int Eval::evaluate(Board &b, PawnCache *cache) { return 1; }\n",
			"eval.h":   "class Eval {\n  int evaluate(Board &b, PawnCache *cache);\n};\n",
			"board.h":  "Board fenToBoard(std::string s);\n",
			"fen.cpp":  "Board fenToBoard(std::string s) {\n  return Board();\n}\n",
		}, "c++ -O2 -std=c++20 -o {out} eval.cpp fen.cpp main.cpp -lm -lpthread", []string{"eval.cpp", "eval.h"}, []string{
			"assay_board = fenToBoard(fen);", "Eval().evaluate(assay_board, 0 /* PawnCache *cache */)",
			`#if __has_include("assay.h")`, "#endif"}, 1},
		{"Go", map[string]string{
			"go.mod":             "module example.org/fast\n",
			"cmd/fast/main.go":   "package main\n\nfunc main() { uci() }\n",
			"pkg/board/board.go": "package board\n\nfunc ParseFEN(fen string) (*Board, error) {\n}\n",
			"pkg/eval/eval.go": "package eval\n\nfunc NewEval() *Eval {\n}\n\nfunc evaluate(b *board.Board) int {\n}\n\n" +
				"func (e *Eval) EvaluateBoard(b *board.Board) int {\n}\n",
			"runs/1/.git/HEAD": "",
			"runs/1/eval.go":   "package eval\n\nfunc Evaluate(b *board.Board) int {\n}\n",
		}, "go build -o {out} ./cmd/fast", []string{"pkg/eval/eval.go"}, []string{
			`"example.org/fast/pkg/board"`, "board *board.Board", "a.board, _ = board.ParseFEN(fen)",
			"var assayEvaluator = eval.NewEval()", "v := int(assayEvaluator.EvaluateBoard(a.board))"}, 0},
		{"Rust", map[string]string{
			"Cargo.toml":        "[package]\nname = \"fast\"\n",
			"src/main.rs":       "fn main() {\n    uci();\n}\n",
			"src/board.rs":      "impl Board {\n    pub fn from_fen(fen: &str) -> Result<Board, String> {\n    }\n}\n",
			"src/evaluation.rs": "pub fn evaluate(board: &Board, beta: i32) -> i32 {\n    1\n}\n",
		}, "cargo build --release && cp target/release/fast {out}", []string{"src/evaluation.rs"}, []string{
			"board: crate::board::Board, ", "crate::board::Board::from_fen(fen).ok().unwrap()",
			"let v = (crate::evaluation::evaluate(&a.board, 30000 as i32)) as i32;"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(top, filepath.FromSlash(name))
				setup.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
				setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
			}
			e := setup.Must(read(top))
			if build, _ := e.build(); build != c.build {
				t.Errorf("the build is %q, not %q", build, c.build)
			}
			if files := e.numbers(); !slices.Equal(files, c.numbers) {
				t.Errorf("numbers %q, want %q", files, c.numbers)
			}
			g := e.guess(false)
			for _, want := range c.glue {
				if !strings.Contains(g.text, want) {
					t.Errorf("no %q in\n%s", want, g.text)
				}
			}
			if len(g.todo) != c.todo {
				t.Errorf("to do: %q", g.todo)
			}
		})
	}
	top := t.TempDir()
	for name, text := range map[string]string{"main.c": "int main(void) { }\n", "assay.c": "mine\n"} {
		setup.Check(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o666))
	}
	b := &beginner{top: top, out: io.Discard}
	err := b.write()
	if kept := setup.Must(os.ReadFile(top + "/assay.c")); err != nil || b.glue != nil || string(kept) != "mine\n" {
		t.Errorf("assay.c was there: %v, written %v", err, b.glue)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(top, link); err == nil {
		if e, err := read(link); e == nil {
			t.Errorf("a link to the engine's folder: %v", err)
		}
	}
	if e, err := read(t.TempDir()); e != nil || err != nil {
		t.Errorf("an empty folder: %v %v", e, err)
	}
}

// TestInitAtTop: in any other folder than the top of a repository nothing is written.
func TestInitAtTop(t *testing.T) {
	top := t.TempDir()
	if out, err := exec.Command("git", "init", "--quiet", top).CombinedOutput(); err != nil {
		t.Skipf("needs git: %v: %s", err, out)
	}
	inside, outside := filepath.Join(top, "src"), t.TempDir()
	setup.Check(t, os.Mkdir(inside, 0o777))
	for dir, want := range map[string]string{inside: "; type: assay init ", outside: "type there: git init && ", top: ""} {
		setup.Check(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte("int main(void) { }\n"), 0o666))
		checked := false
		c := New(func(*cobra.Command, string) error { checked = true; return nil })
		c.SetArgs([]string{dir})
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		err := c.ExecuteContext(t.Context())
		_, missing := os.Stat(filepath.Join(dir, "assay.toml"))
		if checked != (want == "") || (missing == nil) != checked || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", dir, err, missing, want)
		}
	}
}
