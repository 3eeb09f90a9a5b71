//go:build experiment

package tuner

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

var (
	networkUnits = flag.Int("units", 8, "hidden units of TestNetworkFormula")
	networkRows  = flag.Int("network-rows", 60_000, "positions of TestNetworkFormula")
	networkSteps = flag.Int("network-steps", 60, "steps of TestNetworkFormula")
)

// networkSet is an evaluation beside a network of one hidden layer: each unit is a sum of all terms of
// a model, cut off to 0..1, minus the same for the other side. A term belongs to one channel, so each
// unit has terms of its own.
func networkSet(m *eval.Model, units int) dataset.FeatureSet {
	r := rand.New(rand.NewPCG(21, 22))
	set := dataset.FeatureSet{Version: 2, Model: "network", Float: true,
		Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2}}
	set.Columns = []dataset.Column{{Name: "base"}}
	sum := []string{"base"}
	for u := range units {
		name := fmt.Sprintf("h%d", u)
		set.Channels = append(set.Channels, dataset.Channel{Name: name, Kind: dataset.PlainChannel})
		sum = append(sum, fmt.Sprintf("v%d*(clamp(b%d + %s, 0, 1) - clamp(b%d - %s, 0, 1))", u, u, name, u, name))
		for _, t := range m.Terms {
			w := 0.03 * r.NormFloat64()
			set.Terms = append(set.Terms, dataset.FeatureTerm{Name: name + "." + t.Name, Channel: name, MG: w, EG: w})
		}
	}
	for u := range units {
		out := 10 * r.NormFloat64()
		set.Terms = append(set.Terms, dataset.FeatureTerm{Name: fmt.Sprintf("v%d", u), Kind: dataset.ScalarTerm, MG: out,
			EG: out, Step: 10},
			dataset.FeatureTerm{Name: fmt.Sprintf("b%d", u), Kind: dataset.ScalarTerm, MG: 0.25, EG: 0.25, Step: 0.1})
	}
	set.Formula = "value = " + strings.Join(sum, " + ")
	return set
}

// TestNetworkFormula fits a network beside the embedded weights to four games of five, and
// compares it with these weights alone on the others.
func TestNetworkFormula(t *testing.T) {
	ctx := context.Background()
	file, err := models.Embedded("assay-1")
	if err != nil {
		t.Fatal(err)
	}
	m, coefs, err := file.Weights()
	if err != nil {
		t.Fatal(err)
	}
	evaluator, err := m.NewEvaluator(coefs)
	if err != nil {
		t.Fatal(err)
	}
	set := networkSet(m, *networkUnits)
	if err := set.Check(); err != nil {
		t.Fatal(err)
	}
	var train, test []dataset.FeatureRow
	var f eval.Features
	for _, p := range realPositions(t, *networkRows) {
		m.Features(&p.Board, &f)
		row := dataset.FeatureRow{Scale: 1, EGScale: 1, Eval: dataset.NoEval, Score: dataset.NoScore, Weight: 1,
			Game: p.Game, Result: p.Result, Columns: []float32{float32(evaluator.Evaluate(&p.Board))}}
		for u := range *networkUnits {
			for _, e := range f.Entries {
				row.Terms, row.Counts = append(row.Terms, uint16(u*len(m.Terms)+int(e.Term))), append(row.Counts, float32(e.Count))
			}
		}
		if p.Game%5 == 0 {
			test = append(test, row)
		} else {
			train = append(train, row)
		}
	}
	s, terms := bentStore(t, set, train, false), rows.TermsOfFeatures(set)
	var base []float64
	var result, weight []float32
	for _, r := range train {
		base, result, weight = append(base, float64(r.Columns[0])), append(result, r.Result), append(weight, 1)
	}
	k, err := objective.FitK(objective.CrossEntropy, base, result, weight)
	if err != nil {
		t.Fatal(err)
	}
	omega, _ := s.Split(s.Clusters(), 0, 0)
	tau := make([]float64, len(terms))
	for i := range tau {
		tau[i] = 0.05
		if terms[i].Step > 0 {
			tau[i] = 3
		}
	}
	params := objective.NewParams(terms, objective.StartOf(terms), make([]bool, len(terms)), tau, leaders(len(terms)))
	o := objective.New(&objective.Problem{Store: s, K: k, Target: objective.Targets(s, 1, 0), Omega: omega}, params, 10)
	from := cpuSeconds()
	out, err := optimize.LBFGS{}.Minimize(ctx, o, make([]float64, params.N),
		optimize.Settings{Iterations: *networkSteps, Gap: 1e-9})
	if err != nil {
		t.Log(err)
	}
	taken := cpuSeconds() - from
	w := objective.NewTapered(len(terms))
	params.Expand(out.X, w)
	tuned := set
	tuned.Terms = nil
	for i, x := range set.Terms {
		x.MG, x.EG = w.MG[i]*x.StepOf(), w.MG[i]*x.StepOf()
		tuned.Terms = append(tuned.Terms, x)
	}
	gain := map[uint64]float64{}
	var plain, with float64
	for i := range test {
		v, err := tuned.ValueOf(&test[i])
		if err != nil {
			t.Fatal(err)
		}
		a, b := entropy(k*float64(test[i].Columns[0]), float64(test[i].Result)), entropy(k*v, float64(test[i].Result))
		plain, with = plain+a, with+b
		gain[test[i].Game] += a - b
	}
	n, squares := float64(len(test)), 0.0
	for _, g := range gain {
		squares += g * g
	}
	t.Logf("%d units, %d parameters, %d training rows: %d steps in %.1f processor seconds; held out %.6f -> %.6f, gain "+
		"%.6f +- %.6f by %d games",
		*networkUnits, params.N, len(train), out.Iterations, taken, plain/n, with/n, (plain-with)/n, math.Sqrt(squares)/n,
		len(gain))
}

// entropy is the cross-entropy of a result and a logit.
func entropy(z, y float64) float64 { return math.Log1p(math.Exp(-math.Abs(z))) + math.Max(z, 0) - y*z }
