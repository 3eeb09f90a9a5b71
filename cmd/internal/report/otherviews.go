package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	screenplay "github.com/assay-chess/assay/selfplay/screen/play"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

func (b *builder) selfplay() {
	view := map[string]any{"Tally": b.tally(b.dir, "selfplay")}
	var s datagen.Summary
	if ok, err := readJSON(&s, b.dir, durable.RunResultName); err == nil && ok { // another command has another result
		view["Summary"] = &s
	}
	b.headline("selfplay-headline", view)
}

func (b *builder) ladder() {
	t := b.tally(b.dir, "ladder")
	r := read[ladder.Result](&b.reader, b.dir, durable.RunResultName)
	standings := slices.SortedFunc(maps.Values(t.Standings), func(a, b *arrange.Standing) int {
		return cmp.Compare((2*b.Won+b.Drawn)*a.Games, (2*a.Won+a.Drawn)*b.Games)
	})
	for _, s := range standings {
		s.Name = cmp.Or(t.viewer.shown[s.Name], s.Name)
	}
	view := map[string]any{"Result": r, "Standings": standings, "Tally": t}
	b.headline("ladder-headline", view)
	if r != nil && r.Verdict == "" {
		var list []estimate
		for _, x := range r.Ratings {
			if x.Known() {
				list = append(list, estimate{name: x.Name, value: float64(x.Elo), lo: float64(x.EloLo), hi: float64(x.EloHi)})
			}
		}
		if len(list) > 0 {
			view["Figures"] = []figure{forest(figure{Title: "Ratings with 95 % intervals"}, "Elo", list)}
		}
		view["Cross"] = crossTable(r)
	} else {
		delete(view, "Result") // the points so far
	}
	b.add("ladder", "The ladder", "ladder", view)
}

// crossRow is what one player scored against each.
type crossRow struct {
	Rank  int
	Name  string
	Cells []crossCell
}

type crossCell struct {
	ladder.Score
	Against string // name of the other; empty for the player itself
	Style   template.CSS
}

// crossTable colors each pairing by the score.
func crossTable(r *ladder.Result) []crossRow {
	rows := make([]crossRow, len(r.Ratings))
	for i, x := range r.Ratings {
		rows[i] = crossRow{Rank: x.Rank, Name: x.Name}
		for j, s := range r.Scores[i] {
			c := crossCell{Score: s}
			if i != j {
				c.Against = r.Ratings[j].Name
			}
			if n := float64(s.Games()); n > 0 {
				c.Style = tint(s.Points()/n-0.5, 0, 0.5)
			}
			rows[i].Cells = append(rows[i].Cells, c)
		}
	}
	return rows
}

func (b *builder) screen() {
	t := b.tally(b.dir, "screen")
	r := read[screenplay.Result](&b.reader, b.dir, durable.RunResultName)
	view := map[string]any{"Result": r, "Tally": t}
	b.headline("screen-headline", view)
	if r != nil && r.Verdict == "" {
		var list []estimate
		for j := range r.Effects {
			e, name := &r.Effects[j], r.Factors[j].Name
			if e.Known() {
				list = append(list, estimate{name: name, value: float64(e.Elo), lo: float64(e.EloLo), hi: float64(e.EloHi)})
			}
		}
		slices.SortStableFunc(list, func(a, b estimate) int { return cmp.Compare(b.value, a.value) }) // the largest on top
		if len(list) > 0 {
			view["Figures"] = []figure{forest(figure{Title: "Effects with 95 % intervals"}, "Elo", list)}
		}
		b.add("effects", "Effects", "screen", view)
	}
	for i, name := range []string{screenplay.ConfirmName, screenplay.ConfirmClockName} {
		if m := b.readMatch(filepath.Join(b.dir, name), name); m != nil {
			b.add(name, "The confirming match"+[2]string{"", " by a clock"}[i], "match", m)
		}
	}
}

func (b *builder) spsa() {
	var config struct {
		SPSA spsa.Config `json:"spsa"`
	}
	b.read(&config, b.dir, durable.RunConfigName)
	b.tally(b.dir, "tuning")
	lines, err := b.iterations()
	b.keep(err)
	var figures []figure
	at := frame{}
	if len(config.SPSA.Parameters) > 2 {
		at = onPage
	}
	for i, p := range config.SPSA.Parameters {
		s := series{name: p.Name, line: true}
		for k := 0; k < len(lines); k += max(1, len(lines)/400) {
			if i < len(lines[k].Values) {
				s.put(float64(lines[k].Iteration), lines[k].Values[i])
			}
		}
		if len(s.x) > 0 {
			start := level("start", p.Start, 0, s.x[len(s.x)-1])
			f := figure{Title: "Value over the iterations: " + p.Name, frame: at}
			figures = append(figures, chart(f, "iteration", "value", start, s))
		}
	}
	view := map[string]any{"Result": read[play.Result](&b.reader, b.dir, durable.RunResultName), "Done": len(lines),
		"Config": config.SPSA, "Figures": figures, "Load": gamelog.ReadLoad(b.dir)}
	b.headline("spsa-headline", view)
	b.add("parameters", "Parameters", "spsa", view)
	if m := b.readMatch(filepath.Join(b.dir, play.ValidationName), "validation"); m != nil {
		b.add("validation", "Validation match", "match", m)
	}
}

// iterations reads the log of iterations, without a last line that is still being written.
func (b *builder) iterations() (list []play.Iteration, err error) {
	name := filepath.Join(b.dir, play.LogName)
	data, err := durable.ReadFile(name, 4*durable.MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	for s := bufio.NewScanner(bytes.NewReader(whole)); s.Scan(); {
		var line play.Iteration
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(list)+1, err)
		}
		list = append(list, line)
	}
	return list, nil
}

// events calls visit with each line of events.jsonl. It skips lines that cannot be read:
// no result depends on them.
func (b *builder) events(visit func(kind string, data json.RawMessage)) {
	_ = durable.ReadJournal(filepath.Join(b.dir, durable.RunEventsName), func(line []byte) error {
		var e struct {
			Kind string          `json:"event"`
			Data json.RawMessage `json:"data"`
		}
		if json.Unmarshal(line, &e) == nil {
			visit(e.Kind, e.Data)
		}
		return nil
	})
}
