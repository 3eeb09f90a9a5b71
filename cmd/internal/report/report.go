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
	"encoding/json"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/num"
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
	Games    template.JS
	Refresh  int // 0: the page stays as it is
	Script   template.JS
	Style    template.CSS
	Policy   string
}

// Page renders the whole page.
func (r *Report) Page() ([]byte, error) {
	v := templateData{Title: r.Status.Name, Name: r.Status.Name, Status: &r.Status, Document: r.Document,
		Sections: r.Sections}
	if text := r.Document.Headline; text != "" {
		v.Title = shorten(text, 70) + " · " + v.Title
	}
	if r.Status.State == durable.Running {
		v.Refresh = refresh
	}
	if len(r.games) > 0 {
		var err error
		if v.Games, err = jsonScript(r.games); err != nil {
			return nil, err
		}
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

// render executes one of the page's templates, and gives each figure an id. Templates escape what HTML would obey;
// quote, what a terminal would that shows the file.
func render(name string, data any) (template.HTML, error) {
	figures := 0
	next := func() int {
		figures++
		return figures
	}
	t, err := template.New("").Funcs(funcs).Funcs(template.FuncMap{"next": next}).ParseFS(files, "page/*.html")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("report: %s: %w", name, err)
	}
	return template.HTML(quote.Lines(b.Bytes())), nil
}

// funcs are the functions with which templates format numbers.
var funcs = template.FuncMap{
	"fixed": func(digits int, v float64) string { return fmt.Sprintf("%.*f", digits, v) },
	"se":    func(digits int, v num.Float) string { return ui.ErrorText(v, digits) },
	"ends":  ends,
	"name":  func(head string) string { name, _ := ui.Column(head); return name },
	"right": func(head string) bool { _, right := ui.Column(head); return right },
}

func percent(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f\u00a0%%", 100*part/whole)
}

// jsonScript encodes data for the page's script.
func jsonScript(v any) (template.JS, error) {
	data, err := json.Marshal(v) // escapes <, > and & itself
	return template.JS(data), err
}
