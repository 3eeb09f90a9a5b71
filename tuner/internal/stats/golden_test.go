package stats_test

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestStatistics: everything that follows from a fit is what testdata has, for each kind of rows.
func TestStatistics(t *testing.T) {
	for name, d := range synthetic.Samples(t) {
		counts := []int{1, 3}
		if name == "assay" { // whose matrices are large
			counts = counts[1:]
		}
		for _, workers := range counts {
			var text synthetic.Text
			statistics(t, &text, d, workers)
			text.Golden(t, name+".txt", *update)
		}
	}
}

func statistics(t *testing.T, text *synthetic.Text, d synthetic.Data, workers int) {
	ctx := t.Context()
	p := &objective.Problem{Store: d.Store, K: 0.006, Workers: workers, Target: objective.Targets(d.Store, 0.8, 0.005)}
	clusters := d.Store.Clusters()
	omega, held := d.Store.Split(clusters, 0.2, 5)
	p.Omega = omega
	for _, c := range clusters.Of {
		p.Held = append(p.Held, held[c])
	}
	start := objective.StartOf(d.Terms)
	_, typical, err := p.CountParts(ctx, start)
	setup.Check(t, err)
	tau := setup.Must(objective.Widths(d.Terms, typical, nil, 1))
	leader := setup.Must(objective.Leaders(d.Terms, true))
	o := objective.New(p, objective.NewParams(d.Terms, start, make([]bool, len(d.Terms)), tau, leader), 2)
	out := setup.Must(optimize.GaussNewton{}.Minimize(ctx, o, make([]float64, o.Params.N), optimize.Settings{Gap: 1e-14}))
	v := setup.Must(stats.NewCovariance(ctx, o, clusters, out.X))
	setup.Check(t, v.Finish(ctx))
	design := setup.Must(v.Design(ctx))
	fit := objective.NewTapered(len(d.Terms))
	o.Params.Expand(out.X, fit)
	text.Sums("fit", append(fit.MG, fit.EG...))
	text.Add("clusters, effective, design, clustering, dispersion", float64(v.N), v.Effective, design, v.Clustering,
		v.Dispersion)
	text.Add(fmt.Sprintf("ridge %v; games of terms", v.Ridge))
	text.Sums("games", v.Games)
	errors := func(what string) {
		var se, naive, share []float64
		of := v.NaiveErrors()
		for j := range o.Params.N {
			se, naive, share = append(se, v.SE(j, 20)), append(naive, of(j, 20)), append(share, v.Share(j))
		}
		text.Sums("errors "+what, se)
		text.Sums("naive errors "+what, naive)
		text.Sums("shares "+what, share)
	}
	errors("as fitted")
	gradient := make([]float64, o.Params.N)
	for j := range gradient {
		gradient[j] = 1e-3 * math.Sin(float64(j+1))
	}
	v.Rescale(gradient)
	errors("rescaled")
	for _, g := range v.GroupGains(d.Terms, design, 1000) {
		text.Add("group "+g.Name, float64(g.Parameters), g.Effective, g.Gain, g.Net)
	}
	incidence := setup.Must(stats.Incidence(ctx, d.Store))
	text.Sums("incidence", incidence)
	tables := setup.Must(stats.FindTables(ctx, d.Store, d.Terms))
	for i := range tables {
		v.Center(&tables[i], d.Terms, fit, incidence, 1.5)
		text.Add(fmt.Sprintf("table %s of %d terms", tables[i].Name, len(tables[i].Terms)), float64(tables[i].MeanMG),
			float64(tables[i].MeanEG), float64(tables[i].MeanSEMG), float64(tables[i].MeanSEEG))
		var list []float64
		for _, c := range tables[i].Centered {
			list = append(list, c.MG, c.EG, float64(c.SEMG), float64(c.SEEG))
		}
		text.Sums("centered", list)
	}
	info := setup.Must(o.Curvature(ctx, out.X))
	for _, c := range stats.FindCollinear(info, o.Params.Names(d.Terms)) {
		text.Add(fmt.Sprintf("%s = %v, exact %v", c.Coefficient, c.Others, c.Exact), c.Unexplained)
	}
	c := setup.Must(stats.Calibrate(ctx, p, start, fit, 1.7))
	text.Add(fmt.Sprintf("calibration, held out %v", c.HeldOut), float64(c.Rows))
	for _, b := range append(c.ByScore, c.ByPhase...) {
		text.Add("bin", b.Lo, b.Hi, float64(b.Rows), b.Predicted, b.Actual, b.SE, b.Start, b.Loss)
	}
}
