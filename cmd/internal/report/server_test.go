package report

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// Sixty browsers with the page open, and its stream, cost one rendering.
func TestPageIsRenderedOnceForAllViewers(t *testing.T) {
	runs := t.TempDir()
	runWithWorkers(t, filepath.Join(runs, "one"))() // interrupted
	s := &Server{Dir: runs, Every: 10 * time.Millisecond}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	viewers, ctx := errgroup.WithContext(ctx)
	for range 60 {
		viewers.Go(func() error {
			page, err := http.Get(server.URL + "/run/one")
			if err != nil {
				return err
			}
			page.Body.Close()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/run/one/events", nil)
			if err != nil {
				return err
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			lines := bufio.NewScanner(answer.Body)
			lines.Buffer(nil, 16<<20)
			for looks := 0; looks < 2 && lines.Scan(); {
				if lines.Text() == ": here" {
					looks++
				}
			}
			return lines.Err()
		})
	}
	if err := viewers.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := s.pages.renders.Load(); n != 1 {
		t.Errorf("a page was rendered %d times for 60 viewers", n)
	}
	// A change is seen at once.
	if err := os.WriteFile(filepath.Join(runs, "one", "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	get(t, server.URL+"/run/one")
	if n := s.pages.renders.Load(); n != 2 {
		t.Errorf("after a change: %d renderings, want 2", n)
	}
}

// A link in a run that leads out of it would show any file that the user can read.
func TestLinksOutOfARunAreNotFollowed(t *testing.T) {
	elsewhere, runs := t.TempDir(), t.TempDir()
	runWithWorkers(t, filepath.Join(elsewhere, "secret"))
	server := httptest.NewServer((&Server{Dir: runs}).Handler())
	t.Cleanup(server.Close)
	link := func(to string, elem ...string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(append([]string{runs}, elem...)...)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for _, name := range []string{"file", "folder", "good"} {
		runWithWorkers(t, filepath.Join(runs, name))
	}
	// The configuration of another run.
	if err := os.Remove(filepath.Join(runs, "file", "config.json")); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(elsewhere, "secret", "config.json"), "file", "config.json")
	link("../../"+filepath.Base(elsewhere)+"/secret", "folder", "gate")
	link("config.json", "good", "copy.json") // inside
	link(filepath.Join(elsewhere, "none"), "good", "dangling")
	link(filepath.Join(elsewhere, "secret"), "whole") // the user's own

	for _, path := range []string{"/run/file", "/run/folder", "/run/folder/game?dir=gate&n=0", "/run/folder/events",
		"/run/file/workers.json"} {
		if code, body := get(t, server.URL+path); code != http.StatusForbidden ||
			!strings.Contains(body, "a link out of the run's folder") {
			t.Errorf("%s: %d %.200s", path, code, body)
		}
	}
	for _, path := range []string{"/run/good", "/run/whole"} {
		if code, body := get(t, server.URL+path); code != http.StatusOK {
			t.Errorf("%s: %d %.200s", path, code, body)
		}
	}
	if code, body := get(t, server.URL+"/"); code != http.StatusOK ||
		strings.Count(body, "a link out of the run") != 2 { // file and folder: outcomes are read there
		t.Errorf("the list: %d, %d links", code, strings.Count(body, "a link out of the run"))
	}
}

func TestHostsThatAreServed(t *testing.T) {
	handler := (&Server{Dir: t.TempDir()}).Handler()
	for host, want := range map[string]int{
		"localhost": 200, "localhost:80": 200, "LOCALHOST:8347": 200, "localhost.": 200, "LocalHost.:8347": 200,
		"127.0.0.1:1": 200, "[::1]:80": 200, "[::1]": 200,
		"localhost..": 403, "localhost.example.org": 403, "example.org": 403, "notlocalhost": 403, "": 403, ".": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
}
