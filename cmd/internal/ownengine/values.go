package ownengine

import (
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models/numbers"
	"github.com/assay-chess/assay/tuner/learn"
)

// idOf returns the id of values: a digest of names and values, which depends on no file.
func idOf(set *numbers.Set, values []float64) string {
	var text []byte
	for i, n := range set.Numbers {
		text = fmt.Appendf(text, "%s %v\n", n.Name, values[i])
	}
	return durable.SumBytes(text)[:16]
}

// between returns the values a share of the way from old to new ones, as literals can be written.
func (k *workshop) between(old, new []float64, share float64) []float64 {
	values := make([]float64, len(old))
	for i, n := range k.set.Numbers {
		values[i] = n.Round(old[i] + share*(new[i]-old[i]))
	}
	return values
}

func (k *workshop) valuesOf(w learn.WeightsRef) ([]float64, error) {
	if w.Generation == 0 {
		return k.set.Values(), nil
	}
	return k.set.ReadFile(k.path(filepath.FromSlash(w.File)))
}
