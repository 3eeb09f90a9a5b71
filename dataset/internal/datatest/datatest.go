// Package datatest makes random games for tests of data sets, and compares and damages
// files. It does not import package dataset, so that the tests of dataset can use it.
//
// Start reading at Games.
package datatest

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
)

// Rand returns a generator that is the same in every run.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1949)) }

// Starts are the first positions of the games; empty is the usual one.
var Starts = []string{
	"", "", "",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 40",
	"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", // Chess960
}

// Game has the fields of a dataset.GameRow.
type Game = struct {
	Game         uint64
	Variant      string
	Start        string
	Opening      uint64
	OpeningPlies uint16
	Moves        []board.Move
	Scores       []int16
	Nodes        uint32
	Result       int8
	Termination  string
	White, Black string
	Seed         uint64
}

const (
	mateScore = 32000
	noScore   = -32768
)

// Games returns n games of random legal moves, numbered from 0, with random scores and a
// value in every column.
func Games[R ~Game](seed uint64, n int) []R {
	rng := Rand(seed)
	games := make([]R, n)
	for i := range games {
		games[i] = R(game(rng, uint64(i)))
	}
	return games
}

func game(rng *rand.Rand, number uint64) Game {
	start := board.StartPosition()
	id := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("test\x00"), number)) // as dataset.GameID
	g := Game{Game: binary.LittleEndian.Uint64(id[:]), Variant: "standard", Start: Starts[rng.IntN(len(Starts))],
		Nodes: uint32(rng.IntN(5000)), White: "assay:0123456789ab", Black: "königin", Seed: rng.Uint64()}
	if g.Start != "" {
		p, err := board.ParseFEN(g.Start)
		if err != nil {
			panic(err)
		}
		if start = p; p.Chess960() {
			g.Variant = "chess960"
		}
	}
	played := board.NewGame(start)
	g.OpeningPlies = uint16(rng.IntN(9))
	for n := rng.IntN(150) + 9; len(g.Moves) < n; {
		moves := played.Position().LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		if len(g.Moves) == int(g.OpeningPlies) {
			g.Opening = played.Position().Key()
		}
		m := moves[rng.IntN(len(moves))]
		played.Push(m)
		score := int16(rng.IntN(2*mateScore) - mateScore)
		if len(g.Scores) < int(g.OpeningPlies) {
			score = noScore
		}
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, score)
	}
	g.OpeningPlies = min(g.OpeningPlies, uint16(len(g.Moves)))
	g.Result, g.Termination = int8(rng.IntN(3)-1), "adjudication"
	if result, why, over := played.Outcome(); over {
		g.Result, g.Termination = int8(result), string(why)
	}
	return g
}

// Files returns the contents of all files of a folder by name.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// FlipBit changes one bit of a file.
func FlipBit(t testing.TB, path string, bit int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[bit/8%len(data)] ^= 1 << (bit % 8)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Often returns how often to try something at random: that many times in .ci/long, else a tenth.
func Often(n int) int {
	if Soak {
		return n
	}
	return n / 10
}

// nodeModulesEnv names a node_modules folder with the packages of .ci/node.
const nodeModulesEnv = "ASSAY_NODE_MODULES"

// LinkNode makes scripts for Node in a folder find these npm packages. Where one is missing,
// the test is skipped.
func LinkNode(t *testing.T, dir string, packages ...string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node:", err)
	}
	modules := os.Getenv(nodeModulesEnv)
	if modules == "" {
		modules = filepath.Join(root(t), ".ci", "node", "node_modules")
	}
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			t.Skipf("needs the npm package %s: run 'npm install --no-save --prefix .ci/node' in the project's root, "+
				"or set %s: %v", name, nodeModulesEnv, err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Skip("needs symbolic links:", err)
	}
}

// root returns the project's folder.
func root(t *testing.T) string {
	t.Helper()
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(string(mod))
}

// ReadAll reads a data set to the end, or to the first error.
func ReadAll[R any](r interface{ All() iter.Seq2[R, error] }) (rows []R, err error) {
	for row, err := range r.All() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Write writes rows as a complete data set. The writer comes with the error of making it.
func Write[R any](t testing.TB, w interface {
	Append(*R) error
	Finish(report any) (*durable.Manifest, error)
}, err error, rows []R) {
	t.Helper()
	for i := range rows {
		if err == nil {
			err = w.Append(&rows[i])
		}
	}
	if err == nil {
		_, err = w.Finish(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}
