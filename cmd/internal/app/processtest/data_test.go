package processtest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// Whatever a flipped bit or a cut does to a data set, every command that reads it
// says so, names the file, and exits with 1.
func TestDamagedDataEndsEveryCommand(t *testing.T) {
	dir := t.TempDir()
	games := filepath.Join(dir, "games")
	if code, _, errs := call(t, "selfplay", "--out", games, "--games", "6", "--nodes", "50", "--seed", "3"); code != 0 {
		t.Fatal(errs)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"games-00000.arrow", "manifest.json"} {
		path := filepath.Join(games, name)
		whole := setup.Must(os.ReadFile(path))
		for i := range 16 {
			changed := bytes.Clone(whole)
			if i%2 == 0 {
				changed[rng.IntN(len(whole))] ^= 1 << rng.IntN(8)
			} else {
				changed = changed[:rng.IntN(len(whole))]
			}
			setup.Check(t, os.WriteFile(path, changed, 0o666))
			for _, args := range [][]string{
				{"data", "stat", games}, {"data", "verify", games}, {"data", "head", games},
				{"data", "positions", games, "--out", filepath.Join(dir, "x")},
				{"data", "merge", games, "--out", filepath.Join(dir, "m")},
				{"data", "split", games, "--out", filepath.Join(dir, "s")},
				{"data", "shuffle", games, "--out", filepath.Join(dir, "r")},
				{"data", "export", games, "--out", filepath.Join(dir, "games.pgn")},
			} {
				code, out, errs := call(t, args...)
				if text := out + errs; code != 1 || !strings.Contains(text, path) || strings.Contains(text, "panic") {
					t.Fatalf("damage %d to %s: %q ends with %d:\n%s", i, name, args[1], code, text)
				}
			}
		}
		setup.Check(t, os.WriteFile(path, whole, 0o666))
	}
	if _, err := os.Stat(filepath.Join(dir, "games.pgn")); err == nil {
		t.Error("damaged games were exported")
	}
	code, out, errs := call(t, "data", "verify", games, "--json")
	var v struct {
		OK   bool
		Rows int
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 || !v.OK || v.Rows != 6 {
		t.Errorf("mended: %d %s %s", code, out, errs)
	}
}
