package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

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

func (b *builder) matchSection(id, title string, m *matchView) error {
	b.number(m.Figures)
	return b.add(id, title, "match", m)
}

func (b *builder) match() error {
	m, err := b.readMatch(b.dir, "match")
	if err != nil || m == nil {
		return err
	}
	if err := b.headline("match-headline", m); err != nil {
		return err
	}
	return b.matchSection("match", "The match", m)
}

func (b *builder) selfplay() error {
	t, err := b.tally(b.dir, "selfplay")
	if err != nil {
		return err
	}
	var s *datagen.Summary
	summary := new(datagen.Summary)
	if ok, err := readJSON(summary, b.dir, durable.RunResultName); err == nil && ok {
		s = summary
	}
	return b.headline("selfplay-headline", map[string]any{"Tally": t, "Summary": s})
}

func (b *builder) ladder() error {
	t, err := b.tally(b.dir, "ladder")
	if err != nil {
		return err
	}
	r := new(ladder.Result)
	complete, err := readJSON(r, b.dir, durable.RunResultName)
	if err != nil {
		return err
	}
	standings := slices.SortedFunc(maps.Values(t.Standings), func(a, b *arrange.Standing) int {
		x, y := (2*a.Won+a.Drawn)*b.Games, (2*b.Won+b.Drawn)*a.Games
		return int(y - x)
	})
	for _, s := range standings {
		s.Name = cmp.Or(t.viewer.shown[s.Name], s.Name)
	}
	var figures []figure
	rated := complete && r.Verdict == ""
	if rated {
		var list []estimate
		for _, x := range r.Ratings {
			if x.Known() {
				list = append(list, estimate{name: x.Name, value: float64(x.Elo), lo: float64(x.EloLo), hi: float64(x.EloHi)})
			}
		}
		figures = b.number([]figure{forest(figure{Title: "Ratings with 95 % intervals"}, "Elo", list)})
	}
	if !complete {
		r = nil
	}
	view := map[string]any{"Result": r, "Standings": standings, "Tally": t, "Figures": figures}
	if err := b.headline("ladder-headline", view); err != nil {
		return err
	}
	if !rated {
		view["Result"] = nil
	}
	return b.add("ladder", "The ladder", "ladder", view)
}

func (b *builder) spsa() error {
	var config struct {
		SPSA spsa.Config `json:"spsa"`
	}
	if _, err := readJSON(&config, b.dir, durable.RunConfigName); err != nil {
		return err
	}
	r := new(play.Result)
	complete, err := readJSON(r, b.dir, durable.RunResultName)
	if err != nil {
		return err
	}
	if !complete {
		r = nil
	}
	if _, err := b.tally(b.dir, "tuning"); err != nil {
		return err
	}
	lines, err := b.iterations()
	if err != nil {
		return err
	}
	var figures []figure
	for i, p := range config.SPSA.Parameters {
		s := series{name: p.Name, line: true}
		step := max(1, len(lines)/400)
		for k := 0; k < len(lines); k += step {
			if i < len(lines[k].Values) {
				s.x, s.y = append(s.x, float64(lines[k].Iteration)), append(s.y, lines[k].Values[i])
			}
		}
		if len(s.x) > 0 {
			start := series{name: "start", x: []float64{0, s.x[len(s.x)-1]}, y: []float64{p.Start, p.Start}, guide: true}
			figures = append(figures, chart(figure{Title: "Value over the iterations: " + p.Name}, "iteration", "value", start, s))
		}
	}
	view := map[string]any{"Result": r, "Done": len(lines), "Config": config.SPSA, "Figures": b.number(figures), "Load": gamelog.ReadLoad(b.dir)}
	if err := b.headline("spsa-headline", view); err != nil {
		return err
	}
	if err := b.add("parameters", "Parameters", "spsa", view); err != nil {
		return err
	}
	m, err := b.readMatch(filepath.Join(b.dir, play.ValidationName), "validation")
	if err != nil || m == nil {
		return err
	}
	return b.matchSection("validation", "Validation match", m)
}

// iterations reads the log of iterations, without a last line that is still being written.
func (b *builder) iterations() (list []play.Iteration, err error) {
	name := filepath.Join(b.dir, play.LogName)
	data, err := os.ReadFile(name)
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
