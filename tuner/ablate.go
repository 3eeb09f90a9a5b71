package tuner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/stat/distuv"
)

// What Config.Ablate takes out, each for itself.
const (
	Groups = "groups"
	Terms  = "terms" // those that share parameters go together
)

// Ablation is what some terms are worth: the loss on held-out games without them, minus that with them. Both sides are
// cross-validated: fitted to the other games, the one with those terms at 0 and all others fitted again.
type Ablation struct {
	Name     string    `json:"name"`
	Terms    int       `json:"terms"`
	Loss     float64   `json:"loss_without"`
	Rise     float64   `json:"rise"`     // above 0: the terms help
	SE       num.Float `json:"se"`       // by game, paired
	Interval Interval  `json:"interval"` // 95 %
	Share    float64   `json:"share"`    // of all that the evaluation knows beyond a constant
	out      []bool    // by term
	sums     *clusterLosses
	fit      *predictor // fitted to all games; nil without Config.AblateWeights
}

// Verdicts of an Ablation, by its interval.
const (
	Helps    = "helps"
	NotShown = "not shown to help"
	Harms    = "harms"
)

// Verdict says whether the terms help to predict unseen games.
func (a *Ablation) Verdict() string {
	switch {
	case a.Interval[0] > 0:
		return Helps
	case a.Interval[1] < 0:
		return Harms
	}
	return NotShown
}

// ablations lists the parts that are taken out in turn.
func (f *fitting) ablations() (list []Ablation) {
	at := map[string]int{}
	for t, term := range f.terms {
		key, name := term.Group, term.Group
		if f.c.Ablate == Terms {
			key, name = fmt.Sprint(f.free.MG[t]), term.Name
		}
		if f.split.seen[t] == 0 || term.Fixed || f.c.Ablate == Terms && f.free.MG[t] == objective.Fixed {
			continue
		}
		i, known := at[key]
		if !known {
			i = len(list)
			at[key] = i
			list = append(list, Ablation{Name: name, out: make([]bool, len(f.terms))})
		}
		a := &list[i]
		a.out[t] = true
		a.Terms++
		if known && f.c.Ablate == Terms {
			a.Name += "=" + name
		}
	}
	return list
}

// ablate fits without each, on the folds of cross-validation. A single Newton step in place of the fits takes two
// thirds of the time, and was within 0.0002 for eight groups of the assay model on 1,000 games; but for material,
// without which the rest moves far, it said 0.051 where the fits say 0.043.
func (f *fitting) ablate(ctx context.Context, r *Result) error {
	v, err := f.newCrossValidation(ctx, r.Rescale) // not nil: see checkMemory
	if err != nil {
		return err
	}
	problems, whole := make([]*objective.Problem, v.folds), make([]predictor, v.folds)
	all := make([]bool, len(f.terms))
	list := f.ablations()
	total := int64(v.folds) * int64(len(list)+1)
	for i := range total {
		k := int(i) % v.folds
		f.c.progress(i, total, "ablation")
		if problems[k] == nil {
			problems[k] = v.without(k)
			if whole[k], err = v.ablated(ctx, problems[k], k, all); err != nil {
				return err
			}
			continue
		}
		a := &list[int(i)/v.folds-1]
		if k == 0 {
			a.sums = newClusterLosses(f.split.clusters)
		}
		part, err := v.ablated(ctx, problems[k], k, a.out)
		if err == nil {
			err = a.sums.add(ctx, problems[k], objective.HeldOut, part, whole[k])
		}
		if err != nil {
			return fmt.Errorf("without %s: %w", a.Name, err)
		}
		if k == v.folds-1 && f.c.AblateWeights {
			x, err := v.ablated(ctx, v.all, -1, a.out)
			if err != nil {
				return fmt.Errorf("without %s: %w", a.Name, err)
			}
			a.fit = &x
		}
		if k == v.folds-1 {
			a.finish()
		}
	}
	slices.SortStableFunc(list, func(a, b Ablation) int { return cmp.Compare(b.Rise, a.Rise) })
	r.Ablations = list
	return nil
}

// ablated predicts by weights fitted without a fold and without terms. Each side has the slope that suits it best,
// since those terms may have given the evaluation its scale.
func (v *crossValidation) ablated(ctx context.Context, p *objective.Problem, fold int, out []bool) (x predictor,
	err error) {
	params, of := v.f.free.Without(out)
	if x.w, err = v.fit(ctx, p, fold, params, of); err == nil {
		x.k, err = p.BestK(ctx, x.w)
	}
	return x, err
}

// Without returns the fit without what ablation i took out, for its file; nil if Config.AblateWeights was not set.
func (r *Result) Without(i int) *Result {
	fit, q := r.Ablations[i].fit, *r
	if fit == nil {
		return nil
	}
	q.FileK, q.Rounded = fit.k/r.Rescale, Losses{} // its losses were not measured
	q.Terms = slices.Clone(r.Terms)
	for t := range q.Terms {
		x := &q.Terms[t]
		x.MG, x.EG = int32(math.Round(fit.w.MG[t]*r.Rescale)), int32(math.Round(fit.w.EG[t]*r.Rescale))
		x.Frozen = true // it has no errors
	}
	return &q
}

// finish sums up the losses.
func (a *Ablation) finish() {
	p := a.sums.paired()
	a.Loss, a.Rise, a.SE, a.Interval = p.Start, p.Gain, p.SE, p.Interval
	a.Share = objective.Ratio(p.Gain, p.Constant-p.Tuned)
	a.sums, a.out = nil, nil
}

// Interval is an interval of confidence. The zero value says that there is none, as null does in JSON.
type Interval [2]float64

// MarshalJSON implements json.Marshaler.
func (i Interval) MarshalJSON() ([]byte, error) {
	if i == (Interval{}) {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64(i))
}

// Paired is the loss under the start weights minus that under the tuned ones, row by row
// and summed by cluster: above 0, the tuned weights predict better. What makes a game hard
// to predict is in both losses, so the difference is known far better than either.
type Paired struct {
	Rows     int `json:"rows"`
	Clusters int `json:"clusters"` // games, or openings that games share
	// Effective is (sum n)^2 / sum n^2 over the clusters' weights n.
	Effective float64 `json:"effective_clusters"`
	Start     float64 `json:"loss_start"` // mean losses
	Tuned     float64 `json:"loss_tuned"`
	// StartInterval and TunedInterval are 95 % intervals of the two, each for itself: far
	// wider than their difference's. Unknown in files of earlier versions.
	StartInterval Interval `json:"loss_start_interval"`
	TunedInterval Interval `json:"loss_tuned_interval"`
	// Constant is the mean loss of the best constant prediction.
	Constant float64   `json:"loss_constant"`
	Gain     float64   `json:"gain"`     // Start - Tuned
	SE       num.Float `json:"se"`       // clustered; null of a single cluster
	Interval Interval  `json:"interval"` // 95 %, Student's t
	// ByOpening reports that clusters are all games of an opening.
	ByOpening bool `json:"by_opening,omitempty"`
}

// String returns the gain with its 95 % interval.
func (p *Paired) String() string {
	if !p.SE.Known() { // of a single game
		return fmt.Sprintf("%+.6f, without an interval", p.Gain)
	}
	return fmt.Sprintf("%+.6f, 95 %% interval %+.6f to %+.6f", p.Gain, p.Interval[0], p.Interval[1])
}

// Test is the difference on data apart from the fit's: the loss against the results
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
func (r *Result) TestOn(ctx context.Context, s *rows.Store, terms []rows.Term) (err error) {
	if s.Rows() == 0 {
		return rows.ErrEmpty
	}
	p := &objective.Problem{
		Store: s, Loss: r.Config.Loss, Unit: r.Config.unit(), Target: objective.Targets(s, 1, 0), Workers: r.Config.Workers,
	}
	clusters := s.Clusters()
	p.Omega, _ = s.Split(clusters, 0, 0)
	if oneClass(p.Target, p.Omega) {
		return ErrOneClass
	}
	start, tuned := predictor{w: objective.StartOf(terms)}, predictor{w: r.rounded()}
	for _, side := range []*predictor{&start, &tuned} {
		if side.k, err = p.BestK(ctx, side.w); err != nil {
			return err
		}
	}
	sums := newClusterLosses(clusters)
	if err := sums.add(ctx, p, objective.Trained, start, tuned); err != nil {
		return err
	}
	r.Test = &Test{Paired: *sums.paired(), KStart: start.k, KTuned: tuned.k, Gameless: s.Gameless()}
	for _, x := range s.Sources() {
		r.Test.Data = append(r.Test.Data, x.Name)
	}
	if n := r.Test.Gameless; n > 1 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("%d rows of the test data name no game: each counts as a game of its own, "+
				"the interval is too short if they are not", n))
	}
	r.decide()
	return nil
}

// predictor is a set of weights with the slope of its sigmoid.
type predictor struct {
	w objective.Tapered
	k float64
}

// clusterLosses are weighted sums over the rows of each cluster.
type clusterLosses struct {
	of                   *rows.Clusters
	rows                 int
	weight, start, tuned []float64
	target               [2]float64 // sums of the targets and their squares
	loss                 objective.Loss
}

func newClusterLosses(c *rows.Clusters) *clusterLosses {
	n := c.N()
	return &clusterLosses{of: c, weight: make([]float64, n), start: make([]float64, n), tuned: make([]float64, n)}
}

// add adds the weights and targets of the rows on a side of the problem, and their losses by two predictors.
func (l *clusterLosses) add(ctx context.Context, p *objective.Problem, side int, start, tuned predictor) error {
	l.loss = p.Loss
	before := l.rows
	for i, c := range p.Store.Chunks {
		for j, g := range c.Game {
			if s, o := p.Side(i, j); s == side && o > 0 {
				l.rows++
				l.weight[l.of.Of[g]] += o
				y := float64(p.Target[i][j])
				l.target[0] += num.Rounded(o * y)
				l.target[1] += num.Rounded(o * y * y)
			}
		}
	}
	if l.rows == before {
		return nil
	}
	if err := l.addLosses(ctx, p, side, start, l.start); err != nil {
		return err
	}
	return l.addLosses(ctx, p, side, tuned, l.tuned)
}

// addLosses adds the losses of the rows on a side of the problem to sum.
func (l *clusterLosses) addLosses(ctx context.Context, p *objective.Problem, side int, by predictor,
	sum []float64) error {
	work := func(t *objective.Scratch, i int) {
		for j, x := range t.X[:p.Store.Chunks[i].Rows] {
			t.X[j] = 0
			if s, o := p.Side(i, j); s == side && o > 0 {
				v, _, _ := p.Loss.At(by.k, x, float64(p.Target[i][j]))
				t.X[j] = o * v
			}
		}
	}
	merge := func(t *objective.Scratch, i int) {
		for j, g := range p.Store.Chunks[i].Game {
			sum[l.of.Of[g]] += t.X[j]
		}
	}
	return objective.Evaluate(ctx, p.Store, p.Workers, by.w, work, merge)
}

// constant returns the mean loss of predicting the mean target, which is the best constant.
func (l *clusterLosses) constant(weight float64) float64 {
	mean := l.target[0] / weight
	switch {
	case l.loss == objective.MSE:
		return max(0, l.target[1]/weight-num.Rounded(mean*mean))
	case mean <= 0 || mean >= 1:
		return 0
	}
	v, _, _ := l.loss.At(1, math.Log(mean/(1-mean)), mean)
	return v
}

// paired returns the difference; nil if there are no rows.
func (l *clusterLosses) paired() *Paired {
	var weight, squares, start, tuned float64
	p := &Paired{Rows: l.rows, ByOpening: l.of.ByOpening}
	for c, n := range l.weight {
		if n > 0 {
			p.Clusters++
		}
		weight += n
		squares += num.Rounded(n * n)
		start += l.start[c]
		tuned += l.tuned[c]
	}
	if weight == 0 {
		return nil
	}
	p.Effective = weight * weight / squares
	p.Start, p.Tuned = start/weight, tuned/weight
	p.Constant = l.constant(weight)
	p.Gain = p.Start - p.Tuned
	if p.Clusters < 2 {
		p.SE = num.Unknown
		return p
	}
	t := distuv.StudentsT{Sigma: 1, Nu: max(1, p.Effective-1)}.Quantile(0.975)
	// around returns the clustered error of a mean, and its interval.
	around := func(mean float64, sum func(c int) float64) (float64, Interval) {
		spread := 0.0
		for c, n := range l.weight {
			d := sum(c) - num.Rounded(n*mean)
			spread += num.Rounded(d * d)
		}
		se := math.Sqrt(spread*float64(p.Clusters)/float64(p.Clusters-1)) / weight
		return se, Interval{mean - t*se, mean + t*se}
	}
	se, interval := around(p.Gain, func(c int) float64 { return l.start[c] - l.tuned[c] })
	p.SE, p.Interval = num.Float(se), interval
	_, p.StartInterval = around(p.Start, func(c int) float64 { return l.start[c] })
	_, p.TunedInterval = around(p.Tuned, func(c int) float64 { return l.tuned[c] })
	return p
}
