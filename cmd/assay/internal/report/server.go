package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
)

// Server shows the runs in a folder while they are in progress. It only reads.
type Server struct {
	Dir   string        // of the runs
	Every time.Duration // between looks at a folder; 0: a second
}

// Handler serves the list of runs, a page of each, which follows the run, any game of a
// run, its workers, and two runs side by side. It refuses requests for hosts other than an
// IP address or localhost, so that no web page can read runs through a host name of its own
// that points here.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.list)
	mux.HandleFunc("GET /events", s.listEvents)
	mux.HandleFunc("GET /run/{name}", s.run)
	mux.HandleFunc("GET /run/{name}/events", s.runEvents)
	mux.HandleFunc("GET /run/{name}/game", s.game)
	mux.HandleFunc("GET /run/{name}/workers.json", s.workers)
	mux.HandleFunc("GET /compare", s.compare)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
			http.Error(w, "use the IP address of this server, or localhost", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// folder returns the folder of the run that a request names.
func (s *Server) folder(r *http.Request) (string, error) { return s.named(r.PathValue("name")) }

func (s *Server) named(name string) (string, error) {
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return "", fmt.Errorf("%q: %w", name, fs.ErrNotExist)
	}
	return filepath.Join(s.Dir, name), nil
}

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, fs.ErrNotExist) {
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}

func send(w http.ResponseWriter, page []byte, err error) {
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // the client may have closed the connection
}

// listed is a line of the list of runs.
type listed struct {
	durable.RunStatus
	Link string
}

func (s *Server) listSections() ([]Section, error) {
	runs, err := durable.List(s.Dir)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(runs, func(a, b durable.RunStatus) int { return b.Updated.Compare(a.Updated) })
	var list []listed
	for _, r := range runs {
		list = append(list, listed{r, "run/" + url.PathEscape(r.Name)})
	}
	body, err := render("runs", list)
	return []Section{{ID: "runs", Title: "Runs", Body: body}}, err
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	sections, err := s.listSections()
	if err != nil {
		fail(w, err)
		return
	}
	page, err := Plain("runs in "+s.Dir, "", Live, sections...)
	send(w, page, err)
}

func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	dir, err := s.folder(r)
	if err != nil {
		fail(w, err)
		return
	}
	report, err := Build(dir)
	if err != nil {
		fail(w, err)
		return
	}
	page, err := report.Page(Live)
	send(w, page, err)
}

func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	names := r.URL.Query()["run"]
	if len(names) != 2 {
		http.Error(w, fmt.Sprintf("%d runs to compare; select two in the list", len(names)), http.StatusBadRequest)
		return
	}
	var dirs [2]string
	for i, name := range names {
		var err error
		if dirs[i], err = s.named(name); err != nil {
			fail(w, err)
			return
		}
	}
	title, headline, sections, err := Compare(dirs[0], dirs[1])
	if err != nil {
		fail(w, err)
		return
	}
	page, err := Plain(title, headline, Offline, sections...)
	send(w, page, err)
}

// game serves one game, in the format of the page's script.
func (s *Server) game(w http.ResponseWriter, r *http.Request) {
	dir, err := s.folder(r)
	if err != nil {
		fail(w, err)
		return
	}
	sub := filepath.FromSlash(r.URL.Query().Get("dir"))
	if sub != "." && !filepath.IsLocal(sub) {
		http.Error(w, "dir: want a folder in the run", http.StatusBadRequest)
		return
	}
	n, err := strconv.ParseUint(r.URL.Query().Get("n"), 10, 64)
	if err != nil {
		http.Error(w, "n: want the number of a game, from 0", http.StatusBadRequest)
		return
	}
	one := newGallery("", "", galleryBytes)
	err = readGames(filepath.Join(dir, sub), func(number uint64, g *dataset.GameRow) {
		if number == n {
			one.offer(0, g)
			one.Games[0].Number = n
		}
	})
	if err == nil && len(one.Games) == 0 {
		err = fmt.Errorf("game %d: %w", n, fs.ErrNotExist)
	}
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(one)
}

// part is a part of a page that has changed.
type part struct {
	ID   string        `json:"id"`
	HTML template.HTML `json:"html"`
}

func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) {
	dir, err := s.folder(r)
	if err != nil {
		fail(w, err)
		return
	}
	s.stream(w, r, func() (string, error) { return fingerprint(dir) }, func() ([]part, error) {
		report, err := Build(dir)
		if err != nil {
			return nil, err
		}
		status, err := report.StatusHTML()
		if err != nil {
			return nil, err
		}
		return append([]part{{"status", status}, {"headline", report.Headline}}, parts(report.Sections)...), nil
	})
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, func() (string, error) { return time.Now().String(), nil }, func() ([]part, error) {
		sections, err := s.listSections()
		return parts(sections), err
	})
}

func parts(sections []Section) (list []part) {
	for _, x := range sections {
		list = append(list, part{x.ID, x.Body})
	}
	return list
}

// stream sends a page what changed, until the page is closed. It recognizes the parts that a
// page has by their hash. First it sends all parts, so that the page misses no change
// between its own request and the stream's.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, look func() (string, error), build func() ([]part, error)) {
	flusher := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	seed, sent, last := maphash.MakeSeed(), map[string]uint64{}, ""
	every := s.Every
	if every <= 0 {
		every = time.Second
	}
	for {
		begun := time.Now()
		if now, err := look(); err == nil && now != last {
			last = now
			// The folder may be read while it is written. After an error it is read again.
			if list, err := build(); err == nil {
				if err := sendChanged(w, list, seed, sent); err != nil {
					return
				}
			} else {
				last = ""
			}
		}
		if _, err := fmt.Fprint(w, ": here\n\n"); err != nil || flusher.Flush() != nil {
			return
		}
		if sleep(r.Context(), max(every, 3*time.Since(begun))) != nil {
			return
		}
	}
}

// sendChanged sends the parts that differ from what was sent before.
func sendChanged(w http.ResponseWriter, list []part, seed maphash.Seed, sent map[string]uint64) error {
	ids := []string{}
	for _, p := range list {
		if p.ID != "headline" && p.ID != "status" {
			ids = append(ids, p.ID)
		}
	}
	if err := event(w, "sections", ids); err != nil {
		return err
	}
	for _, p := range list {
		h := maphash.String(seed, string(p.HTML))
		if sent[p.ID] == h {
			continue
		}
		sent[p.ID] = h
		if err := event(w, "part", p); err != nil {
			return err
		}
	}
	return nil
}

func event(w http.ResponseWriter, name string, data any) error {
	doc, err := json.Marshal(data)
	if err == nil {
		_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, doc)
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// fingerprint changes whenever a file of the run does, or its state.
func fingerprint(dir string) (string, error) {
	var h maphash.Hash
	h.SetSeed(lineSeed)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // deleted in the meantime
		}
		if d.Name() == Name {
			return nil
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintln(&h, path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	fmt.Fprintln(&h, durable.Status(dir).State)
	return fmt.Sprint(h.Sum64()), err
}
