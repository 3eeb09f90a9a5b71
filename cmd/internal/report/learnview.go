package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// learn shows a run of assay learn.
func (b *builder) learn() *doc.Document {
	var config struct {
		Plan learn.Plan `json:"plan"`
	}
	b.read(&config, b.dir, durable.RunConfigName)
	d, plan, decisions := new(doc.Document), config.Plan, b.decisions()
	r := read[learn.Result](&b.reader, b.dir, durable.RunResultName)
	if r != nil {
		name := b.path(durable.RunResultName)
		switch {
		case r.Format != learn.Format:
			b.keep(fmt.Errorf("%s: format %q, want %s", name, r.Format, learn.Format))
			return nil
		case r.Final == nil:
			b.keep(fmt.Errorf("%s: no final match", name))
			return nil
		}
		d, plan = doc.Learn(r, b.dir), r.Plan
	}
	d.Done, d.Total = max(d.Done, int64(len(decisions))), int64(len(plan.Generations))
	if b.brief {
		return d
	}
	b.maxGames = galleryBytes / (2*len(plan.Generations) + 2)
	// These matches first: the result is there, and the board begins with their games.
	last := b.path(learn.Folder(len(plan.Generations)))
	_, fromStart := b.addMatch("from-start", "Match against the start weights", filepath.Join(last, "from-start"))
	b.addMatch("final", "Match against "+plan.Opponent, filepath.Join(last, "final"))
	finals := len(b.report.Sections)
	list := b.generations(r, len(plan.Generations), decisions)
	matches := b.report.Sections
	b.report.Sections = nil
	if len(list) > 0 {
		parts := doc.Generations(list)
		parts[0].Title, parts[0].More = "", false
		b.add("generations", "Generations", parts, curves(list, fromStart)...)
	}
	b.report.Sections = append(b.report.Sections, matches[:finals]...)
	terms, fit := latest(r, list)
	b.addCoefficients("centipawns", terms, fit != nil && fit.Fit.SPSA != nil)
	if fit != nil && fit.Fit.Result != nil && len(fit.Fit.Calibration.ByScore) > 0 {
		b.add("calibration", "Calibration of the evaluation", nil, fitCalibrations(&fit.Fit.Calibration,
			fmt.Sprintf("The evaluation of generation %d's weights.", fit.Number))...)
	}
	b.report.Sections = append(b.report.Sections, matches[finals:]...)
	return d
}

// generations reads the generations that have started, as far as they got, and adds their gates.
func (b *builder) generations(r *learn.Result, planned int,
	decisions map[int]decision) (list []learn.GenerationResult) {
	for i, folder := range b.started(planned) {
		g := learn.GenerationResult{Number: i + 1}
		games, tuned := filepath.Join(folder, "games"), filepath.Join(folder, "spsa")
		if s := read[datagen.Summary](&b.reader, games, durable.RunResultName); s != nil {
			g.Games = *s
		}
		b.tally(games, fmt.Sprintf("generation %d, self-play", g.Number))
		b.tally(tuned, fmt.Sprintf("generation %d, tuning by games", g.Number))
		if f := read[learn.Fit](&b.reader, folder, learn.FitName); f != nil {
			g.Fit = *f
		}
		if s := read[play.Result](&b.reader, tuned, durable.RunResultName); s != nil && g.Fit.SPSA == nil {
			g.Fit.SPSA = &learn.Tuned{Result: s}
		}
		_, g.Gate = b.addMatch(fmt.Sprintf("gate-%d", g.Number), fmt.Sprintf("Gate of generation %d", g.Number),
			filepath.Join(folder, "gate"))
		if x, ok := decisions[g.Number]; ok {
			g.Promoted, g.Reason = x.Promoted, x.Reason
		}
		if r != nil && i < len(r.Generations) {
			g.Promoted, g.Reason, g.Warnings = r.Generations[i].Promoted, r.Generations[i].Reason, r.Generations[i].Warnings
		}
		list = append(list, g)
	}
	return list
}

type decision struct {
	Generation int    `json:"generation"`
	Promoted   bool   `json:"promoted"`
	Reason     string `json:"reason"`
}

// decisions reads the decisions of the gates from events.jsonl.
func (b *builder) decisions() map[int]decision {
	all := map[int]decision{}
	b.events(func(kind string, data json.RawMessage) {
		var d decision
		if kind == "decision" && json.Unmarshal(data, &d) == nil {
			all[d.Generation] = d
		}
	})
	return all
}

// latest returns the terms of the result, or else of the last fit, and their generation,
// nil if it has left no folder.
func latest(r *learn.Result, list []learn.GenerationResult) ([]tuner.TermFit, *learn.GenerationResult) {
	if r != nil {
		var of *learn.GenerationResult
		if n := r.Learned.Generation; 0 < n && n <= len(list) {
			of = &list[n-1]
		}
		return r.Terms, of
	}
	for i := len(list) - 1; i >= 0; i-- {
		if g := &list[i]; len(g.Fit.TermList()) > 0 {
			return g.Fit.TermList(), g
		}
	}
	return nil, nil
}

// curves draws loss and Elo over the generations.
func curves(generations []learn.GenerationResult, fromStart *match.Result) (list []figure) {
	gains := series{name: "before − after", points: true}
	gates := series{name: "gate: candidate against champion", points: true}
	for _, g := range generations {
		x := float64(g.Number)
		if g.Fit.Result != nil && g.Fit.Gain() != nil {
			p := g.Fit.Gain()
			gains.within(x, num.Float(p.Gain), p.Interval)
		}
		if g.Gate != nil && g.Gate.Strength.Known() {
			gates.strength(x, g.Gate.Strength)
		}
	}
	last := float64(len(generations))
	if len(gates.x) > 0 {
		drawn := []series{level("start", 0, 0, last), gates}
		if fromStart != nil && fromStart.Strength.Known() {
			measured := series{name: "measured against the start", points: true}
			measured.strength(last+0.15, fromStart.Strength)
			drawn = append(drawn, measured)
		}
		list = append(list, chart(figure{Title: "Elo over the generations",
			Note: "A gate stops as soon as it has decided, so its median-unbiased estimate is drawn, with its 95 % interval. " +
				"Only the match of fixed length measures what was learned."}, "generation", "Elo", drawn...))
	}
	if len(gains.x) > 0 {
		list = append(list,
			chart(figure{Title: "What each fit gained",
				Note: "Loss before minus loss after, game by game, with 95 % intervals: " +
					"far better known than either loss."}, "generation", "loss before − after", level("no gain", 0, 0.5, last+0.5),
				gains))
	}
	return list
}

// strength adds an Elo with its interval; an end may be infinite.
func (s *series) strength(x float64, elo sprt.Strength) {
	s.put(x, finiteEnd(elo))
	s.lo, s.hi = append(s.lo, float64(elo.EloLo)), append(s.hi, float64(elo.EloHi))
}

// standalone makes an SVG file from a drawing of a page, with light and dark colors of its own.
func standalone(svg string) []byte {
	const style = `<style>svg{--ink:#1b1f24;--page:#fff;--grid:#c8ced6;--c1:#0b5cad;--c2:#b3470b;` +
		`background:var(--page);font-family:sans-serif}@media(prefers-color-scheme:dark){svg{` +
		`--ink:#e6e9ee;--page:#0f1216;--grid:#434b56;--c1:#7db4f5;--c2:#f3a06a}}</style>`
	svg = strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" width="780" `, 1)
	// Room for fonts wider than the one measured.
	svg = strings.Replace(svg, ` viewBox=`, ` style="overflow:visible;padding:4px 8px 20px 12px" viewBox=`, 1)
	head, body, _ := strings.Cut(svg, ">")
	return []byte(head + ">" + style + body + "\n")
}
