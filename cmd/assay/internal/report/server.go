package report

import (
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

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Server shows the runs in a folder while they are in progress. It only reads, and it
// renders a state of a run once, however many browsers show it. A run's folder may be a
// link, but links in it that lead out of it are not followed: the author of the folder
// could show any file with them.
type Server struct {
	Dir   string        // of the runs
	Every time.Duration // between looks at a folder; 0: a second

	pages cache
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
	mux.HandleFunc("GET /run/{name}/games", s.games)
	mux.HandleFunc("GET /run/{name}/game", s.game)
	mux.HandleFunc("GET /run/{name}/workers.json", s.workers)
	mux.HandleFunc("GET /compare", s.compare)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		// Names of hosts have no case, and may end with a dot.
		if name := strings.TrimSuffix(strings.ToLower(host), "."); name != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
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
	return dir, checkLinks(dir)
}

// errLink means that a run has a link to something outside its folder.
var errLink = errors.New("a link out of the run's folder, which is not followed")

// checkLinks returns an error if the folder of a run has a link out of it.
func checkLinks(dir string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		return checkLink(root, path)
	})
}

// checkLink returns an error if the file at path is outside root, which is no link.
func checkLink(root, path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // leads nowhere
	}
	if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is %w", path, errLink)
	}
	return nil
}

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, fs.ErrNotExist) {
		code = http.StatusNotFound
	} else if errors.Is(err, errLink) {
		code = http.StatusForbidden
	}
	http.Error(w, quote.Text(err.Error()), code)
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
	*outcome
	Link string
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
		if root, err := filepath.EvalSymlinks(r.Dir); err == nil {
			for _, name := range []string{durable.RunConfigName, durable.RunInfoName, durable.RunResultName} {
				if err := checkLink(root, filepath.Join(root, name)); err != nil {
					r = durable.RunStatus{Name: r.Name, Dir: r.Dir, State: durable.Unreadable, Updated: r.Updated, Err: err}
				}
			}
		}
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

// outcome returns the outcome of a run, which is read again when its files have changed.
func (s *Server) outcome(r durable.RunStatus, notBefore time.Time) (*outcome, error) {
	look := func() (string, error) { return fmt.Sprint(r.State, r.Updated), nil }
	if r.State == durable.Running {
		look = func() (string, error) { return fingerprint(r.Dir) }
	}
	x, err := s.pages.get("outcome "+r.Dir, notBefore, look, func() (*rendering, error) {
		if err := checkLinks(r.Dir); err != nil {
			return nil, err
		}
		o, err := readOutcome(r.Dir, r, readStanding)
		return &rendering{outcome: o}, err
	})
	if err != nil {
		return new(outcome), err
	}
	return x.outcome, nil
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	x, err := s.listed(time.Now())
	s.sendPage(w, x, err)
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
		return newRendering(list, func() ([]byte, error) { return Plain(title, "", Live, sections...) }), nil
	})
}

func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	dir, err := s.folder(r)
	if err != nil {
		fail(w, err)
		return
	}
	x, err := s.rendered(dir, time.Now())
	s.sendPage(w, x, err)
}

// rendered returns the page of the run in dir, as the run was at a time or later.
func (s *Server) rendered(dir string, notBefore time.Time) (*rendering, error) {
	look := func() (string, error) { return fingerprint(dir) }
	return s.pages.get("run "+dir, notBefore, look, func() (*rendering, error) {
		report, err := Build(dir)
		if err != nil {
			return nil, err
		}
		status, err := report.StatusHTML()
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

func (s *Server) sendPage(w http.ResponseWriter, x *rendering, err error) {
	if err != nil {
		fail(w, err)
		return
	}
	page, err := x.page()
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
	look := func() (string, error) {
		a, err := fingerprint(dirs[0])
		b, err2 := fingerprint(dirs[1])
		return a + " " + b, errors.Join(err, err2)
	}
	x, err := s.pages.get("compare "+dirs[0]+"/ "+dirs[1], time.Now(), look, func() (*rendering, error) {
		title, headline, sections, err := Compare(dirs[0], dirs[1])
		if err != nil {
			return nil, err
		}
		return newRendering(nil, func() ([]byte, error) { return Plain(title, headline, Offline, sections...) }), nil
	})
	s.sendPage(w, x, err)
}

// games serves the games of a folder that a page can list, in the format of its script.
func (s *Server) games(w http.ResponseWriter, r *http.Request) {
	dir, err := s.folder(r)
	if err != nil {
		fail(w, err)
		return
	}
	x, err := s.rendered(dir, time.Now())
	if err != nil {
		fail(w, err)
		return
	}
	for _, g := range x.games {
		if g.Dir == r.URL.Query().Get("dir") {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(g)
			return
		}
	}
	fail(w, fmt.Errorf("no games in this folder: %w", fs.ErrNotExist))
}

// game serves one game, in the same format.
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
	game, err := gamelog.ReadGame(filepath.Join(dir, sub), n)
	if err != nil {
		fail(w, err)
		return
	}
	one := newGallery("", filepath.Join(dir, sub), "", galleryBytes)
	one.offer(0, game)
	for i := range one.Games {
		one.Games[i].Number = n
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(one)
}

func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) {
	dir, err := s.folder(r)
	if err != nil {
		fail(w, err)
		return
	}
	s.stream(w, r, func(notBefore time.Time) (*rendering, error) { return s.rendered(dir, notBefore) })
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, s.listed)
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
func (s *Server) stream(w http.ResponseWriter, r *http.Request, get func(notBefore time.Time) (*rendering, error)) {
	flusher := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	var last *rendering
	sent := map[string]uint64{}
	every := s.Every
	if every <= 0 {
		every = time.Second
	}
	pause := time.Duration(0)
	for {
		started := time.Now()
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
		if d.Type()&fs.ModeSymlink != 0 {
			if err := checkLink(root, path); err != nil {
				return err
			}
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintln(&h, path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	fmt.Fprintln(&h, durable.Status(dir).State)
	return fmt.Sprint(h.Sum64()), err
}
