package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Server shows the runs in a folder while they are in progress. It only reads, and it
// renders a state of a run once, however many browsers show it. A run's folder may be a
// link.
type Server struct {
	Dir   string        // of the runs
	Every time.Duration // between looks at a folder; 0: a second

	pages cache
}

// Handler serves the list of runs, a page of each, which follows the run, any game of a
// run, and its workers. It refuses requests for hosts other than an
// IP address or localhost, so that no web page can read runs through a host name of its own
// that points here.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /{$}":                     s.list,
		"GET /events":                  s.listEvents,
		"GET /run/{name}":              s.run,
		"GET /run/{name}/events":       s.runEvents,
		"GET /run/{name}/games":        s.games,
		"GET /run/{name}/game":         s.game,
		"GET /run/{name}/workers.json": s.workers,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := answer(w, r); err != nil {
				fail(w, err)
			}
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		// Names of hosts have no case, and may end with a dot.
		name := strings.TrimSuffix(strings.ToLower(host), ".")
		if name != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
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
	dir := filepath.Join(s.Dir, name)
	_, err := os.Stat(dir)
	return dir, err
}

// errRequest means that a request makes no sense.
var errRequest = errors.New("bad request")

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = http.StatusNotFound
	case errors.Is(err, errRequest):
		code = http.StatusBadRequest
	}
	http.Error(w, quote.Text(err.Error()), code)
}

// sendJSON answers with data.
func sendJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have closed the connection
	return nil
}

// sendPage answers with a page.
func sendPage(w http.ResponseWriter, x *rendering, err error) error {
	if err != nil {
		return err
	}
	page, err := x.page()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", policy(true)+"; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // the client may have closed the connection
	return nil
}

// listed is a line of the list of runs.
type listed struct {
	durable.RunStatus
	Summary *Summary
	Link    string
}

// listSections returns the list of runs, and a title that says how many are running.
func (s *Server) listSections(notBefore time.Time) (title string, _ []Section, _ error) {
	runs, err := durable.List(s.Dir)
	if err != nil {
		return "", nil, err
	}
	running := 0
	slices.SortStableFunc(runs, func(a, b durable.RunStatus) int { return b.Updated.Compare(a.Updated) })
	var list []listed
	for _, r := range runs {
		o, err := s.outcome(r, notBefore)
		if err != nil {
			r.Err = err
		}
		if r.State == durable.Running {
			running++
		}
		list = append(list, listed{r, o, "run/" + url.PathEscape(r.Name)})
	}
	if title = fmt.Sprintf("%d runs", len(list)); running > 0 {
		title = fmt.Sprintf("%d running, %s", running, title)
	}
	body, err := render("runs", list)
	return title, []Section{{ID: "runs", Title: "Runs", Body: body}}, err
}

// outcome returns the summary of a run, which is read again when its files have changed.
func (s *Server) outcome(r durable.RunStatus, notBefore time.Time) (*Summary, error) {
	look := func() (string, error) { return fmt.Sprint(r.State, r.Updated), nil }
	if r.State == durable.Running {
		look = func() (string, error) { return fingerprint(r.Dir) }
	}
	x, err := s.pages.get("outcome "+r.Dir, notBefore, look, func() (*rendering, error) {
		o, err := summarize(r.Dir, r, readStanding)
		return &rendering{outcome: o}, err
	})
	if err != nil {
		return &Summary{State: r.State}, err
	}
	return x.outcome, nil
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	x, err := s.listed(time.Now())
	return sendPage(w, x, err)
}

// listed returns the list of runs, rendered not before a time.
func (s *Server) listed(notBefore time.Time) (*rendering, error) {
	look := func() (string, error) { return time.Now().String(), nil }
	return s.pages.get("list", notBefore, look, func() (*rendering, error) {
		title, sections, err := s.listSections(notBefore)
		if err != nil {
			return nil, err
		}
		list := append([]part{{"title", template.HTML(title + " · assay")}}, parts(sections)...)
		return newRendering(list, func() ([]byte, error) {
			return page(templateData{Title: title, Name: title, Sections: sections, Live: true})
		}), nil
	})
}

func (s *Server) run(w http.ResponseWriter, r *http.Request) error {
	x, err := s.requested(r)
	return sendPage(w, x, err)
}

// requested returns the page of the run that a request names.
func (s *Server) requested(r *http.Request) (*rendering, error) {
	dir, err := s.folder(r)
	if err != nil {
		return nil, err
	}
	return s.rendered(dir, time.Now())
}

// rendered returns the page of the run in dir, as the run was at a time or later.
func (s *Server) rendered(dir string, notBefore time.Time) (*rendering, error) {
	look := func() (string, error) { return fingerprint(dir) }
	return s.pages.get("run "+dir, notBefore, look, func() (*rendering, error) {
		report, err := Build(dir)
		if err != nil {
			return nil, err
		}
		status, err := render("status", &report.Status)
		if err != nil {
			return nil, err
		}
		title := template.HTML(report.title() + " · assay") // set as text
		list := append([]part{{"title", title}, {"status", status}, {"headline", report.Headline}}, parts(report.Sections)...)
		x := newRendering(list, func() ([]byte, error) { return report.Page(Live) })
		x.games = report.games
		return x, nil
	})
}

// games serves the games of a folder that a page can list, in the format of its script.
func (s *Server) games(w http.ResponseWriter, r *http.Request) error {
	x, err := s.requested(r)
	if err != nil {
		return err
	}
	for _, g := range x.games {
		if g.Dir == r.URL.Query().Get("dir") {
			return sendJSON(w, g)
		}
	}
	return fmt.Errorf("no games in this folder: %w", fs.ErrNotExist)
}

// game serves one game, in the same format.
func (s *Server) game(w http.ResponseWriter, r *http.Request) error {
	dir, err := s.folder(r)
	if err != nil {
		return err
	}
	sub := filepath.FromSlash(r.URL.Query().Get("dir"))
	if sub != "." && !filepath.IsLocal(sub) {
		return fmt.Errorf("%w: dir: want a folder in the run", errRequest)
	}
	n, err := strconv.ParseUint(r.URL.Query().Get("n"), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: n: want the number of a game, from 0", errRequest)
	}
	game, err := gamelog.ReadGame(filepath.Join(dir, sub), n)
	if err != nil {
		return err
	}
	one := newGallery("", filepath.Join(dir, sub), "", galleryBytes)
	one.offer(0, game)
	for i := range one.Games {
		one.Games[i].Number = n
	}
	return sendJSON(w, one)
}

func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) error {
	dir, err := s.folder(r)
	if err == nil {
		s.stream(w, r, func(notBefore time.Time) (*rendering, error) { return s.rendered(dir, notBefore) })
	}
	return err
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) error {
	s.stream(w, r, s.listed)
	return nil
}

func parts(sections []Section) (list []part) {
	for _, x := range sections {
		list = append(list, part{x.ID, x.Body})
	}
	return list
}

// streamTime is how long a page may take to read what a stream sends at a time.
const streamTime = time.Minute

// stream sends a page what changed, until the page is closed. It recognizes the parts that a
// page has by their hash. First it sends all parts, so that the page misses no change
// between its own request and the stream's.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, get func(notBefore time.Time) (*rendering, error)) {
	flusher := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	var last *rendering
	sent := map[string]uint64{}
	every := cmp.Or(s.Every, time.Second)
	pause := time.Duration(0)
	for {
		started := time.Now()
		_ = flusher.SetWriteDeadline(started.Add(streamTime)) // for those who do not read
		// The folder may be read while it is written. After an error it is read again.
		if x, err := get(started.Add(-pause)); err == nil && x != last {
			last = x
			if err := x.sendChanged(w, sent); err != nil {
				return
			}
		}
		if _, err := fmt.Fprint(w, ": here\n\n"); err != nil || flusher.Flush() != nil {
			return
		}
		pause = max(every, 3*time.Since(started))
		select {
		case <-r.Context().Done():
			return
		case <-time.After(pause):
		}
	}
}

// fingerprint changes whenever a file of the run does, or its state.
func fingerprint(dir string) (string, error) {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	root, err := filepath.EvalSymlinks(dir) // WalkDir does not follow the folder's own link
	if err != nil {
		return "", err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
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
