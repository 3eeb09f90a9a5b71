package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// tune shows a run of assay tune.
func (b *builder) tune() *doc.Document {
	r := read[tuner.Report](&b.reader, b.dir, durable.RunResultName)
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
	b.events(func(kind string, data json.RawMessage) {
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

// within adds the value at x with its interval, if it is known.
func (s *series) within(x float64, y num.Float, i tuner.Interval) {
	if y.Known() {
		lo, hi := bounds(i)
		s.put(x, float64(y))
		s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
	}
}

// bounds returns the ends of an interval; NaN where it is not known.
func bounds(i tuner.Interval) (lo, hi float64) {
	if i == (tuner.Interval{}) {
		return math.NaN(), math.NaN()
	}
	return i[0], i[1]
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
		actual.put(b.Predicted, b.Actual)
		actual.lo, actual.hi = append(actual.lo, max(0, b.Actual-1.96*b.SE)), append(actual.hi, min(1, b.Actual+1.96*b.SE))
		f.Rows = append(f.Rows, []string{fmt.Sprintf("%.3f", b.Predicted), fmt.Sprintf("%.3f", b.Actual),
			fmt.Sprintf("%.3f", b.SE), fmt.Sprint(b.Rows)})
	}
	s := series{name: "actual − predicted, 95 % interval", points: true}
	for _, b := range c.ByPhase {
		if b.Rows > 0 {
			d := b.Actual - b.Predicted
			s.put((b.Lo+b.Hi)/2, d)
			s.lo, s.hi = append(s.lo, d-1.96*b.SE), append(s.hi, d+1.96*b.SE)
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
