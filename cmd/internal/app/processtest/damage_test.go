package processtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// damaged is a file that an error names, and fitted a fit with its weights.
var (
	damaged = regexp.MustCompile(`[\w./-]+\.(?:jsonl|json|arrow)\b`)
	fitted  = regexp.MustCompile(`delete (\S+) and (\S+), and both are made again`)
)

// followCure deletes what the cure in an error about a damaged run says.
func followCure(t *testing.T, stderr string) {
	t.Helper()
	_, text, _ := strings.Cut(stderr, "assay: ")
	path := damaged.FindString(text)
	both := fitted.FindStringSubmatch(text)
	switch {
	case both != nil:
		setup.Check(t, os.Remove(both[1]))
		path = both[2]
	case path == "" || !strings.Contains(text, "delete the folder of that file"):
		t.Fatalf("no file or no cure in %s", stderr)
	case !slices.Contains([]string{durable.RunResultName, durable.RunInfoName, durable.RunEventsName},
		filepath.Base(path)):
		path = filepath.Dir(path)
	}
	setup.Check(t, os.RemoveAll(path))
}

// A damaged file of a run is named with a cure. Followed literally, again and again, it ends with the bytes of an
// undisturbed run.
func TestCuresOfDamagedRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	setup.Check(t, os.WriteFile("plan.json", []byte(planOfOne), 0o666))
	short := []string{"--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies", "40",
		"--games", "12", "--out"}
	match := append([]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950"}, short...)
	selfplay := append([]string{"selfplay", "--players", "assay:hash=1"}, short...)
	learn := []string{"learn", "--plan", "plan.json", "--out"}
	zeros := func(data []byte) []byte { clear(data[len(data)/3 : len(data)/2]); return data }
	bit := func(data []byte) []byte { data[len(data)/4] ^= 4; return data }
	half := func(data []byte) []byte { return data[:len(data)/2] }
	made := map[string]bool{}
	for i, x := range []struct {
		args   []string // the last word is the run
		damage func([]byte) []byte
		files  []string
	}{
		{match, bit, []string{gamelog.JournalName}},
		{match, half, []string{durable.RunConfigName}},
		{selfplay, zeros, []string{durable.ManifestName}},
		{selfplay, half, []string{durable.RunResultName}},
		{learn, bit, []string{"gen-1/gate/journal.jsonl", "gen-1/final/events.jsonl"}},
		{learn, zeros, []string{"gen-1/games/games-00000.arrow", "run.json"}},
		{learn, half, []string{"gen-1/positions/positions-00000.arrow", "gen-1/weights.json"}},
		{learn, zeros, []string{"gen-1/fit.json", "gen-1/gate/config.json", "result.json"}},
		{learn, half, []string{"gen-1/games/config.json", "gen-1/positions/manifest.json"}},
	} {
		folder := func(run string) string { return filepath.Join(report.Dir, run) }
		play := func(run string) (int, string) {
			code, _, stderr := call(t, append(x.args[:len(x.args):len(x.args)], folder(run))...)
			return code, stderr
		}
		whole, run := x.args[0], string(rune('a'+i))
		if !made[whole] {
			made[whole] = true
			if code, stderr := play(whole); code != exitDone {
				t.Fatal(stderr)
			}
		}
		setup.Check(t, os.CopyFS(folder(run), os.DirFS(folder(whole))))
		if x.files[0] != durable.RunResultName { // else it is complete, and nothing is read again
			setup.Check(t, os.Remove(filepath.Join(folder(run), durable.RunResultName)))
		}
		for _, name := range x.files {
			data := setup.Must(os.ReadFile(filepath.Join(folder(whole), name)))
			setup.Check(t, os.WriteFile(filepath.Join(folder(run), name), x.damage(data), 0o666))
		}
		cures := 0
		for code, stderr := play(run); code != exitDone; code, stderr = play(run) {
			if cures++; cures > 2*len(x.files) {
				t.Fatalf("%v: %s", x.files, stderr)
			}
			followCure(t, stderr)
		}
		if cures == 0 {
			t.Errorf("%v: nobody noticed", x.files)
		}
		for _, pattern := range []string{"config.json", "result.json", "*.arrow", "manifest.json",
			"games.pgn", "games/*.arrow",
			"gen-1/games/*.arrow", "gen-1/games/manifest.json", "gen-1/positions/*.arrow", "gen-1/positions/manifest.json",
			"gen-1/fit.json", "gen-1/gate/games.pgn", "gen-1/gate/result.json", "gen-1/final/games.pgn",
			"gen-1/final/result.json"} {
			if list, _ := filepath.Glob(filepath.Join(folder(whole), pattern)); len(list) > 0 {
				runtest.SameFiles(t, folder(run), folder(whole), pattern)
			}
		}
	}
}
