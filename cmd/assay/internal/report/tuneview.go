package report

import (
	"encoding/json"
	"fmt"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/tuner/learn"
)

// tuneResult is what the report needs of a fit's result.json, the object that
// assay tune --json prints.
type tuneResult struct {
	ID         string   `json:"id"`
	Rows       int64    `json:"rows"`
	Games      int64    `json:"games"`
	Split      string   `json:"split"`
	Method     string   `json:"method"`
	Steps      int      `json:"steps"`
	Converged  bool     `json:"converged"`
	K          float64  `json:"k"`
	FileK      float64  `json:"file_k"`
	Start      losses   `json:"loss_start"`
	Rounded    losses   `json:"loss_rounded"`
	Parameters int      `json:"parameters"`
	Effective  float64  `json:"effective_parameters"`
	Design     float64  `json:"design_effect"`
	Warnings   []string `json:"warnings"`
	Pieces     []struct {
		Piece   string  `json:"piece"`
		Start   float64 `json:"start"`
		Value   float64 `json:"value"`
		SE      float64 `json:"se"`
		Pawns   float64 `json:"pawns"`
		SEPawns float64 `json:"se_pawns"`
	} `json:"pieces"`
	Terms []struct {
		Name  string  `json:"name"`
		Group string  `json:"group"`
		OldMG float64 `json:"old_mg"`
		OldEG float64 `json:"old_eg"`
		MG    float64 `json:"mg"`
		EG    float64 `json:"eg"`
		SEMG  float64 `json:"se_mg"`
		SEEG  float64 `json:"se_eg"`
		ZMG   float64 `json:"z_mg"`
		ZEG   float64 `json:"z_eg"`
		Count int64   `json:"positions"`
		Games float64 `json:"effective_games"`
		Share float64 `json:"data_share"`
	} `json:"terms"`
	Groups []struct {
		Name      string  `json:"name"`
		Effective float64 `json:"effective_parameters"`
		Gain      float64 `json:"gain"`
		Net       float64 `json:"net_gain"`
	} `json:"groups"`
	Calibration learn.Calibration `json:"calibration"` // assay tune writes the same
	Curve       *struct {
		Points []struct {
			Games float64  `json:"games"`
			Train float64  `json:"train"`
			Valid *float64 `json:"valid"`
		} `json:"points"`
	} `json:"learning_curve"`
}

type losses struct {
	Train *float64 `json:"train"`
	Valid *float64 `json:"valid"`
}

// tune makes the sections of a run of assay tune.
func (b *builder) tune() error {
	r := new(tuneResult)
	complete, err := readJSON(r, b.dir, durable.RunResultName)
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
		var list []estimate
		for _, p := range r.Pieces {
			list = append(list, estimate{name: p.Piece, value: p.Value, lo: p.Value - 1.96*p.SE, hi: p.Value + 1.96*p.SE, start: p.Start, hasStart: true})
		}
		f := b.number([]figure{forest(figure{Title: "What a man is worth, with 95 % intervals"}, "centipawns", list)})
		if err := b.add("pieces", "What a man is worth", "figures", f); err != nil {
			return err
		}
	}
	if err := b.add("calibration", "Calibration", "figures", b.number(fitCalibrations(&r.Calibration, ""))); err != nil {
		return err
	}
	return b.coefficientSections(r.coefficients())
}

// progress is what a run's diary says of the steps of a fit.
type progress struct {
	objective    []series // one for each stage: what is minimised is not the same in two
	train, valid series   // mean losses without the prior
	n            int
}

// steps reads the diary.
func (b *builder) steps() (p progress) {
	b.events(func(kind string, data json.RawMessage) {
		var step struct {
			Stage     string  `json:"stage"`
			Objective float64 `json:"objective"`
			Train     *float64
			Valid     *float64
		}
		switch {
		case kind == "begin": // again
			p = progress{}
		case kind == "step" && json.Unmarshal(data, &step) == nil:
			p.n++
			if last := len(p.objective) - 1; last < 0 || p.objective[last].name != step.Stage {
				p.objective = append(p.objective, series{name: step.Stage, line: true})
			}
			p.objective[len(p.objective)-1].put(p.n, &step.Objective)
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

// put adds the value of a step, if it is known.
func (s *series) put(n int, y *float64) {
	if y != nil {
		s.x, s.y = append(s.x, float64(n)), append(s.y, *y)
	}
}

func lossFigures(r *tuneResult, p progress) (list []figure) {
	if p.n > 0 {
		list = append(list, chart(figure{Title: "Objective after each step", Note: "Mean loss on the training games plus what the prior adds. Each stage has an objective of its own, so that only steps within a stage are to be compared."}, "step", "objective", p.objective...))
	}
	if len(p.train.x) > 0 {
		both := []series{p.train}
		if len(p.valid.x) > 0 {
			both = append(both, p.valid)
		}
		list = append(list, chart(figure{Title: "Loss after each step", Note: "Mean loss, without the prior, of the games trained on and of those held out."}, "step", "mean loss", both...))
	}
	if r.Start.Train != nil && r.Rounded.Train != nil {
		labels, values := []string{"training, start", "training, fitted"}, []float64{*r.Start.Train, *r.Rounded.Train}
		if r.Start.Valid != nil && r.Rounded.Valid != nil {
			labels, values = append(labels, "validation, start", "validation, fitted"), append(values, *r.Start.Valid, *r.Rounded.Valid)
		}
		list = append(list, bars(figure{Title: "Loss before and after"}, "mean loss", labels, values))
	}
	if r.Curve != nil {
		train, valid := series{name: "training", line: true, points: true}, series{name: "validation", line: true, points: true}
		for _, p := range r.Curve.Points {
			train.x, train.y = append(train.x, p.Games), append(train.y, p.Train)
			if p.Valid != nil {
				valid.x, valid.y = append(valid.x, p.Games), append(valid.y, *p.Valid)
			}
		}
		list = append(list, chart(figure{Title: "Loss against the number of games", Note: "Is more data worth it?"}, "games", "loss", train, valid))
	}
	return list
}

func (r *tuneResult) coefficients() *coefficients {
	var list []coefficient
	for _, t := range r.Terms {
		moved := t.Games >= 30 && t.Share >= 0.2 && (max(t.ZMG, -t.ZMG) > 2 || max(t.ZEG, -t.ZEG) > 2)
		list = append(list, coefficient{Name: t.Name, Group: t.Group, OldMG: t.OldMG, OldEG: t.OldEG, NewMG: t.MG, NewEG: t.EG,
			SEMG: t.SEMG, SEEG: t.SEEG, Count: t.Count, Games: t.Games, Share: t.Share, Moved: moved})
	}
	return newCoefficients(fmt.Sprintf("Centipawns. Standard errors are clustered by game. A star marks a change of more than two of them where at least %d effective games and the data rather than the prior speak.", 30), list)
}
