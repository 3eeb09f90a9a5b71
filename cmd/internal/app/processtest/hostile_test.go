package processtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

// attack is text that a terminal would obey, and that would forge a line of a table.
const attack = "\x1b[2J\x1b]0;owned\x07\u009b31m\u202e\x7f"

// noSlash is attack for the program sed.
const noSlash = "\x1b\\[2J\u202e\u009b31m"

// harmless fails if a terminal would obey something in the text.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	if got := quote.Lines([]byte(text)); string(got) != text {
		t.Errorf("%s is not quoted: %q", what, text)
	}
}

// TestHostile gives every command that shows text of others such text in every place: names of files
// and folders, tags, comments and moves of games, names and messages of engines, arguments.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	files := map[string]string{
		"games.pgn": "[Event \"" + attack + "\"]\n[Site \"" + attack + "\"]\n[White \"w" + attack + "\"]\n[Black \"b" +
			attack + "\"]\n[Result \"1-0\"]\n" +
			"[Termination \"" + attack + "\"]\n\n1. e4 {" + attack + " 0.3/" + attack + "} e5 1-0\n\n" +
			"[Event \"x\"]\n[Variant \"" + attack + "\"]\n\n1. e4 1-0\n\n[Event \"x\"]\n[Result \"" + attack +
			"\"]\n\n1. e4 1-0\n\n[Event \"x\"]\n[FEN \"" + attack + "\"]\n\n1. e4 1-0\n\n" +
			"[Event \"x\"]\n\n1. " + attack + " 1-0\n\n[Event \"x\"]\n[" + attack + " \"y\"]\n\n1. e4" + attack +
			" 1-0\n\n[Event \"x\"]\n[Black \"" + attack + "\n\n1. e4 1-0\n",
		"book.epd": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 " + attack + "\n",
		"list.csv": "fen,result," + attack + "\n" + attack +
			",1,1\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,1,1\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1," + attack + ",1\n",
		"folder/a" + "\x1b[2J\nassay: done.pgn": "1. e5 1-0\n",
		"folder/b\x1b[2J\nassay: done.x":        "no\n",
		"cut/x\x1b[2J\nassay: done.pgn.gz":      "\x1f\x8b\x08\x00",
		"folder/c.pgn":                          "1. e4 1-0\n",
		"weights.json":                          "{\"format\": \"assay.weights/1\", \"model\": \"" + `\u001b[2J` + "\"}\n",
		"run\x1b[2J\nEVIL/config.json":          "{}",
		"engine\x1b[2J": "#!/bin/sh\nprintf 'noise " + attack +
			"\\n' >&2\nassay uci | sed -u -e 's/^id name.*/id name N" + noSlash + "/' -e 's/^bestmove/info string " + noSlash +
			"\\n&/'\n",
		"broken\x1b[2J": "#!/bin/sh\necho 'id name " + attack + "'; echo uciok; echo " + attack +
			" >&2; exit 3\n",
	}
	for name, text := range files {
		setup.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Skip(err) // a system without such names
		}
	}
	shown := ""
	for _, args := range [][]string{
		{"data", "import", "games.pgn", "--out", "g"},
		{"data", "import", "games.pgn", "--out", "strict", "--strict"},
		{"data", "head", "g"},
		{"data", "stat", "g"},
		{"data", "stat", "g", "--json"},
		{"data", "export", "g", "--format", "pgn", "--out", "-"},
		{"data", "import", "folder", "--out", "f"},
		{"data", "import", "cut", "--out", "c"},
		{"data", "import", "list.csv", "--out", "l"},
		{"data", "stat", "run" + "\x1b[2J\nEVIL"},
		{"runs", "."},
		{"runs", ".", "--json"},
		{"report", "run\x1b[2J\nEVIL"},
		{"sprt", "--pgn", "games.pgn"},
		{"match", "assay", "assay:nodes=5", "--games", "2", "--nodes", "5", "--book", "book.epd"},
		{"match", "assay:weights=weights.json", "assay", "--games", "2", "--nodes", "5"},
		{"match", "assay", "./engine\x1b[2J", "--games", "2", "--nodes", "5", "--max-plies", "6", "--out", "m\x1b[2J"},
		{"match", "assay", "./broken\x1b[2J", "--games", "2", "--nodes", "5"},
		{"match", "assay", "assay:" + attack, "--games", "2"},
		{"report", "m\x1b[2J"},
		{"ladder", "assay", "./engine\x1b[2J", "--games", "2", "--nodes", "5", "--max-plies", "6", "--out", "l\x1b[2J"},
		{"selfplay", "--players", "./engine\x1b[2J", "--games", "2", "--nodes", "5", "--max-plies", "6", "--out", "s\x1b[2J"},
		{"data", "head", "s\x1b[2J"},
		{attack},
		{"match", "--" + attack},
		{"match", "--games", attack},
		{"eval", attack},
		{"weights", "weights.json"},
		{"translate", "fastchess", "-engine", "cmd=" + attack, "-engine", "cmd=b", "-" + attack, "-each", "tc=" + attack},
	} {
		_, stdout, stderr := call(t, args...)
		harmless(t, strings.Join(args, " ")+": output", stdout)
		harmless(t, strings.Join(args, " ")+": messages", stderr)
		for line := range strings.Lines(stdout + stderr) {
			if line == "EVIL\n" || strings.HasPrefix(line, "EVIL ") || strings.HasPrefix(line, "assay: done.") {
				t.Errorf("%q: a name forged the line %q", args, line)
			}
		}
		shown += stdout + stderr
	}
	if n := strings.Count(shown, `\u001b[2J`) + strings.Count(shown, `\x1b[2J`); n < 40 {
		t.Errorf("only %d names are shown quoted: the test tests little\n%s", n, shown)
	}
	pages := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{".html", ".svg", ".pgn"}, filepath.Ext(path)) &&
			!strings.HasPrefix(path, filepath.Join(dir, "folder")) && path != filepath.Join(dir, "games.pgn") {
			text, e := os.ReadFile(path)
			harmless(t, path, string(text))
			pages++
			return e
		}
		return err
	})
	if err != nil || pages < 3 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// bypasses are the files that may write elsewhere than to the screens of a command.
var bypasses = map[string]string{
	"eval/gen.go":                     "is a program that go generate runs",
	"cmd/internal/app/app.go":         "makes the screens",
	"cmd/internal/ui/process_unix.go": "asks whether standard output is open",
}

// TestOutputIsQuoted looks for output that bypasses package quote: to standard output or error directly, or in a table
// other than that of package ui, which quotes its cells.
func TestOutputIsQuoted(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if err != nil || e.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
			strings.Contains(name, "testdata/") ||
			strings.HasPrefix(name, ".ci/") || strings.HasPrefix(name, "cmd/bench/") ||
			strings.HasPrefix(name, "notebooks/") || bypasses[name] != "" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		files++
		logs := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"log"` })
		ast.Inspect(file, func(n ast.Node) bool {
			switch s := n.(type) {
			case *ast.SelectorExpr:
				if text := selector(s); text == "os.Stdout" || text == "os.Stderr" || text == "fmt.Print" ||
					text == "fmt.Printf" || text == "fmt.Println" || logs && strings.HasPrefix(text, "log.") {
					t.Errorf("%s uses %s, want the screen of its command (cmd.OutOrStdout, cmd.ErrOrStderr)", name, text)
				}
			case *ast.ImportSpec:
				if s.Path.Value == `"text/tabwriter"` {
					t.Errorf("%s has a table of its own, want ui.Table", name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 400 {
		t.Errorf("%d files, %v", files, err)
	}
}

// selector returns a.B of an expression.
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}
