package report

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset/store"
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
	Calibration struct {
		HeldOut bool  `json:"held_out"`
		ByScore []bin `json:"by_score"`
		ByPhase []bin `json:"by_phase"`
	} `json:"calibration"`
	Curve *struct {
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

type bin struct {
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"`
	Rows      int64   `json:"rows"`
	Predicted float64 `json:"predicted"`
	Actual    float64 `json:"actual"`
	SE        float64 `json:"se"`
}

// tune makes the sections of a run of assay tune.
func (b *builder) tune() error {
	r := new(tuneResult)
	complete, err := readJSON(r, b.dir, store.RunResultName)
	if err != nil {
		return err
	}
	steps := b.steps()
	view := map[string]any{"Result": r, "Complete": complete, "Steps": len(steps.x)}
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
	if err := b.add("calibration", "Calibration", "figures", b.number(r.calibrations())); err != nil {
		return err
	}
	return b.coefficientSections(r.coefficients())
}

// steps reads the objective after each step from the run's diary.
func (b *builder) steps() series {
	s := series{name: "objective", line: true, points: true}
	b.events(func(kind string, data json.RawMessage) {
		var step struct {
			Objective float64 `json:"objective"`
		}
		switch {
		case kind == "begin": // again
			s.x, s.y = nil, nil
		case kind == "step" && json.Unmarshal(data, &step) == nil:
			s.x, s.y = append(s.x, float64(len(s.x)+1)), append(s.y, step.Objective)
		}
	})
	s.points = len(s.x) < 60
	return s
}

func lossFigures(r *tuneResult, steps series) (list []figure) {
	if len(steps.x) > 0 {
		list = append(list, chart(figure{Title: "Objective after each step", Note: "Mean training loss plus what the prior adds, of all stages of the fit one after the other."}, "step", "objective", steps))
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

func (r *tuneResult) calibrations() []figure {
	on := "on the rows it was trained on, since none was held out"
	if r.Calibration.HeldOut {
		on = "on games held out"
	}
	var points []point
	for _, c := range r.Calibration.ByScore {
		if c.Rows > 0 {
			points = append(points, point{Predicted: c.Predicted, Actual: c.Actual, SE: c.SE, N: c.Rows, Score: math.NaN()})
		}
	}
	list := []figure{calibrationFigure("", "Predicted against actual score", "White's view, "+on+", by tenths of the prediction.", points)}
	s := series{name: "actual − predicted, 95 % interval", points: true}
	for _, c := range r.Calibration.ByPhase {
		if c.Rows > 0 {
			d := c.Actual - c.Predicted
			s.x, s.y = append(s.x, (c.Lo+c.Hi)/2), append(s.y, d)
			s.lo, s.hi = append(s.lo, d-1.96*c.SE), append(s.hi, d+1.96*c.SE)
		}
	}
	zero := series{name: "right", x: []float64{0, 24}, y: []float64{0, 0}, guide: true}
	return append(list, chart(figure{Title: "Error of the prediction by phase", Note: "24 is the middlegame, 0 the endgame; " + on + "."}, "phase", "actual − predicted", zero, s))
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
