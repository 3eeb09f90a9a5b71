package search_test

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

func TestConform(t *testing.T) {
	// one of each model
	for _, weights := range []string{"assay-1", "assay-3", "machack-1967", "shannon-1950", "shannon-appendix"} {
		t.Run(weights, func(t *testing.T) {
			f := setup.Must(models.Embedded(weights))
			m, w, err := f.Weights()
			setup.Check(t, err)
			enginetest.Conform(t, func() engine.Player {
				ev := setup.Must(m.NewEvaluator(w))
				return search.New(ev, 1)
			})
		})
	}
}
