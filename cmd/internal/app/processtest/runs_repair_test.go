package processtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
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
	text := "player = \"assay:hash=1\"\niterations = 6\npairs = 2\nnodes = 30\nhard_nodes = true\nvalidation = 2\nseed = " +
		"1\nmax_plies = 30\nopening_nodes = 50\n" +
		"[[parameter]]\nname = \"queen\"\nstart = 500\nmin = 100\nmax = 2000\n"
	if err := os.WriteFile(toml, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	common := []string{"--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies", "40"}
	for _, args := range [][]string{
		append([]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games", "24"}, common...),
		append([]string{"ladder", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "assay:hash=1:depth=1", "--games",
			"24"}, common...),
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
					if code, _, stderr := call(t, append(args, "--out", out)...); code != 1 || !strings.Contains(stderr, path) ||
						!strings.Contains(stderr, "assay runs repair "+out) {
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
				for _, pattern := range []string{"games.pgn", "games/*.arrow", "games/manifest.json", "result.json",
					"config.json"} {
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
	args := []string{"selfplay", "--games", "12", "--nodes", "20", "--hard-nodes", "--opening-nodes", "50",
		"--max-plies", "40", "--players", "assay:hash=1"}
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

// A learn run whose stages are damaged ends, repaired and resumed, with the bytes of an
// undisturbed one.
func TestRepairedLearnRunsGiveTheSameBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("plan.json", []byte(planOfOne), 0o666); err != nil {
		t.Fatal(err)
	}
	learn := func(run string) (code int, stderr string) {
		code, _, stderr = call(t, "learn", "--plan", "plan.json", "--run", run)
		return code, stderr
	}
	if code, stderr := learn("whole"); code != 0 {
		t.Fatal(stderr)
	}
	whole := filepath.Join(runs.Dir, "whole")
	if code, stdout, stderr := call(t, "runs", "repair", "whole"); code != 0 || stdout != whole+": nothing is damaged\n" {
		t.Fatal(code, stdout, stderr)
	}
	zeros := func(data []byte) []byte { clear(data[len(data)/3 : len(data)/2]); return data }
	bit := func(data []byte) []byte { data[len(data)/4] ^= 4; return data }
	short := func(data []byte) []byte { return data[:len(data)/2] }
	twice := func(data []byte) []byte { return append(data, data[bytes.IndexByte(data, '\n')+1:]...) }
	for i, x := range []struct {
		files  []string
		damage func([]byte) []byte
		aside  string // what is set aside, for the files that are
	}{
		{[]string{"gen-1/gate/journal.jsonl", "gen-1/final/events.jsonl"}, bit, "gen-1/gate/journal.jsonl"},
		{[]string{"gen-1/final/journal.jsonl", "gen-1/gate/journal.jsonl"}, twice, "gen-1/final/journal.jsonl"},
		{[]string{"gen-1/games/games-00000.arrow", "run.json"}, zeros, "run.json"},
		{[]string{"gen-1/positions/positions-00000.arrow", "gen-1/weights.json"}, short, "gen-1/weights.json"},
		{[]string{"gen-1/fit.json", "gen-1/gate/config.json", "result.json"}, zeros, "gen-1/gate"},
		{[]string{"gen-1/games/config.json", "gen-1/positions/manifest.json"}, short, "gen-1/games"},
	} {
		run := string(rune('a' + i))
		out := filepath.Join(runs.Dir, run)
		if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		for _, name := range x.files {
			path := filepath.Join(out, name)
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, x.damage(data), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if code, stderr := learn(run); code != 0 && !strings.Contains(stderr, "assay runs repair "+out) {
			t.Errorf("%v: %s", x.files, stderr)
		}
		if code, stdout, stderr := call(t, "runs", "repair", run); code != 0 || !strings.Contains(stdout, "\nresume with") {
			t.Fatalf("%v: exit %d, %s%s", x.files, code, stdout, stderr)
		}
		if _, err := os.Stat(filepath.Join(out, x.aside+".damaged")); err != nil {
			t.Errorf("%v: %v", x.files, err)
		}
		if code, stderr := learn(run); code != 0 {
			t.Fatalf("%v: %s", x.files, stderr)
		}
		for _, pattern := range []string{"config.json", "result.json", "gen-1/games/*.arrow", "gen-1/games/manifest.json",
			"gen-1/positions/*.arrow",
			"gen-1/positions/manifest.json", "gen-1/fit.json", "gen-1/gate/games.pgn", "gen-1/gate/result.json",
			"gen-1/final/games.pgn", "gen-1/final/result.json"} {
			sameFiles(t, pattern, out, whole)
		}
		if info, err := durable.ReadRunInfo(out); err != nil || info.Command != "learn" || info.Started.IsZero() {
			t.Errorf("%v: %+v, %v", x.files, info, err)
		}
		if code, stdout, _ := call(t, "runs", "repair", run); code != 0 || stdout != out+": nothing is damaged\n" {
			t.Errorf("%v: after the repair: %s", x.files, stdout)
		}
	}
}

// A damaged line of the journal of a self-play run costs its game alone.
func TestRepairedJournalOfSelfplay(t *testing.T) {
	dir := t.TempDir()
	whole, broken := filepath.Join(dir, "whole"), filepath.Join(dir, "broken")
	args := []string{"selfplay", "--games", "200", "--nodes", "200", "--max-plies", "30", "--players", "assay:hash=1",
		"--out"}
	if code, _, stderr := call(t, append(args, whole)...); code != 0 {
		t.Fatal(stderr)
	}
	if assay(t, func() bool { return journalLines(broken) > 20 }, append(args, broken)...) == nil {
		t.Fatal("it was not killed")
	}
	path := filepath.Join(broken, gamelog.JournalName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := journalLines(broken)
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, append(args, broken)...); code != exitFailed ||
		!strings.Contains(stderr, "assay runs repair "+broken) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if code, stdout, stderr := call(t, "runs", "repair", broken); code != 0 ||
		!strings.Contains(stdout, fmt.Sprintf("%d whole lines kept, 1 left out", lines-1)) {
		t.Errorf("exit %d, %d lines: %s%s", code, lines, stdout, stderr)
	}
	code, stdout, stderr := call(t, append(args, broken, "--json")...)
	if code != 0 || !strings.Contains(stdout, fmt.Sprintf(`"played":%d`, 200-lines+1)) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	for _, pattern := range []string{"games-*.arrow", "manifest.json", "result.json"} {
		sameFiles(t, pattern, broken, whole)
	}
}

// A run without its configuration stays as it is; the error says what is lost and how to
// start again.
func TestRepairedRunNeedsItsConfiguration(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	if code, _, stderr := call(t, "match", "random", "random", "--depth", "1", "--games", "4", "--out", out); code != 0 {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(filepath.Join(out, durable.RunConfigName), make([]byte, 100), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := call(t, "runs", "repair", out)
	for _, want := range []string{durable.RunConfigName, "4 whole lines of games cannot be used",
		"start the run again with: assay match random random"} {
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s; want %q", code, stderr, want)
		}
	}
	if _, err := os.Stat(filepath.Join(out, gamelog.JournalName)); err != nil {
		t.Error(err)
	}
}

// A run that workers play is resumed after its coordinator's folder was damaged and repaired,
// and ends with the bytes of a local one.
func TestRepairedLedgerGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	local, shared := filepath.Join(dir, "local"), filepath.Join(dir, "shared")
	args := []string{"--games", "24", "--nodes", "1000", "--hard-nodes", "--max-plies", "30", "--players",
		"assay:hash=1", "--opening-score", "-1", "--out"}
	start(t, nil, append([]string{"selfplay"}, append(args, local)...)...).ends(exitDone)
	run, url := startCoordinator(t, nil, "selfplay", append(args, shared)...)
	anna := startWorker(t, nil, url)
	awaitLines(t, ledger(shared), 3, `"unit"`)
	run.kill()
	anna.kill()
	data, err := os.ReadFile(ledger(shared))
	if err != nil {
		t.Fatal(err)
	}
	data[20] ^= 1
	if err := os.WriteFile(ledger(shared), data, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := start(t, nil, append([]string{"selfplay", "--serve", "127.0.0.1:0"}, append(args, shared)...)...)
	refused.expect("assay runs repair " + shared)
	refused.ends(exitFailed)
	if err := os.WriteFile(filepath.Join(shared, coordinator.DirName, "run"), []byte("\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call(t, "runs", "repair", shared)
	if code != 0 || !strings.Contains(stdout, "ledger-000001.jsonl.damaged") ||
		!strings.Contains(stdout, "the run gets a new id") {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	run, url = startCoordinator(t, nil, "selfplay", append(args, shared)...)
	bert := startWorker(t, nil, url)
	run.ends(exitDone)
	leave(bert)
	for _, pattern := range []string{"games-*.arrow", "manifest.json", "result.json"} {
		sameFiles(t, pattern, shared, local)
	}
}
