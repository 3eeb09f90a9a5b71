package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster"
)

// coordinator starts a command that serves workers on a free port, and returns it and
// the address that it tells.
func coordinator(t *testing.T, env []string, args ...string) (run *exec.Cmd, url string) {
	t.Helper()
	run = exec.Command("assay", append(args, "--serve", "127.0.0.1:0")...)
	run.Env = append(os.Environ(), env...)
	stderr, err := run.StderrPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
	told := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if _, at, ok := strings.Cut(lines.Text(), "assay work "); ok {
				told <- strings.TrimSpace(at)
			}
		}
		close(told)
	}()
	select {
	case url, ok := <-told:
		if ok {
			return run, url
		}
		t.Fatal("the coordinator ended and served nobody")
	case <-time.After(time.Minute):
		t.Fatal("the coordinator does not say where it is")
	}
	return nil, ""
}

// worker starts a worker.
func worker(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	w := exec.Command("assay", append([]string{"work", "--cores", "1", "--nice", "0", "--library", t.TempDir()}, args...)...)
	w.Env = append(os.Environ(), env...)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill(); _ = w.Wait() })
	return w
}

// A run is played by a worker; whoever looks at it sees the worker at work, and that it
// is gone when the run is killed.
func TestServedRunShowsItsWorkers(t *testing.T) {
	runs := t.TempDir()
	run, address := coordinator(t, nil, "selfplay", "--out", filepath.Join(runs, "games"), "--games", "100000", "--nodes", "20", "--max-plies", "30")
	worker(t, nil, address, "--name", "anna")
	url := serveProcess(t, runs)
	awaitPage(t, url+"/run/games", `class="working">working`, "<bdi>anna</bdi>", "<strong>1</strong> at work with 1 core,", programVersion())

	roster := func() (r cluster.Roster) {
		t.Helper()
		answer, err := http.Get(url + "/run/games/workers.json")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&r); err != nil || len(r.Workers) != 1 || r.Workers[0].Name != "anna" {
			t.Fatalf("%+v, %v", r, err)
		}
		return r
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if w := roster().Workers[0]; w.State == cluster.Working && w.Games > 0 && w.GamesASecond > 0 && w.Share == 1 && w.Program == programVersion() && w.Failures == 0 && !w.Seen.IsZero() {
			break
		} else if time.Now().After(until) {
			t.Fatalf("%+v", w)
		}
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	awaitPage(t, url+"/run/games", `class="gone">gone`, "Nobody is at work")
	if w := roster().Workers[0]; w.State != cluster.Gone || w.GamesASecond != 0 {
		t.Errorf("%+v", w)
	}
}
