package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/tuner/gameloop"
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
	outcome  *outcome
}

// builder makes the sections of one run.
type builder struct {
	dir      string
	config   json.RawMessage
	report   *Report
	figures  int
	tallies  []labelledTally
	read     map[string]*tally // by folder
	maxGames int               // bytes of games that the page may hold, for each folder
	k        float64           // slope of the sigmoid; 0 if the run has none of its own
}

type labelledTally struct {
	Name string
	*tally
}

func newBuilder(dir string) *builder {
	return &builder{dir: dir, maxGames: galleryBytes, read: map[string]*tally{}, report: &Report{Status: durable.Status(dir)}}
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
	if b.config, err = os.ReadFile(filepath.Join(dir, durable.RunConfigName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no run: there is no %s", dir, durable.RunConfigName)
	} else if err != nil {
		return nil, err
	}
	if s := b.report.Status; s.State == durable.Unreadable {
		return nil, s.Err
	}
	build := map[string]func() error{
		"learn": b.learn, "tune": b.tune, "match": b.match, "ladder": b.ladder, "spsa": b.spsa, "selfplay": b.selfplay,
		gameloop.Command: b.learnGame, games.MatchCommand: b.matchGame,
	}[b.report.Status.Info.Command]
	if build == nil {
		build = b.selfplay // a command without a view of its own may have games
	}
	if b.report.outcome, err = readOutcome(dir, b.report.Status, b.standing); err != nil {
		return nil, err
	}
	if err := build(); err != nil {
		return nil, err
	}
	return b.report, b.finish()
}

// finish adds the sections that all runs have.
func (b *builder) finish() error {
	if err := b.workers(); err != nil {
		return err
	}
	if err := b.games(); err != nil {
		return err
	}
	if err := b.board(); err != nil {
		return err
	}
	settings, err := flatten(b.config)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(b.dir, durable.RunConfigName), err)
	}
	pedigree, err := b.pedigree()
	if err != nil {
		return err
	}
	return b.add("settings", "Settings", "settings", map[string]any{"Status": b.report.Status, "Settings": settings, "Pedigree": pedigree})
}

// add renders a section.
func (b *builder) add(id, title, name string, data any) error {
	body, err := render(name, data)
	if err != nil {
		return err
	}
	b.report.Sections = append(b.report.Sections, Section{ID: id, Title: title, Body: body})
	return nil
}

// headline renders the result of the run in a sentence or two.
func (b *builder) headline(name string, data any) (err error) {
	body, err := render(name, data)
	b.report.Headline = "<div class=\"" + template.HTML(template.HTMLEscapeString(b.report.outcome.Class)) + "\">" + body + "</div>"
	return err
}

// number gives each figure an id of its own on the page.
func (b *builder) number(list []figure) []figure {
	for i := range list {
		b.figures++
		list[i].ID = fmt.Sprintf("figure-%d", b.figures)
	}
	return list
}

// tally reads the games of a folder, once.
func (b *builder) tally(dir, name string) (*tally, error) {
	if t := b.read[dir]; t != nil {
		return t, nil
	}
	rel, err := filepath.Rel(b.dir, dir)
	if err != nil {
		return nil, err
	}
	t := &tally{Tally: arrange.NewTally(), viewer: newGallery(name, dir, filepath.ToSlash(rel), b.maxGames)}
	if err := gamelog.ReadGames(dir, t.add); err != nil {
		return nil, err
	}
	b.read[dir] = t
	if t.Games > 0 {
		b.tallies = append(b.tallies, labelledTally{name, t})
		b.report.games = append(b.report.games, t.viewer)
	}
	return t, nil
}

// standing is what the games of the run say, which are read once for all of the page.
func (b *builder) standing(dir string) (int64, [][2]int, error) {
	t, err := b.tally(dir, b.report.Status.Info.Command)
	if err != nil {
		return 0, nil, err
	}
	return t.Games, t.Pairs(), nil
}

// games adds the statistics of the run's games.
func (b *builder) games() error {
	if len(b.tallies) == 0 {
		return nil
	}
	type summary struct {
		Name    string
		Rows    [][2]string
		Figures []figure
	}
	var summaries []summary
	var calibrations []figure
	for _, t := range b.tallies {
		summaries = append(summaries, summary{t.Name, t.summary(), b.number(t.figures(t.Name))})
		k, source := b.k, "of the run"
		if k == 0 {
			source = "fitted to these games"
			var err error
			if k, err = t.scores.FitK(); err != nil {
				continue // too few games to fit K
			}
		}
		calibrations = append(calibrations, calibrationFigure("", "Scores of the search against results: "+t.Name,
			fmt.Sprintf("Predicted: 1/(1+e^(-Kx)) of the search's score x, with K = %.5f, %s. Actual: the mean result of these positions. White's view; intervals are clustered by game.", k, source), t.scores.Points(k)))
	}
	if err := b.add("games", "The games", "games", summaries); err != nil {
		return err
	}
	if len(calibrations) > 0 {
		if err := b.add("calibration-search", "Calibration of the search's scores", "figures", b.number(calibrations)); err != nil {
			return err
		}
	}
	return nil
}

// board puts the board to replay games on before all other sections.
func (b *builder) board() error {
	if len(b.report.games) == 0 {
		return nil
	}
	list := make([]gallerySource, len(b.report.games))
	for i, g := range b.report.games {
		list[i] = g.gallerySource
	}
	sets, err := jsonScript(list)
	if err != nil {
		return err
	}
	body, err := render("replay", sets)
	b.report.Sections = slices.Insert(b.report.Sections, 0, Section{ID: "replay", Title: "Replay a game", Body: body})
	return err
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
func (b *builder) pedigree() ([]setting, error) {
	var list []setting
	for _, pattern := range []string{"weights.json", "gen-*/weights.json"} {
		names, err := filepath.Glob(filepath.Join(globQuote(b.dir), pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
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
			list = append(list, setting{rel, fmt.Sprintf("%s from parent %s, %d positions of %d games, %s, seed %s, %s; training loss %.5f, validation loss %.5f; data %s",
				f.Model, orNone(p.Parent), p.Rows, p.Games, p.Method, p.Seed, p.Program, p.LossTrain, p.LossValid, orNone(strings.Join(p.Data, ", ")))})
		}
	}
	for _, pattern := range []string{"manifest.json", "*/manifest.json", "*/*/manifest.json"} {
		names, err := filepath.Glob(filepath.Join(globQuote(b.dir), pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			rel, _ := filepath.Rel(b.dir, filepath.Dir(name))
			m, err := durable.LoadManifest(filepath.Dir(name))
			if err != nil {
				list = append(list, setting{rel, err.Error()})
				continue
			}
			id, _ := m.ID()
			list = append(list, setting{rel, fmt.Sprintf("%s, %d rows, complete: %t, id %.12s, seed %d, %s", m.Schema, m.Rows, m.Complete, id, m.Seed, m.Program)})
		}
	}
	return list, nil
}

// provenance is the part of a weight file that says what it was made from.
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

// globQuote escapes a path for use in a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// readJSON reads a file of a run. It reports false if there is none.
func readJSON(v any, elem ...string) (bool, error) {
	name := filepath.Join(elem...)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}
