package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Section is a part of a page with a heading of its own: what a document says, plots, and what only a page has.
type Section struct {
	ID, Title string
	Parts     []doc.Part
	Figures   []figure
	Body      template.HTML
}

// Report is the content of a page about a run.
type Report struct {
	Status   durable.RunStatus
	Document *doc.Document
	Unit     string // of progress
	Sections []Section
	games    []*gallery // to replay, one a folder
}

// builder describes a run. It keeps its first error.
type builder struct {
	dir      string // of the run
	err      error
	brief    bool // for a list of runs: neither games nor plots
	config   json.RawMessage
	report   *Report
	tallies  []*tally
	maxGames int // bytes of games that the page may hold, for each folder
}

func newBuilder(dir string) *builder {
	return &builder{dir: dir, maxGames: galleryBytes, report: &Report{Status: durable.Status(dir)}}
}

func (b *builder) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// read reads a file of JSON. It reports false if there is none, or after an error.
func (b *builder) read(v any, elem ...string) bool {
	err := durable.ReadJSON(filepath.Join(elem...), v)
	if !errors.Is(err, fs.ErrNotExist) {
		b.keep(err)
	}
	return err == nil
}

// read returns what a file of JSON holds; nil if there is none, or after an error.
func read[T any](b *builder, elem ...string) *T {
	v := new(T)
	if !b.read(v, elem...) {
		return nil
	}
	return v
}

// recoverInconsistent is deferred where files of a run are shown. They hold lists that belong together, as players and
// the table of their scores; in a damaged folder they may not, which is an error and ends no server.
func recoverInconsistent(dir string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: %w: its files do not fit together (%v): the run is damaged, or no run of this program", dir,
			durable.ErrDamaged, p)
	}
}

// Build reads the run in dir, as far as it got.
func Build(dir string) (*Report, error) {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: want the folder of a run", dir)
	}
	b := newBuilder(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		b.report.Status.Name = filepath.Base(abs)
	}
	var err error
	b.config, err = durable.ReadFile(filepath.Join(dir, durable.RunConfigName), durable.MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run: there is no %s", dir, durable.RunConfigName)
	} else if err != nil {
		return nil, err
	}
	if s := b.report.Status; s.State == durable.Unreadable {
		return nil, s.Err
	}
	return b.report, b.build()
}

// build describes the run, by the kind of its command.
func (b *builder) build() (err error) {
	defer recoverInconsistent(b.dir, &err)
	status := &b.report.Status
	of, known := kinds[status.Info.Command]
	if !known {
		of = kinds["selfplay"]
	}
	d := of.describe(b)
	if b.err != nil {
		return b.err
	}
	b.report.Document, b.report.Unit = b.soFar(d, of.unit), of.unit
	if !b.brief {
		b.finish()
	}
	return b.err
}

// soFar completes the description of a run without a result by its last event of progress.
func (b *builder) soFar(d *doc.Document, unit string) *doc.Document {
	if d == nil {
		d = new(doc.Document)
	}
	d.Class = cmp.Or(d.Class, doc.Open)
	d.Total = cmp.Or(d.Total, int64(b.report.Status.Info.Total))
	if d.Headline != "" {
		return d
	}
	note := ""
	if last := durable.LastProgress(b.dir); last != nil {
		d.Done, d.Total, note = last.Done, cmp.Or(last.Total, d.Total), strings.TrimSpace(last.Note)
	}
	if d.Headline = fmt.Sprintf("%d %s", d.Done, unit); d.Total > 0 {
		d.Headline = fmt.Sprintf("%d of %d %s", d.Done, d.Total, unit)
	}
	d.Headline += ui.If(note != "", ": %s", note)
	return d
}

// finish adds the sections that all runs have.
func (b *builder) finish() {
	b.games()
	b.workers()
	settings, err := flatten(b.config)
	if err != nil {
		b.keep(fmt.Errorf("%s: %w", filepath.Join(b.dir, durable.RunConfigName), err))
	}
	info := b.report.Status.Info
	parts := []doc.Part{{Text: []string{"Program: " + info.Program +
		". The command that started the run, and resumes it:"}, Code: info.Resume, Tables: []ui.Table{settings}}}
	b.add("settings", "Settings", parts)
}

// add adds a section.
func (b *builder) add(id, title string, parts []doc.Part, figures ...figure) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p doc.Part) bool { return p.Empty() })
	b.report.Sections = append(b.report.Sections, Section{ID: id, Title: title, Parts: parts, Figures: figures})
}

// addBody adds a section with what only a page has.
func (b *builder) addBody(id, title, template string, data any, parts ...doc.Part) {
	b.add(id, title, parts)
	if b.err == nil {
		b.report.Sections[len(b.report.Sections)-1].Body, b.err = render(template, data)
	}
}

// tally reads the games of a folder, once.
func (b *builder) tally(dir, name string) *tally {
	for _, t := range b.tallies {
		if t.folder == dir {
			return t
		}
	}
	rel, err := filepath.Rel(b.dir, dir)
	b.keep(err)
	t := &tally{Tally: arrange.NewTally(), folder: dir, viewer: newGallery(name, dir, filepath.ToSlash(rel), b.maxGames)}
	if b.brief {
		return t
	}
	b.keep(gamelog.ReadGames(dir, t.add))
	b.tallies = append(b.tallies, t)
	if t.Games > 0 {
		b.report.games = append(b.report.games, t.viewer)
	}
	return t
}

// games adds the statistics of the run's games, and the board to replay them on.
func (b *builder) games() {
	var parts []doc.Part
	var figures []figure
	for _, t := range b.tallies {
		if t.Games > 0 {
			name := t.viewer.Label
			parts = append(parts, doc.Part{Title: name, Tables: []ui.Table{t.summary()}})
			figures = append(figures, t.figures(name)...)
		}
	}
	if len(parts) > 0 {
		b.add("games", "The games", parts, figures...)
		b.addBody("replay", "Replay a game", "replay", nil)
	}
}

// flatten lists a configuration's values with their paths, by path.
func flatten(config json.RawMessage) (t ui.Table, err error) {
	values, err := durable.Flatten(config)
	if err != nil {
		return t, err
	}
	t = ui.Table{Caption: "Configuration", Head: []string{"setting", "value"}}
	for _, v := range values {
		text := v.Value
		if text == "null" {
			text = "none"
		} else if v.Value[0] == '"' {
			err = errors.Join(err, json.Unmarshal([]byte(v.Value), &text))
		}
		t.Rows = append(t.Rows, []string{settingName(v.Path), text})
	}
	slices.SortFunc(t.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return t, err
}

var index = regexp.MustCompile(`\[(\d+)\]`)

// settingName writes the path of a value for people: limits[0].hard_nodes is "limits 1, hard nodes".
func settingName(path string) string {
	path = index.ReplaceAllStringFunc(path, func(s string) string {
		n, _ := strconv.Atoi(s[1 : len(s)-1])
		return fmt.Sprintf(" %d", n+1)
	})
	return strings.NewReplacer(".", ", ", "_", " ").Replace(path)
}
