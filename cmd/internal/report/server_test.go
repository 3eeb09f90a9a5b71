package report

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

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
