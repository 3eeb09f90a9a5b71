package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
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
	r := read[learn.Result](b, b.dir, durable.RunResultName)
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
	decisions map[int]learn.Decision) (list []learn.GenerationResult) {
	for i, folder := range b.started(planned) {
		g := learn.GenerationResult{Number: i + 1}
		games, tuned := filepath.Join(folder, "games"), filepath.Join(folder, "spsa")
		if s := read[datagen.Summary](b, games, durable.RunResultName); s != nil {
			g.Games = *s
		}
		b.tally(games, fmt.Sprintf("generation %d, self-play", g.Number))
		b.tally(tuned, fmt.Sprintf("generation %d, tuning by games", g.Number))
		if f := read[learn.Fit](b, folder, learn.FitName); f != nil {
			g.Fit = *f
		}
		if s := read[play.Result](b, tuned, durable.RunResultName); s != nil && g.Fit.SPSA == nil {
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

// decisions reads the decisions of the gates from events.jsonl.
func (b *builder) decisions() map[int]learn.Decision {
	all := map[int]learn.Decision{}
	durable.Events(b.dir, func(kind string, data json.RawMessage) {
		var d struct {
			Generation int `json:"generation"`
			learn.Decision
		}
		if kind == "decision" && json.Unmarshal(data, &d) == nil {
			all[d.Generation] = d.Decision
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
			i := p.Interval
			if i == (tuner.Interval{}) { // it is not known
				i = tuner.Interval{math.NaN(), math.NaN()}
			}
			gains.within(x, p.Gain, i[0], i[1])
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
	s.within(x, finiteEnd(elo), float64(elo.EloLo), float64(elo.EloHi))
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

// tune shows a run of assay tune.
func (b *builder) tune() *doc.Document {
	r := read[tuner.Report](b, b.dir, durable.RunResultName)
	d := new(doc.Document)
	if r != nil {
		d = doc.Tune(r, 0)
	}
	if b.brief {
		return d
	}
	steps := b.steps()
	d.Done = int64(steps.n)
	if r == nil {
		b.add("loss", "Loss", nil, lossFigures(steps)...)
		return d
	}
	b.add("loss", "Loss", d.Parts, lossFigures(steps)...)
	unit := "centipawns"
	if r.Unit != 0 {
		unit = fmt.Sprintf("engine units, %g a pawn", r.Unit)
	}
	b.add("calibration", "Calibration", nil, fitCalibrations(&r.Calibration, "")...)
	b.addCoefficients(unit, r.Terms, false)
	return d
}

// progress is the losses after each step of a fit, without the prior.
type progress struct {
	train, valid series
	n            int
}

// steps reads the steps of the fit from events.jsonl.
func (b *builder) steps() (p progress) {
	stage, before := "", 0
	durable.Events(b.dir, func(kind string, data json.RawMessage) {
		step := tuner.Step{Losses: noLosses}
		switch {
		case kind == "begin": // resumed from the start
			p = progress{}
		case kind == "step" && json.Unmarshal(data, &step) == nil:
			if p.n++; step.Stage != stage || step.Iteration <= before { // another fit
				p.train.begin()
				p.valid.begin()
			}
			stage, before = step.Stage, step.Iteration
			p.train.known(p.n, step.Train)
			p.valid.known(p.n, step.Valid)
		}
	})
	p.train.name, p.train.line, p.train.points = "training", true, len(p.train.x) < 60
	p.valid.name, p.valid.line, p.valid.points = "validation", true, len(p.valid.x) < 60
	return p
}

// noLosses is the losses of a step that does not have them.
var noLosses = tuner.Losses{Train: num.Float(math.NaN()), Valid: num.Float(math.NaN())}

// put adds the value at x.
func (s *series) put(x, y float64) { s.x, s.y = append(s.x, x), append(s.y, y) }

// known adds the value at x, if it is known.
func (s *series) known(x int, y num.Float) {
	if y.Known() {
		s.put(float64(x), float64(y))
	}
}

// begin ends the line of a series: what follows is of another fit.
func (s *series) begin() {
	if n := len(s.x); n > 0 {
		s.starts = append(s.starts, n)
	}
}

// within adds the value at x with its interval, whose ends are NaN if it is not known.
func (s *series) within(x, y, lo, hi float64) {
	s.put(x, y)
	s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
}

func lossFigures(p progress) []figure {
	if len(p.train.x) == 0 {
		return nil
	}
	return []figure{chart(figure{Title: "Loss after each step",
		Note: "Mean loss without the prior, on the training games and on the held-out games. A new line is a fit of its " +
			"own, under another design effect."}, "step", "mean loss", p.train, p.valid)}
}

// fitCalibrations draws the calibration of a fit. The remark says which fit it is.
func fitCalibrations(c *tuner.Calibration, remark string) []figure {
	on := "On the training games, since none were held out: the fit looks better here than it is."
	if c.HeldOut {
		on = "On held-out games, which the fit has not seen."
	}
	note := strings.TrimSpace(on + " White's view. " + remark)
	actual := series{name: "actual, 95 % interval", points: true}
	f := figure{Title: "Predicted against actual score of the evaluation", Note: note,
		Header: []string{"predicted", "actual", "± SE by game", "positions"}}
	for _, b := range c.ByScore {
		if b.Rows == 0 {
			continue
		}
		actual.within(b.Predicted, b.Actual, max(0, b.Actual-1.96*b.SE), min(1, b.Actual+1.96*b.SE))
		f.Rows = append(f.Rows, []string{fmt.Sprintf("%.3f", b.Predicted), fmt.Sprintf("%.3f", b.Actual),
			fmt.Sprintf("%.3f", b.SE), fmt.Sprint(b.Rows)})
	}
	s := series{name: "actual − predicted, 95 % interval", points: true}
	for _, b := range c.ByPhase {
		if b.Rows > 0 {
			d := b.Actual - b.Predicted
			s.within((b.Lo+b.Hi)/2, d, d-1.96*b.SE, d+1.96*b.SE)
		}
	}
	return []figure{
		chart(f, "predicted score", "actual score",
			series{name: "perfect calibration", x: []float64{0, 1}, y: []float64{0, 1}, guide: true}, actual),
		chart(figure{Title: "Error of the prediction by phase", Note: "24 is the middlegame, 0 the endgame. " + note},
			"phase", "actual − predicted", level("no error", 0, 0, 24), s),
	}
}

// diagram is a piece-square table, the eighth rank first.
type diagram struct {
	Title string
	Ranks [8]rank
}

type rank struct {
	Number  int
	Squares [8]square
}

type square struct {
	Name  string // of the term
	Value float64
	SE    num.Float // 0 where there is none, as under the start weights
	Valid bool      // the table has a term for the square
	Style template.CSS
}

// pieceBoards are the old and new values of a piece-square table, and their difference.
type pieceBoards struct {
	Name        string
	Numbered    bool
	Values      models.Board  // for their scale
	Differences *models.Board // nil: the start is zero, and what was learned is the difference
	Boards      []diagram
}

// ends are the ends of a board's scale.
func ends(b models.Board) [2]float64 { return [2]float64{b.Middle - b.Most, b.Middle + b.Most} }

// boards draws the piece-square tables among the terms.
func boards(terms []tuner.TermFit) (list []pieceBoards) {
	names := make([]string, len(terms))
	for i := range terms {
		names[i] = terms[i].Name
	}
	half := func(term, half int) (old, now float64, se num.Float) {
		if t := &terms[term]; half == 0 {
			return t.StartMG, float64(t.MG), t.SEMG
		}
		t := &terms[term]
		return t.StartEG, float64(t.EG), t.SEEG
	}
	for _, table := range models.SquareTables(names) {
		drawn := table.Boards([2]string{"start", "learned"}, func(term, h int) (old, now float64) {
			old, now, _ = half(term, h)
			return old, now
		})
		p := pieceBoards{Name: table.Name, Numbered: table.Numbered, Values: drawn[0], Differences: &drawn[2]}
		if !slices.ContainsFunc(table.Terms[:], func(i int) bool {
			return i >= 0 && (terms[i].StartMG != 0 || terms[i].StartEG != 0)
		}) {
			p.Differences = nil
		}
		for k, b := range drawn {
			if p.Differences == nil && k%3 != 1 {
				continue
			}
			d := diagram{Title: b.Title}
			for s, v := range b.Values {
				at := &d.Ranks[7-s/8]
				at.Number = 1 + s/8
				if i := table.Terms[s]; i >= 0 {
					x, fade := square{Name: names[i], Value: v, Valid: true}, num.Float(0)
					if k%3 > 0 {
						_, _, x.SE = half(i, b.Half)
					}
					if b.Changes {
						fade = x.SE
					}
					x.Style = tint(v-b.Middle, fade, b.Most)
					at.Squares[s%8] = x
				}
			}
			p.Boards = append(p.Boards, d)
		}
		list = append(list, p)
	}
	return list
}

// tint colors a value: warm above zero, cool below, strongest at most. It fades as the
// standard error grows, to nothing where that is as large as the value, or not known.
func tint(v float64, se num.Float, most float64) template.CSS {
	strength := min(1, math.Abs(v)/most) * 0.7
	if v == 0 || !se.Known() {
		strength = 0
	} else {
		strength *= max(0, 1-float64(se)/math.Abs(v))
	}
	rgb := "210,90,20"
	if v < 0 {
		rgb = "40,100,210"
	}
	return template.CSS(fmt.Sprintf("background:rgba(%s,%.2f)", rgb, strength))
}

// addCoefficients adds the piece-square tables among the terms, and the table of all. Unit is the unit of all values.
func (b *builder) addCoefficients(unit string, terms []tuner.TermFit, byGames bool) {
	if tables := boards(terms); len(tables) > 0 {
		b.addBody("boards", "Piece-square tables", "boards", map[string]any{"Unit": unit, "Tables": tables,
			"Numbered": slices.ContainsFunc(tables, func(p pieceBoards) bool { return p.Numbered })})
	}
	if len(terms) > 0 {
		all := doc.Terms(terms, byGames)
		all.Text = []string{"Start and learned values in " + unit + "; standard errors are clustered by game."}
		b.addBody("coefficients", all.Title, "coefficients", all, doc.Changes(terms))
	}
}
