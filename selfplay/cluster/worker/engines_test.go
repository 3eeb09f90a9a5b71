package worker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// engineFile writes the file of an engine, which is never run.
func engineFile(t *testing.T, path, build string) wire.Program {
	t.Helper()
	if err := os.WriteFile(path, []byte("an engine's program "+build), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := wire.ProgramOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A file is allowed with the name and the content it had when it was allowed. Errors do not name the owner's folders.
func TestAllowedEngines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toy")
	p := engineFile(t, path, "")
	a, err := AllowEngines([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time without reading the file
		if spec, err := a.local(toy.Spec("uci:toy"), p); err != nil || spec.String() != "uci:"+quote.Word(path) {
			t.Fatalf("%q, %v", spec, err)
		}
	}
	if lines := a.Describe(); len(lines) != 1 || !strings.Contains(lines[0], "toy is allowed") {
		t.Errorf("%q", lines)
	}
	refused := func(p wire.Program, says string) {
		t.Helper()
		if _, err := a.local(toy.Spec("uci:toy"), p); !errors.Is(err, errNotAllowed) || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("%v: %v, want %q", p, err, says)
		}
	}
	for _, name := range []string{"../toy", "/bin/sh", `..\toy`, "C:toy", "", ".", "..", "boy"} {
		refused(wire.Program{Name: name, SHA256: p.SHA256}, "--engine PATH")
	}
	altered := engineFile(t, path, "altered")
	refused(p, "the file changed")
	refused(altered, "need the same file")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refused(p, "the file changed")
	a = nil
	refused(p, "--engine PATH")
}
