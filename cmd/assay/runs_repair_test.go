package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// journalDamage changes a journal in ways that no crash does.
var journalDamage = []struct {
	name  string
	apply func(rng *rand.Rand, data []byte) []byte
}{
	{"a bit", func(rng *rand.Rand, data []byte) []byte {
		data[rng.IntN(len(data)-1)] ^= 1 << rng.IntN(8)
		return data
	}},
	{"a block of zeros", func(rng *rand.Rand, data []byte) []byte {
		at := rng.IntN(len(data) / 2)
		clear(data[at:min(len(data)-1, at+4096)])
		return data
	}},
	{"bytes lost", func(rng *rand.Rand, data []byte) []byte {
		at := rng.IntN(len(data) / 2)
		return append(data[:at:at], data[at+1+rng.IntN(len(data)/3):]...)
	}},
	{"a block twice", func(rng *rand.Rand, data []byte) []byte {
		at := rng.IntN(len(data) / 2)
		return append(bytes.Clone(data[:at+5000]), data[at:]...)
	}},
	{"lines joined", func(rng *rand.Rand, data []byte) []byte {
		return bytes.Replace(data, []byte("\n"), []byte(" "), 1+rng.IntN(3))
	}},
	{"the last newline", func(_ *rand.Rand, data []byte) []byte {
		data[len(data)-1] = 'x'
		return data
	}},
}

// A journal damaged at random places is refused; repaired and resumed, the run ends with the
// bytes of an undisturbed one, and the damaged journal is kept.
func TestRepairedRunsGiveTheSameBytes(t *testing.T) {
	toml := filepath.Join(t.TempDir(), "queen.toml")
	text := "player = \"assay:hash=1\"\niterations = 10\npairs = 2\nnodes = 30\nhard_nodes = true\nvalidation = 4\nseed = 1\nmax_plies = 30\nopening_nodes = 50\n" +
		"[[parameter]]\nname = \"queen\"\nstart = 500\nmin = 100\nmax = 2000\n"
	if err := os.WriteFile(toml, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	common := []string{"--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies", "40"}
	for _, args := range [][]string{
		append([]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "40"}, common...),
		append([]string{"ladder", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "assay:hash=1:depth=1", "--games", "36"}, common...),
		{"spsa", toml},
	} {
		t.Run(args[0], func(t *testing.T) {
			dir := t.TempDir()
			whole := filepath.Join(dir, "whole")
			if code, _, stderr := call(t, append(args, "--out", whole)...); code != 0 {
				t.Fatal(stderr)
			}
			if code, stdout, stderr := call(t, "runs", "repair", whole); code != 0 || stdout != whole+": nothing is damaged\n" {
				t.Fatal(code, stdout, stderr)
			}
			rng := rand.New(rand.NewPCG(18, 1))
			for i, damage := range journalDamage {
				out := filepath.Join(dir, strings.ReplaceAll(damage.name, " ", "-"))
				if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				if i%2 == 0 { // else the run was complete
					if err := os.Remove(filepath.Join(out, durable.RunResultName)); err != nil {
						t.Fatal(err)
					}
				}
				path := filepath.Join(out, gamelog.JournalName)
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				damaged := damage.apply(rng, data)
				if err := os.WriteFile(path, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				if i%2 == 0 {
					if code, _, stderr := call(t, append(args, "--out", out)...); code != 1 || !strings.Contains(stderr, path) || !strings.Contains(stderr, "assay runs repair "+out) {
						t.Errorf("%s: exit %d, %s", damage.name, code, stderr)
					}
				}
				code, stdout, stderr := call(t, "runs", "repair", out)
				if code != 0 || !strings.Contains(stdout, "whole lines kept") || !strings.Contains(stdout, "\nresume with: ") {
					t.Fatalf("%s: exit %d, %s%s", damage.name, code, stdout, stderr)
				}
				if kept, err := os.ReadFile(path + ".damaged"); err != nil || !bytes.Equal(kept, damaged) {
					t.Errorf("%s: the damaged journal is not kept: %v", damage.name, err)
				}
				if code, _, stderr := call(t, append(args, "--out", out)...); code != 0 {
					t.Fatalf("%s: %s", damage.name, stderr)
				}
				for _, pattern := range []string{"games.pgn", "games/*.arrow", "games/manifest.json", "result.json", "config.json"} {
					sameFiles(t, pattern, out, whole)
				}
				if code, stdout, _ := call(t, "runs", "repair", out); code != 0 || stdout != out+": nothing is damaged\n" {
					t.Errorf("%s: after the repair: %s", damage.name, stdout)
				}
			}
		})
	}
}

// A data set is cut back to the shards before the damaged one; with a damaged manifest it is
// written from the start.
func TestRepairedDataGiveTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	args := []string{"selfplay", "--games", "40", "--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies", "40", "--players", "assay:hash=1"}
	if code, _, stderr := call(t, append(args, "--out", whole)...); code != 0 {
		t.Fatal(stderr)
	}
	for _, name := range []string{"games-00000.arrow", durable.ManifestName, durable.RunResultName} {
		out := filepath.Join(dir, name)
		if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(out, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		clear(data[len(data)/3 : len(data)/2])
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call(t, "runs", "repair", out)
		if code != 0 || !strings.Contains(stdout, "resume with: ") {
			t.Fatalf("%s: exit %d, %s%s", name, code, stdout, stderr)
		}
		if kept, err := os.ReadFile(path + ".damaged"); err != nil || !bytes.Equal(kept, data) {
			t.Errorf("the damaged %s is not kept: %v", name, err)
		}
		if code, _, stderr := call(t, append(args, "--out", out)...); code != 0 {
			t.Fatalf("%s: %s", name, stderr)
		}
		for _, pattern := range []string{"games-*.arrow", "manifest.json", "result.json"} {
			sameFiles(t, pattern, out, whole)
		}
	}
}
