package processtest

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/runtest"
)

var kills = flag.Int("kills", 4, "times that TestKilledRunsGiveTheSameBytes kills each run")

// TestKilledRunsGiveTheSameBytes kills real processes after a random number of games or a
// new shard, with no chance to clean up, and resumes them with the same command.
func TestKilledRunsGiveTheSameBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string // that promise to be the same
		games int
		done  func(dir string) int // grows while the run goes on
		args  []string
	}{
		{"selfplay", []string{"games-*.arrow", "manifest.json", "result.json"}, 300, shards,
			[]string{"selfplay", "--games", "300", "--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies",
				"24", "--players", "assay:hash=1"}},
		{"match", []string{"games.pgn", "games/*.arrow", "games/manifest.json", "result.json"}, 100, journalLines,
			[]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "100", "--nodes", "20",
				"--hard-nodes", "--opening-nodes", "50", "--max-plies", "60"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
			setup.Check(t, assay(t, nil, append(c.args, "--out", whole, "--concurrency", "2")...))
			rng := rand.New(rand.NewPCG(8, 9))
			died := 0
			for range *kills {
				more := c.done(killed)
				if c.name == "match" {
					more += rng.IntN(2 * c.games / (*kills + 1))
				}
				if assay(t, func() bool { return c.done(killed) > more }, append(c.args, "--out", killed, "--concurrency",
					"4")...) == nil {
					break // it ended first
				}
				died++
			}
			if died == 0 {
				t.Error("the run was never killed: this shows nothing")
			}
			t.Logf("killed %d times", died)
			if c.name == "match" && journalLines(killed) > 20 { // its games so far can be read
				if err := assay(t, nil, "data", "import", killed, "--out", filepath.Join(dir, "so far")); err != nil {
					t.Error(err)
				}
			}
			setup.Check(t, assay(t, nil, append(c.args, "--out", killed)...))
			runtest.SameFiles(t, killed, whole, c.files...)
			seen := map[uint64]bool{}
			if err := runtest.Read(filepath.Join(killed, gamelog.JournalName), func(g *selfplay.Result) error {
				if seen[g.Number] || g.Number >= uint64(c.games) {
					t.Errorf("game %d of %d is in the journal again", g.Number, c.games)
				}
				seen[g.Number] = true
				return nil
			}); c.name == "match" && (err != nil || len(seen) != c.games) {
				t.Errorf("%d games in the journal, want %d: %v", len(seen), c.games, err)
			}
		})
	}
}

// shards counts the shards of games in a folder, and those that are being written.
func shards(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "games-*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".games-*"))
	return len(names) + len(hidden)
}

// journalLines counts the lines of the journal in a folder; none if there is no file yet.
func journalLines(dir string) int {
	data, _ := os.ReadFile(filepath.Join(dir, gamelog.JournalName))
	return bytes.Count(data, []byte("\n"))
}

// assay runs the program to its end, or kills it as soon as the condition holds, if there
// is one, and returns what Wait does. An exit code other than 0 fails the test.
func assay(t *testing.T, kill func() bool, args ...string) error {
	t.Helper()
	p := start(t, nil, args...)
	for kill != nil {
		select {
		case <-p.ended:
			kill = nil
		case <-time.After(4 * time.Millisecond):
			if kill() {
				_ = p.Process.Kill() // it may have ended by itself
				kill = nil
			}
		}
	}
	<-p.ended
	if p.err != nil && p.ProcessState.Exited() {
		t.Fatalf("assay %s: %v\n%s", strings.Join(args, " "), p.err, &p.stderr)
	}
	return p.err
}

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
// other than package ui's, which quotes its cells.
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
				if text := types.ExprString(s); text == "os.Stdout" || text == "os.Stderr" || text == "fmt.Print" ||
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
	if err != nil || files < 300 {
		t.Errorf("%d files, %v", files, err)
	}
}

// ideas makes branches of the repository of an engine, each with one change of a file.
func (r *engineRepo) ideas(t *testing.T, changes map[string][2]string) {
	t.Helper()
	base := "a\nb\nc\nd\ne\nf\ng\nh\ni\n"
	write := func(text string) {
		setup.Check(t, os.WriteFile("list", []byte(text), 0o666))
	}
	write(base)
	r.git(t, "add", "list")
	r.git(t, "commit", "--quiet", "-m", "List")
	for name, change := range changes {
		r.git(t, "checkout", "--quiet", "-b", name, "main")
		write(strings.Replace(base, change[0], change[1], 1))
		r.git(t, "commit", "--quiet", "-am", name)
	}
	r.git(t, "checkout", "--quiet", "main")
}

// A screen of patches builds each subset once, and keeps what it began with. Patches that conflict, that change nothing
// or do not apply are named before the first build of a subset.
func TestScreenOfPatches(t *testing.T) {
	r := newEngineRepo(t)
	r.ideas(t, map[string][2]string{"one": {"a\n", "A\n"}, "two": {"e\n", "E\n"}, "three": {"i\n", "I\n"},
		"other": {"e\n", "X\n"}, "broken": {"c\n", "C\n"}})
	diff := r.git(t, "diff", "main", "three") + "\n"
	setup.Check(t, os.WriteFile("../three.diff", []byte(diff), 0o666))
	screen := func(factors string, more ...string) (int, string, string) {
		args := append([]string{"screen", "git:main"}, strings.Fields(factors)...)
		return call(t, append(append(args, "--build", buildCommand+" && ! grep -q C list", "--nodes", "20",
			"--opening-nodes", "20", "--max-plies", "4"), more...)...)
	}
	out := filepath.Join(t.TempDir(), "screen")
	code, stdout, stderr := screen("git:one git:two third=../three.diff", "--games", "16", "--out", out)
	if code != exitDone || r.built() != 8 {
		t.Fatalf("exit %d, %d builds: %s", code, r.built(), stderr)
	}
	wantText(t, stderr, "3 factors, 8 builds, 16 games", "16 games are too few for 3 factors")
	wantText(t, stdout, "Elo -: too few games", "16 games")
	pgn := setup.Must(os.ReadFile(filepath.Join(out, "games.pgn")))
	wantText(t, string(pgn), `[White "base"]`, `[Black "all"]`, `"git:one+git:two"`)
	r.git(t, "branch", "--force", "one", "other") // the run keeps the commit that it began with
	code, _, stderr = screen("git:one git:two third=../three.diff", "--games", "16", "--out", out)
	if code != exitDone || r.built() != 8 {
		t.Fatalf("exit %d, %d builds: %s", code, r.built(), stderr)
	}
	wantText(t, stderr, "git:one was", "complete; nothing to do")

	for factors, want := range map[string]string{
		"git:two git:other":                     "factors git:two and git:other conflict: git:other does not apply",
		"git:two again=git:two~0":               "cannot be told apart: they are the same patch",
		"git:two git:main~9":                    "git:main~9",
		"git:two gone=../gone.diff":             "gone.diff",
		"git:two git:three third=../three.diff": "cannot be told apart: they are the same patch",
	} {
		code, _, stderr := screen(factors, "--games", "8", "--no-bench")
		if code == exitDone || r.built() != 8 {
			t.Errorf("%s: exit %d, %d builds", factors, code, r.built())
		}
		wantText(t, stderr, want)
	}

	if code, _, stderr := screen("git:one git:two", "--confirm-tc", "fast"); code != exitUsage {
		t.Errorf("exit %d: %s", code, stderr)
	}
	code, _, stderr = screen("git:two git:three git:broken", "--no-bench", "--games", "16", "--out", out+"-2")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wantText(t, stderr, "its output is in "+out+"-2-build-", "goes on without 4 builds",
		"effects of these factors are lost: git:broken")
}
