//go:build experiment

package tuner

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/tuner/objective"
)

// TestPriorsTable prints the held-out loss of the model assay by number of games,
// free and tied and with the default priors: the table beside DefaultTau. It
// takes some minutes.
func TestPriorsTable(t *testing.T) {
	s, terms := realStore(t, "assay", 1<<30, 0)
	const valid = 0.25
	learned := (1 - valid) * float64(s.Games())
	free := make(map[string]float64)
	for _, g := range objective.GroupNames(terms) {
		free[g] = math.Inf(1)
	}
	for _, games := range []float64{200, 800, 1600, 3000} {
		line := fmt.Sprintf("%5.0f games:", games)
		for _, way := range []struct {
			name  string
			prior map[string]float64
			tie   Tie
		}{
			{"free", free, TieOff}, {"free, tied", free, TieOn}, {"prior", nil, TieOff}, {"prior, tied", nil, TieOn},
		} {
			c := NewConfig()
			c.Valid, c.Share, c.Tie, c.Prior = valid, min(1, games/learned), way.tie, way.prior
			r, err := Fit(context.Background(), s, terms, c)
			if err != nil {
				line += fmt.Sprintf("  %s: %v", way.name, strings.SplitN(err.Error(), ":", 2)[0])
				continue
			}
			line += fmt.Sprintf("  %s %.4f (start %.4f, %.0f of %d)", way.name, r.Fit.Valid, r.Start.Valid, r.Effective,
				r.Parameters)
		}
		t.Log(line)
	}
}
