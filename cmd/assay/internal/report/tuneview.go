package report

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/tuner"
)

// tune makes the sections of a run of assay tune.
func (b *builder) tune() error {
	r := new(tuner.Report)
	complete, err := readJSON(r, b.dir, durable.RunResultName)
	if err != nil {
		return err
	}
	steps := b.steps()
	view := map[string]any{"Result": r, "Complete": complete, "Steps": steps.n}
	if err := b.headline("tune-headline", view); err != nil {
		return err
	}
	unit, note := "centipawns", starred
	if r.Unit != 0 {
		unit, note = "engine units", fmt.Sprintf("A pawn is %g engine units. %s", r.Unit, starred)
	}
	c := newCoefficients(unit, note, coefficientsOf(r.Terms))
	if err := b.boardSection(c); err != nil { // there is no game to begin the page with
		return err
	}
	figures := lossFigures(r, steps)
	view["Figures"] = b.number(figures)
	if err := b.add("loss", "Loss", "tune-loss", view); err != nil || !complete {
		return err
	}
	if len(r.Pieces) > 0 {
		f := b.number(pieceFigures(r.Pieces))
		if err := b.add("pieces", "Piece values", "figures", f); err != nil {
			return err
		}
	}
	if err := b.add("calibration", "Calibration", "figures", b.number(fitCalibrations(&r.Calibration, ""))); err != nil {
		return err
	}
	return b.coefficientSection(c)
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
			p.objective[len(p.objective)-1].put(p.n, tuner.Float(step.Objective))
			p.train.put(p.n, step.Train)
			p.valid.put(p.n, step.Valid)
		}
	})
	for i := range p.objective {
		p.objective[i].points = len(p.objective[i].x) < 60
	}
	p.train.name, p.train.line, p.train.points = "training", true, len(p.train.x) < 60
	p.valid.name, p.valid.line, p.valid.points = "validation", true, len(p.valid.x) < 60
	return p
}

// noLosses is the losses of a step or fit that does not say them.
var noLosses = tuner.Losses{Train: tuner.Float(math.NaN()), Valid: tuner.Float(math.NaN())}

// put adds the value at x, if it is known.
func (s *series) put(x int, y tuner.Float) {
	if y.Known() {
		s.x, s.y = append(s.x, float64(x)), append(s.y, float64(y))
	}
}

// begin ends the line of a series: what follows is of another fit.
func (s *series) begin() {
	if n := len(s.x); n > 0 {
		s.starts = append(s.starts, n)
	}
}

// within adds the value at x with its interval, if it is known.
func (s *series) within(x float64, y tuner.Float, i tuner.Interval) {
	if !y.Known() {
		return
	}
	lo, hi := bounds(i)
	s.x, s.y, s.lo, s.hi = append(s.x, x), append(s.y, float64(y)), append(s.lo, lo), append(s.hi, hi)
}

// bounds returns the ends of an interval; NaN where it is not known.
func bounds(i tuner.Interval) (lo, hi float64) {
	if i == (tuner.Interval{}) {
		return math.NaN(), math.NaN()
	}
	return i[0], i[1]
}

func lossFigures(r *tuner.Report, p progress) (list []figure) {
	if p.n > 0 {
		list = append(list, chart(figure{Title: "Objective after each step", Note: "Mean loss on the training games plus the prior's term. Each stage has an objective of its own: compare only steps within one line."}, "step", "objective", p.objective...))
	}
	if len(p.train.x) > 0 {
		both := []series{p.train}
		if len(p.valid.x) > 0 {
			both = append(both, p.valid)
		}
		list = append(list, chart(figure{Title: "Loss after each step", Note: "Mean loss without the prior, on the training games and on the held-out games. A new line is a fit of its own: under another design effect, or to a part of the games."}, "step", "mean loss", both...))
	}
	if r.Rows > 0 {
		list = append(list, beforeAndAfter(r)...)
	}
	if r.Curve != nil {
		train, valid := series{name: "training", points: true}, series{name: "validation, 95 % interval", points: true}
		for _, p := range r.Curve.Points {
			train.put(p.Games, p.Train)
			valid.within(float64(p.Games), p.Valid, p.Interval)
		}
		list = append(list, chart(figure{Title: "Loss against the number of games", Note: "Each point is a fit of its own. All are validated on the same games, so that their differences are known better than the intervals show."}, "games", "loss", train, valid))
	}
	return list
}

// beforeAndAfter draws the losses under the start weights and under the tuned ones, and
// what tuning gained, on each kind of games.
func beforeAndAfter(r *tuner.Report) []figure {
	losses := []estimate{point("training, before", float64(r.Start.Train)), point("training, after", float64(r.Rounded.Train))}
	var gains []estimate
	for _, on := range []struct {
		name string
		p    *tuner.Paired
	}{{"held out", r.Validation}, {"cross-validation", r.CrossValidation}, {"test data", paired(r.Test)}} {
		if on.p == nil {
			continue
		}
		before, after := point(on.name+", before", on.p.Start), point(on.name+", after", on.p.Tuned)
		before.lo, before.hi = bounds(on.p.StartInterval)
		after.lo, after.hi = bounds(on.p.TunedInterval)
		losses = append(losses, before, after)
		gain := point(on.name, on.p.Gain)
		gain.lo, gain.hi = bounds(on.p.Interval)
		gain.start, gain.hasStart = 0, true
		gains = append(gains, gain)
	}
	list := []figure{forest(figure{Title: "Loss before and after", Note: "With 95 % intervals, where the fit has not seen the games."}, "mean loss", losses)}
	if len(gains) > 0 {
		list = append(list, forest(figure{Title: "What tuning gained", from: "no gain", Note: "Loss before minus loss after, game by game, with 95 % intervals. What makes games hard to predict is in both losses, so that the difference is known far better than either."}, "loss before − after", gains))
	}
	return list
}

func paired(t *tuner.Test) *tuner.Paired {
	if t == nil {
		return nil
	}
	return &t.Paired
}

// point is an estimate without an interval.
func point(name string, v float64) estimate {
	return estimate{name: name, value: v, lo: math.NaN(), hi: math.NaN()}
}
