package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/models"
)

// comparison is a table of the values of two runs.
type comparison struct {
	Title  string
	Header []string
	Rows   [][]string
}

// beside is a part of one run's page, to be shown next to the same part of the other's.
type beside struct {
	Name string
	Body template.HTML
}

// Compare makes sections that show two runs side by side: the differences of their
// configurations, their coefficients, and each section that both have.
func Compare(a, b string) (title string, headline template.HTML, sections []Section, err error) {
	var runs [2]*Report
	var compared [2]values
	for i, dir := range []string{a, b} {
		if runs[i], err = Build(dir); err != nil {
			return "", "", nil, err
		}
		if compared[i], err = valuesOf(dir); err != nil {
			return "", "", nil, err
		}
	}
	names := [2]string{runs[0].Status.Name, runs[1].Status.Name}
	page := &builder{report: new(Report)}
	page.add("differences", "Differences", "compare", differences(names, compared[0].settings, compared[1].settings))
	if t := coefficientsApart(names, &compared[0], &compared[1]); len(t.Rows) > 0 {
		page.add("weights", "Coefficients", "compare", t)
	}
	page.sideBySide(names, runs)
	headline = page.render("beside", []beside{{names[0], runs[0].Headline}, {names[1], runs[1].Headline}})
	return names[0] + " / " + names[1], headline, page.report.Sections, page.err
}

// sideBySide shows the sections that both runs have. It leaves out the coefficients, which
// have a table already, and the replay board, since a page can have only one.
func (b *builder) sideBySide(names [2]string, runs [2]*Report) {
	for _, x := range runs[0].Sections {
		if slices.Contains([]string{"replay", "coefficients", "settings"}, x.ID) {
			continue
		}
		for _, y := range runs[1].Sections {
			if x.ID == y.ID {
				// The ids of a page must be unique.
				right := template.HTML(strings.ReplaceAll(string(y.Body), ` id="figure-`, ` id="right-figure-`))
				b.add(x.ID, x.Title, "beside", []beside{{names[0], x.Body}, {names[1], right}})
			}
		}
	}
}

// values is the part of a run that is compared value by value.
type values struct {
	settings []setting
	unit     string // of the weights, as in their file
	weights  []weight
}

type weight struct {
	Name string  `json:"name"`
	MG   float64 `json:"mg"`
	EG   float64 `json:"eg"`
	SEMG float64 `json:"se_mg"`
	SEEG float64 `json:"se_eg"`
}

func valuesOf(dir string) (c values, err error) {
	r := reader{dir: dir}
	var config json.RawMessage
	r.read(&config, dir, durable.RunConfigName)
	if c.settings, err = flatten(config); err != nil {
		r.keep(fmt.Errorf("%s: %w", filepath.Join(dir, durable.RunConfigName), err))
	}
	// The last weights that the run wrote.
	last, newest := filepath.Join(dir, "weights.json"), 0
	for _, name := range r.glob("gen-*/weights.json") {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "gen-"))
		if err == nil && n > newest {
			last, newest = name, n
		}
	}
	var file struct {
		Unit  string   `json:"unit"`
		Terms []weight `json:"terms"`
	}
	r.read(&file, last)
	c.unit, c.weights = file.Unit, file.Terms
	return c, r.err
}

// differences lists the settings that are not the same.
func differences(names [2]string, a, b []setting) comparison {
	c := comparison{Title: "Settings that differ", Header: []string{"setting", names[0], names[1]}}
	other := map[string]string{}
	for _, s := range b {
		other[s.Name] = s.Value
	}
	for _, s := range a {
		if v, ok := other[s.Name]; !ok || v != s.Value {
			if !ok {
				v = "–"
			}
			c.Rows = append(c.Rows, []string{s.Name, s.Value, v})
		}
		delete(other, s.Name)
	}
	for _, s := range b {
		if v, ok := other[s.Name]; ok {
			c.Rows = append(c.Rows, []string{s.Name, "–", v})
		}
	}
	return c
}

// coefficientsApart lists the terms that both weight files have, none if their units differ.
func coefficientsApart(names [2]string, x, y *values) comparison {
	a, b := x.weights, y.weights
	unit := "centipawns"
	if x.unit != models.Unit {
		unit = "units of " + x.unit
	}
	if x.unit != y.unit {
		b = nil
	}
	c := comparison{Title: "Last fitted weights, mg / eg ± SE in " + unit + ", and the differences",
		Header: []string{"term", "mg " + names[0], "mg " + names[1], "mg difference",
			"eg " + names[0], "eg " + names[1], "eg difference"}}
	other := map[string]weight{}
	for _, w := range b {
		other[w.Name] = w
	}
	text := func(v, se float64) string {
		if se == 0 { // not known
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.0f ± %.1f", v, se)
	}
	for _, w := range a {
		if o, ok := other[w.Name]; ok {
			c.Rows = append(c.Rows, []string{w.Name, text(w.MG, w.SEMG), text(o.MG, o.SEMG), fmt.Sprintf("%.0f", o.MG-w.MG),
				text(w.EG, w.SEEG), text(o.EG, o.SEEG), fmt.Sprintf("%.0f", o.EG-w.EG)})
		}
	}
	return c
}
