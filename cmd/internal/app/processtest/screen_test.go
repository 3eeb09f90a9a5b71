package processtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

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
