package eval

import (
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// With returns the model with weights, one for each term, as players take them.
func (m *Model) With(w []Coef) engine.Weights { return weighted{m, w} }

type weighted struct {
	model   *Model
	weights []Coef
}

func (w weighted) Model() string { return w.model.Name }

func (w weighted) Set(name, value string) (engine.Weights, bool, error) {
	next, ok, err := w.model.SetWeight(w.weights, name, value)
	return weighted{w.model, next}, ok, err
}

func (w weighted) Evaluator(percent int) (engine.Rooted, error) {
	scaled := slices.Clone(w.weights)
	for i := range min(len(scaled), len(w.model.Terms)) {
		if w.model.Terms[i].Group != GroupMaterial {
			scaled[i].MG = scaled[i].MG * int32(percent) / 100
			scaled[i].EG = scaled[i].EG * int32(percent) / 100
		}
	}
	return w.model.NewEvaluator(scaled)
}

func (w weighted) Terms(p *board.Position) (list []engine.Term) {
	for _, c := range w.model.Counts(p) {
		list = append(list, engine.Term{Name: w.model.Terms[c.Term].Name, White: c.White, Black: c.Black,
			MG: w.weights[c.Term].MG, EG: w.weights[c.Term].EG})
	}
	return list
}
