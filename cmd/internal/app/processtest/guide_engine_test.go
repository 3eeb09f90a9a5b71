package processtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ownengine"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// flint is a repository of flint. Nothing in it names a folder of this machine.
type flint struct {
	*testing.T
	dir string
}

// newFlint makes the repository in a folder of its own, with lines of the table [learn], and changes to it. In the
// source old is replaced by new.
func newFlint(t *testing.T, old, new string, lines ...string) *flint {
	t.Helper()
	from := flintFolder(t)
	for name, value := range map[string]string{"ASSAY_CACHE": t.TempDir(), "TMPDIR": t.TempDir(),
		"GIT_CONFIG_GLOBAL": os.DevNull} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	f := &flint{t, setup.Must(os.Getwd())}
	for _, name := range []string{"flint.c", "assay.c", "assay.toml"} {
		text := string(setup.Must(os.ReadFile(filepath.Join(from, name))))
		if name == "flint.c" {
			text = strings.Replace(strings.Replace(text, old, new, 1), "think(&b, 5, 0", "think(&b, 3, 0", 1) // a short bench
		}
		if name == "assay.toml" {
			text = strings.Replace(text, "-O2", "-Og", 1) + "[learn]\n" + strings.Join(lines, "\n") + "\n"
		}
		setup.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	f.git("init", "--quiet")
	f.git("add", "-A")
	f.git("commit", "--quiet", "-m", "flint")
	return f
}

// flintSource is the folder of flint, wherever a test is.
var flintSource, _ = filepath.Abs("../../../../models/numbers/testdata/flint")

// flintFolder returns the folder of flint, if there is a compiler.
func flintFolder(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("needs a C compiler (on Debian: apt-get install gcc)")
	}
	return flintSource
}

func (f *flint) git(args ...string) string {
	f.Helper()
	words := append([]string{"-C", f.dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)
	out, err := exec.Command("git", words...).CombinedOutput()
	if err != nil {
		f.Fatalf("git %v: %v %s", args, err, out)
	}
	return string(out)
}

// learn runs the loop without playing its matches: decide says how they end, by their folder. It returns the result
// and the folders of the matches.
func (f *flint) learn(decide func(folder string) *match.Result, flags ...string) (*ownengine.Result, []string, error) {
	f.Helper()
	var ran []string
	c := ownengine.Config{Seed: 1, Typed: opts.NewLoop().Flags, Stdout: io.Discard, Stderr: io.Discard, Concurrency: 1,
		Begin: func(label string, _ *selfplay.Setup, _ ...selfplay.Player) (*ui.Progress, func(), error) {
			return ui.NewProgress(io.Discard, label), func() {}, nil
		},
		Match: func(_ context.Context, m match.Config) (*match.Result, error) {
			ran = append(ran, filepath.Base(m.Out))
			return f.play(m, decide)
		}}
	c.Engine = "."
	setup.Check(f, c.Typed.Parse(flags))
	r, err := ownengine.Run(f.Context(), c, f.run(), "assay learn")
	return r, ran, err
}

func (f *flint) run(elem ...string) string {
	return filepath.Join(append([]string{f.dir, "runs", "tuned"}, elem...)...)
}

// play writes a match as decide says.
func (f *flint) play(m match.Config, decide func(folder string) *match.Result) (*match.Result, error) {
	run, err := durable.OpenRun(m.Out, durable.RunInfo{Command: "match"},
		map[string]any{"limits": []any{m.Limits, m.Limits}})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	r := decide(filepath.Base(m.Out))
	r.Test = m.Test
	if err := run.Finish(r); err != nil || r.Verdict != match.NoVerdict {
		return r, err
	}
	return r, fmt.Errorf("%w: %s", selfplay.ErrNoVerdict, r.Reason)
}

// scored is the result of a match with the verdict.
func scored(verdict string, elo num.Float) *match.Result {
	return &match.Result{Verdict: verdict, Games: 200, Score: sprt.Score(float64(elo)), Wins: 90, Draws: 50, Losses: 60,
		Strength: sprt.Strength{Elo: elo, EloLo: elo - 20, EloHi: elo + 20}}
}

const quick = "nodes = 100\ngames = 60\nlambda = 1"

// TestLearnEngine tunes flint from its repository to a patch that applies; only its matches are invented. Whatever
// happens to a match that adds to a proved gain, the gain stays, and the same command plays that match again. Stages
// that are lost are made again, to the same patch, and the repository is only read.
func TestLearnEngine(t *testing.T) {
	f := newFlint(t, "", "", quick, "clock = '4+0.04'", "book = 'open.epd'")
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n"
	setup.Check(t, os.WriteFile("open.epd", []byte(start), 0o666))
	f.git("add", "open.epd")
	f.git("commit", "--quiet", "--amend", "-m", "flint")
	clock := &match.Result{Verdict: match.NoVerdict, Reason: "new forfeited 3 of 8 games"}
	decide := func(folder string) *match.Result {
		switch folder {
		case "half", "quarter":
			return scored(match.Undecided, 10)
		case "whole":
			return scored(match.AcceptH1, 50)
		case "clock": // when it begins all else is on disk
			var r ownengine.Result
			if err := durable.ReadJSON(f.run(durable.RunResultName), &r); err != nil || r.Outcome != ownengine.GainProved {
				t.Errorf("at the match %s the result is %q, %v", folder, r.Outcome, err)
			}
			if _, err := os.Stat(f.run("engine.patch")); err != nil {
				t.Error(err)
			}
			return clock
		}
		return scored(match.Stronger, 40)
	}
	// learned checks what the loop ran, and what it says.
	learned := func(what string, ran []string, says string, flags ...string) string {
		t.Helper()
		r, matches, err := f.learn(decide, flags...)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		text := printed(t, r)
		if !slices.Equal(matches, ran) || !strings.Contains(text, says) ||
			!strings.HasPrefix(text, "gain proved: +40 [+20, +60] Elo over 200 games") ||
			!strings.Contains(text, "git am runs/tuned/engine.patch") {
			t.Errorf("%s: matches %q, want %q, and %q in\n%s", what, matches, ran, says, text)
		}
		return text
	}
	learned("the clock fails", []string{"whole", "half", "quarter", "match", "clock"},
		"no verdict: new forfeited 3 of 8 games")
	learned("it fails again", []string{"clock"}, "no verdict: new forfeited 3 of 8 games")
	if _, err := os.Stat(f.run("final", "clock-1", durable.RunResultName)); err != nil {
		t.Error(err)
	}
	if text := learned("it is left out", nil, "gain proved", "--clock-games", "0"); strings.Contains(text, "no verdict") {
		t.Errorf("without a match at a clock:\n%s", text)
	}
	clock = scored(match.Undecided, -5)
	learned("it is played", []string{"clock"}, "\n4+0.04        -5 [-25, +15] Elo")
	first := learned("another clock", []string{"clock"}, "\n8+0.08        -5 [-25, +15] Elo", "--clock", "8+0.08")
	if again := learned("a complete run", nil, "gain proved", "--clock", "8+0.08", "--hours", "3"); again != first {
		t.Errorf("a complete run says\n%s, not\n%s", again, first)
	}
	if status := f.git("status", "--short"); status != "?? runs/\n" {
		t.Errorf("the repository has changed: %s", status)
	}

	var r ownengine.Result
	setup.Check(t, durable.ReadJSON(f.run(durable.RunResultName), &r))
	// The book is the author's file, and not a copy that goes.
	if book := filepath.Join(f.dir, "open.epd"); r.Plan.Book != book {
		t.Errorf("the book is %s, not %s", r.Plan.Book, book)
	}
	if g := r.Generations[0]; !g.Promoted || g.Positions == 0 || g.Fits[0].Change <= 0 {
		t.Errorf("%+v", g)
	}
	patch := setup.Must(os.ReadFile(f.run("engine.patch")))
	for _, lost := range []string{durable.RunResultName, "engine.patch", "final/match", "gen-1/gate", "gen-1/slopes-1",
		"gen-1/fit.json", "gen-1/whole.txt"} {
		setup.Check(t, os.RemoveAll(f.run(lost)))
	}
	learned("what was lost is made again", []string{"whole", "half", "quarter", "match"}, "gain proved",
		"--clock", "8+0.08")
	if again, err := os.ReadFile(f.run("engine.patch")); err != nil || string(again) != string(patch) {
		t.Errorf("another patch after what was lost, %v:\n%s\n%s", err, patch, again)
	}

	f.git("am", f.run("engine.patch"))
	if log := f.git("log", "-1"); !strings.Contains(log, "Penta | [") || !strings.Contains(log, "60 games") {
		t.Errorf("the commit says %s", log)
	}
	code, stdout, stderr := call(t, "learn", "--engine", ".", "--out", "runs/tuned", "--clock", "8+0.08")
	if code != exitDone || !strings.Contains(stderr, "the engine has changed since the run began") ||
		!strings.Contains(stdout, "gain proved: ") {
		t.Errorf("exit %d after a change: %s%s", code, stdout, stderr)
	}
	setup.Check(t, os.Remove("open.epd")) // a complete run needs it no more
	t.Chdir(t.TempDir())
	code, stdout, stderr = call(t, "learn", "--engine", f.dir, "--out", f.run(), "--clock", "8+0.08")
	if am := " am " + quote.Word(f.run("engine.patch")); code != exitDone || !strings.Contains(stdout, "git -C ") ||
		!strings.Contains(stdout, am) {
		t.Errorf("exit %d in another folder: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := call(t, "learn", "--hours", "1"); code != 2 || !strings.Contains(stderr, "give --engine too") {
		t.Errorf("--hours without --engine: exit %d, %s", code, stderr)
	}
}

// TestLearnEngineNothing: a step that is ahead after an undecided gate plays the match at the end. If that proves
// nothing, the step is named with its match. A gate without a verdict is played again. A comment changes no weights. A
// finished run that shows the engine not to be weaker writes its patch when it is asked to.
func TestLearnEngineNothing(t *testing.T) {
	f := newFlint(t, "", "", quick, "generations = 1")
	gate, final := &match.Result{Verdict: match.NoVerdict, Reason: "old forfeited 9 of 9 games"}, num.Float(9)
	decide := func(folder string) *match.Result {
		switch folder {
		case "whole":
			return gate
		case "half":
			return scored(match.Undecided, 15)
		case "match":
			return scored(match.Undecided, final)
		}
		return scored(match.Undecided, -3)
	}
	if r, _, err := f.learn(decide); err == nil || errors.Is(err, context.Canceled) {
		t.Fatalf("a gate without a verdict: %+v", r)
	}
	gate = scored(match.Undecided, 5)
	r, _, err := f.learn(decide)
	setup.Check(t, err)
	text := printed(t, r)
	_, command, ok := strings.Cut(text, "to play it on  assay ")
	if !strings.Contains(text, "best           the half step of generation 1: +9 [-11, +29] Elo, 200 games\n") ||
		!strings.Contains(text, "the half step is ahead after 200 games") || !strings.HasPrefix(text, "nothing found: ") || !ok || r.Patch != "" {
		t.Fatalf("%s", text)
	}
	words := append(setup.Must(quote.Split(strings.TrimSpace(command))), "--games", "2")
	if code, stdout, stderr := call(t, words...); code != exitDone || !strings.Contains(stdout, "new") {
		t.Errorf("%s: exit %d: %s%s", command, code, stdout, stderr)
	}

	base, learned := r.Base, setup.Must(os.ReadFile(f.run("gen-1", "whole.txt")))
	f, final = newFlint(t, "/* flint", "/* the same engine: flint", quick, "generations = 1"), 15
	r, _, err = f.learn(decide)
	setup.Check(t, err)
	if again := setup.Must(os.ReadFile(f.run("gen-1", "whole.txt"))); r.Base == base || string(again) != string(learned) {
		t.Errorf("with another comment %s has the numbers\n%s\n%s has\n%s", r.Base, again, base, learned)
	}
	if text := printed(t, r); r.Patch != "" || !strings.Contains(text, "the same command with --accept-not-weaker") {
		t.Errorf("without a patch:\n%s", text)
	}
	code, stdout, stderr := call(t, "learn", "--engine", ".", "--out", "runs/tuned", "--accept-not-weaker")
	if code != exitDone || !strings.Contains(stdout, "git am runs/tuned/engine.patch") {
		t.Errorf("--accept-not-weaker: exit %d: %s%s", code, stdout, stderr)
	}
}

// printed is what the command prints of a run in runs/tuned.
func printed(t *testing.T, r *ownengine.Result) string {
	var b strings.Builder
	setup.Check(t, doc.Engine(r, "runs/tuned").Print(&b, false))
	return b.String()
}

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
		{name: "no number to freeze", toml: toml + "freeze = ['PAWN']\n",
			fails: "left out, "},
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

// guideBlocks returns the indented blocks of a guide: commands, and files.
func guideBlocks(t *testing.T, name string) (blocks []string) {
	t.Helper()
	page, _ := works(t, "guide", name)
	for _, block := range regexp.MustCompile(`(?m)(?:^    .*\n)+`).FindAllString(page, -1) {
		blocks = append(blocks, regexp.MustCompile(`(?m)^    `).ReplaceAllString(block, ""))
	}
	return blocks
}

// TestGuideDataWithMyEngine runs the commands of the guide with two short games.
func TestGuideDataWithMyEngine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the engine is a shell script")
	}
	t.Chdir(t.TempDir())
	setup.Check(t, os.WriteFile("my-engine", []byte("#!/bin/sh\nexec assay uci\n"), 0o777))
	short := strings.NewReplacer("--games 1000 ", "--games 2 --max-plies 60 ", "--games 100 ",
		"--games 2 --max-plies 60 ", "--games 20 ", "--games 2 --max-plies 60 ",
		"--nodes 5000", "--nodes 20", "50ms", "1ms")
	ran := 0
	for _, block := range guideBlocks(t, "data-with-my-engine") {
		for line := range strings.Lines(block) {
			ran++
			if out, err := exec.Command("sh", "-c", short.Replace(line)).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	if info, err := os.Stat("train.bullet"); err != nil || info.Size() < 100 {
		t.Error(err)
	}
	if ran != 10 {
		t.Errorf("%d commands", ran)
	}
}

// TestGuideTuneMyEngine runs the commands of the guide on flint as its author has it: without the two files, which are
// written. A run of an hour is left out: TestLearnEngine has one. The engine plays with a third of the nodes that it is
// given.
func TestGuideTuneMyEngine(t *testing.T) {
	f := newFlint(t, `number_after(line, "nodes ")`, `number_after(line, "nodes ") / 3`)
	f.git("rm", "--quiet", "assay.toml", "assay.c")
	f.git("commit", "--quiet", "-m", "without what assay needs")
	var ran []string
	for _, block := range guideBlocks(t, "tune-my-engine") {
		if strings.Contains(block, "--hours") {
			continue
		}
		ran = append(ran, strings.TrimSpace(block))
		stdout, _ := works(t, strings.Fields(block)[1:]...)
		wantText(t, stdout, "a run plays:")
	}
	if len(ran) != 2 || ran[0] != "assay init" {
		t.Errorf("the guide's commands are %q", ran)
	}
}

// TestGuideTuneMySearch runs the commands of the guide on flint, with a few short games.
func TestGuideTuneMySearch(t *testing.T) {
	from := flintFolder(t)
	t.Chdir(t.TempDir())
	if out, err := exec.Command("cc", "-O2", "-o", "engine", filepath.Join(from, "flint.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	short := strings.NewReplacer("iterations     = 2000", "iterations     = 20", "nodes          = 2000",
		"nodes          = 100\nmax_plies      = 60", "validation     = 400", "validation     = 4",
		"--games 400 --nodes 2000", "--games 4 --nodes 100 --max-plies 60")
	ran := 0
	for _, block := range guideBlocks(t, "tune-my-search") {
		name := ""
		switch {
		case strings.HasPrefix(block, "ReduceFrom, "):
			name = "search.txt"
		case strings.HasPrefix(block, "player "):
			name = "search.toml"
		}
		if name != "" {
			setup.Check(t, os.WriteFile(name, []byte(short.Replace(block)), 0o666))
			continue
		}
		for line := range strings.Lines(block) {
			ran++
			stdout, _ := works(t, setup.Must(quote.Split(strings.TrimSpace(short.Replace(line))))[1:]...)
			if strings.Contains(line, "--out tuned") &&
				!regexp.MustCompile(`(?m)^the answer as OpenBench reads it .*:\nReduceFrom, int, \d+, 1, 40, 4, 0.02\nFutilityMargin, int, \d+, 20, 1000, 80, 0.02\nDeltaMargin, int, `).MatchString(stdout) {
				t.Errorf("no answer in\n%s", stdout)
			}
		}
	}
	var tuned play.Result
	err := durable.ReadJSON("tuned/result.json", &tuned)
	if err != nil || ran != 2 || tuned.Games != 40 || tuned.Validation == nil || tuned.Validation.Games != 4 ||
		len(tuned.Parameters) != 3 || tuned.Parameters[0].Start != 20 || tuned.Parameters[0].Value == 20 {
		t.Errorf("%v, %d commands, %+v", err, ran, tuned)
	}
}
