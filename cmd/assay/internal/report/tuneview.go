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
	complete, err := readFit(r, b.dir, durable.RunResultName)
	if err != nil {
		return err
	}
	steps := b.steps()
	view := map[string]any{"Result": r, "Complete": complete, "Steps": steps.n}
	if err := b.headline("tune-headline", view); err != nil {
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
	unit, note := "centipawns", starred
	if r.Unit != 0 {
		unit, note = "engine units", fmt.Sprintf("A pawn is %g engine units. %s", r.Unit, starred)
	}
	return b.coefficientSections(newCoefficients(unit, note, coefficientsOf(r.Terms)))
}

// progress is the steps of a fit, from events.jsonl.
type progress struct {
	objective    []series // one for each stage, because the objective differs
	train, valid series   // mean losses without the prior
	n            int
}

// steps reads the steps of the fit from events.jsonl.
func (b *builder) steps() (p progress) {
	b.events(func(kind string, data json.RawMessage) {
		step := tuner.Step{Losses: noLosses}
		switch {
		case kind == "begin": // resumed from the start
			p = progress{}
		case kind == "step" && json.Unmarshal(data, &step) == nil:
			p.n++
			if last := len(p.objective) - 1; last < 0 || p.objective[last].name != step.Stage {
				p.objective = append(p.objective, series{name: step.Stage, line: true})
			}
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

func lossFigures(r *tuner.Report, p progress) (list []figure) {
	if p.n > 0 {
		list = append(list, chart(figure{Title: "Objective after each step", Note: "Mean loss on the training games plus the prior's term. Each stage has an objective of its own: compare only steps within one stage."}, "step", "objective", p.objective...))
	}
	if len(p.train.x) > 0 {
		both := []series{p.train}
		if len(p.valid.x) > 0 {
			both = append(both, p.valid)
		}
		list = append(list, chart(figure{Title: "Loss after each step", Note: "Mean loss without the prior, on the training games and on the held-out games."}, "step", "mean loss", both...))
	}
	if r.Rows > 0 {
		labels, values := []string{"training, start", "training, fitted"}, []float64{float64(r.Start.Train), float64(r.Rounded.Train)}
		if r.Start.Valid.Known() && r.Rounded.Valid.Known() {
			labels, values = append(labels, "validation, start", "validation, fitted"), append(values, float64(r.Start.Valid), float64(r.Rounded.Valid))
		}
		list = append(list, bars(figure{Title: "Loss before and after"}, "mean loss", labels, values))
	}
	if r.Curve != nil {
		train, valid := series{name: "training", line: true, points: true}, series{name: "validation", line: true, points: true}
		for _, p := range r.Curve.Points {
			train.put(p.Games, p.Train)
			valid.put(p.Games, p.Valid)
		}
		list = append(list, chart(figure{Title: "Loss against the number of games", Note: "Validation loss that still falls at the right end says that more games would help."}, "games", "loss", train, valid))
	}
	return list
}
