package report

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
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

// What a folder is named is text: it neither steers a terminal nor makes a page.
func TestNamesOfFoldersAreText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names here")
	}
	const name = "<img src=x onerror=alert(1)>\x1b[2J\u202e"
	dir := t.TempDir()
	runWithWorkers(t, filepath.Join(dir, name))()
	server := httptest.NewServer((&Server{Dir: dir}).Handler())
	defer server.Close()
	for _, path := range []string{"/", "/run/%3Cimg%20src=x%20onerror=alert(1)%3E%1B%5B2J%E2%80%AE"} {
		_, page := get(t, server.URL+path)
		if strings.ContainsAny(page, "\x1b\u202e") || strings.Contains(page, "<img src") ||
			!strings.Contains(page, "onerror") {
			t.Errorf("%s: %.300s", path, page)
		}
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
