package worker

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// putEngine writes the file of an engine, which is never run.
func putEngine(t *testing.T, path, build string) {
	t.Helper()
	write(t, path, []byte("an engine's program "+build))
}

func engineFile(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	putEngine(t, path, "")
	return path
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// newSigner makes a signing key, and returns its file and its entry in a list.
func newSigner(t *testing.T, name string) (file string, key wire.Key) {
	t.Helper()
	private, line, err := wire.NewSigningKey(name)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), name)
	write(t, file, private)
	return file, wire.Key{Name: name, Public: strings.Fields(line)[1]}
}

func sign(t *testing.T, engine, key string) {
	t.Helper()
	if _, err := wire.Sign(engine, key); err != nil {
		t.Fatal(err)
	}
}

func allow(t *testing.T, engines []string, dir string, trusted ...wire.Key) *AllowedEngines {
	t.Helper()
	a, err := AllowEngines(engines, dir, trusted)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Engines that are not allowed, and the errors, which do not name the owner's folders.
func TestEnginesThatAreNotAllowed(t *testing.T) {
	secret, dev := newSigner(t, "dev")
	strange, stranger := newSigner(t, "stranger")
	for name, c := range map[string]struct {
		change func(path string) // changes the folder with an engine that dev signed
		says   string
	}{
		"no signature":  {func(path string) { os.Remove(path + ".sig") }, "there is no toy.sig"},
		"another's key": {func(path string) { sign(t, path, strange) }, stranger.Public},
		"altered file":  {func(path string) { putEngine(t, path, "altered") }, "need the same file"},
		"no file":       {func(path string) { os.Remove(path) }, "no file of that name"},
		"a folder":      {func(path string) { os.Remove(path); os.Mkdir(path, 0o700) }, "cannot read"},
		"garbage": {func(path string) { write(t, path+".sig", []byte("signed, dev")) },
			"want what assay sign writes"},
		"another format": {func(path string) { edit(t, path, "signature/1", "signature/2") }, "want what assay sign writes"},
		"another name":   {func(path string) { edit(t, path, `"toy"`, `"boy"`) }, "changed or renamed"},
		"dev's in name": {func(path string) { sign(t, path, strange); edit(t, path, stranger.Public, dev.Public) },
			"the key of dev did not make it"},
		"a cut signature": {func(path string) { edit(t, path, `"signature": "`, `"signature": "AAAA`) },
			"the key of dev did not make it"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "toy")
		putEngine(t, path, "")
		sign(t, path, secret)
		a := allow(t, nil, folder, dev)
		p := programOf(t, path)
		if _, err := a.local(t.Context(), toy.Spec("uci:toy"), p, nil); err != nil {
			t.Fatalf("%s: signed by dev: %v", name, err)
		}
		c.change(path)
		a = allow(t, nil, folder, dev)
		_, err := a.local(t.Context(), toy.Spec("uci:toy"), p, nil)
		if !errors.Is(err, errNotAllowed) || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file is allowed with the content it had when it was allowed.
func TestEnginesThatChange(t *testing.T) {
	secret, dev := newSigner(t, "dev")
	folder := t.TempDir()
	signed, named := filepath.Join(folder, "signed"), engineFile(t, "named")
	putEngine(t, signed, "")
	sign(t, signed, secret)
	a := allow(t, []string{named}, folder, dev)
	for _, path := range []string{signed, named} {
		p := programOf(t, path)
		for range 2 { // the second time without reading the file
			if spec, err := a.local(t.Context(), toy.Spec("uci:"+p.Name), p, nil); err != nil || spec.String() !=
				"uci:"+quote.Word(path) {
				t.Fatalf("%q, %v", spec, err)
			}
		}
		putEngine(t, path, "altered")
		if _, err := a.local(t.Context(), toy.Spec("uci:"+p.Name), p, nil); !errors.Is(err, errNotAllowed) {
			t.Errorf("%s has changed: %v", p.Name, err)
		}
		if _, err := a.local(t.Context(), toy.Spec("uci:"+p.Name), programOf(t, path), nil); !errors.Is(err, errNotAllowed) {
			t.Errorf("%s has changed, in the run too: %v", p.Name, err)
		}
	}
	lines, err := a.Describe()
	if text := strings.Join(lines, "\n"); err != nil || len(lines) != 2 || !strings.Contains(text, "named is allowed") ||
		!strings.Contains(text, "signed is not allowed") {
		t.Errorf("%q, %v", lines, err)
	}
}

// Names cannot lead out of the folder.
func TestEnginesOutsideTheFolder(t *testing.T) {
	_, dev := newSigner(t, "dev")
	a := allow(t, nil, t.TempDir(), dev)
	for _, name := range []string{"../toy", "/bin/sh", `..\toy`, "C:toy", "", ".", "..", "toy.sig"} {
		if _, err := a.local(t.Context(), toy.Spec("uci:toy"), wire.Program{Name: name, SHA256: strings.Repeat("0", 64)},
			nil); !errors.Is(err, errNotAllowed) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func programOf(t *testing.T, path string) wire.Program {
	t.Helper()
	p, err := wire.ProgramOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// edit changes a signature file.
func edit(t *testing.T, path, from, to string) {
	t.Helper()
	data, err := os.ReadFile(path + ".sig")
	if err != nil || !bytes.Contains(data, []byte(from)) {
		t.Fatalf("%v: no %q in %s", err, from, data)
	}
	write(t, path+".sig", bytes.Replace(data, []byte(from), []byte(to), 1))
}
