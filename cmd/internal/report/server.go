package report

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
)

// Server shows the runs in a folder. It only reads. A run's folder may be a link.
type Server struct {
	Dir string // of the runs
}

// Handler serves the list of runs and a page of each, as far as the run got. It refuses requests for hosts other
// than an IP address or localhost, so that no web page can read runs through a host name of its own that points
// here.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, page := range map[string]func(*http.Request) ([]byte, error){"GET /{$}": s.list,
		"GET /run/{name}": s.run} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			text, err := page(r)
			if err != nil {
				fail(w, err)
				return
			}
			w.Header().Set("Content-Security-Policy", policy()+"; frame-ancestors 'none'")
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(text) // the client may have closed the connection
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

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, fs.ErrNotExist) {
		code = http.StatusNotFound
	}
	http.Error(w, quote.Text(err.Error()), code)
}

// listed is a line of the list of runs.
type listed struct {
	durable.RunStatus
	*Report
	Link string
}

// list returns the list of runs, with a title that says how many are running.
func (s *Server) list(*http.Request) ([]byte, error) {
	runs, err := durable.List(s.Dir)
	if err != nil {
		return nil, err
	}
	running := 0
	slices.SortStableFunc(runs, func(a, b durable.RunStatus) int { return b.Updated.Compare(a.Updated) })
	var list []listed
	for _, r := range runs {
		x, b := listed{RunStatus: r, Link: "run/" + url.PathEscape(r.Name)}, newBuilder(r.Dir)
		if b.brief, b.report.Status = true, r; r.Err == nil {
			x.Err = b.build()
		}
		if x.Report = b.report; x.Document == nil {
			x.Document = new(doc.Document)
		}
		if r.State == durable.Running {
			running++
		}
		list = append(list, x)
	}
	v := templateData{Title: fmt.Sprintf("%d runs", len(list))}
	if running > 0 {
		v.Title, v.Refresh = fmt.Sprintf("%d running, %s", running, v.Title), refresh
	}
	v.Name = v.Title
	body, err := render("runs", list)
	if err != nil {
		return nil, err
	}
	v.Sections = []Section{{ID: "runs", Title: "Runs", Body: body}}
	return page(v)
}

// run returns the page of the run that a request names.
func (s *Server) run(r *http.Request) ([]byte, error) {
	name := r.PathValue("name")
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return nil, fmt.Errorf("%q: %w", name, fs.ErrNotExist)
	}
	report, err := Build(filepath.Join(s.Dir, name))
	if err != nil {
		return nil, err
	}
	return report.Page()
}

// Badge returns the verdict of a run, and the rest of its headline.
func (l *listed) Badge() [2]string {
	word, rest := l.Document.Verdict()
	return [2]string{word, shorten(rest, 200)}
}
