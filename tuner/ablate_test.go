package tuner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// ablatable is games of eight terms; the two of the group dead say nothing.
func ablatable(t *testing.T) (*rows.Store, []rows.Term, Config) {
	syn := synthetic.Games{Games: 300, Rows: 15, Terms: 8, PerRow: 4, K: 0.005, Seed: 5}
	truth, r, b := syn.Truth(), rand.New(rand.NewPCG(3, 7)), rows.NewBuilder(8)
	for i := 6; i < 8; i++ {
		truth.MG[i], truth.EG[i] = 0, 0
	}
	for g := range syn.Games {
		for range syn.Rows {
			row := rows.Row{Entries: syn.Entries(r), Phase: r.IntN(rows.MaxPhase + 1), Scale: 1, Weight: 1, Score: rows.NoScore,
				Game: uint64(g + 1)}
			if r.Float64() < objective.Sigmoid(syn.K*synthetic.Evaluate(&row, truth)) {
				row.Result = 1
			}
			setup.Check(t, b.Add(&row))
		}
	}
	for i := range truth.MG {
		truth.MG[i], truth.EG[i] = math.Round(truth.MG[i]/2), math.Round(truth.EG[i]/2)
	}
	terms := syn.List(truth)
	for i, name := range []string{"a", "a", "a", "b", "b", "b", "dead", "dead"} {
		terms[i].Group = name
	}
	c := NewConfig()
	c.K, c.Design, c.KeepScale, c.Folds = syn.K, 1, true, 4
	return synthetic.Finish(t, b), terms, c
}

// The loss without a group comes from cross-validated fits in which its terms are 0 from the start and frozen.
func TestAblation(t *testing.T) {
	s, terms, c := ablatable(t)
	c.Ablate = Groups
	r := setup.Must(Fit(context.Background(), s, terms, c))
	if len(r.Ablations) != 3 {
		t.Fatalf("%+v", r.Ablations)
	}
	for i, a := range r.Ablations {
		if i > 0 && a.Rise > r.Ablations[i-1].Rise {
			t.Error("not in order")
		}
		if want := map[string]string{"a": Helps, "b": Helps, "dead": NotShown}[a.Name]; a.Verdict() != want {
			t.Errorf("%s: %s, want %s: %+v", a.Name, a.Verdict(), want, a)
		}
		without := append([]rows.Term(nil), terms...)
		for j := range without {
			if without[j].Group == a.Name {
				without[j].MG, without[j].EG = 0, 0
			}
		}
		d := c
		d.Ablate, d.Freeze = "", []string{a.Name}
		o := setup.Must(Fit(context.Background(), s, without, d))
		if off := math.Abs(o.CrossValidation.Tuned - a.Loss); off > 2e-5 { // weights are rounded
			t.Errorf("without %s the loss is %v, of a fit with it frozen at 0 %v", a.Name, a.Loss, o.CrossValidation.Tuned)
		}
		if off := math.Abs(a.Loss - a.Rise - r.CrossValidation.Tuned); off > 1e-6 {
			t.Errorf("%s: the loss with it is %v, of the fit %v", a.Name, a.Loss-a.Rise, r.CrossValidation.Tuned)
		}
	}
	c.Ablate = ""
	if plain, err := Fit(context.Background(), s, terms, c); err != nil || plain.Rounded != r.Rounded {
		t.Errorf("ablation changes the fit: %v, %v", plain, err)
	}
}

// Each term by itself; tied ones go together.
func TestAblationOfTerms(t *testing.T) {
	s, terms, c := ablatable(t)
	terms[0].Mirror, terms[3].Mirror = 3, 0
	c.Ablate, c.Folds = Terms, 2
	r := setup.Must(Fit(context.Background(), s, terms, c))
	names := map[string]int{}
	for _, a := range r.Ablations {
		names[a.Name] = a.Terms
	}
	if len(names) != 7 || names["t0=t3"] != 2 || names["t6"] != 1 {
		t.Errorf("%v", names)
	}
	c.Folds = 0
	if _, err := Fit(context.Background(), s, terms, c); !errors.Is(err, objective.ErrConfig) {
		t.Errorf("without folds: %v", err)
	}
}
