package roster

import (
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// WeightsWithOptions returns the weights of a player after options, pairs of name and
// value, have been set. Their provenance has only the parent's id. The result is nil if no
// option sets a weight, because the player has none or all options are others.
func WeightsWithOptions(spec string, options [][2]string) (*models.File, error) {
	m, w, err := Weights(spec)
	if err != nil || m == nil {
		return nil, err
	}
	parent, touched := models.New(m, w).ID(), false
	for _, o := range options {
		next, ok, err := m.SetWeight(w, o[0], o[1])
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

// Weights returns the model of a player and its weights, with the terms that its specification sets; nil
// for a player without weights.
func Weights(spec string) (*eval.Model, []eval.Coef, error) {
	name, _, err := WeightsOf(spec)
	if err != nil || name == "" {
		return nil, nil, err
	}
	m, w, err := loadWeights(name)
	if err != nil {
		return nil, nil, err
	}
	_, s, err := parse(spec)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range s.options {
		if w, _, err = m.SetWeight(w, o.name, o.value); err != nil {
			return nil, nil, err
		}
	}
	return m, w, nil
}
