package enginetest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// Position returns the position of a FEN that is the test's own.
func Position(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Move returns the move of the position that is written so in SAN.
func Move(t testing.TB, p *board.Position, san string) board.Move {
	t.Helper()
	m, err := p.ParseSAN(san)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Shared reads a JSON file of the data that lie beside the project, in ../shared of its
// root, into v. Where they are absent the test is skipped.
func Shared(t testing.TB, name string, v any) {
	t.Helper()
	path := filepath.Join(projectRoot(t), "..", "shared", filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is absent", path)
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// projectRoot is the folder above the test's that has go.mod.
func projectRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod in any folder above the test's")
		}
		dir = up
	}
}
