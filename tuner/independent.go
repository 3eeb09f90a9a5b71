package tuner

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Test is the difference on data apart from those of the fit: the loss against the results
// alone, each side under the slope K that suits it best there.
type Test struct {
	Paired
	KStart   float64  `json:"k_start"`
	KTuned   float64  `json:"k_tuned"`
	Gameless int      `json:"rows_without_game"` // each is a cluster of its own
	Data     []string `json:"data,omitempty"`    // names of the sources
}

// TestOn measures the weights as written, and those they began with, on rows of the same
// terms. The verdict rests on it then.
func (r *Result) TestOn(ctx context.Context, s *rows.Store, terms []rows.Term) error {
	if s.Rows() == 0 {
		return rows.ErrEmpty
	}
	p := &objective.Problem{Store: s, Loss: r.Config.Loss, Target: objective.Targets(s, 1, 0), Workers: r.Config.Workers}
	clusters := s.Clusters()
	p.Omega, _ = s.Split(clusters, 0, 0)
	if oneClass(p.Target, p.Omega) {
		return ErrOneClass
	}
	tuned := objective.NewTapered(len(terms))
	for t := range r.Terms {
		tuned.MG[t], tuned.EG[t] = float64(r.Terms[t].MG), float64(r.Terms[t].EG)
	}
	test := &Test{Gameless: s.Gameless()}
	for _, x := range s.Sources() {
		test.Data = append(test.Data, x.Name)
	}
	sums := newClusterLosses(clusters)
	sums.count(p, objective.Trained)
	for _, side := range []struct {
		w   objective.Tapered
		k   *float64
		sum []float64
	}{{objective.StartOf(terms), &test.KStart, sums.start}, {tuned, &test.KTuned, sums.tuned}} {
		var err error
		if *side.k, err = p.BestK(ctx, side.w); err != nil {
			return err
		}
		if err := sums.add(ctx, p, objective.Trained, side.w, *side.k, side.sum); err != nil {
			return err
		}
	}
	test.Paired = *sums.paired()
	if n := test.Gameless; n > 1 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d rows of the test data name no game: each counts as a game of its own, the interval is too short if they are not", n))
	}
	r.Test = test
	r.decide()
	return nil
}
