package processtest

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/ui"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
)

// The page of a run shows its worker at work, and that it is gone when the run is killed.
func TestServedRunShowsItsWorkers(t *testing.T) {
	runs := t.TempDir()
	run, address := startCoordinator(t, nil, "selfplay", "--out", filepath.Join(runs, "games"), "--games", "100000",
		"--nodes", "20", "--max-plies", "30")
	startWorker(t, nil, address, "--name", "anna")
	url := serveProcess(t, runs)
	awaitPage(t, url+"/run/games", "<bdi>working</bdi>", "<bdi>anna</bdi>",
		"1 at work with 1 cores", ui.Version()+", "+runtime.GOOS+"/"+durable.BuildTarget())

	roster := func() (r coordinator.Snapshot) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(runs, "games", coordinator.DirName, coordinator.WorkersName))
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil || len(r.Workers) != 1 || r.Workers[0].Name != "anna" {
			t.Fatalf("%+v, %v", r, err)
		}
		return r
	}
	for until := time.Now().Add(soonEnough); ; time.Sleep(200 * time.Millisecond) {
		if w := roster().Workers[0]; w.State == coordinator.Working && w.Units > 0 &&
			w.Program == ui.Version() && w.Failures == 0 && !w.Seen.IsZero() {
			break
		} else if time.Now().After(until) {
			t.Fatalf("%+v", w)
		}
	}
	run.kill()
	awaitPage(t, url+"/run/games", "<bdi>gone</bdi>", "No worker is at work")
}

// output runs a command, which has to succeed or not, and returns its output.
func output(t *testing.T, good bool, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soonEnough)
	defer cancel()
	cmd := exec.CommandContext(ctx, "assay", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if (err == nil) != good || ctx.Err() != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	return string(out)
}

// The error about a port in use says what to do.
func TestPortInUse(t *testing.T) {
	l := setup.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	said := output(t, false, nil, "selfplay", "--out", filepath.Join(t.TempDir(), "games"), "--games", "2", "--serve",
		l.Addr().String())
	if !strings.Contains(said, "address already in use") || !strings.Contains(said, "another address with --serve") {
		t.Error(said)
	}
}

// TestGuideShareMachines runs the commands of the guide, at addresses that others cannot reach.
func TestGuideShareMachines(t *testing.T) {
	engine := testengine.Build(t, "nullengine")
	t.Chdir(t.TempDir())
	for _, name := range []string{"new", "base"} {
		setup.Check(t, os.Link(engine, name))
	}
	var runs []*process
	url, ran := "", 0
	for _, block := range guideBlocks(t, "share-machines") {
		for line := range strings.Lines(block) {
			ran++
			words := quotedFields(strings.ReplaceAll(line, "10000", "1000"))
			at := slices.Index(words, "assay")
			env, words := words[:at], words[at+1:]
			switch {
			case slices.Contains(words, "--new-key"):
				code, public, stderr := call(t, words...)
				if err := os.WriteFile("keys", []byte(public), 0o666); code != exitDone || err != nil {
					t.Fatal(err, stderr)
				}
			case words[0] == "work":
				words[1] = url
				startWorker(t, nil, words[1:]...)
			default:
				words[slices.Index(words, "1000")] = "2"
				words[slices.Index(words, "--serve")+1] = "127.0.0.1:0"
				run := start(t, env, append(words, "--nodes", "20", "--max-plies", "4", "--opening-nodes", "20")...)
				_, url, _ = strings.Cut(run.expect("assay work "), "assay work ")
				runs = append(runs, run)
			}
		}
	}
	for _, run := range runs {
		run.ends(exitDone)
	}
	if ran != 6 || len(runs) != 2 {
		t.Errorf("%d commands, %d runs", ran, len(runs))
	}
}
