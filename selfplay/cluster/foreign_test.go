package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
)

// toyFile writes a build of an engine that answers at once to a folder of its own. Builds differ in their last bytes,
// which do not change what they do.
func toyFile(t *testing.T, name, build string) (path string) {
	t.Helper()
	program := setup.Must(os.ReadFile(testengine.Build(t, "nullengine")))
	path = filepath.Join(t.TempDir(), name)
	setup.Check(t, os.WriteFile(path, append(program, build...), 0o700))
	return path
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

func allow(cache string, engines ...string) *worker.Engines {
	return setup.Must(worker.AllowEngines(engines, cache))
}

// Workers come to a match with an external engine: one whose owner allowed no engine, two whose owners allowed other
// files, and one whose owner allowed this build, or all that a run sends. The first ones say what their owners have to
// do, and leave; the last one plays the games that one machine would have played.
func TestForeignEngines(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]*worker.Engines{
		"named": allow("", toyFile(t, "toy", "")), "sent": allow(t.TempDir()),
	} {
		t.Run(name, func(t *testing.T) { foreignEngines(t, last) })
	}
}

func foreignEngines(t *testing.T, last *worker.Engines) {
	path := toyFile(t, "toy", "")
	local := foreignMatch(t, "uci:"+quote.Word(path), nil)
	setup.Must(match.Run(t.Context(), local))
	b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
	c := foreignMatch(t, "uci:"+quote.Word(path), newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	ended := make(chan error, 1)
	go func() { _, err := match.Run(t.Context(), c); ended <- err }()
	for name, refusal := range map[string]struct {
		allowed *worker.Engines
		says    string
	}{
		"bare":  {nil, "--engine PATH"},
		"other": {allow("", toyFile(t, "toy", "another build")), "need the same file"},
		"named": {allow("", toyFile(t, "toy2", "")), "--engine PATH"},
	} {
		_, left := startWorker(t, b.URL(), name, func(w *worker.Worker) { w.Engines = refusal.allowed })
		err := left()
		if !hasText(err, "cluster: refused") || !hasText(err, "its owner does not allow the engine") ||
			!strings.Contains(err.Error(), refusal.says) {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "does not play", "does not allow the engine", refusal.says)
	}
	startWorker(t, b.URL(), "anna", func(w *worker.Worker) { w.Engines = last })
	setup.Check(t, <-ended)
	sameFiles(t, c.Out, local.Out)
}
