package processtest

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// The page of a run shows its worker at work. When the run is killed, the worker is gone, and the page and the list of
// runs say how to resume the run.
func TestServedRunShowsItsWorkers(t *testing.T) {
	runs := t.TempDir()
	out := filepath.Join(runs, "games")
	run, address := startCoordinator(t, nil, "selfplay", "--out", out, "--games", "100000", "--nodes", "20",
		"--max-plies", "30")
	startWorker(t, nil, address, "--name", "anna")
	url := serveProcess(t, runs)
	awaitPage(t, url+"/run/games", `class="running">running`, "<bdi>working</bdi>", "<bdi>anna</bdi>",
		"1 at work, cores: 1", ui.Version()+", "+runtime.GOOS+"/"+durable.BuildTarget())
	run.kill()
	const interrupted = `class="interrupted">interrupted`
	resume := html.EscapeString("assay selfplay --games 100000 --max-plies 30 --nodes 20 --out " + quote.Word(out) +
		" --serve 127.0.0.1:0")
	awaitPage(t, url+"/run/games", "<bdi>gone</bdi>", "No worker is at work", interrupted, resume)
	awaitPage(t, url+"/", interrupted, resume)
}

// The error about a port in use says what to do.
func TestPortInUse(t *testing.T) {
	l := setup.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	run := start(t, nil, "selfplay", "--out", filepath.Join(t.TempDir(), "games"), "--games", "2", "--serve",
		l.Addr().String())
	run.ends(exitFailed)
	said := run.stderr.String()
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
			words := setup.Must(quote.Split(strings.ReplaceAll(strings.TrimSpace(line), "10000", "1000")))
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

// answered returns how many units of a worker a run has accepted, and how many the worker
// says it played. Both have ended.
func answered(t *testing.T, out string, w *process, name string) (taken, played int64) {
	t.Helper()
	var r coordinator.Snapshot
	setup.Check(t, durable.ReadJSON(filepath.Join(out, coordinator.DirName, coordinator.WorkersName), &r))
	var games, checks int64
	lines := strings.Split(strings.TrimSpace(w.stderr.String()), "\n")
	if _, err := fmt.Sscanf(lines[len(lines)-1], "work: %d games and %d checks of openings", &games, &checks); err != nil {
		t.Fatalf("%v: %s", err, &w.stderr)
	}
	for _, m := range r.Workers {
		if m.Name == name {
			taken = m.Units
		}
	}
	return taken, games + checks
}

// longRun plays games that are long enough for workers to come and leave.
var longRun = []string{"--games", "40", "--nodes", "500", "--hard-nodes", "--max-plies", "30", "--players",
	"assay:hash=1", "--opening-score", "-1", "--out"}

var longRunAlone sync.Once

// sameAsLongRun compares a run with longRun without workers, which is played once.
func sameAsLongRun(t *testing.T, shared string) {
	t.Helper()
	alone := filepath.Join(testengine.Folder(), "long-run")
	longRunAlone.Do(func() {
		start(t, nil, append([]string{"selfplay"}, append(longRun[:len(longRun):len(longRun)], alone)...)...).ends(exitDone)
	})
	runtest.SameFiles(t, shared, alone, "games-*.arrow", "manifest.json", "result.json")
}

// Workers that are interrupted finish and send the units under way, and give the others
// back. Other workers get these at once, and not when the leases expire.
func TestWorkersLeave(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "shared")
	run, url := startCoordinator(t, nil, "selfplay", append(longRun[:len(longRun):len(longRun)], shared,
		"--replay-share", "0", "--lease", "1h")...)
	workers := map[string]*process{}
	for _, name := range []string{"anna", "bert", "carl", "dora"} {
		w := startWorker(t, nil, url, "--name", name, "--concurrency", "2")
		workers[name] = w
		awaitLines(t, filepath.Join(shared, durable.JournalName), 1, `"worker":"`+name+`"`)
		w.interrupt() // while it gets further units
		w.expect("finishing the games under way; Ctrl-C again leaves at once, and other workers play them")
		w.ends(exitDone)
	}
	workers["emil"] = startWorker(t, nil, url, "--name", "emil")
	run.ends(exitDone) // within the hour
	leave(workers["emil"])
	for name, w := range workers {
		if taken, played := answered(t, shared, w, name); taken != played || played == 0 && name != "emil" {
			t.Errorf("%s played %d units, and %d were accepted", name, played, taken)
		}
	}
	sameAsLongRun(t, shared)
}

// A second Ctrl-C does not wait for the game under way, which takes hours.
func TestWorkerLeavesAtOnce(t *testing.T) {
	t.Parallel()
	_, url := startCoordinator(t, nil, "selfplay", "--games", "2", "--nodes", "4000000000", "--opening-score", "-1",
		"--out", filepath.Join(t.TempDir(), "games"))
	// A worker that has not made its first move when it is interrupted leaves in the ordinary
	// way: another one gets more time.
	for wait := 500 * time.Millisecond; ; wait *= 4 {
		library := t.TempDir()
		w := startWorker(t, nil, url, "--library", library)
		w.expect("playing for run")
		for until := time.Now().Add(soonEnough); ; time.Sleep(10 * time.Millisecond) {
			// The worker fetches weights when it has its first unit.
			if entries, err := os.ReadDir(library); err == nil && len(entries) > 0 {
				break
			} else if time.Now().After(until) {
				t.Fatalf("the worker has no unit: %v, %s", err, &w.stderr)
			}
		}
		time.Sleep(wait)
		w.interrupt()
		w.expect("finishing the games under way")
		w.interruptUntilEnd()
		if ordinary := strings.Contains(w.stderr.String(), "checks of openings"); ordinary && wait < time.Minute {
			continue
		} else if ordinary {
			t.Errorf("the worker left in the ordinary way: %s", &w.stderr)
		}
		if code := w.ProcessState.ExitCode(); code != -1 {
			t.Errorf("exit code %d, want -1 for a signal: %s", code, &w.stderr)
		}
		return
	}
}

// An interrupted run is resumed with the same worker, which waited for it.
func TestCoordinatorLeaves(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "shared")
	run, url := startCoordinator(t, nil, "selfplay", append(longRun[:len(longRun):len(longRun)], shared,
		"--replay-share", "0")...)
	anna := startWorker(t, nil, url)
	awaitLines(t, filepath.Join(shared, durable.JournalName), 2, `"number"`)
	run.interrupt()
	run.expect("resume with: assay selfplay ")
	run.ends(exitInterrupted)
	if _, err := os.Stat(filepath.Join(shared, "result.json")); err == nil {
		t.Error("an interrupted run has a result")
	}
	run, again := startCoordinator(t, nil, "selfplay", append(longRun[:len(longRun):len(longRun)], shared,
		"--replay-share", "0", "--serve", strings.TrimPrefix(url, "nats://"))...)
	if again != url {
		t.Fatalf("it serves at %s, and before the interruption at %s", again, url)
	}
	run.ends(exitDone)
	anna.interrupt()
	anna.ends(exitDone)
	sameAsLongRun(t, shared)
}

// awaitPage requests a page until it has all that is wanted.
func awaitPage(t *testing.T, url string, wanted ...string) {
	t.Helper()
	for until := time.Now().Add(soonEnough); ; time.Sleep(100 * time.Millisecond) {
		answer := setup.Must(http.Get(url))
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		setup.Check(t, err)
		missing := ""
		for _, w := range wanted {
			if !strings.Contains(string(page), w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%s lacks %q: %.600s", url, missing, page)
		}
	}
}

// certificate writes a server's self-signed certificate and its key.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	server.Close()
	private := setup.Must(x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey))
	cert, key = filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: server.Certificate().Raw},
		key: {Type: "PRIVATE KEY", Bytes: private}} {
		setup.Check(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key
}

// Only a worker that trusts the server's certificate and has its token plays the run. The
// token is in no output and no file.
func TestEncryptedRun(t *testing.T) {
	t.Parallel()
	dir, secret := t.TempDir(), "Mxyzptlk-7f3a-token"
	cert, key := certificate(t, dir)
	token := "ASSAY_TOKEN=" + secret
	out := filepath.Join(dir, "games")
	run, url := startCoordinator(t, []string{token, "ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + key}, "selfplay",
		"--out", out, "--games", "3", "--nodes", "10", "--max-plies", "20")
	if !strings.HasPrefix(url, "tls://") {
		t.Errorf("the server's address is %s", url)
	}
	plain := strings.Replace(url, "tls:", "nats:", 1)
	ca := "ASSAY_TLS_CA=" + cert
	for _, c := range []struct {
		url  string
		env  []string
		says string
	}{
		{url, []string{token}, "unknown authority; set ASSAY_TLS_CA to"},
		{plain, []string{token}, "unknown authority; set ASSAY_TLS_CA to"}, // the server requires TLS
		{url, []string{token, "ASSAY_TLS_CA=" + key}, "holds no PEM certificate"},
		{url, []string{token, "ASSAY_TLS_CA=" + cert + "x"}, "ASSAY_TLS_CA: open"},
		{url, []string{"ASSAY_TOKEN=x" + secret, ca}, "rejects the credentials"},
		{url, []string{ca}, "rejects the credentials"},
	} {
		eve := startWorker(t, c.env, c.url, "--name", "eve")
		eve.ends(exitFailed)
		if said := eve.stderr.String(); !strings.Contains(said, c.says) || strings.Contains(said, secret) {
			t.Errorf("%s: %s", c.env, said)
		}
	}
	w := startWorker(t, []string{token, ca}, url, "--name", "anna")
	run.ends(exitDone)
	leave(w)
	if text := run.stderr.String(); strings.Contains(text, secret) {
		t.Errorf("the coordinator prints its token: %s", text)
	}
	if text := w.stderr.String(); !strings.Contains(text, "playing for run") || strings.Contains(text, secret) {
		t.Errorf("the worker's output is %s", text)
	}
	files := 0
	err := filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("%d files: %v", files, err)
	}

	for _, c := range []struct {
		env  []string
		addr string
		says string
	}{
		{[]string{"ASSAY_TLS_CERT=" + cert}, "127.0.0.1:0", "go together"},
		{[]string{"ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + cert}, "127.0.0.1:0", "ASSAY_TLS_CERT and ASSAY_TLS_KEY"},
		// a certificate does not say who may connect
		{[]string{"ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + key}, "0.0.0.0:0", "loopback addresses only"},
	} {
		none := start(t, c.env, "selfplay", "--out", filepath.Join(dir, "none"), "--games", "2", "--serve", c.addr)
		none.ends(exitFailed)
		if said := none.stderr.String(); !strings.Contains(said, c.says) {
			t.Errorf("%s: %s", c.env, said)
		}
	}
}
