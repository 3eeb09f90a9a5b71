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

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
)

// toyEngine is the program of an engine that answers at once, built once.
var toyEngine = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "toy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "toy")
	if out, err := exec.Command("go", "build", "-o", path, "../../engine/uci/testdata/nullengine").CombinedOutput(); err != nil {
		return nil, errors.New(string(out))
	}
	return os.ReadFile(path)
})

// toy writes a build of the engine as name in a folder of its own; builds differ in their
// last bytes, which change nothing that they do.
func toy(t *testing.T, name, build string) (path string) {
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

// foreignMatch is a match of an engine with ours.
func foreignMatch(t *testing.T, spec string, r selfplay.Runner) match.Config {
	l := selfplay.Limits{Nodes: 30}
	return match.Config{Out: filepath.Join(t.TempDir(), "match"), A: selfplay.Entrant{Spec: spec, Name: "toy"}, B: selfplay.Entrant{Spec: "assay:hash=1"},
		Limits: [2]selfplay.Limits{l, l}, Games: 6, Plies: 30, OpeningScore: -1, Opening: opening.Spec{Plies: 6}, Seed: 3, Program: "test", Open: roster.Open, Runner: r}
}

func allow(t *testing.T, engines []string, dir string, trusted ...cluster.Key) *cluster.AllowedEngines {
	t.Helper()
	a, err := cluster.AllowEngines(engines, dir, trusted)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func lending(a *cluster.AllowedEngines) func(*cluster.Worker) {
	return func(w *cluster.Worker) { w.Engines = a }
}

// Three workers come to a match with a foreign engine: one that was allowed none, one that
// was allowed another build of it, and one that was allowed this one. Two say what
// their owners would have to do and leave; the third plays the games that the coordinator
// would have played.
func TestForeignEngines(t *testing.T) {
	path := toy(t, "toy", "")
	local := foreignMatch(t, "uci:"+path, nil)
	if _, err := match.Run(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	b, notes, dir := serve(t, broker.Config{}), newNotebook(t), t.TempDir()
	c := foreignMatch(t, "uci:"+path, coordinate(t, b, cluster.Config{Dir: dir, Log: notes.tell}))
	end := begin(t, func() error { _, err := match.Run(t.Context(), c); return err })
	for name, refusal := range map[string]struct {
		allowed *cluster.AllowedEngines
		says    string
	}{
		"bare":  {nil, "--engine PATH"},
		"other": {allow(t, []string{toy(t, "toy", "another build")}, ""), "need the same file"},
		"named": {allow(t, []string{toy(t, "toy2", "")}, ""), "--engine PATH"},
	} {
		_, ended := lend(t, b, name, lending(refusal.allowed))
		err := ended()
		if !errors.Is(err, cluster.ErrRefused) || !errors.Is(err, cluster.ErrNotAllowed) || !strings.Contains(err.Error(), refusal.says) {
			t.Errorf("%s ended with %v", name, err)
		}
		notes.expect(name, "is refused", "does not allow the engine", refusal.says)
	}
	lend(t, b, "anna", lending(allow(t, []string{toy(t, "toy", "")}, "")))
	end()
	same(t, c.Out, local.Out)
	var r cluster.Snapshot
	readJSON(t, filepath.Join(dir, cluster.WorkersName), &r)
	for _, m := range r.Workers {
		if m.Name != "anna" && (m.Units != 0 || m.State != cluster.Refused || !strings.Contains(m.Reason, "does not allow")) || m.Name == "anna" && m.Games < 6 {
			t.Errorf("the roster says %+v", m)
		}
	}
}

// What the coordinator says of an engine is its name and content: no folder, no argument
// and no option that could open a file on another machine.
func TestForeignEnginesAsWorkersSeeThem(t *testing.T) {
	path := toy(t, "toy", "")
	b := serve(t, broker.Config{})
	k := coordinate(t, b, cluster.Config{})
	jobs, results := make(chan selfplay.Job), make(chan selfplay.Result, 1)
	end := begin(t, func() error { return k.Run(t.Context(), jobs, results) })
	l := selfplay.Limits{Nodes: 30}
	jobs <- selfplay.Job{Players: [2]string{"uci:" + path + "?Hash=1", "assay:hash=1"}, Limits: [2]selfplay.Limits{l, l}, Plies: 4, Seed: 1}
	u := newForger(t, b, "curious").lease()
	if data, err := json.Marshal(&u); err != nil || bytes.Contains(data, []byte(filepath.Dir(path))) {
		t.Errorf("a worker hears where the coordinator's engine lies: %s", data)
	}
	if p := u.Programs[0]; p.Name != "toy" || len(p.SHA256) != 64 || u.Programs[1] != (cluster.Program{}) || u.Job.Players[0] != "uci:toy?Hash=1" {
		t.Errorf("%+v, %q", u.Programs, u.Job.Players)
	}
	lend(t, b, "anna", lending(allow(t, []string{path}, ""))) // when the lease of the other is over
	<-results
	close(jobs)
	end()
	for _, spec := range []string{"uci:" + path + " argument", "uci:" + path + "?EvalFile=/etc/passwd"} {
		c := foreignMatch(t, spec, coordinate(t, b, cluster.Config{}))
		if _, err := match.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "workers would not play it") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// signingKey makes a key and returns its file and what a list says of it.
func signingKey(t *testing.T, name string) (file string, key cluster.Key) {
	t.Helper()
	private, line, err := cluster.NewSigningKey(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file = filepath.Join(dir, name)
	write(t, file, private)
	list := filepath.Join(dir, "list")
	write(t, list, []byte(line+" # who builds it\n"))
	keys, err := cluster.ReadTrusted(list)
	if err != nil {
		t.Fatal(err)
	}
	return file, keys[0]
}

func sign(t *testing.T, engine, key string) {
	t.Helper()
	if _, err := cluster.Sign(engine, key); err != nil {
		t.Fatal(err)
	}
}

// A build that came into the folder after the worker began is played, since somebody
// whom the owner trusts signed it.
func TestSignedEngines(t *testing.T) {
	secret, dev := signingKey(t, "dev")
	b, notes := serve(t, broker.Config{}), newNotebook(t)
	path := toy(t, "toy-0124", "development build 0124")
	c := foreignMatch(t, "uci:"+path, coordinate(t, b, cluster.Config{Log: notes.tell}))
	folder := t.TempDir()
	allowed := allow(t, nil, folder, dev)
	end := begin(t, func() error { _, err := match.Run(t.Context(), c); return err })
	_, ended := lend(t, b, "early", lending(allowed))
	if err := ended(); !errors.Is(err, cluster.ErrNotAllowed) || !strings.Contains(err.Error(), "toy-0124.sig") {
		t.Errorf("early ended with %v", err)
	}
	putToy(t, filepath.Join(folder, "toy-0124"), "development build 0124")
	sign(t, path, secret)
	signature, err := os.ReadFile(path + cluster.SignatureSuffix)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "toy-0124.sig"), signature)
	lend(t, b, "anna", lending(allowed))
	end()
	if lines, err := allowed.Describe(); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "toy-0124 is signed by dev") {
		t.Errorf("%q, %v", lines, err)
	}
}

// What may not be run, and what is said of it, without a word of the owner's folders.
func TestEnginesThatAreNotAllowed(t *testing.T) {
	secret, dev := signingKey(t, "dev")
	strange, stranger := signingKey(t, "stranger")
	for name, c := range map[string]struct {
		change func(path string) // what lies in the folder, signed by dev
		says   string
	}{
		"no signature":    {func(path string) { os.Remove(path + ".sig") }, "there is no toy.sig"},
		"another's key":   {func(path string) { sign(t, path, strange) }, stranger.Public},
		"altered file":    {func(path string) { putToy(t, path, "altered") }, "need the same file"},
		"no file":         {func(path string) { os.Remove(path) }, "none of that name"},
		"a folder":        {func(path string) { os.Remove(path); os.Mkdir(path, 0o700) }, "cannot be read"},
		"garbage":         {func(path string) { write(t, path+".sig", []byte("signed, dev")) }, "not what assay sign writes"},
		"another format":  {func(path string) { edit(t, path, "signature/1", "signature/2") }, "not what assay sign writes"},
		"another name":    {func(path string) { edit(t, path, `"toy"`, `"boy"`) }, "changed or renamed"},
		"dev's in name":   {func(path string) { sign(t, path, strange); edit(t, path, stranger.Public, dev.Public) }, "dev did not make it"},
		"a cut signature": {func(path string) { edit(t, path, `"signature": "`, `"signature": "AAAA`) }, "dev did not make it"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "toy")
		putToy(t, path, "")
		sign(t, path, secret)
		a := allow(t, nil, folder, dev)
		p := programOf(t, path)
		if _, err := cluster.Runs(a, "uci:toy", p); err != nil {
			t.Fatalf("%s: signed by dev: %v", name, err)
		}
		c.change(path)
		a = allow(t, nil, folder, dev)
		_, err := cluster.Runs(a, "uci:toy", p)
		if !errors.Is(err, cluster.ErrNotAllowed) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that was allowed is allowed as it was, for as long as the worker works.
func TestEnginesThatChange(t *testing.T) {
	secret, dev := signingKey(t, "dev")
	folder := t.TempDir()
	signed, named := filepath.Join(folder, "signed"), toy(t, "named", "")
	putToy(t, signed, "")
	sign(t, signed, secret)
	a := allow(t, []string{named}, folder, dev)
	for _, path := range []string{signed, named} {
		p := programOf(t, path)
		for range 2 { // the second time it is known
			if spec, err := cluster.Runs(a, "uci:"+p.Name, p); err != nil || spec != "uci:"+path {
				t.Fatalf("%q, %v", spec, err)
			}
		}
		putToy(t, path, "altered")
		if _, err := cluster.Runs(a, "uci:"+p.Name, p); !errors.Is(err, cluster.ErrNotAllowed) {
			t.Errorf("%s was altered: %v", p.Name, err)
		}
		if _, err := cluster.Runs(a, "uci:"+p.Name, programOf(t, path)); !errors.Is(err, cluster.ErrNotAllowed) {
			t.Errorf("%s was altered, and the run has it so: %v", p.Name, err)
		}
	}
	lines, err := a.Describe()
	if text := strings.Join(lines, "\n"); err != nil || len(lines) != 2 || !strings.Contains(text, "named is allowed") || !strings.Contains(text, "signed is not played") {
		t.Errorf("%q, %v", lines, err)
	}
}

// Names that would lead out of the folder lead nowhere.
func TestEnginesOutsideTheFolder(t *testing.T) {
	_, dev := signingKey(t, "dev")
	a := allow(t, nil, t.TempDir(), dev)
	for _, name := range []string{"../toy", "/bin/sh", `..\toy`, "C:toy", "", ".", "..", "toy.sig"} {
		if _, err := cluster.Runs(a, "uci:toy", cluster.Program{Name: name, SHA256: strings.Repeat("0", 64)}); !errors.Is(err, cluster.ErrNotAllowed) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Keys of workers sign nothing, signing keys let nobody in, and what is no key is told so.
func TestKeysForSigning(t *testing.T) {
	dir := t.TempDir()
	private, line, err := cluster.NewKey("anna")
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(dir, "anna.key")
	write(t, keys, private)
	engine := toy(t, "toy", "")
	for path, says := range map[string]string{keys: "signs no engines", engine: "want a secret key for signing", filepath.Join(dir, "none"): "none"} {
		if _, err := cluster.Sign(engine, path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("signing with %s: %v", path, err)
		}
	}
	secret, dev := signingKey(t, "dev")
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := cluster.Sign(path, secret); err == nil {
			t.Errorf("%s is signed", path)
		}
	}
	list := filepath.Join(dir, "list")
	for text, says := range map[string]string{line: "assay sign --new-key", "# nobody\n": "nobody is trusted", "dev": "line 1"} {
		write(t, list, []byte(text))
		if _, err := cluster.ReadTrusted(list); !errors.Is(err, cluster.ErrKey) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	write(t, list, []byte("dev "+dev.Public))
	if _, err := cluster.ReadKeys(list); !errors.Is(err, cluster.ErrKey) {
		t.Errorf("a coordinator lets in who signs: %v", err)
	}
}

func programOf(t *testing.T, path string) cluster.Program {
	t.Helper()
	p, err := cluster.ProgramAt(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// edit changes a signature.
func edit(t *testing.T, path, from, to string) {
	t.Helper()
	data, err := os.ReadFile(path + ".sig")
	if err != nil || !bytes.Contains(data, []byte(from)) {
		t.Fatalf("%v: no %q in %s", err, from, data)
	}
	write(t, path+".sig", bytes.Replace(data, []byte(from), []byte(to), 1))
}
