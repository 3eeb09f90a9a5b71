package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
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

// foreignMatch is a match of a foreign engine with ours.
func foreignMatch(t *testing.T, spec string, r selfplay.Runner) match.Config {
	l := selfplay.Limits{Nodes: 30}
	return match.Config{A: selfplay.Entrant{Spec: toy.Spec(spec), Name: "toy"},
		B:     selfplay.Entrant{Spec: toy.Spec("assay:hash=1")},
		Games: 6, Setup: selfplay.Setup{Out: filepath.Join(t.TempDir(), "match"), Limits: l, MaxPlies: 30,
			Check:   selfplay.Check{MaxScore: -1},
			Opening: opening.Spec{Plies: 6}, Seed: 3, Program: "test", Open: roster.Open, Runner: r}}
}

func allow(t *testing.T, engine string) *worker.AllowedEngines {
	t.Helper()
	a, err := worker.AllowEngines([]string{engine})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func allowing(a *worker.AllowedEngines) func(*worker.Worker) {
	return func(w *worker.Worker) { w.Engines = a }
}

// Three workers come to a match with a foreign engine: one whose owner allowed no engine,
// one whose owner allowed another build, and one whose owner allowed this build. Two say
// what their owners have to do, and leave; the third plays the games that the coordinator
// would have played.
func TestForeignEngines(t *testing.T) {
	t.Parallel()
	path := toyFile(t, "toy", "")
	local := foreignMatch(t, "uci:"+quote.Word(path), nil)
	if _, err := match.Run(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	b, notes, dir := serve(t, broker.Config{}), newLogBook(t), t.TempDir()
	c := foreignMatch(t, "uci:"+quote.Word(path), newCoordinator(t, b, coordinator.Config{Dir: dir, Log: notes.add}))
	end := inBackground(t, func() error { _, err := match.Run(t.Context(), c); return err })
	for name, refusal := range map[string]struct {
		allowed *worker.AllowedEngines
		says    string
	}{
		"bare":  {nil, "--engine PATH"},
		"other": {allow(t, toyFile(t, "toy", "another build")), "need the same file"},
		"named": {allow(t, toyFile(t, "toy2", "")), "--engine PATH"},
	} {
		_, ended := startWorker(t, b, name, allowing(refusal.allowed))
		err := ended()
		if !hasText(err, "cluster: refused") || !hasText(err, "its owner does not allow the engine") ||
			!strings.Contains(err.Error(), refusal.says) {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "is refused", "does not allow the engine", refusal.says)
	}
	startWorker(t, b, "anna", allowing(allow(t, toyFile(t, "toy", ""))))
	end()
	sameFiles(t, c.Out, local.Out)
	var r coordinator.Snapshot
	readJSON(t, filepath.Join(dir, coordinator.WorkersName), &r)
	for _, m := range r.Workers {
		if m.Name != "anna" && (m.Units != 0 || m.State != coordinator.Refused ||
			!strings.Contains(m.Reason, "does not allow")) || m.Name == "anna" && m.Games < 6 {
			t.Errorf("the snapshot says %+v", m)
		}
	}
}

// Workers learn an engine's name and checksum, but not its folder. Arguments, and options
// that could open a file on another machine, are rejected.
func TestForeignEnginesAsWorkersSeeThem(t *testing.T) {
	t.Parallel()
	path := toyFile(t, "toy", "")
	b := serve(t, broker.Config{})
	k := newCoordinator(t, b, coordinator.Config{})
	jobs, results := make(chan selfplay.Job), make(chan selfplay.Result, 1)
	end := inBackground(t, func() error { return k.Run(t.Context(), jobs, results) })
	l := selfplay.Limits{Nodes: 30}
	jobs <- selfplay.Job{Players: toy.Specs("uci:"+quote.Word(path)+"?Hash=1", "assay:hash=1"),
		Limits: [2]selfplay.Limits{l, l}, Plies: 4, Seed: 1}
	u := newForger(t, b, "curious").lease()
	if data, err := json.Marshal(&u); err != nil || bytes.Contains(data, []byte(filepath.Dir(path))) {
		t.Errorf("a worker learns the folder of the coordinator's engine: %s", data)
	}
	if p := u.Programs[0]; p.Name != "toy" || len(p.SHA256) != 64 || u.Programs[1] != (wire.Program{}) ||
		u.Job.Players[0].String() != "uci:toy?Hash=1" {
		t.Errorf("%+v, %q", u.Programs, u.Job.Players)
	}
	startWorker(t, b, "anna", allowing(allow(t, path))) // plays when the other's lease has expired
	<-results
	close(jobs)
	end()
	for _, spec := range []string{"uci:" + quote.Word(path) + " argument", "uci:" + quote.Word(path) + "?EvalFile=/etc/passwd"} {
		c := foreignMatch(t, spec, newCoordinator(t, b, coordinator.Config{}))
		c.Open = nil // no preflight: it fails first, because the toy has no such option
		if _, err := match.Run(t.Context(), c); err == nil ||
			!strings.Contains(err.Error(), "workers could not play it") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
