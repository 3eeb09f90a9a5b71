package tuner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// DataSource is data whose value for a fit is asked for.
type DataSource struct {
	Name  string
	Store *rows.Store
}

// SourceGain is a mean over sources, each of which counts the same, of paired differences of their losses. Above 0
// is better. Its error is that of the games of these sources, and says nothing of other sources.
type SourceGain struct {
	Gain     float64   `json:"gain"`
	SE       num.Float `json:"se"`
	Interval Interval  `json:"interval"` // 95 %
}

func (g SourceGain) String() string {
	return fmt.Sprintf("%+.6f [%+.6f, %+.6f]", g.Gain, g.Interval[0], g.Interval[1])
}

// SourceValue is what one source is worth. The results that are predicted are always those of other sources, which
// the fits have not seen.
type SourceValue struct {
	Name     string `json:"name"`
	Rows     int    `json:"rows"`
	Clusters int    `json:"clusters"` // games, or openings that games share
	// Added is the gain from the source beside all others but the one predicted; Alone is that of a fit to the source
	// alone over the start weights.
	Added  SourceGain           `json:"added"`
	Alone  SourceGain           `json:"alone"`
	Gains  map[string]num.Float `json:"added_by_source"` // Added, by the source predicted
	Share  float64              `json:"share"`           // of the information as given
	Mixed  float64              `json:"mixed_share"`     // of the mix
	Weight float64              `json:"weight"`          // of a row in the mix
	// LeftOut says that the source harms: the others, and the mix, are measured without it.
	LeftOut bool `json:"left_out,omitempty"`
}

// Verdict says whether the source helps to predict others.
func (v *SourceValue) Verdict() string {
	return (&Ablation{Interval: v.Added.Interval}).Verdict()
}

// DataValue is what several sources are worth, and weights for mixing them.
type DataValue struct {
	Sources []SourceValue `json:"sources"`
	K       float64       `json:"k"`
	// MixGain is the gain of the mix over the data as given, and MixOverEqual that over equal shares, each on a source
	// that neither the fit nor the choice of the mix has seen. Unknown with fewer than four sources.
	MixGain      SourceGain `json:"mix_gain"`
	MixOverEqual SourceGain `json:"mix_over_equal"`
	// Steps is the number of steps of the mix. If MixGain is not shown to be above 0, the weights are those of the data
	// as given.
	Steps int `json:"mix_steps"`
}

// MinMixed is the number of sources from which a mix can be judged: one is predicted, another chooses, two are mixed.
const MinMixed = 4

// unknownGain is of what was not measured.
var unknownGain = SourceGain{SE: num.Unknown}

// Value says what each source is worth, for a fit of terms to the results. Of the configuration it takes Prior,
// PriorFactor, Freeze, Unit, K, Loss, Workers and Progress.
func Value(ctx context.Context, sources []DataSource, terms []rows.Term, c Config) (*DataValue, error) {
	v := &valuing{c: c, terms: terms, fits: map[uint64]objective.Tapered{}, pairs: map[[3]uint64]*Paired{}}
	if err := v.open(ctx, sources); err != nil {
		return nil, err
	}
	out := &DataValue{K: v.k, MixGain: unknownGain, MixOverEqual: unknownGain, Sources: make([]SourceValue, len(sources))}
	for v.active = uint64(1)<<len(sources) - 1; ; {
		if err := v.expand(ctx); err != nil {
			return nil, err
		}
		worst := -1
		for _, i := range v.members(v.active) {
			x, err := v.value(ctx, i)
			if err != nil {
				return nil, err
			}
			if out.Sources[i] = x; x.Verdict() == Harms && (worst < 0 || x.Added.Gain < out.Sources[worst].Added.Gain) {
				worst = i
			}
		}
		if worst < 0 || len(v.members(v.active)) == 2 { // of two, either may be at fault
			break
		}
		x := &out.Sources[worst]
		x.LeftOut, x.Mixed, x.Weight = true, 0, 0
		v.active &^= 1 << worst
	}
	if len(v.members(v.active)) >= MinMixed {
		return out, v.mix(ctx, out)
	}
	return out, nil
}

// value says what a source is worth, beside those that are active.
func (v *valuing) value(ctx context.Context, i int) (SourceValue, error) {
	s, share := &v.sources[i], v.given()[i]
	x := SourceValue{Name: s.name, Rows: s.problem.Store.Rows(), Clusters: s.clusters.N(), Share: share, Mixed: share,
		Weight: 1, Gains: map[string]num.Float{}}
	var added, alone []*Paired
	members := v.members(v.active &^ (1 << i))
	for n, j := range members {
		v.c.progress(0, 0, "%s: predicting source %d of %d", s.name, n+1, len(members))
		rest := v.active &^ (1 << j)
		with, err := v.against(ctx, j, rest&^(1<<i), rest)
		if err != nil {
			return x, err
		}
		by, err := v.against(ctx, j, 0, 1<<i)
		if err != nil {
			return x, err
		}
		added, alone = append(added, with), append(alone, by)
		x.Gains[v.sources[j].name] = num.Float(with.Gain)
	}
	x.Added, x.Alone = averageOf(added), averageOf(alone)
	return x, nil
}

// members lists the sources of a set.
func (v *valuing) members(set uint64) (list []int) {
	for i := range v.sources {
		if set>>i&1 == 1 {
			list = append(list, i)
		}
	}
	return list
}

// valuing is the work of Value.
type valuing struct {
	c       Config
	terms   []rows.Term
	k       float64
	params  *objective.Params
	sources []valued
	active  uint64                       // set of the sources that harm none of the others
	theta   []float64                    // of the fit to all; the quadratics are around it
	fits    map[uint64]objective.Tapered // by set of sources, as given
	pairs   map[[3]uint64]*Paired
}

// valued is a source with the quadratics of its mean loss: that of a fit, and that of a prediction, under the slope
// that suits it best. The results of a noisy source would else ask for smaller weights of all terms.
type valued struct {
	name     string
	problem  *objective.Problem
	clusters *rows.Clusters
	weight   float64 // of its rows
	info     float64 // weight by design effect: how much its rows count for against the prior
	fit, aim quadratic
}

// quadratic is a mean loss around the fit to all.
type quadratic struct {
	slope []float64
	gram  *mat.SymDense
}

// open prepares the sources, the slope of the sigmoid and the parameters.
func (v *valuing) open(ctx context.Context, sources []DataSource) error {
	var slopes []float64
	seen, typical := make([]int64, len(v.terms)), make([]float64, len(v.terms))
	start, games, weight, info := objective.StartOf(v.terms), 0, 0.0, 0.0
	for _, s := range sources {
		p := &objective.Problem{Store: s.Store, Loss: v.c.Loss, K: v.c.K, Target: objective.Targets(s.Store, 1, 0),
			Workers: v.c.Workers}
		x := valued{name: s.Name, problem: p, clusters: s.Store.Clusters()}
		p.Omega, _ = s.Store.Split(x.clusters, 0, 0)
		for _, chunk := range p.Omega {
			for _, o := range chunk {
				x.weight += float64(o)
			}
		}
		if oneClass(p.Target, p.Omega) {
			return fmt.Errorf("%s: %w", s.Name, ErrOneClass)
		}
		// A design effect of designFirst belongs to 70 positions a game.
		x.info = x.weight / max(1, min(designFirst, float64(s.Store.Rows())/float64(x.clusters.N())*designFirst/70))
		weight, info = weight+x.weight, info+x.info
		if k, err := p.FitK(ctx, start); err == nil {
			slopes = append(slopes, k)
		}
		n, each, err := s.Store.CountTerms(ctx, p.Omega)
		if err != nil {
			return err
		}
		for t := range n {
			seen[t] += n[t]
			typical[t] += float64(n[t]) * each[t] * each[t]
		}
		games += s.Store.Games()
		v.sources = append(v.sources, x)
	}
	if v.k = v.c.K; v.k == 0 {
		if len(slopes) == 0 {
			return fmt.Errorf("fitting K: %w", objective.ErrScale)
		}
		slices.Sort(slopes)
		v.k = slopes[len(slopes)/2] // a spoiled source has another
	}
	for i := range v.sources {
		v.sources[i].problem.K = v.k
		v.sources[i].info = v.sources[i].weight * info / weight // one design effect for all, as in a fit
	}
	for t, n := range seen {
		typical[t] = math.Sqrt(typical[t] / float64(max(1, n)))
		if n == 0 {
			typical[t] = 1
		}
	}
	return v.parametrize(typical, games)
}

// parametrize says what is fitted: every term that is not frozen, with its prior.
func (v *valuing) parametrize(typical []float64, games int) error {
	tau, err := objective.Widths(v.terms, typical, v.c.Prior, cmp.Or(v.c.PriorFactor, 1)*v.c.unit())
	if err != nil {
		return err
	}
	hold, err := objective.Frozen(v.terms, v.c.Freeze)
	if err != nil {
		return err
	}
	twins := objective.Twins(games < tieGames)
	leader, err := objective.Leaders(v.terms, twins)
	if err != nil {
		return err
	}
	if v.params = objective.NewParams(v.terms, objective.StartOf(v.terms), hold, tau, leader); v.params.N == 0 {
		return ErrAllFrozen
	}
	return nil
}

// given returns the shares of the sources as they are.
func (v *valuing) given() []float64 {
	p := make([]float64, len(v.sources))
	for _, i := range v.members(v.active) {
		p[i] = v.sources[i].info
	}
	floats.Scale(1/floats.Sum(p), p)
	return p
}

// weights returns what multiplies the mean loss of each source of a set, by its share.
func (v *valuing) weights(set uint64, share []float64) []float64 {
	of, sum, info := make([]float64, len(share)), 0.0, 0.0
	for _, i := range v.members(set) {
		of[i] = share[i]
		sum += share[i]
		info += v.sources[i].info
	}
	floats.Scale(info/sum, of)
	return of
}

// expand fits to all, and takes the quadratic of each source there.
func (v *valuing) expand(ctx context.Context) error {
	v.c.progress(0, 0, "fit to all sources")
	for i := range v.sources {
		v.sources[i].fit.gram = nil
	}
	w, theta, err := v.minimize(ctx, v.weights(v.active, v.given()), make([]float64, v.params.N))
	if err != nil {
		return err
	}
	v.theta = theta
	clear(v.fits) // their shares were others
	clear(v.pairs)
	for _, i := range v.members(v.active) {
		s := &v.sources[i]
		k, err := s.problem.BestK(ctx, w)
		if err != nil {
			return err
		}
		if s.fit, err = v.quadratic(ctx, s, w, v.k); err != nil {
			return err
		}
		if s.aim, err = v.quadratic(ctx, s, w, k); err != nil {
			return err
		}
	}
	return nil
}

// quadratic takes that of a source under a slope of the sigmoid.
func (v *valuing) quadratic(ctx context.Context, s *valued, w objective.Tapered, k float64) (q quadratic, err error) {
	p, g := *s.problem, objective.NewTapered(len(v.terms))
	p.K = k
	grams, err := p.Gram(ctx, w, objective.Curvature)
	if err != nil {
		return q, err
	}
	q = quadratic{make([]float64, v.params.N), v.params.FoldGram(grams[0])}
	q.gram.ScaleSym(1/s.weight, q.gram)
	_, err = p.Gradient(ctx, w, g)
	v.params.Fold(g, q.slope)
	floats.Scale(1/s.weight, q.slope)
	return q, err
}

// minimize fits to the sources, the mean loss of each multiplied by of.
func (v *valuing) minimize(ctx context.Context, of, from []float64) (objective.Tapered, []float64, error) {
	o := &blend{v: v, of: of, w: objective.NewTapered(len(v.terms)), g: objective.NewTapered(len(v.terms))}
	out, err := optimize.GaussNewton{}.Minimize(ctx, o, from, optimize.Settings{Gap: foldGap * floats.Sum(of)})
	if err != nil {
		return o.w, nil, err
	}
	v.params.Expand(out.X, o.w)
	return o.w, out.X, nil
}

// blend is the loss of several sources with the prior.
type blend struct {
	v    *valuing
	of   []float64
	w, g objective.Tapered
}

func (o *blend) Dim() int { return o.v.params.N }

func (o *blend) Gradient(ctx context.Context, theta, g []float64) (value float64, err error) {
	q := o.v.params
	q.Expand(theta, o.w)
	part := make([]float64, len(theta))
	clear(g)
	for i := range o.v.sources {
		s := &o.v.sources[i]
		if o.of[i] == 0 {
			continue
		}
		var dst objective.Tapered
		if g != nil {
			clear(o.g.MG)
			clear(o.g.EG)
			dst = o.g
		}
		loss, err := s.problem.Gradient(ctx, o.w, dst)
		if err != nil {
			return 0, err
		}
		value += num.Rounded(loss * o.of[i] / s.weight)
		if g != nil {
			q.Fold(o.g, part)
			floats.AddScaled(g, o.of[i]/s.weight, part)
		}
	}
	for j, x := range theta {
		d, prec := x-q.Center[j], q.Precision(j)
		value += num.Rounded(0.5 * prec * d * d)
		if g != nil {
			g[j] += num.Rounded(prec * d)
		}
	}
	return value, nil
}

// Curvature is that of the quadratics, once they are known: fits to other mixes end near.
func (o *blend) Curvature(ctx context.Context, theta []float64) (*mat.SymDense, error) {
	if s := o.v.members(o.v.active); o.v.sources[s[0]].fit.gram != nil {
		return o.v.curvature(o.of), nil
	}
	h := mat.NewSymDense(len(theta), nil)
	o.v.params.Expand(theta, o.w)
	for _, i := range o.v.members(o.v.active) {
		s := &o.v.sources[i]
		grams, err := s.problem.Gram(ctx, o.w, objective.Curvature)
		if err != nil {
			return nil, err
		}
		part := o.v.params.FoldGram(grams[0])
		part.ScaleSym(o.of[i]/s.weight, part)
		h.AddSym(h, part)
	}
	return o.v.addPrior(h), nil
}

func (v *valuing) curvature(of []float64) *mat.SymDense {
	h, part := mat.NewSymDense(v.params.N, nil), mat.NewSymDense(v.params.N, nil)
	for i := range v.sources {
		if of[i] != 0 {
			part.ScaleSym(of[i], v.sources[i].fit.gram)
			h.AddSym(h, part)
		}
	}
	return v.addPrior(h)
}

func (v *valuing) addPrior(h *mat.SymDense) *mat.SymDense {
	for j := range v.params.N {
		h.SetSym(j, j, h.At(j, j)+v.params.Precision(j))
	}
	return h
}

// fitTo returns the weights that are fitted to a set of sources as given; the start weights for none.
func (v *valuing) fitTo(ctx context.Context, set uint64) (objective.Tapered, error) {
	w, known := v.fits[set]
	if known || set == 0 {
		if set == 0 {
			w = objective.StartOf(v.terms)
		}
		return w, nil
	}
	w, _, err := v.minimize(ctx, v.weights(set, v.given()), v.theta)
	v.fits[set] = w
	return w, err
}

// against compares fits to two sets on a source that is in neither.
func (v *valuing) against(ctx context.Context, on int, without, with uint64) (*Paired, error) {
	key := [3]uint64{uint64(on), without, with}
	if p := v.pairs[key]; p != nil {
		return p, nil
	}
	var sides [2]objective.Tapered
	for i, set := range []uint64{without, with} {
		w, err := v.fitTo(ctx, set)
		if err != nil {
			return nil, err
		}
		sides[i] = w
	}
	p, err := v.compare(ctx, on, sides[0], sides[1])
	v.pairs[key] = p
	return p, err
}

// compare is the loss on a source under a minus that under b, each under the slope that suits it best there.
func (v *valuing) compare(ctx context.Context, on int, a, b objective.Tapered) (*Paired, error) {
	s := &v.sources[on]
	sides := [2]predictor{{w: a}, {w: b}}
	for i := range sides {
		var err error
		if sides[i].k, err = s.problem.BestK(ctx, sides[i].w); err != nil {
			return nil, err
		}
	}
	sums := newClusterLosses(s.clusters)
	if err := sums.add(ctx, s.problem, objective.Trained, sides[0], sides[1]); err != nil {
		return nil, err
	}
	return sums.paired(), nil
}

// averageOf is the mean of gains on several sources.
func averageOf(list []*Paired) SourceGain {
	g, variance := SourceGain{}, 0.0
	for _, p := range list {
		g.Gain += p.Gain / float64(len(list))
		variance += float64(p.SE * p.SE)
	}
	se := math.Sqrt(variance) / float64(len(list))
	g.SE, g.Interval = num.Float(se), Interval{g.Gain - 1.96*se, g.Gain + 1.96*se}
	return g
}
