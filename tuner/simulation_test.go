package tuner

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// soak has simulation studies take the number of runs that finds small faults; it is set by a build tag.
var soak bool

// study returns how many runs a simulation study takes, and skips it in short tests, and if quick is 0 outside a soak.
func study(t *testing.T, quick, full int) int {
	t.Helper()
	if testing.Short() || quick == 0 && !soak {
		t.Skip("a simulation study")
	}
	t.Parallel()
	return quickOr(quick, full)
}

// quickOr returns the second number in a soak.
func quickOr(quick, full int) int {
	if soak {
		return full
	}
	return quick
}

// games are short games of few terms, whose rows depend on each other.
func games(n, terms int, seed int) synthetic.Games {
	return synthetic.Games{Games: n, Rows: 30, Terms: terms, PerRow: terms, Shared: 0.6, K: 0.006, Seed: uint64(seed),
		Persistent: true}
}

// TestIntervalsCover simulates games from known weights, the rows of a game
// depending on each other, and counts how often the 95 % intervals hold the
// truth. Clustered ones must; naive ones must visibly fail.
func TestIntervalsCover(t *testing.T) {
	n := study(t, 40, 200)
	var clustered, naive coverage
	var design float64
	for i := range n {
		syn := games(150, 2, 1000+i)
		r := simulate(t, syn, objective.NewTapered(syn.Terms), math.Inf(1), 0)
		truth := syn.Truth()
		for j, x := range r.Terms {
			mg, eg := x.FitMG-truth.MG[j], x.FitEG-truth.EG[j]
			clustered.add(mg, 1.96*float64(x.SEMG))
			clustered.add(eg, 1.96*float64(x.SEEG))
			naive.add(mg, 1.96*float64(x.NaiveMG))
			naive.add(eg, 1.96*float64(x.NaiveEG))
		}
		design += r.Design / float64(n)
	}
	clustered.want95(t, "clustered intervals")
	t.Logf("naive intervals: %v; design effect %.2f", &naive, design)
	if share, _ := naive.share(); share > 0.85 {
		t.Errorf("naive intervals: %v: the simulation has no clustering", &naive)
	}
	if design < 2 {
		t.Errorf("design effect %.2f: dependence within games went unseen", design)
	}
}

// TestFewGamesCover: with few games, too, 95 % intervals hold the truth about that
// often, which the sandwich and the normal distribution alone do not achieve.
func TestFewGamesCover(t *testing.T) {
	n := study(t, 36, 120)
	for _, count := range []int{30, 50, 100}[:quickOr(1, 3)] {
		var hold coverage
		for i := range n {
			syn := games(count, 3, 5000+i)
			syn.PerRow = 2
			r := simulate(t, syn, objective.NewTapered(syn.Terms), math.Inf(1), 1)
			truth := syn.Truth()
			for j, x := range r.Terms {
				hold.add(x.FitMG-truth.MG[j], x.Quantile()*float64(x.SEMG))
				hold.add(x.FitEG-truth.EG[j], x.Quantile()*float64(x.SEEG))
			}
		}
		hold.want95(t, fmt.Sprintf("%d games", count))
	}
}

// TestPriorIntervalsCover: with a prior, the intervals are about the penalized
// target, which a fit to very many games with the same prior in the same
// proportion shows.
func TestPriorIntervalsCover(t *testing.T) {
	n := study(t, 0, 120)
	const count, more, tau = 150, 30, 25.0
	start := objective.NewTapered(3)
	var design float64
	for i := range 10 {
		design += simulate(t, games(count, 3, 2000+i), start, tau, 0).Design / 10
	}
	// A prior precision 30 times as large leaves its proportion to 30 times
	// the data as it was.
	target := simulate(t, games(more*count, 3, 1), start, tau/math.Sqrt(more), design)
	var hold coverage
	for i := range n {
		r := simulate(t, games(count, 3, 3000+i), start, tau, design)
		for j, x := range r.Terms {
			hold.add(x.FitMG-target.Terms[j].FitMG, 1.96*float64(x.SEMG))
			hold.add(x.FitEG-target.Terms[j].FitEG, 1.96*float64(x.SEEG))
		}
	}
	hold.want95(t, "intervals of the penalized target")
}

// TestRescaledIntervalsCover: where one coefficient makes most of the evaluation, the
// rescaling to the old RMS makes up for most of its error. Its interval holds the rescaled
// truth about 95 times in 100; with the factor taken for a constant, always.
func TestRescaledIntervalsCover(t *testing.T) {
	var hold, constant coverage
	for i := range study(t, 0, 250) {
		syn := dominated(uint64(4000 + i))
		s := syn.Store(t)
		start := syn.Truth()
		for j := range start.MG {
			start.MG[j], start.EG[j] = 0.6*start.MG[j]+10, 0.6*start.EG[j]+10
		}
		c := NewConfig()
		c.K, c.Valid, c.Design, c.Rescale = syn.K, 0, 1, true
		c.Prior = map[string]float64{"pieces": math.Inf(1)}
		r := setup.Must(Fit(t.Context(), s, syn.List(start), c))
		truth := rescaledTruth(t, s, start, syn.Truth())
		x := &r.Terms[0]
		hold.add(x.FitMG-truth.MG[0], x.Quantile()*float64(x.SEMG))
		constant.add(x.FitMG-truth.MG[0], x.Quantile()*float64(x.SEChangeMG))
	}
	hold.want95(t, "intervals of the dominant coefficient")
	if share, _ := constant.share(); share < 0.99 {
		t.Errorf("with a constant factor: %v: the simulation has no dominant coefficient", &constant)
	}
}

// dominated are games with a term that makes most of the evaluation.
func dominated(seed uint64) synthetic.Games {
	syn := games(150, 3, int(seed))
	syn.PerRow, syn.Dominant = 2, 150
	return syn
}

// rescaledTruth returns the true weights with the RMS evaluation of the start weights.
func rescaledTruth(t *testing.T, s *rows.Store, start, truth objective.Tapered) objective.Tapered {
	t.Helper()
	before := setup.Must(objective.RMS(t.Context(), s, 1, start))
	after := setup.Must(objective.RMS(t.Context(), s, 1, truth))
	out := objective.NewTapered(len(truth.MG))
	for j := range out.MG {
		out.MG[j], out.EG[j] = truth.MG[j]*before/after, truth.EG[j]*before/after
	}
	return out
}

// coverage counts intervals that hold the truth.
type coverage struct{ hold, all int }

// add counts an interval that reaches that far on both sides of an estimate, which misses the truth by so much.
func (c *coverage) add(miss, reach float64) {
	c.all++
	if math.Abs(miss) <= reach {
		c.hold++
	}
}

// want95 fails where the share is too far from 95 % for chance.
func (c *coverage) want95(t *testing.T, what string) {
	t.Helper()
	share, _ := c.share()
	if se := math.Sqrt(0.95 * 0.05 / float64(c.all)); math.Abs(share-0.95) > 2.45*se {
		t.Errorf("%s hold the truth: %v, want 0.95 ± %.3f", what, c, 2.45*se)
	}
	t.Logf("%s hold the truth: %v", what, c)
}

// share returns the share that holds the truth, and its Monte-Carlo error.
func (c *coverage) share() (share, se float64) {
	share = float64(c.hold) / float64(c.all)
	return share, math.Sqrt(share * (1 - share) / float64(c.all))
}

func (c *coverage) String() string {
	share, se := c.share()
	return fmt.Sprintf("%.3f ± %.3f of %d", share, se, c.all)
}

// simulate fits simulated games. A design effect of 0 is estimated.
func simulate(t *testing.T, syn synthetic.Games, start objective.Tapered, tau, design float64) *Result {
	t.Helper()
	c := NewConfig()
	c.K, c.Valid, c.KeepScale, c.Design = syn.K, 0, true, design
	c.Prior = map[string]float64{"pieces": tau}
	return setup.Must(Fit(context.Background(), syn.Store(t), syn.List(start), c))
}

// TestRecovery: with many independent rows the truth comes back, and the
// design effect of rows that do not depend on each other is 1.
func TestRecovery(t *testing.T) {
	syn := synthetic.Games{Games: 2000, Rows: 20, Terms: 20, PerRow: 6, K: 0.006, Seed: 11}
	r := simulate(t, syn, objective.NewTapered(syn.Terms), math.Inf(1), 0)
	truth := syn.Truth()
	chi := 0.0
	for j, x := range r.Terms {
		for _, d := range [2]float64{(x.FitMG - truth.MG[j]) / float64(x.SEMG), (x.FitEG - truth.EG[j]) / float64(x.SEEG)} {
			chi += d * d
			if math.Abs(d) > 4.5 {
				t.Errorf("%s is %.1f standard errors from the truth", x.Name, d)
			}
		}
	}
	if n := float64(2 * len(r.Terms)); chi < n/2 || chi > 2*n {
		t.Errorf("chi-square %.1f on %.0f values", chi, n)
	}
	if r.Clustering < 0.9 || r.Clustering > 1.1 {
		t.Errorf("clustering %.3f of independent rows", r.Clustering)
	}
	if math.Abs(r.Effective-float64(r.Parameters)) > 1e-6 {
		t.Errorf("%.3f effective of %d free parameters", r.Effective, r.Parameters)
	}
	if !r.Converged || r.Gap > 1e-10 {
		t.Errorf("gap %g, converged %v", r.Gap, r.Converged)
	}
}

// TestPriorHolds: few games and a prior stay close to the start and use few
// effective parameters; the held-out loss is below the free fit's.
func TestPriorHolds(t *testing.T) {
	syn := synthetic.Games{Games: 40, Rows: 40, Terms: 60, PerRow: 10, Shared: 0.7, K: 0.006, Seed: 12, Persistent: true}
	s := syn.Store(t)
	start := syn.Truth() // the start is good, the data are few
	fit := func(tau float64) *Result {
		c := NewConfig()
		c.K, c.Valid, c.KeepScale = syn.K, 0.25, true
		c.Prior = map[string]float64{"pieces": tau}
		return setup.Must(Fit(context.Background(), s, syn.List(start), c))
	}
	free, held := fit(math.Inf(1)), fit(20)
	t.Logf("held-out loss: start %.4f, free %.4f, prior %.4f; effective %.1f of %d", held.Start.Valid, free.Fit.Valid,
		held.Fit.Valid, held.Effective, held.Parameters)
	if held.Fit.Valid >= free.Fit.Valid {
		t.Errorf("held-out loss %.4f with a prior, %.4f without", held.Fit.Valid, free.Fit.Valid)
	}
	shares := 0.0
	for _, x := range held.Terms {
		shares += 2 * float64(x.DataShare)
	}
	if math.Abs(shares-held.Effective) > 1e-6 {
		t.Errorf("shares of data add up to %v, effective parameters are %v", shares, held.Effective)
	}
	if held.Effective > 0.7*float64(held.Parameters) {
		t.Errorf("%.1f effective of %d parameters", held.Effective, held.Parameters)
	}
}
