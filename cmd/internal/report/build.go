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
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Section is a part of a page with a heading of its own.
type Section struct {
	ID, Title string
	Body      template.HTML
}

// Report is the content of a page about a run.
type Report struct {
	Status   durable.RunStatus
	Headline template.HTML
	Sections []Section
	games    []*gallery // to replay, one a folder
	outcome  *Summary
}

// reader reads files of a run. It keeps its first error.
type reader struct {
	dir string // of the run
	err error
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

// read reads a file of JSON. It reports false if there is none, or after an error.
func (r *reader) read(v any, elem ...string) bool {
	ok, err := readJSON(v, elem...)
	r.keep(err)
	return ok
}

// read returns what a file of JSON holds; nil if there is none, or after an error.
func read[T any](r *reader, elem ...string) *T {
	v := new(T)
	if !r.read(v, elem...) {
		return nil
	}
	return v
}

// builder makes the sections of one run.
type builder struct {
	reader
	config   json.RawMessage
	report   *Report
	figures  int
	tallies  []*tally
	maxGames int // bytes of games that the page may hold, for each folder
}

func newBuilder(dir string) *builder {
	return &builder{reader: reader{dir: dir}, maxGames: galleryBytes, report: &Report{Status: durable.Status(dir)}}
}

// contradicted is deferred where files of a run are shown. They hold lists that belong together, as players and the
// table of their scores; in a damaged folder they may not, which is an error and ends no server.
func contradicted(dir string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: %w: its files do not fit together (%v): the run is damaged, or no run of this program", dir,
			durable.ErrDamaged, p)
	}
}

// Build reads the run in dir, as far as it got.
func Build(dir string) (_ *Report, err error) {
	defer contradicted(dir, &err)
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
	b.config, err = durable.ReadFile(filepath.Join(dir, durable.RunConfigName), durable.MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run: there is no %s", dir, durable.RunConfigName)
	} else if err != nil {
		return nil, err
	}
	if s := b.report.Status; s.State == durable.Unreadable {
		return nil, s.Err
	}
	if b.report.outcome, err = summarize(dir, b.report.Status, b.standing); err != nil {
		return nil, err
	}
	switch b.report.Status.Info.Command {
	case "learn":
		b.learn()
	case "tune":
		b.tune()
	case "match":
		b.match()
	case "ladder":
		b.ladder()
	case "screen":
		b.screen()
	case "spsa":
		b.spsa()
	case enginerun.Command:
		b.learnEngine()
	default:
		b.selfplay() // a command without a view of its own may have games
	}
	b.finish()
	return b.report, b.err
}

// finish adds the sections that all runs have.
func (b *builder) finish() {
	b.games()
	b.board()
	b.workers()
	settings, err := flatten(b.config)
	if err != nil {
		b.keep(fmt.Errorf("%s: %w", filepath.Join(b.dir, durable.RunConfigName), err))
	}
	b.add("settings", "Settings", "settings",
		map[string]any{"Status": b.report.Status, "Settings": settings, "Pedigree": b.pedigree()})
}

// render renders a template, unless there was an error.
func (b *builder) render(name string, data any) (body template.HTML) {
	if b.err == nil {
		body, b.err = renderFrom(&b.figures, name, data)
	}
	return body
}

// add renders a section.
func (b *builder) add(id, title, name string, data any) {
	b.report.Sections = append(b.report.Sections, Section{id, title, b.render(name, data)})
}

// headline renders the result of the run in a sentence or two.
func (b *builder) headline(name string, data any) {
	class := template.HTMLEscapeString(b.report.outcome.Class)
	b.report.Headline = template.HTML(`<div class="`+class+`">`) + b.render(name, data) + "</div>"
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
	b.keep(gamelog.ReadGames(dir, t.add))
	b.tallies = append(b.tallies, t)
	if t.Games > 0 {
		b.report.games = append(b.report.games, t.viewer)
	}
	return t
}

// standing counts the games of the run, which are read once for the whole page.
func (b *builder) standing(dir string) (int64, [][2]int, error) {
	t := b.tally(dir, b.report.Status.Info.Command)
	return t.Games, t.Pairs(), b.err
}

// games adds the statistics of the run's games.
func (b *builder) games() {
	type summary struct {
		Name    string
		Rows    [][2]string
		Figures []figure
	}
	var summaries []summary
	for _, t := range b.tallies {
		if t.Games == 0 {
			continue
		}
		name := t.viewer.Label
		summaries = append(summaries, summary{name, t.summary(), t.figures(name)})
	}
	if len(summaries) > 0 {
		b.add("games", "The games", "games", summaries)
	}
}

// board adds the board to replay games on.
func (b *builder) board() {
	if len(b.report.games) == 0 {
		return
	}
	list := make([]gallerySource, len(b.report.games))
	for i, g := range b.report.games {
		list[i] = g.gallerySource
	}
	sets, err := jsonScript(list)
	b.keep(err)
	b.add("replay", "Replay a game", "replay", sets)
}

// setting is one line of a configuration.
type setting struct{ Name, Value string }

// flatten lists a configuration's values with their paths, by path.
func flatten(doc json.RawMessage) ([]setting, error) {
	values, err := durable.Flatten(doc)
	if err != nil {
		return nil, err
	}
	var list []setting
	for _, v := range values {
		text := v.Value
		if text == "null" {
			text = "none"
		} else if v.Value[0] == '"' {
			err = errors.Join(err, json.Unmarshal([]byte(v.Value), &text))
		}
		list = append(list, setting{v.Path, text})
	}
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// pedigree lists the weight files and data sets of a run, with what they were made from.
func (b *builder) pedigree() (list []setting) {
	for _, name := range b.glob("weights.json", "gen-*/weights.json") {
		rel, _ := filepath.Rel(b.dir, name)
		var f struct {
			Model      string     `json:"model"`
			Provenance provenance `json:"provenance"`
		}
		if ok, err := readJSON(&f, name); err != nil || !ok {
			list = append(list, setting{rel, "cannot be read"})
			continue
		}
		p := f.Provenance
		list = append(list, setting{rel, fmt.Sprintf("%s from parent %s, %d positions of %d games, %s, seed %s, %s; "+
			"training loss %.5f, validation loss %.5f; data %s", f.Model, cmp.Or(p.Parent, "none"), p.Rows, p.Games, p.Method,
			p.Seed, p.Program, p.LossTrain, p.LossValid, cmp.Or(strings.Join(p.Data, ", "), "none"))})
	}
	for _, name := range b.glob("manifest.json", "*/manifest.json", "*/*/manifest.json") {
		rel, _ := filepath.Rel(b.dir, filepath.Dir(name))
		m, err := durable.LoadManifest(filepath.Dir(name))
		if err != nil {
			list = append(list, setting{rel, err.Error()})
			continue
		}
		id, _ := m.ID()
		list = append(list, setting{rel, fmt.Sprintf("%s, %d rows, complete: %t, id %.12s, seed %d, %s",
			m.Schema, m.Rows, m.Complete, id, m.Seed, m.Program)})
	}
	return list
}

// glob lists the files of the run that match one of the patterns.
func (r *reader) glob(patterns ...string) (list []string) {
	for _, pattern := range patterns {
		names, err := fs.Glob(os.DirFS(r.dir), pattern)
		r.keep(err)
		for _, name := range names {
			list = append(list, filepath.Join(r.dir, filepath.FromSlash(name)))
		}
	}
	return list
}

// provenance is the origin of a weight file.
type provenance struct {
	Parent    string      `json:"parent"`
	Data      []string    `json:"data"`
	Rows      int64       `json:"rows"`
	Games     int64       `json:"games"`
	LossTrain float64     `json:"loss_train"`
	LossValid float64     `json:"loss_valid"`
	Method    string      `json:"method"`
	Seed      json.Number `json:"seed"`
	Program   string      `json:"program"`
}

// readJSON reads a file of a run. It reports false if there is none.
func readJSON(v any, elem ...string) (bool, error) {
	err := durable.ReadJSON(filepath.Join(elem...), v)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
