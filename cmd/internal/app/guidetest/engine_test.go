package guidetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// TestLearnEngine tunes flint, whose pieces are all worth a pawn, from its repository to a patch that applies.
// Stages that are lost are made again, to the same patch, and the repository is only read.
func TestLearnEngine(t *testing.T) {
	cc, features := withCompiler(t)
	t.Setenv("ASSAY_CACHE", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	for _, date := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} { // ids of games depend on the commit's
		t.Setenv(date, "2026-01-01T00:00:00Z")
	}
	source, err := os.ReadFile(filepath.Join(features, "testdata", "flint.c"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"flint.c": strings.Replace(string(source), "S(300, 300), S(300, 300), S(500, 500), S(900, 900)",
			"S(100, 100), S(100, 100), S(100, 100), S(100, 100)", 1),
		"assay.toml": "build = \"" + cc + " -O1 -I" + features + " -o {out} flint.c\"\ndump = '{exe} dump'\n" +
			"sources = ['flint.c']\n[learn]\nnodes = 150\ngames = 200\nlambda = 1\ngate = '0,150'\nbook = 'open.epd'\n" +
			"final_games = 240\ndeep_games = 2\nclock_games = 0\n",
	}
	for start, m := board.StartPosition(), 0; m < 20; m++ {
		for reply := range 20 {
			p := start
			p.Make(start.LegalMoves(nil)[m])
			p.Make(p.LegalMoves(nil)[reply])
			files["open.epd"] += p.FEN() + "\n"
		}
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
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
	git("init", "--quiet")
	git("add", "-A")
	git("commit", "--quiet", "-m", "flint")
	run := func() (stdout, patch string) {
		t.Helper()
		code, stdout, stderr := call(t, "learn", "--engine", ".", "--run", "tuned", "--concurrency", "1")
		if code != exitDone || !strings.Contains(stdout, "gain proved: +") ||
			!strings.Contains(stdout, "git am runs/tuned") {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
		text, err := os.ReadFile("runs/tuned/engine.patch")
		if err != nil {
			t.Fatal(err)
		}
		return stdout, string(text)
	}
	first, patch := run()
	var r enginerun.Result
	text, err := os.ReadFile(filepath.Join("runs/tuned", durable.RunResultName))
	if err != nil || json.Unmarshal(text, &r) != nil {
		t.Fatal(err)
	}
	g := r.Generations[0]
	if r.Outcome != learn.GainProved || !g.Promoted || g.Screened || g.Why == "" || !(r.Fixed.EloLo > 0) ||
		len(g.Groups) < 2 || r.Deep == nil || r.Clock != nil || g.Change <= 0 {
		t.Errorf("%+v, %+v", r, g)
	}
	// The book is the author's file, and not a copy that goes.
	if book, err := filepath.Abs("open.epd"); err != nil || r.Plan.Book != book {
		t.Errorf("the book is %s, not %s", r.Plan.Book, book)
	}
	for _, m := range []string{"gen-1/gate", "final/test", "final/match"} {
		games, err := os.ReadFile(filepath.Join("runs/tuned", m, match.PGNName))
		config, err2 := os.ReadFile(filepath.Join("runs/tuned", m, durable.RunConfigName))
		if first, _, _ := strings.Cut(strings.SplitAfter(string(games)+`[FEN "`, `[FEN "`)[1], `"`); err != nil || err2 != nil ||
			first == "" || !strings.Contains(files["open.epd"], first) || !strings.Contains(string(config), "open.epd") {
			t.Errorf("%s begins at %q, not in the book: %v %v", m, first, err, err2)
		}
	}
	if status := git("status", "--short"); status != "?? runs/\n" {
		t.Errorf("the repository has changed: %s", status)
	}

	// What was lost is made again.
	for _, lost := range []string{durable.RunResultName, "engine.patch", "final/match", "gen-1/gate", "gen-1/features-1",
		"gen-1/weights.json"} {
		if err := os.RemoveAll(filepath.Join("runs/tuned", lost)); err != nil {
			t.Fatal(err)
		}
	}
	if _, again := run(); again != patch {
		t.Errorf("another patch after what was lost:\n%s\n%s", patch, again)
	}
	if again, _ := run(); again != first {
		t.Errorf("a complete run says\n%s, not\n%s", again, first)
	}

	// A screen of the fit's groups, by weight files that the engine loads.
	if out, err := exec.Command(cc, "-O1", "-I"+features, "-o", "flint", "flint.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	code, stdout, stderr := call(t, "screen", "./flint", "weights=runs/tuned/gen-1/fit:material,pst", "--weights-option",
		"EvalFile", "--games", "160", "--nodes", "100")
	if code != exitDone || !strings.Contains(stdout, "recommended: ") || !strings.Contains(stdout, "\nmaterial ") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := call(t, "screen", "./flint", "weights=runs/tuned/gen-1/weights.json", "--weights-option",
		"EvalFile", "--games", "16"); code != 2 ||
		!strings.Contains(stderr, "need the folder of a fit with assay tune --refit") {
		t.Errorf("no refit: exit %d, %s", code, stderr)
	}
	if err := os.Remove("flint"); err != nil {
		t.Fatal(err)
	}

	git("am", "runs/tuned/engine.patch")
	if log := git("log", "-1"); !strings.Contains(log, "Penta | [") || !strings.Contains(log, "200 games") {
		t.Errorf("the commit says %s", log)
	}
	if code, _, stderr := call(t, "learn", "--engine", ".", "--run", "tuned"); code != exitDone ||
		!strings.Contains(stderr, "the engine has changed since the run began") {
		t.Errorf("exit %d after a change: %s", code, stderr)
	}
	if code, _, stderr := call(t, "learn", "--hours", "1"); code != 2 || !strings.Contains(stderr, "give --engine too") {
		t.Errorf("--hours without --engine: exit %d, %s", code, stderr)
	}
}
