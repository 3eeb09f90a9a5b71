package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
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
	unit, note := "centipawns", starred
	if r.Unit != 0 {
		unit, note = "engine units", fmt.Sprintf("A pawn is %g engine units. %s", r.Unit, starred)
	}
	b.add("calibration", "Calibration", nil, fitCalibrations(&r.Calibration, "")...)
	b.addCoefficients(unit, note, r.Terms)
	return d
}

// progress is the steps of a fit, from events.jsonl.
type progress struct {
	objective    []series // one for each stage, because the objective differs
	train, valid series   // mean losses without the prior
	n            int
}

// steps reads the steps of the fit from events.jsonl.
func (b *builder) steps() (p progress) {
	before := 0
	b.events(func(kind string, data json.RawMessage) {
		step := tuner.Step{Losses: noLosses}
		switch {
		case kind == "begin": // resumed from the start
			p = progress{}
		case kind == "step" && json.Unmarshal(data, &step) == nil:
			p.n++
			stage := len(p.objective) == 0 || p.objective[len(p.objective)-1].name != step.Stage
			if stage || step.Iteration <= before { // another fit
				if stage {
					p.objective = append(p.objective, series{name: step.Stage, line: true})
				}
				for _, s := range []*series{&p.objective[len(p.objective)-1], &p.train, &p.valid} {
					s.begin()
				}
			}
			before = step.Iteration
			p.objective[len(p.objective)-1].known(p.n, num.Float(step.Objective))
			p.train.known(p.n, step.Train)
			p.valid.known(p.n, step.Valid)
		}
	})
	for i := range p.objective {
		p.objective[i].points = len(p.objective[i].x) < 60
	}
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

func lossFigures(p progress) (list []figure) {
	if p.n > 0 {
		list = append(list, chart(figure{Title: "Objective after each step",
			Note: "Mean loss on the training games plus the " +
				"prior's term. Each stage has an objective of its own: compare only steps within one line."},
			"step", "objective", p.objective...))
	}
	if len(p.train.x) > 0 {
		list = append(list, chart(figure{Title: "Loss after each step",
			Note: "Mean loss without the prior, on the training " +
				"games and on the held-out games. A new line is a fit of its own, under another design effect."}, "step", "mean loss", p.train, p.valid))
	}
	return list
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
