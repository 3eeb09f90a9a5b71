package app

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// What --write writes is read as it was.
func TestConfigIsReadAgain(t *testing.T) {
	m, err := eval.Lookup("machack-1967")
	setup.Check(t, err)
	want := newSpsaConfig()
	want.Player = `assay:hash=1:weights=a "b" c.json`
	if want.Parameters, err = play.TermParameters(m, m.Start); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"iterations": "500", "pairs": "1", "nodes": "300", "validation": "1000",
		"seed": "3"} {
		setup.Check(t, want.Put(name, text))
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	setup.Check(t, want.save(path))
	got, err := readSpsaConfig(path)
	if err != nil || got.Player != want.Player || string(got.toml()) != string(want.toml()) ||
		!reflect.DeepEqual(got.Setup, want.Setup) ||
		!reflect.DeepEqual(got.Parameters, want.Parameters) {
		t.Errorf("%v\n%+v", err, got)
	}
}
