package roster

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// WeightsName returns the file or embedded name of a player's weights; empty for a player without weights.
func WeightsName(spec engine.Spec) string {
	e, ok := known(spec.Name)
	if !ok || e.weights == "" || spec.Weights != "" {
		return spec.Weights
	}
	return e.weights
}

// weightsOf returns the model of a player and its weights, with the terms that its specification sets; nil for a
// player without weights.
func weightsOf(spec engine.Spec) (*eval.Model, []eval.Coef, error) {
	name := WeightsName(spec)
	if name == "" {
		return nil, nil, nil
	}
	m, w, err := loadWeights(name)
	for _, o := range spec.Options {
		if err == nil {
			w, _, err = m.SetWeight(w, o.Name, o.Value)
		}
	}
	return m, w, err
}

func loadWeights(name string) (*eval.Model, []eval.Coef, error) {
	f, err := models.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f.Weights()
}

// WeightsWithOptions returns the weights of a player after options have been set. Their provenance has only the
// parent's id. The result is nil if no option sets a weight, because the player has none or all options are others.
func WeightsWithOptions(spec engine.Spec, options []engine.Option) (*models.File, error) {
	m, w, err := weightsOf(spec)
	if err != nil || m == nil {
		return nil, err
	}
	parent, touched := models.New(m, w).ID(), false
	for _, o := range options {
		next, ok, err := m.SetWeight(w, o.Name, o.Value)
		if err != nil {
			return nil, err
		}
		w, touched = next, touched || ok
	}
	if !touched {
		return nil, nil
	}
	f := models.New(m, w)
	f.Provenance.Parent = parent
	return f, nil
}
