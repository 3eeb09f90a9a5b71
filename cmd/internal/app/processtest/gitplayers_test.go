package processtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/match"
)

// engineRepo makes a git repository of an engine, with the commits "base" and "patch", makes it
// the current folder, and sets a cache of its own. A build leaves a line in the file that
// counts them.
type engineRepo struct {
	dir    string
	builds string
}

const buildCommand = `echo x >>"$BUILDS" && cp engine.sh {out}`

func newEngineRepo(t *testing.T) *engineRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: players git:REF are not tested")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the engine of this test is a shell script")
	}
	testengine.Build(t, "badengine") // needs the current folder of the tests
	temp := t.TempDir()
	r := &engineRepo{dir: filepath.Join(temp, "toy"), builds: filepath.Join(temp, "builds")}
	t.Setenv("HOME", temp)
	t.Setenv("ASSAY_CACHE", filepath.Join(temp, "cache"))
	t.Setenv("BUILDS", r.builds)
	t.Setenv("GOMEMLIMIT", "off") // a run of external engines only would limit all tests
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	r.git(t, "init", "--quiet", "--initial-branch=main", r.dir)
	t.Chdir(r.dir)
	r.commit(t, 1000, "Base\n\nBench: 1000", "base")
	r.git(t, "branch", "base")
	r.commit(t, 2000, "Patch\n\nBench: 2000", "patch")
	return r
}

// engine writes the engine's source, whose bench has that many nodes.
func (r *engineRepo) engine(t *testing.T, nodes int, name string) {
	t.Helper()
	text := fmt.Sprintf("#!/bin/sh\n# %s\ncase $1 in bench) echo '%d nodes 5000 nps'; exit;; esac\nexec '%s' good\n",
		name, nodes, testengine.Build(t, "badengine"))
	setup.Check(t, os.WriteFile(filepath.Join(r.dir, "engine.sh"), []byte(text), 0o666))
}

func (r *engineRepo) commit(t *testing.T, nodes int, message, name string) {
	t.Helper()
	r.engine(t, nodes, name)
	r.git(t, "add", "engine.sh")
	r.git(t, "commit", "--quiet", "-m", message)
}

func (r *engineRepo) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *engineRepo) built() int {
	text, _ := os.ReadFile(r.builds)
	return bytes.Count(text, []byte("x"))
}

func playCommits(t *testing.T, a, b string, flags ...string) (r match.Result, stderr string) {
	t.Helper()
	args := slices.Concat([]string{"match", a, b, "--games", "2", "--max-plies", "4", "--nodes", "20", "--opening-nodes",
		"20", "--json"}, flags)
	stdout, stderr := works(t, args...)
	setup.Check(t, json.Unmarshal([]byte(stdout), &r))
	return r, stderr
}

func wantText(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
}

func TestMatchOfCommits(t *testing.T) {
	r := newEngineRepo(t)
	head, base := r.git(t, "rev-parse", "HEAD"), r.git(t, "rev-parse", "base")
	m, stderr := playCommits(t, "git:HEAD", "git:nodes=10:base?Hash=8", "--build", buildCommand, "--out", "../run")
	if m.IDA != "git:"+head[:12]+" "+buildCommand || m.IDB != "git:"+base[:12]+" "+buildCommand+"?Hash=8:nodes=10" ||
		m.A != "git:HEAD" || m.B != "git:nodes=10:base?Hash=8" {
		t.Errorf("played %q (%s) and %q (%s)", m.A, m.IDA, m.B, m.IDB)
	}
	wantText(t, stderr, "match: building "+head[:12]+": echo x", `git:HEAD is `+head[:12]+` "Patch", built in `,
		"bench 2000 nodes, 5000 nodes/s (the nodes of its message)", "bench 1000 nodes", "toy-"+base[:12])

	// Later commits do not change a run that was started.
	r.commit(t, 3000, "Better\n\nBench: 3000", "better")
	m, stderr = playCommits(t, "git:HEAD", "git:nodes=10:base?Hash=8", "--build", buildCommand, "--out", "../run")
	wantText(t, stderr, "git:HEAD was "+head[:12]+" when the run in ../run started, and has changed since",
		"is complete; nothing to do", "built before")
	if !strings.HasPrefix(m.IDA, "git:"+head[:12]+" ") || r.built() != 2 {
		t.Errorf("resumed with %s after %d builds", m.IDA, r.built())
	}
	info := setup.Must(durable.ReadRunInfo("../run"))
	wantText(t, string(info.Pinned), head, base, `"sha256"`)

	// Uncommitted changes.
	r.engine(t, 4000, "uncommitted")
	m, stderr = playCommits(t, "git:HEAD", "git:main", "--build", buildCommand)
	wantText(t, stderr, "warning: git:HEAD is the last commit, without the changes of 1 files in the working tree; git:. "+
		"has them", "both players are the same program, git:")
	m, stderr = playCommits(t, "git:.", "git:HEAD", "--build", buildCommand)
	if !strings.HasPrefix(m.IDA, "git:tree-") || strings.Contains(stderr, "warning") {
		t.Errorf("played %s: %s", m.A, stderr)
	}
	wantText(t, stderr, "bench 4000 nodes")

	// A commit that changes no program.
	r.git(t, "checkout", "--quiet", "engine.sh")
	r.git(t, "commit", "--quiet", "--allow-empty", "-m", "Words\n\nBench: 3000")
	for _, b := range []string{"git:HEAD~1", "git:."} {
		_, stderr = playCommits(t, "git:HEAD", b, "--build", buildCommand)
		wantText(t, stderr, "both players are the same program, git:")
	}
}

// What the second start of a run that plays the working tree does.
func TestResumeOfTheWorkingTree(t *testing.T) {
	r := newEngineRepo(t)
	r.engine(t, 4000, "first")
	first, _ := playCommits(t, "git:.", "git:HEAD", "--build", buildCommand, "--out", "../run")
	r.engine(t, 5000, "second")
	again, stderr := playCommits(t, "git:.", "git:HEAD", "--build", buildCommand, "--out", "../run")
	if first.A != again.A || r.built() != 2 {
		t.Errorf("%s and %s, built %d times", first.A, again.A, r.built())
	}
	wantText(t, stderr, "and has changed since: the run keeps it")
	setup.Check(t, os.RemoveAll(os.Getenv("ASSAY_CACHE")))
	code, _, stderr := call(t, "match", "git:.", "git:HEAD", "--build", buildCommand, "--out", "../run")
	if code != exitFailed {
		t.Errorf("exit %d", code)
	}
	wantText(t, stderr, "the working tree has changed since the run started, and the engine built then is not in")
}

func TestProjectFile(t *testing.T) {
	r := newEngineRepo(t)
	write := func(text string) {
		setup.Check(t, os.WriteFile(filepath.Join(r.dir, opts.ProjectName), []byte(text), 0o666))
	}
	setup.Check(t, os.WriteFile("book.epd", []byte("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq "+
		"-\n4k3/8/8/8/8/8/4P3/4K3 w - -\n"), 0o666))
	setup.Check(t, os.Mkdir("src", 0o777))
	t.Chdir("src")
	write("build = '''" + buildCommand + "'''\noptions = { Hash = 8, 'Use Book' = false }\nnodes = 20\nmax_plies = " +
		"4\nbook = 'book.epd'\nsprt = [0, 400]\ngames = 4\n")
	played := func(args ...string) (m match.Result, stderr string) {
		t.Helper()
		stdout, stderr := works(t, append([]string{"match", "git:HEAD", "git:base?hash=4", "--json"}, args...)...)
		setup.Check(t, json.Unmarshal([]byte(stdout), &m))
		return m, stderr
	}
	m, _ := played("--out", "../../run")
	if m.Test == nil || m.Test.Elo1 != 400 || m.Games > 4 || !strings.HasSuffix(m.IDA, "?Hash=8&Use Book=false") ||
		!strings.HasSuffix(m.IDB, "?hash=4&Use Book=false") {
		t.Errorf("%+v", m)
	}
	info := setup.Must(durable.ReadRunInfo("../../run"))
	wantText(t, info.Resume, "--build", "--nodes 20", "--book "+quote.Word(filepath.Join(r.dir, "book.epd")),
		"--sprt 0,400")

	// Flags win, a group at a time.
	if m, _ = played("--games", "2"); m.Test != nil || m.Games != 2 {
		t.Errorf("--games 2: %+v", m)
	}
	if m, stderr := played("--depth", "1", "--random-plies", "4", "--opening-score", "-1", "--no-bench"); m.Games == 0 ||
		strings.Contains(stderr, "; bench") {
		t.Errorf("%+v, %s", m, stderr)
	}
	// The commands that make data take the settings that they have.
	works(t, "selfplay", "--players", "git:HEAD", "--games", "2", "--out", "../../games")
	stdout, _ := works(t, "ladder", "git:HEAD", "git:base", "git:main~1?Hash=3", "--games", "2")
	wantText(t, stdout, "git:")
	setup.Check(t, os.WriteFile("spsa.toml", []byte("player = 'git:HEAD'\niterations = 2\nnodes = 20\nmax_plies = "+
		"4\n[[parameter]]\nname = 'Hash'\nstart = 20\nmin = 1\nmax = 50\n"), 0o666))
	_, stderr := works(t, "spsa", "spsa.toml", "--out", "../../spsa")
	wantText(t, stderr, "spsa: git:HEAD is ")
	if r.built() != 2 {
		t.Errorf("built %d times, want once a commit", r.built())
	}

	for text, want := range map[string]string{
		"build = 'x'\n\ntime_control = '8'": "assay.toml, line 3: time_control: unknown setting (there are: " +
			"options, numbers, value, skip, take, learn, alpha, beta, ",
		"build = 'x'\nhard-nodes = true":            "line 2: hard-nodes: unknown setting",
		"build = 'x'\n[options.x]\ny = 1":           "line 2: x: want a text",
		"build = \n":                                "assay.toml, line 1: ",
		"build = 'make {out}'\ndraw_plies = 'many'": "line 2: draw-plies: ",
		"build = 'make {out}'\nbench = 3":           "line 2: bench: want true or false",
		"build = 'make'":                            "has no {out}",
		"nodes = 20":                                "no command that builds git:HEAD: pass --build 'make -j EXE={out}', or write it to assay.toml",
		"build = 'echo broken; exit 3; # {out}'": "broken\ncorrect the command (--build, or build in assay.toml) or " +
			"the commit",
		"build = 'cp engine.sh {out}'\nmovetime='1ms'": "", // this and the other limits replace each other
	} {
		write(text)
		code, _, stderr := call(t, "match", "git:HEAD", "git:base", "--nodes", "20", "--max-plies", "4", "--games", "2",
			"--opening-score", "-1")
		if code == exitDone != (want == "") || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %s; want %q", text, code, stderr, want)
		}
	}
}

func TestBenchOfCommits(t *testing.T) {
	r := newEngineRepo(t)
	r.commit(t, 3001, "Wrong\n\nBench: 3000", "wrong")
	args := []string{"match", "git:HEAD", "git:base", "--build", buildCommand, "--games", "2", "--nodes", "20",
		"--max-plies", "4", "--opening-score", "-1", "--out", "../run"}
	for range 2 { // a build with a wrong bench stays built, and wrong
		code, _, stderr := call(t, args...)
		if code != exitFailed {
			t.Errorf("exit %d", code)
		}
		wantText(t, stderr, "the build searched 3001 nodes, but the message of "+r.git(t, "rev-parse",
			"HEAD")[:12]+" says 3000; correct the build or the message, or use --no-bench")
	}
	if _, err := os.Stat("../run"); err == nil || r.built() != 1 {
		t.Errorf("%d builds, and the folder of a match that was not played: %v", r.built(), err)
	}
	if code, _, stderr := call(t, append(args, "--no-bench")...); code != exitDone {
		t.Errorf("--no-bench: exit %d: %s", code, stderr)
	}
	for want, args := range map[string][]string{
		`git finds no commit "nosuch" in`: {"match", "git:nosuch", "git:base", "--build", "x {out}"},
		"git finds no repository in /": {"match", "git:HEAD", "git:base", "--build", "x {out}",
			"--repo", "/"},
		"--build is for players git:REF, and there is none": {"match", "assay", "assay", "--build", "x {out}"},
		`player "git:base:nodes=5": "base:nodes=5" is no commit`: {"match", "git:base:nodes=5", "git:base", "--build",
			buildCommand},
		"no command that builds git:HEAD: pass --build 'mak": {"selfplay", "--players", "git:HEAD", "--out", "../g"},
	} {
		if code, _, stderr := call(t, args...); code == exitDone || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %s; want %q", args, code, stderr, want)
		}
	}
}

// TestGuideTestMyPatch runs the commands of the guide, with fewer and shorter games, in the
// repository of an engine.
func TestGuideTestMyPatch(t *testing.T) {
	r := newEngineRepo(t)
	setup.Check(t, os.WriteFile("Makefile", []byte("EXE = toy\nall:\n\techo x >>\"$(BUILDS)\"\n\tcp "+
		"engine.sh \"$(EXE)\"\n"),
		0o666))
	r.git(t, "add", "Makefile")
	r.git(t, "commit", "--quiet", "-m", "Makefile")
	r.git(t, "checkout", "--quiet", "-b", "my-patch")
	r.commit(t, 2000, "Patch\n\nBench: 2000", "my patch")
	short := []string{"--games", "2", "--max-plies", "4", "--opening-score", "-1"}
	ran := 0
	for _, block := range guideBlocks(t, "test-my-patch") {
		if strings.HasPrefix(block, "on: ") {
			continue // .ci/action
		}
		if strings.HasPrefix(block, "build ") {
			setup.Check(t, os.WriteFile(opts.ProjectName, []byte(block), 0o666))
			continue
		}
		for line := range strings.Lines(block) {
			args := setup.Must(quote.Split(strings.TrimSpace(line)))
			if args[0] != "assay" {
				t.Errorf("what is %q?", line)
				continue
			}
			ran++
			if args[1] == "match" {
				args = append(args, short...)
			}
			if at := strings.Index(line, " --serve "); at >= 0 {
				args = setup.Must(quote.Split(strings.TrimSpace(line[:at])))
				// by the clock, both sides measure their speed first
				run, url := startCoordinator(t, nil, "match", append(append(args[2:], short...), "--nodes", "20")...)
				worker := []string{url}
				for _, build := range regexp.MustCompile(`; ([^;]+), SHA-256`).FindAllStringSubmatch(run.stderr.String(), -1) {
					worker = append(worker, "--engine", build[1])
				}
				startWorker(t, nil, worker...)
				run.ends(exitDone)
				continue
			}
			code, stdout, stderr := call(t, args[1:]...)
			want := exitDone
			if strings.Contains(line, "--exit-status") {
				want = 4 // two games decide nothing
			}
			if code != want || strings.Contains(stderr, "has the same openings") {
				t.Errorf("%s: exit %d: %s%s", line, code, stdout, stderr)
			}
		}
	}
	if ran < 6 || r.built() != 3 {
		t.Errorf("%d commands, %d builds; want two commits and the working tree", ran, r.built())
	}
}
