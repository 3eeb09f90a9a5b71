package processtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// writeList writes a list of 30,000 different positions in game order.
func writeList(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	var text []byte
	for range 300 {
		p := board.StartPosition()
		result := float64(rng.IntN(3)) / 2
		for range 100 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[rng.IntN(len(moves))])
			text = fmt.Appendf(text, "%s;%d;%.1f\n", p.FEN(), rng.IntN(800)-400, result)
		}
	}
	setup.Check(t, os.WriteFile(path, text, 0o666))
}

// TestKilledDataCommandsGiveTheSameBytes kills the commands that write data sets as soon as
// they have written anything, and runs them again.
func TestKilledDataCommandsGiveTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	list, data := filepath.Join(dir, "list.epd"), filepath.Join(dir, "data")
	writeList(t, list)
	setup.Check(t, assay(t, nil, "data", "import", list, "--infer-games", "--out", data))
	killed := 0
	for _, c := range []struct {
		name, pattern string
		args          []string
	}{
		{"import", "*", []string{"data", "import", list, "--infer-games"}},
		{"merge", "*", []string{"data", "merge", data}},
		{"split", "*/*", []string{"data", "split", data, "--seed", "3"}},
		{"positions", "*", []string{"data", "positions", data, "--resolve", "keep", "--sample", "20000"}},
		{"shuffle", "*", []string{"data", "shuffle", data, "--seed", "3"}},
	} {
		whole, broken := filepath.Join(dir, c.name), filepath.Join(dir, c.name+"-killed")
		setup.Check(t, assay(t, nil, append(c.args, "--out", whole)...))
		wrote := func() bool {
			names, err := filepath.Glob(filepath.Join(broken, "*"))
			hidden, _ := filepath.Glob(filepath.Join(broken, ".*"))
			return err == nil && len(names)+len(hidden) > 0
		}
		if assay(t, wrote, append(c.args, "--out", broken)...) != nil {
			killed++
		}
		setup.Check(t, assay(t, nil, append(c.args, "--out", broken)...))
		runtest.SameFiles(t, broken, whole, c.pattern)
		if left, _ := filepath.Glob(filepath.Join(broken, ".*")); len(left) != 0 {
			t.Errorf("%s leaves %v", c.name, left)
		}
	}
	if killed < 2 {
		t.Errorf("only %d processes were killed before they ended: this shows little", killed)
	}
}
