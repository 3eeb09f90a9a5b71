package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/board"
)

// bigList writes a list of positions in game order, more than one shard of them.
func bigList(t *testing.T, path string) {
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
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		if _, err := f.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestKilledDataCommandsGiveTheSameBytes kills the commands that write data sets at
// random moments, and gives them again.
func TestKilledDataCommandsGiveTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 350,000 positions many times")
	}
	dir := t.TempDir()
	list, data := filepath.Join(dir, "list.epd"), filepath.Join(dir, "import")
	bigList(t, list)
	rng := rand.New(rand.NewPCG(4, 4))
	died := 0
	for _, c := range []struct {
		name, pattern string
		args          []string
	}{
		{"import", "*", []string{"data", "import", list, "--infer-games"}},
		{"merge", "*", []string{"data", "merge", data}},
		{"split", "*/*", []string{"data", "split", data, "--seed", "3"}},
		{"positions", "*", []string{"data", "positions", data, "--resolve", "keep", "--sample", "270000"}},
		{"shuffle", "*", []string{"data", "shuffle", data, "--seed", "3"}},
	} {
		whole, killed := filepath.Join(dir, c.name), filepath.Join(dir, c.name+"-killed")
		begun := time.Now()
		if err := assay(t, 0, append(c.args, "--out", whole)...); err != nil {
			t.Fatal(err)
		}
		took := time.Since(begun)
		for range 2 {
			after := time.Duration((0.1 + 0.8*rng.Float64()) * float64(took))
			if assay(t, after, append(c.args, "--out", killed)...) == nil {
				break // it was faster than its murderer
			}
			died++
		}
		if err := assay(t, 0, append(c.args, "--out", killed)...); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, c.pattern, killed, whole)
		if left, _ := filepath.Glob(filepath.Join(killed, ".*")); len(left) != 0 {
			t.Errorf("%s leaves %v", c.name, left)
		}
	}
	if died < 2 {
		t.Errorf("only %d processes were killed: this shows little", died)
	}
}
