// Package report renders what a run wrote as one self-contained HTML page, from the
// run's folder alone. The page loads nothing from elsewhere, and has a policy that forbids
// it. A run that is in progress, or was killed, is shown as far as it got.
//
// Results come from result.json. The package counts only the games in the folder: the
// section about the games, the course of a match and the board to replay games on need
// them. Plots are SVG by gonum/plot, each with its numbers below it. The page's script
// sorts tables and replays games; without it the page still shows everything else.
//
// Text that others wrote (engine names, tags, run names) reaches the page through
// html/template, plots through plain, and the script as data.
//
// The commands report, runs and serve are here too: they show what other commands left.
//
// Start reading at Build, which makes sections from a folder, then page/*.html.
package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
)

// Name is the file that Write makes in a run's folder.
const Name = "report.html"

//go:embed page
var files embed.FS

// Write renders the run in dir and returns the path of the page.
func Write(dir string) (string, error) {
	r, err := Build(dir)
	if err != nil {
		return "", err
	}
	page, err := r.Page()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, Name)
	return path, durable.WriteFile(path, page)
}

// refresh is after how many seconds a page is loaded again while its run goes on.
const refresh = 10

// templateData is what page/page.html shows.
type templateData struct {
	Title    string // of the tab
	Name     string
	Status   *durable.RunStatus // nil for pages that are not of one run
	Document *doc.Document
	Sections []Section
	Games    []*gallery
	Refresh  int // 0: the page stays as it is
	Script   template.JS
	Style    template.CSS
	Policy   string
}

// Page renders the whole page.
func (r *Report) Page() ([]byte, error) {
	v := templateData{Title: r.Status.Name, Name: r.Status.Name, Status: &r.Status, Document: r.Document,
		Sections: r.Sections, Games: r.games}
	if text := r.Document.Headline; text != "" {
		v.Title = shorten(text, 70) + " · " + v.Title
	}
	if r.Status.State == durable.Running {
		v.Refresh = refresh
	}
	return page(v)
}

func page(v templateData) ([]byte, error) {
	script := embedded("page.js")
	v.Script, v.Style = template.JS(script), template.CSS(embedded("style.css"))
	v.Policy = policy()
	body, err := render("page", v)
	return []byte("<!doctype html>\n" + strings.TrimSpace(string(body)) + "\n"), err
}

// policy is what a page may do: run its own script.
func policy() string {
	sum := sha256.Sum256(embedded("page.js"))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:; " +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func embedded(name string) []byte {
	data, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// render executes one of the page's templates, which escape HTML. Control characters, which a terminal that shows the
// file would obey, are quoted.
func render(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("report: %s: %w", name, err)
	}
	return template.HTML(quote.Lines(b.Bytes())), nil
}

// templates are the page's, parsed once.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"ends":  ends,
		"name":  func(head string) string { name, _ := ui.Column(head); return name },
		"right": func(head string) bool { _, right := ui.Column(head); return right },
	}).ParseFS(files, "page/*.html"))
})

func percent(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f\u00a0%%", 100*part/whole)
}

// Handler serves the list of the runs in a folder and a page of each, as far as the run got. It only reads; a run's
// folder may be a link. It refuses requests for hosts other than an IP address or localhost, so that no web page can
// read runs through a host name of its own that points here.
func Handler(dir string) http.Handler {
	mux := http.NewServeMux()
	for pattern, page := range map[string]func(string, *http.Request) ([]byte, error){"GET /{$}": listPage,
		"GET /run/{name}": runPage} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			_ = control.SetWriteDeadline(time.Time{}) // a page of many games may take longer to make than to write
			text, err := page(dir, r)
			_ = control.SetWriteDeadline(time.Now().Add(requestTime))
			if err != nil {
				code := http.StatusInternalServerError
				if errors.Is(err, fs.ErrNotExist) {
					code = http.StatusNotFound
				}
				http.Error(w, quote.Text(err.Error()), code)
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

// listed is a line of the list of runs.
type listed struct {
	durable.RunStatus
	*Report
	Link string
}

// listPage returns the list of runs, with a title that says how many are running.
func listPage(dir string, _ *http.Request) ([]byte, error) {
	runs, err := durable.List(dir)
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

// runPage returns the page of the run that a request names.
func runPage(dir string, r *http.Request) ([]byte, error) {
	name := r.PathValue("name")
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return nil, fmt.Errorf("%q: %w", name, fs.ErrNotExist)
	}
	report, err := Build(filepath.Join(dir, name))
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
