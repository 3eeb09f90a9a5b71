package cluster_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
)

// toyEngine is the program of an engine that answers at once, built once for all tests.
var toyEngine = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "toy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "toy")
	if out, err := exec.Command("go", "build", "-o", path,
		"../../engine/uci/testdata/nullengine").CombinedOutput(); err != nil {
		return nil, errors.New(string(out))
	}
	return os.ReadFile(path)
})

// toyFile writes a build of the toy engine to a folder of its own. Builds differ in their last
// bytes, which do not change what they do.
func toyFile(t *testing.T, name, build string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	putToy(t, path, build)
	return path
}

func putToy(t *testing.T, path, build string) {
	t.Helper()
	program, err := toyEngine()
	if err == nil {
		err = os.WriteFile(path, append(bytes.Clone(program), build...), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// foreignMatch is a match of an external engine with ours.
func foreignMatch(t *testing.T, spec string, r selfplay.Runner) match.Config {
	l := selfplay.Limits{Nodes: 30}
	return match.Config{A: selfplay.Player{Spec: toy.Spec(spec), ID: "toy"},
		B:     selfplay.Player{Spec: toy.Spec("assay:hash=1")},
		Games: 6, Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: l, MaxPlies: 30, Check: selfplay.Check{MaxScore: -1},
				Opening: opening.Spec{Plies: 6}, Seed: 3, Program: "test"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "match"), Open: roster.Open, Runner: r},
		}}
}

func allow(t *testing.T, cache string, engines ...string) *worker.Engines {
	t.Helper()
	a := setup.Must(worker.AllowEngines(engines, cache))
	return a
}

func allowing(a *worker.Engines) func(*worker.Worker) {
	return func(w *worker.Worker) { w.Engines = a }
}

// Workers come to a match with an external engine: one whose owner allowed no engine, two whose owners allowed other
// files, and one whose owner allowed this build, or all that a run sends. The first ones say what their owners have to
// do, and leave; the last one plays the games that one machine would have played.
func TestForeignEngines(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]func(t *testing.T) *worker.Engines{
		"named": func(t *testing.T) *worker.Engines { return allow(t, "", toyFile(t, "toy", "")) },
		"sent":  func(t *testing.T) *worker.Engines { return allow(t, t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) { foreignEngines(t, last) })
	}
}

func foreignEngines(t *testing.T, last func(*testing.T) *worker.Engines) {
	path := toyFile(t, "toy", "")
	local := foreignMatch(t, "uci:"+quote.Word(path), nil)
	if _, err := match.Run(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
	c := foreignMatch(t, "uci:"+quote.Word(path), newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	ended := make(chan error, 1)
	go func() { _, err := match.Run(t.Context(), c); ended <- err }()
	for name, refusal := range map[string]struct {
		allowed *worker.Engines
		says    string
	}{
		"bare":  {nil, "--engine PATH"},
		"other": {allow(t, "", toyFile(t, "toy", "another build")), "need the same file"},
		"named": {allow(t, "", toyFile(t, "toy2", "")), "--engine PATH"},
	} {
		_, left := startWorker(t, b.URL(), name, allowing(refusal.allowed))
		err := left()
		if !hasText(err, "cluster: refused") || !hasText(err, "its owner does not allow the engine") ||
			!strings.Contains(err.Error(), refusal.says) {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "does not play", "does not allow the engine", refusal.says)
	}
	startWorker(t, b.URL(), "anna", allowing(last(t)))
	setup.Check(t, <-ended)
	sameFiles(t, c.Out, local.Out)
}
