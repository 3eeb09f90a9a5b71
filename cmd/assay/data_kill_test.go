package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// writeList writes a list of positions in game order: 30,000 different ones, several times.
func writeList(t *testing.T, path string, times int) {
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
	if err := os.WriteFile(path, bytes.Repeat(text, times), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestKilledDataCommandsGiveTheSameBytes kills the commands that write data sets as soon as
// they have written anything, and runs them again. The imported data are more than a shard
// of 262,144 rows, so that the second import resumes behind the first.
func TestKilledDataCommandsGiveTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 350,000 positions several times")
	}
	dir := t.TempDir()
	long, short := filepath.Join(dir, "long.epd"), filepath.Join(dir, "short.epd")
	writeList(t, long, 10)
	writeList(t, short, 1)
	data := filepath.Join(dir, "data")
	if err := assay(t, nil, "data", "import", short, "--infer-games", "--out", data); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, c := range []struct {
		name, pattern string
		wrote         string // what is there when the command is killed
		args          []string
	}{
		{"import", "*", "positions-00000.arrow", []string{"data", "import", long, "--infer-games"}},
		{"merge", "*", "*", []string{"data", "merge", data}},
		{"split", "*/*", "*", []string{"data", "split", data, "--seed", "3"}},
		{"positions", "*", "*", []string{"data", "positions", data, "--resolve", "keep", "--sample", "20000"}},
		{"shuffle", "*", "*", []string{"data", "shuffle", data, "--seed", "3"}},
	} {
		whole, broken := filepath.Join(dir, c.name), filepath.Join(dir, c.name+"-killed")
		if err := assay(t, nil, append(c.args, "--out", whole)...); err != nil {
			t.Fatal(err)
		}
		wrote := func() bool {
			names, err := filepath.Glob(filepath.Join(broken, c.wrote))
			return err == nil && len(names) > 0
		}
		if assay(t, wrote, append(c.args, "--out", broken)...) != nil {
			killed++
		}
		if err := assay(t, nil, append(c.args, "--out", broken)...); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, c.pattern, broken, whole)
		if left, _ := filepath.Glob(filepath.Join(broken, ".*")); len(left) != 0 {
			t.Errorf("%s leaves %v", c.name, left)
		}
	}
	if killed < 2 {
		t.Errorf("only %d processes were killed before they ended: this shows little", killed)
	}
}
