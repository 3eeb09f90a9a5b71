package tuner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// freeRows are games of eight terms, and of three more: "rare" occurs in one row of 500
// and always wins, "sum" is the sum of the first two, "lost" tells a lost game by its
// middlegame and its endgame together: neither half alone is one-sided.
func freeRows(t *testing.T, seed uint64) (*rows.Store, []rows.Term) {
	syn := synthetic.Games{Games: 400, Rows: quickOr(5, 15), Terms: 8, PerRow: 4, K: 0.006, Seed: seed}
	r, b, n := rand.New(rand.NewPCG(seed, 1)), rows.NewBuilder(11), 0
	s := syn.Store(t)
	err := s.EachRow(context.Background(), func(chunk, row int, entries []rows.Entry) {
		c := s.Chunks[chunk]
		x := rows.Row{Phase: c.Phase, Scale: 1, Weight: 1, Score: rows.NoScore, Result: c.Result[row],
			Game: uint64(c.Game[row]) + 1}
		sum := float32(0)
		for _, e := range entries {
			x.Entries = append(x.Entries, e)
			if e.Term < 2 {
				sum += e.Count
			}
		}
		if n++; n%500 == 0 {
			x.Entries = append(x.Entries, rows.Entry{Term: 8, Count: 2*x.Result - 1})
		}
		if sum != 0 {
			x.Entries = append(x.Entries, rows.Entry{Term: 9, Count: sum})
		}
		if n%50 == 0 && c.Phase != 12 { // won where phase and count agree
			count := 2*x.Result - 1
			if c.Phase < 12 {
				count = -count
			}
			x.Entries = append(x.Entries, rows.Entry{Term: 10, Count: count * float32(1+r.IntN(2))})
		}
		setup.Check(t, b.Add(&x))
	})
	if err != nil {
		t.Fatal(err)
	}
	terms := syn.List(objective.NewTapered(8))
	for i, name := range []string{"rare", "sum", "lost"} {
		terms = append(terms, rows.Term{Name: name, Group: "pieces", Tapered: true, Mirror: 8 + i})
	}
	return synthetic.Finish(t, b), terms
}

func freeConfig(loss objective.Loss) Config {
	c := NewConfig()
	c.Loss, c.K, c.KeepScale, c.Valid = loss, 0.006, true, 0
	c.Prior = map[string]float64{"pieces": math.Inf(1)}
	return c
}

// TestFreeFit: without priors, terms that always win end at the limit and are named; on
// the others the fit is as good as thousands of steps of Adam, within a few steps, with
// collinear terms too.
func TestFreeFit(t *testing.T) {
	ctx := context.Background()
	for _, loss := range []objective.Loss{objective.CrossEntropy, objective.MSE} {
		for seed := range uint64(quickOr(1, 3)) {
			s, terms := freeRows(t, 50+seed)
			r := setup.Must(Fit(ctx, s, terms, freeConfig(loss)))
			t.Logf("%v: %+v, no finite optimum: %v", loss, r.Fit, r.Unbounded)
			if !r.Converged || r.Steps > 40 {
				t.Errorf("%v: converged %v after %d steps", loss, r.Converged, r.Steps)
			}
			// One half of "lost" at the limit is enough to leave the other an optimum.
			u := r.Unbounded
			if !slices.Equal(u[:2], []string{"rare mg", "rare eg"}) || len(u) < 3 || !strings.HasPrefix(u[2], "lost") {
				t.Errorf("%v: no finite optimum: %v", loss, u)
			}
			if x := r.Terms; x[8].MG != 2000 || x[8].EG != 2000 || max(x[10].MG, -x[10].EG) != 2000 {
				t.Errorf("%v: rare %v, lost %v", loss, fitOf(x[8]), fitOf(x[10]))
			}
			if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "no finite optimum") ||
				!strings.Contains(text, "rare mg") {
				t.Errorf("%v: warnings %q", loss, text)
			}
			checkFinite(t, r)

			c := freeConfig(loss)
			c.Method, c.Iterations, c.Gap, c.Design = "adam", quickOr(4000, 10000), 1e-300, r.Design
			c.Freeze = []string{"rare", "lost"}
			for _, i := range []int{8, 10} {
				terms[i].MG, terms[i].EG = r.Terms[i].FitMG, r.Terms[i].FitEG
			}
			long := setup.Must(Fit(ctx, s, terms, c))
			if r.Fit.Train > long.Fit.Train+1e-9 {
				t.Errorf("%v: loss %.12f, Adam finds %.12f", loss, r.Fit.Train, long.Fit.Train)
			}
		}
	}
}

// TestNoStepIsAnError: from the optimum no step is needed, but where none is found and the
// gap is too large the fit fails.
func TestNoStepIsAnError(t *testing.T) {
	s, terms := freeRows(t, 60)
	c := freeConfig(objective.CrossEntropy)
	for try := 0; ; try++ {
		r, err := Fit(context.Background(), s, terms, c)
		if c.Gap > 0 && errors.Is(err, errNoStep) {
			return
		}
		if err != nil || c.Gap == 0 && !r.Converged {
			t.Fatalf("from the optimum: %v", err)
		}
		if try == 20 {
			t.Fatal("steps without end")
		}
		for i := range terms {
			terms[i].MG, terms[i].EG = r.Terms[i].FitMG, r.Terms[i].FitEG
		}
		if c.Design = r.Design; try > 0 {
			c.Gap = 1e-300 // which rounding does not reach
		}
	}
}
