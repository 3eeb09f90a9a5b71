package tuner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// flipped is games whose results are from the view of a side at random.
func flipped(t *testing.T, syn synthetic.Games) *rows.Store {
	truth, r, b := syn.Truth(), rand.New(rand.NewPCG(syn.Seed, 7)), rows.NewBuilder(syn.Terms)
	for g := range syn.Games {
		for range syn.Rows {
			row := rows.Row{Entries: syn.Entries(r), Phase: r.IntN(rows.MaxPhase + 1), Scale: 1, Weight: 1, Score: rows.NoScore,
				Game: uint64(g + 1)}
			won := r.Float64() < objective.Sigmoid(syn.K*synthetic.Evaluate(&row, truth))
			if won != (r.IntN(2) == 0) {
				row.Result = 1
			}
			if err := b.Add(&row); err != nil {
				t.Fatal(err)
			}
		}
	}
	return synthetic.Finish(t, b)
}

// valuables are sources of one truth: good ones, noisy ones and one whose views are wrong.
func valuables(t *testing.T) ([]DataSource, []rows.Term, Config) {
	syn := synthetic.Games{Games: 300, Rows: 14, Terms: 8, PerRow: 4, K: 0.005}
	var list []DataSource
	for i, noise := range []float64{0, 0, 0.1, 0.8, 0.8} {
		syn.Seed, syn.Noise = uint64(i+1), noise
		list = append(list, DataSource{fmt.Sprintf("s%d", i), syn.Store(t)})
	}
	syn.Seed = 9
	list = append(list, DataSource{"spoiled", flipped(t, syn)})
	start := syn.Truth()
	for i := range start.MG {
		start.MG[i], start.EG[i] = math.Round(start.MG[i])+float64(70*(i%2)-35), math.Round(start.EG[i])-float64(70*(i%3)-70)
	}
	c := NewConfig()
	c.K, c.Workers = syn.K, 2
	return list, syn.List(start), c
}

func TestValue(t *testing.T) {
	sources, terms, c := valuables(t)
	v, err := Value(context.Background(), sources, terms, c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Sources {
		x := &v.Sources[i]
		t.Logf("%s added %v alone %v share %.3f -> %.3f", x.Name, x.Added, x.Alone, x.Share, x.Mixed)
		if x.LeftOut != (x.Verdict() == Harms) || i < 3 && x.Verdict() != Helps || x.Name == "spoiled" && !x.LeftOut {
			t.Errorf("%s: %s, left out %v", x.Name, x.Verdict(), x.LeftOut)
		}
	}
	t.Logf("mix in %d steps: %v over the data as given, %v over equal shares", v.Steps, v.MixGain, v.MixOverEqual)
	sum, good := 0.0, 0.0
	for i, x := range v.Sources {
		if sum += x.Mixed; i < 3 {
			good += x.Mixed
		}
	}
	if math.Abs(sum-1) > 1e-12 || !(good > 0.9 && v.MixGain.Interval[0] > 0) {
		t.Errorf("sum %v, %v of it good", sum, good)
	}
	c.Workers = 1
	if again, err := Value(context.Background(), sources, terms, c); err != nil || !reflect.DeepEqual(again, v) {
		t.Errorf("with one worker: %+v, %v", again, err)
	}
}

// Of two sources, what each adds is what a fit to it alone gains on the other, as a fit and its --test say.
func TestValueOfTwo(t *testing.T) {
	sources, terms, c := valuables(t)
	v, err := Value(context.Background(), sources[:2], terms, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Valid, c.Design, c.KeepScale, c.Folds = 0, 2, true, 0 // 14 rows a game
	r, err := Fit(context.Background(), sources[0].Store, terms, c)
	if err == nil {
		err = r.TestOn(context.Background(), sources[1].Store, terms)
	}
	if err != nil {
		t.Fatal(err)
	}
	x := v.Sources[0]
	if x.Added != x.Alone || math.Abs(x.Alone.Gain-r.Test.Gain) > 2e-4 || // its weights are rounded
		math.Abs(float64(x.Alone.SE-r.Test.SE)) > 1e-4 || v.MixGain.SE.Known() {
		t.Errorf("%+v; the fit gains %v", x, r.Test.Paired)
	}
}

// The derivative by the shares is that of finite differences, of the fit by the quadratics.
func TestMixSlopes(t *testing.T) {
	sources, terms, c := valuables(t)
	v := &valuing{c: c, terms: terms, active: 1<<5 - 1, fits: map[uint64]objective.Tapered{}}
	if err := v.open(context.Background(), sources[:5]); err != nil {
		t.Fatal(err)
	}
	if err := v.expand(context.Background()); err != nil {
		t.Fatal(err)
	}
	const on, by, h = 2, 0b11011, 1e-4
	loss := func(share []float64) float64 {
		theta, _, err := v.solve(by, share)
		if err != nil {
			t.Fatal(err)
		}
		q := v.sources[on].aim
		mean := floats.AddTo(make([]float64, len(theta)), q.slope, q.at(theta, v.theta))
		return floats.Dot(mean, floats.SubTo(theta, theta, v.theta)) / 2 // slope d + d'Gd/2
	}
	share := []float64{0.1, 0.3, 0.2, 0.25, 0.15}
	down := make([]float64, 5)
	if err := v.addSlopes(down, on, by, share); err != nil {
		t.Fatal(err)
	}
	for i := range down {
		a, b := append([]float64(nil), share...), append([]float64(nil), share...)
		a[i], b[i] = a[i]*math.Exp(h), b[i]*math.Exp(-h)
		want := (loss(a) - loss(b)) / (2 * h)
		if got := down[i] * share[i] / 0.8; math.Abs(got-want) > 1e-6+1e-3*math.Abs(want) { // 0.8: the sum of those mixed
			t.Errorf("source %d: %v by its logarithm, differences say %v", i, got, want)
		}
	}
}
