package gitbuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

// TestMain lets the test binary be another process that builds: see builder.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GITBUILD_REPO"); dir != "" {
		c := setup.Must(OpenCache(func(format string, args ...any) { fmt.Printf(format+"\n", args...) }))
		b := setup.Must(c.Build(context.Background(), setup.Must(resolve(dir, "HEAD")), os.Getenv("GITBUILD_COMMAND")))
		fmt.Println("new:", b.New)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func resolve(dir, ref string) (*Source, error) {
	r, err := OpenRepo(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return r.Resolve(context.Background(), ref)
}

// engine is a program that only knows bench.
const engine = `#!/bin/sh
echo "info depth 1 nodes 20 nps 30"
echo "NODES nodes 5000 nps"
`

// newRepo makes a repository with an engine in two commits, "one" and "two".
func newRepo(t *testing.T) (dir string, c *Cache) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: builds from commits are not tested")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the engine of this test is a shell script")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("ASSAY_CACHE", filepath.Join(t.TempDir(), "the cache"))
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	dir = filepath.Join(t.TempDir(), "my engine")
	git(t, ".", "init", "--quiet", dir)
	for _, n := range []string{"one", "two"} {
		nodes := map[string]string{"one": "1000", "two": "2000"}[n]
		write(t, filepath.Join(dir, "engine.sh"), strings.Replace(engine, "NODES", nodes, 1))
		git(t, dir, "add", ".")
		git(t, dir, "commit", "--quiet", "-m", "Patch "+n+"\n\nBench: "+nodes)
		git(t, dir, "tag", n)
	}
	c = setup.Must(OpenCache(t.Logf))
	return dir, c
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return setup.Must(runGit(t.Context(), dir, nil, args...))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
}

func build(t *testing.T, c *Cache, s *Source, command string) *Build {
	t.Helper()
	b := setup.Must(c.Build(t.Context(), s, command))
	t.Cleanup(b.Close)
	return b
}

// counted builds and leaves a line for each call.
func counted(t *testing.T) (command string, calls func() int) {
	file := filepath.Join(t.TempDir(), "calls")
	return "echo x >>" + quote.Word(file) + " && cp engine.sh {out}", func() int {
		text, _ := os.ReadFile(file)
		return strings.Count(string(text), "x")
	}
}

func TestBuildOfACommit(t *testing.T) {
	dir, c := newRepo(t)
	before := git(t, dir, "status", "--porcelain", "--ignored") + git(t, dir, "worktree", "list") + git(t, dir,
		"count-objects", "-v")
	command, calls := counted(t)
	for _, tt := range []struct {
		ref   string
		nodes uint64
	}{{"one", 1000}, {"two", 2000}, {"HEAD", 2000}, {"HEAD~1", 1000}} {
		s := setup.Must(resolve(dir, tt.ref))
		b := build(t, c, s, command)
		if name := filepath.Base(b.Path); name != "my-engine-"+s.Short() || len(s.ID) != 40 ||
			b.New != (tt.ref == "one" || tt.ref == "two") {
			t.Errorf("%s: %+v, %s", tt.ref, b, s.ID)
		}
		bench, err := b.Bench(t.Context())
		if err != nil || bench.Nodes != tt.nodes || bench.NPS != 5000 || bench.Check(s) != nil {
			t.Errorf("%s: bench %+v, %v", tt.ref, bench, err)
		}
	}
	if n := calls(); n != 2 {
		t.Errorf("built %d times, want once a commit", n)
	}
	s := setup.Must(resolve(dir, "one"))
	if !build(t, c, s, "true && "+command).New {
		t.Error("another command is not another build")
	}
	after := git(t, dir, "status", "--porcelain", "--ignored") + git(t, dir, "worktree", "list") + git(t, dir,
		"count-objects", "-v")
	if before != after {
		t.Errorf("the repository has changed:\n%s\nwas\n%s", after, before)
	}
	nothingHalfMade(t, c)
	want := setup.Must(setup.Must(resolve(dir, "two")).Patch(t.Context(), "two")).diff
	for name, value := range map[string]string{"diff.noprefix": "true", "diff.external": "false", "color.ui": "always",
		"diff.context": "0"} {
		git(t, dir, "config", name, value)
		p, err := setup.Must(resolve(dir, "two")).Patch(t.Context(), "two")
		if err != nil || p.diff != want {
			t.Errorf("with %s: %v, %q", name, err, p)
		}
	}
}

// nothingHalfMade fails if the cache holds anything but whole builds and their locks.
func nothingHalfMade(t *testing.T, c *Cache) {
	t.Helper()
	entries := setup.Must(os.ReadDir(c.dir))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), lockSuffix) && e.Name()[0] != '.' {
			continue
		}
		if _, err := readInfo(filepath.Join(c.dir, e.Name())); err != nil {
			t.Errorf("%s: %v", e.Name(), err)
		}
	}
}

func TestBuildOfTheWorkingTree(t *testing.T) {
	dir, c := newRepo(t)
	r := setup.Must(OpenRepo(t.Context(), dir))
	write(t, filepath.Join(dir, ".gitignore"), "*.o\n")
	write(t, filepath.Join(dir, "junk.o"), "x")
	write(t, filepath.Join(dir, "new.txt"), "3000")
	write(t, filepath.Join(dir, "engine.sh"), strings.Replace(engine, "NODES", "3000", 1))
	if n, err := r.Dirty(t.Context()); n != 1 || err != nil {
		t.Errorf("%d changed files, %v", n, err)
	}
	objects := git(t, dir, "count-objects", "-v")
	snapshot := func() *Source {
		temp, done, err := c.Temp()
		setup.Check(t, err)
		t.Cleanup(done)
		return setup.Must(r.Snapshot(t.Context(), temp))
	}
	const command = "test ! -e junk.o && test $(git rev-parse HEAD) = $(git rev-parse two) && test $(cat " +
		"new.txt) = 3000 && cp engine.sh {out}"
	first := snapshot()
	b := build(t, c, first, command)
	if bench, err := b.Bench(t.Context()); err != nil || bench.Nodes != 3000 || !b.New {
		t.Errorf("%+v, %v", bench, err)
	}
	if again := snapshot(); again.ID != first.ID || build(t, c, again, command).New {
		t.Error("the same files were built twice")
	}
	write(t, filepath.Join(dir, "engine.sh"), engine)
	if other := snapshot(); other.ID == first.ID {
		t.Error("changed files have the same id")
	}
	if now := git(t, dir, "count-objects", "-v"); now != objects {
		t.Errorf("the repository has new objects: %s, before %s", now, objects)
	}
	if build(t, c, r.Built(first.ID), command).New {
		t.Error("the build of the files as they were is not found")
	}
	if _, err := c.Build(t.Context(), r.Built(first.ID), "true "+command); err == nil ||
		!strings.Contains(err.Error(), "the working tree has changed") {
		t.Errorf("files that are gone: %v", err)
	}
}

// A file that was changed at the moment of the last commit, to the same size, is not taken for the
// one of the commit.
func TestChangeAtTheMomentOfTheCommit(t *testing.T) {
	dir, c := newRepo(t)
	r := setup.Must(OpenRepo(t.Context(), dir))
	path := filepath.Join(dir, "engine.sh")
	text := setup.Must(os.ReadFile(path))
	moment := time.Now().Add(-time.Hour)
	for change := range 2 {
		text[len(text)-1] += byte(change)
		write(t, path, string(text))
		setup.Check(t, os.Chtimes(path, moment, moment))
		if change == 0 {
			git(t, dir, "update-index", "--refresh")
			setup.Check(t, os.Chtimes(filepath.Join(dir, ".git", "index"), moment, moment))
		}
	}
	temp, done, err := c.Temp()
	setup.Check(t, err)
	defer done()
	s := setup.Must(r.Snapshot(t.Context(), temp))
	if tree := git(t, dir, "rev-parse", "HEAD^{tree}"); s.ID == tree {
		t.Error("the change is not in the snapshot")
	}
	setup.Check(t, os.Mkdir(filepath.Join(dir, "runs"), 0o777))
	write(t, filepath.Join(dir, "runs", "result.json"), "{}")
	without := setup.Must(r.Snapshot(t.Context(), t.TempDir(), filepath.Join(r.Top, "runs")))
	if with := setup.Must(r.Snapshot(t.Context(), t.TempDir())); without.ID != s.ID || with.ID == s.ID {
		t.Error("a folder that is left out is in the snapshot, or is missing where it is not")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.Top, link); err != nil {
		t.Skip(err)
	}
	if s := setup.Must(r.Snapshot(t.Context(), t.TempDir(), filepath.Join(link, "runs"))); s.ID != without.ID {
		t.Error("a folder that is left out by a path with a link is in the snapshot")
	}
	out := filepath.Join(t.TempDir(), "out")
	setup.Check(t, os.Symlink(filepath.Join(r.Top, "runs"), out))
	if s := setup.Must(r.Snapshot(t.Context(), t.TempDir(), out)); s.ID != without.ID {
		t.Error("a folder that is left out by a link to it is in the snapshot")
	}
}

// A repository may be a stranger's: programs that its settings and hooks name do not run.
func TestHooksDoNotRun(t *testing.T) {
	dir, c := newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\n: >" + quote.Word(ran) + "\n"
	hooks := filepath.Join(dir, ".git", "hooks")
	setup.Check(t, os.MkdirAll(hooks, 0o777))
	for _, name := range []string{"monitor", "post-checkout", "post-index-change"} {
		setup.Check(t, os.WriteFile(filepath.Join(hooks, name), []byte(script), 0o777))
	}
	git(t, dir, "config", "core.fsmonitor", filepath.Join(hooks, "monitor"))
	write(t, filepath.Join(dir, "engine.sh"), engine)
	r := setup.Must(OpenRepo(t.Context(), dir))
	commit := setup.Must(r.Resolve(t.Context(), "one"))
	tree := setup.Must(r.Snapshot(t.Context(), t.TempDir()))
	for _, s := range []*Source{commit, tree} {
		build(t, c, s, "cp engine.sh {out}")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository ran")
	}
}

func TestFailedBuilds(t *testing.T) {
	dir, c := newRepo(t)
	s := setup.Must(resolve(dir, "HEAD"))
	for command, want := range map[string]string{
		"echo no such header; false # {out}": "no such header",
		"true # {out}":                       "wrote no program to {out}",
		": >{out}":                           "wrote no program to {out}",
		"mkdir {out}":                        "wrote no program to {out}",
	} {
		if _, err := c.Build(t.Context(), s, command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
	nothingHalfMade(t, c)
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+s.ID+",src/fathom")
	git(t, dir, "commit", "--quiet", "-m", "a submodule")
	if _, err := c.Build(t.Context(), setup.Must(resolve(dir, "HEAD")), "false # {out}"); err == nil ||
		!strings.Contains(err.Error(), "submodules are not filled: src/fathom;") {
		t.Errorf("with a submodule: %v", err)
	}
	for _, ref := range []string{"nosuch", "--all", "one..two", ""} {
		if _, err := resolve(dir, ref); !errors.Is(err, ErrNoGit) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if _, err := OpenRepo(t.Context(), os.TempDir()); !errors.Is(err, ErrNoGit) {
		t.Errorf("a folder without a repository: %v", err)
	}
}

// builder starts another process that builds HEAD.
func builder(t *testing.T, dir, command string) (cmd *exec.Cmd, out *strings.Builder) {
	t.Helper()
	cmd, out = exec.Command(os.Args[0]), new(strings.Builder)
	cmd.Env = append(os.Environ(), "GITBUILD_REPO="+dir, "GITBUILD_COMMAND="+command)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	setup.Check(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil { // the test has failed
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd, out
}

// waitFor waits until a file is there.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("no %s within a minute", path)
}

func TestKilledDuringABuild(t *testing.T) {
	dir, c := newRepo(t)
	started, end := filepath.Join(t.TempDir(), "started"), filepath.Join(t.TempDir(), "end")
	// The compiler goes on after the kill, until the test ends.
	slow := fmt.Sprintf("head -c 20 engine.sh >{out}; touch %s; while test -d %s; do sleep 0.05; done",
		quote.Word(started), quote.Word(end))
	setup.Check(t, os.Mkdir(end, 0o777))
	defer os.Remove(end)
	cmd, _ := builder(t, dir, slow)
	waitFor(t, started)
	setup.Check(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	left, _ := filepath.Glob(filepath.Join(c.dir, tempPrefix+"*"))
	if len(left) == 0 {
		t.Error("the kill left nothing behind: this shows nothing")
	}
	s := setup.Must(resolve(dir, "HEAD"))
	next := setup.Must(OpenCache(t.Logf))
	nothingHalfMade(t, next)
	command, calls := counted(t)
	for range 2 {
		b := build(t, next, s, command)
		if bench, err := b.Bench(t.Context()); err != nil || bench.Nodes != 2000 {
			t.Errorf("bench %+v, %v", bench, err)
		}
	}
	if calls() != 1 {
		t.Errorf("built %d times, want once", calls())
	}
}

func TestTwoProcessesBuildOnce(t *testing.T) {
	dir, _ := newRepo(t)
	started, free := filepath.Join(t.TempDir(), "started"), filepath.Join(t.TempDir(), "free")
	count, calls := counted(t)
	// The shells end with the test too: then the folder is gone.
	command := fmt.Sprintf("touch %s; while test -d %s && ! test -e %s; do sleep 0.05; done; %s", quote.Word(started),
		quote.Word(filepath.Dir(free)), quote.Word(free), count)
	first, one := builder(t, dir, command)
	waitFor(t, started)
	second, two := builder(t, dir, command)
	time.AfterFunc(500*time.Millisecond, func() { write(t, free, "") }) // either way the test ends the same
	if err := errors.Join(first.Wait(), second.Wait()); err != nil {
		t.Fatalf("%v\n%s\n%s", err, one, two)
	}
	if calls() != 1 || !strings.Contains(one.String(), "new: true") || !strings.Contains(two.String(), "new: false") {
		t.Errorf("built %d times\n%s\n%s", calls(), one, two)
	}
}

func TestPrune(t *testing.T) {
	dir, c := newRepo(t)
	s := setup.Must(resolve(dir, "HEAD"))
	command := func(n int) string { return fmt.Sprintf("cp engine.sh {out} # %d", n) }
	used := build(t, c, s, command(0))
	old := time.Now().Add(-time.Hour)
	for n := range Keep + 2 {
		b := setup.Must(c.Build(t.Context(), s, command(n)))
		at := old.Add(time.Duration(n) * time.Second)
		setup.Check(t, os.Chtimes(b.dir, at, at))
		b.Close()
	}
	left, err := filepath.Glob(filepath.Join(c.dir, "*", infoName))
	if err != nil || len(left) != Keep+1 {
		t.Errorf("%d builds, %v; want %d and the one in use", len(left), err, Keep)
	}
	if _, err := os.Stat(used.Path); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, key(s.ID, command(1)))); err == nil {
		t.Error("the build that was used longest ago is there")
	}
}

func TestADamagedBuildIsMadeAgain(t *testing.T) {
	dir, c := newRepo(t)
	s := setup.Must(resolve(dir, "HEAD"))
	command, calls := counted(t)
	b := setup.Must(c.Build(t.Context(), s, command))
	b.Close()
	write(t, b.Path, "half")
	if build(t, c, s, command); calls() != 2 {
		t.Errorf("built %d times", calls())
	}
}

// An engine that looks for commands during its bench searches to the end, and one that waits for commands ends.
func TestBenchInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine")
	for script, want := range map[string]uint64{
		"exec 3<&0; cat <&3 >$0.heard & sleep 0.2; kill $!; test -s $0.heard || echo 7 nodes": 7,
		"read quit; echo ${#quit} nodes": 4,
	} {
		setup.Check(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777))
		if r, err := (&Build{Path: path}).BenchAgain(t.Context()); err != nil || r.Nodes != want {
			t.Errorf("%s: %v, %v, want %d nodes", script, r, err, want)
		}
	}
}

func TestBenchOutput(t *testing.T) {
	for text, want := range map[string]Bench{
		"Bench: 1290 ms 3844068 nodes 2979897 nps\n": {Nodes: 3844068, NPS: 2979897}, // 4ku
		// Stockfish
		"info depth 3 nodes 12 nps 34\n===========================\nTotal time (ms) : 1623\nNodes searched  : " +
			"2593605\nNodes/second    : 1598031\n": {Nodes: 2593605, NPS: 1598031},
		"Time  : 2384ms\nNodes : 4537584\nNPS   : 1903349\n":      {Nodes: 4537584, NPS: 1903349}, // Ethereal
		"OVERALL: 15,123,456 nodes 1,234,567 nps\n":               {Nodes: 15123456, NPS: 1234567},
		"positions  40\nnodes      1916628\nnodes/s    2000000\n": {Nodes: 1916628, NPS: 2000000}, // assay
		"nodes 77 \r\n":                    {Nodes: 77},
		"Bench: 4255549\r\n":               {Nodes: 4255549},
		"300 nodes per second, 900 nodes":  {Nodes: 900, NPS: 300},
		"Unknown command: bench":           {},
		"id name x\noption name Hash 16\n": {},
	} {
		if got := parseBench(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for message, want := range map[string]uint64{
		"Simplify\n\nBench: 3844068": 3844068, "-42 bytes\n\nBench 3844068\n": 3844068, "Tidy. bench=1,234,567": 1234567,
		"bench: 1000000\nSquashed\nBENCH : 2000000": 2000000, "Run bench 3 times": 0, "No functional change": 0,
	} {
		if got := benchOf(message); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
	s := &Source{ID: "abc", Bench: 1000}
	for r, want := range map[Bench]string{{Nodes: 1000}: "", {Nodes: 999}: "searched 999 nodes",
		{Note: "no bench"}: "there is no bench"} {
		if err := r.Check(s); want == "" && err != nil || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
