//go:build unix

package report

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
)

// Every file of a run that someone else made may be anything. Nothing waits for it, reads it without end or follows
// it, and whoever reads the run says what it is.
func TestUnsafeFolders(t *testing.T) {
	kinds := []struct {
		name, want string
		make       func(path string) error
	}{
		{"FIFO", "a FIFO", func(p string) error { return syscall.Mkfifo(p, 0o600) }},
		{"socket", "a socket", func(p string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p, Net: "unix"})
			if err == nil {
				l.SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		}},
		{"device", "a device", func(p string) error { return syscall.Mknod(p, syscall.S_IFCHR|0o600, 1<<8|5) }},
		{"link", "a link out of the run", func(p string) error { return os.Symlink("/dev/zero", p) }},
		{"hole", "20000000000 bytes", func(p string) error {
			f, err := os.Create(p)
			if err == nil {
				err = errors.Join(f.Truncate(20_000_000_000), f.Close())
			}
			return err
		}},
	}
	files := []string{"config.json", "run.json", "result.json", "events.jsonl", "journal.jsonl", "games-000000.arrow",
		"manifest.json", "gate/result.json", "cluster/workers.json", ".run.lock"}
	streamed := map[string]bool{"events.jsonl": true, "games-000000.arrow": true, ".run.lock": true}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // the paths of sockets are short
			server := httptest.NewServer((&Server{Dir: "."}).Handler())
			defer server.Close()
			for _, file := range files {
				dir := strings.NewReplacer("/", "_", ".", "_").Replace(file)
				runWithWorkers(t, dir)()
				path := filepath.Join(dir, file)
				_ = os.Mkdir(filepath.Dir(path), 0o777)
				_ = os.Remove(path)
				if err := k.make(path); err != nil {
					t.Skip("not here: ", err)
				}
				started := time.Now()
				_, err := Build(dir)
				said := errors.Is(err, durable.ErrUnsafe) && strings.Contains(err.Error(), k.want) &&
					strings.Contains(err.Error(), filepath.Base(file))
				// A hole of a kind that is not read as a whole, or not read here, is no danger.
				if !said && (k.name != "hole" || err != nil && !streamed[file]) {
					t.Errorf("%s: %v", file, err)
				}
				code, page := get(t, server.URL+"/run/"+dir)
				if said && (code != http.StatusForbidden || !strings.Contains(page, k.want)) {
					t.Errorf("%s: served: %d %.300s", file, code, page)
				}
				if d := time.Since(started); d > 10*time.Second {
					t.Errorf("%s: %v", file, d)
				}
			}
			list, err := durable.List(".")
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list {
				if k.name != "hole" && (r.State != durable.Unreadable || !errors.Is(r.Err, durable.ErrUnsafe)) {
					t.Errorf("the list: %s: %s, %v", r.Name, r.State, r.Err)
				}
			}
			if code, page := get(t, server.URL+"/"); code != http.StatusOK || !strings.Contains(page, k.want) {
				t.Errorf("the page of runs: %d, without %q", code, k.want)
			}
		})
	}
}

// What a folder and its files are named is text: it neither steers a terminal nor makes a page.
func TestNamesOfFoldersAreText(t *testing.T) {
	const name = "<img src=x onerror=alert(1)>\x1b[2J\u202e"
	dir := t.TempDir()
	runWithWorkers(t, filepath.Join(dir, name))()
	server := httptest.NewServer((&Server{Dir: dir}).Handler())
	defer server.Close()
	if err := syscall.Mkfifo(filepath.Join(dir, name, name), 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"/", "/run/%3Cimg%20src=x%20onerror=alert(1)%3E%1B%5B2J%E2%80%AE"} {
		_, page := get(t, server.URL+path)
		if strings.ContainsAny(page, "\x1b\u202e") || path == "/" && strings.Contains(page, "<img src") ||
			!strings.Contains(page, "onerror") {
			t.Errorf("%s: %.300s", path, page)
		}
	}
}
